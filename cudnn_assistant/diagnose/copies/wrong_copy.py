"""Do the parts of cuDNN come from where they belong, and are they of one version?"""

from __future__ import annotations

import re

from cudnn_assistant.codes import Cudnn8Status, CudnnStatus
from cudnn_assistant.diagnose.copies.loaded_copy import (
    best,
    by_hand,
    copies_to_check,
    cudnn_files,
    inner_major,
    product,
    proven,
    replace,
)
from cudnn_assistant.diagnose.needs import too_old
from cudnn_assistant.diagnose.remedies import install_packages, overrides, search_first, take_out
from cudnn_assistant.diagnose.rule import Context, Findings, Layer, family, rule
from cudnn_assistant.finding import Facts, Finding, Manual, Remedy
from cudnn_assistant.machine import CudnnCopy
from cudnn_assistant.versions import major, numbers


@rule("cudnn-parts-not-found", layer=Layer.WRONG_COPY)
def parts_not_found(ctx: Context) -> Findings:
    """The main DLL was loaded by its full path, and its parts beside it aren't searched."""
    trial = ctx.trial
    if trial is None or not ctx.windows or trial.status != "missing-library" or not trial.loaded:
        return
    folder = ctx.parent(trial.loaded)
    copy = copy_in(ctx, folder)
    whole = {p.file.casefold() for p in copy.parts if p.state == "ok"} if copy else set()
    if not copy or trial.missing.casefold() not in whole or ctx.key(folder) in ctx.searched:
        return
    facts = Facts(product=product(copy.version), file=trial.missing, folder=copy.folder)
    shown, remedy = f"{trial.missing}: {copy.folder}", search_first(ctx, copy.folder)
    yield ctx.trouble(remedy, shown, **facts)


def _foreign(ctx: Context, path: str) -> bool:
    """Whether a file outside the environment came by the loader's search.

    Environments made of links have their files elsewhere, where nobody searches. Windows begins
    with the folder of the running program: what lies alone there was searched for, too.
    """
    folder = ctx.parent(path)
    copy = copy_in(ctx, folder)
    searched = ctx.key(folder) in ctx.searched or (copy is not None and not copy.environment)
    searched |= ctx.windows and copy is None
    mine = ctx.environment is not None and ctx.belongs(path, ctx.environment)
    return searched and not mine


def copy_in(ctx: Context, folder: str) -> CudnnCopy | None:
    """The copy that lies in a folder."""
    return next((c for c in ctx.machine.cudnns if ctx.key(c.folder) == ctx.key(folder)), None)


@rule("cudnn-920-foreign-part", layer=Layer.WRONG_COPY)
def foreign_part(ctx: Context) -> Findings:
    """CuDNN 9.20 asks for a part that it doesn't bring and takes it from another cuDNN."""
    trial = ctx.stopped
    if trial is None or numbers(trial.version)[:2] != (9, 20):
        return
    home = ctx.key(ctx.parent(trial.loaded)) if trial.loaded else ""
    files = [p for p in trial.mapped if "engines_tensor_ir" in ctx.name(p)]
    foreign = next((p for p in files if ctx.key(ctx.parent(p)) != home), "")
    if not foreign:
        return
    pins = [p for f in ctx.frameworks for p in f.pins if "cudnn" in p.package]
    package = pins[0].package if pins else ""
    remedy = install_packages(ctx, f"{package}>=9.21,<10") if package else Manual()
    yield ctx.trouble(remedy, foreign, trial.loaded, folder=ctx.parent(foreign))


@family(
    {"library-path-overrides": True, "system-cudnn-overrides": False},
    layer=Layer.WRONG_COPY,
    provable=False,
)
def taken_over(ctx: Context, by_path: bool) -> Findings:
    """An environment brings its own cuDNN, and another takes its place: by LD_LIBRARY_PATH, or as
    the system's."""
    trial = ctx.trial
    if ctx.environment is None or trial is None or not ctx.needs or ctx.framework_passed:
        return
    if not (ctx.stopped or too_old(ctx.needs, trial)):
        return
    # A cuDNN of another major has other file names, and one that lacks parts leaves the place of
    # these, and of what they load, to others: nothing was taken.
    whole = (c for c in ctx.copies if not c.damaged)
    own = [c for c in whole if not trial.version or c.major == major(trial.version)]
    file = next((p for p in cudnn_files(ctx, trial) if _foreign(ctx, p)), "")
    entry = ctx.searched.get(ctx.key(ctx.parent(file)))
    if file and own and by_path == (entry is not None and entry.variable == "LD_LIBRARY_PATH"):
        mine = best(ctx, own)
        remedy = take_out(ctx, entry) if by_path else _before_the_systems(ctx, mine)
        yield _overridden(ctx, file, mine, remedy)


def _before_the_systems(ctx: Context, own: CudnnCopy) -> Remedy:
    """Search the environment's folder first, where nobody else would load another copy by that."""
    if ctx.windows or ctx.system_users or overrides(ctx, own.folder):
        return Manual(administrator=True)
    return search_first(ctx, own.folder)


def _overridden(ctx: Context, file: str, mine: CudnnCopy, remedy: Remedy) -> Finding:
    folder = ctx.parent(file)
    entry, theirs = ctx.searched.get(ctx.key(folder)), copy_in(ctx, folder)
    answered = ctx.trial.version if ctx.trial else ""
    return ctx.error(
        remedy,
        file,
        f"{product(mine.version)}: {mine.folder}",
        f"{entry.variable}: {entry.text} ({entry.source or entry.scope})" if entry else "",
        program=ctx.needs[0].who,
        own_product=product(mine.version),
        other=product(theirs.version if theirs else answered),
        folder=folder,
        owner=theirs.owner if theirs else "",
        place=entry.source if entry else "",
    )


MIXED = (CudnnStatus.SUBLIBRARY_VERSION_MISMATCH, Cudnn8Status.VERSION_MISMATCH)
"""Status of a version check: sub-libraries of different versions, in cuDNN 9 and 8."""


@rule("cudnn-renamed", layer=Layer.WRONG_COPY, provable=False, of=copies_to_check)
def renamed(ctx: Context, copy: CudnnCopy) -> Findings:
    """The file's name says one major, its content another.

    A small test may pass with it; programs that want what the name says do not.
    """
    if not inner_major(copy) or inner_major(copy) == copy.major:
        return
    facts = Facts(file=copy.file, product=product(copy.version), folder=copy.folder)
    yield ctx.trouble(replace(ctx, copy), f"{copy.file}: {copy.version}", **facts)


@rule("cudnn-mixed-versions", layer=Layer.WRONG_COPY, of=copies_to_check)
def mixed(ctx: Context, copy: CudnnCopy) -> Findings:
    """Parts of different cuDNN versions came together in one program."""
    trial = ctx.trial
    if proven(ctx, copy):
        return
    versions = {numbers(p.version)[:3]: p for p in copy.parts if numbers(p.version)}
    stages = ("sublibraries", "handle", "convolution")
    refused = trial is not None and (
        (trial.code in MIXED and trial.stage in stages) or _strange(trial.detail)
    )
    check = copy.check
    words = [check.detail, *(p.detail for p in check.parts)] if check else []
    own = next(filter(_strange, words), check.detail if check and check.code in MIXED else "")
    checked = check is not None and (check.code in MIXED or bool(own))
    folders = list(dict.fromkeys(map(ctx.parent, cudnn_files(ctx, trial) if trial else ())))
    if not (len(versions) > 1 or refused or checked or (len(folders) > 1 and ctx.stopped)):
        return
    evidence = (
        [f"{p.file}: {p.version}" for p in versions.values()] if len(versions) > 1 else folders
    )
    said = trial.detail if trial and refused else own
    remedy = replace(ctx, copy)
    facts = by_hand(ctx, copy, remedy) | {"count": max(len(versions), len(folders), 2)}
    if len(versions) > 1:
        facts["versions"] = tuple(".".join(map(str, v)) for v in sorted(versions))
    yield ctx.trouble(remedy, *evidence, said, **facts)


def _strange(said: str) -> bool:
    """Whether the loader found one part of cuDNN asking another for what that one hasn't got."""
    return re.search(r"libcudnn[\w.-]*: undefined symbol: [^;]*cudnn", said) is not None
