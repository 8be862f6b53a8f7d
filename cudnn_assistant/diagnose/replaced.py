"""Do the parts of an environment's cuDNN come from where they belong?"""

from __future__ import annotations

from collections.abc import Iterator

from cudnn_assistant.diagnose.context import Context, Rule
from cudnn_assistant.diagnose.cudnn import best, product
from cudnn_assistant.diagnose.needs import stopped, too_old
from cudnn_assistant.diagnose.remedies import install_packages, search_first, take_out
from cudnn_assistant.diagnose.touched import touched
from cudnn_assistant.finding import Finding, Manual
from cudnn_assistant.machine import CudnnCopy
from cudnn_assistant.versions import major, numbers


def overridden(ctx: Context) -> Iterator[Finding]:
    """L14, L15, L16: an environment brings its own cuDNN, and another copy takes its place."""
    trial = ctx.trial
    if (
        ctx.environment is None
        or trial is None
        or not (stopped(trial) or too_old(ctx.needs, trial))
    ):
        return
    foreign = next((p for p in touched(ctx, trial) if _foreign(ctx, p)), "")
    # A cuDNN of another major has other file names: nothing took its place.
    own = [c for c in ctx.copies if not trial.version or c.major == major(trial.version)]
    if not foreign or not ctx.needs or not own:
        return
    folder = ctx.parent(foreign)
    entry = ctx.searched.get(ctx.key(folder))
    listed = entry is not None and entry.variable == "LD_LIBRARY_PATH"
    mine, theirs = best(ctx, own), copy_in(ctx, folder)
    code = "library-path-overrides" if listed else "system-cudnn-overrides"
    yield ctx.finding(
        code,
        "error",
        take_out(ctx, entry) if listed else Manual(administrator=True),
        f"{foreign}",
        f"{product(mine.version)}: {mine.folder}",
        f"{entry.variable}: {entry.text} ({entry.source or entry.scope})" if entry else "",
        program=ctx.needs[0].who,
        own=product(mine.version),
        other=product(theirs.version if theirs else trial.version),
        folder=folder,
        owner=theirs.owner if theirs else "",
        place=entry.source if entry else "",
    )


def foreign_part(ctx: Context) -> Iterator[Finding]:
    """L08: cuDNN 9.20 asks for a part that it doesn't bring and takes it from another cuDNN."""
    trial = ctx.trial
    if trial is None or not stopped(trial) or numbers(trial.version)[:2] != (9, 20):
        return
    home = ctx.key(ctx.parent(trial.loaded)) if trial.loaded else ""
    files = [p for p in trial.mapped if "engines_tensor_ir" in ctx.name(p)]
    foreign = next((p for p in files if ctx.key(ctx.parent(p)) != home), "")
    if not foreign:
        return
    pins = [p for f in ctx.frameworks for p in f.pins if "cudnn" in p.package]
    package = pins[0].package if pins else ""
    remedy = install_packages(ctx, f"{package}>=9.21,<10") if package else Manual()
    yield ctx.finding(
        "cudnn-920-foreign-part", ctx.serious, remedy, foreign, trial.loaded,
        folder=ctx.parent(foreign),
    )  # fmt: skip


def parts_not_found(ctx: Context) -> Iterator[Finding]:
    """L06: the main DLL was loaded by its full path, and its parts beside it aren't searched."""
    trial = ctx.trial
    if trial is None or not ctx.windows or trial.status != "missing-library" or not trial.loaded:
        return
    folder = ctx.parent(trial.loaded)
    copy = copy_in(ctx, folder)
    missing = trial.missing.casefold()
    beside = (
        [p for p in copy.parts if p.file.casefold() == missing and p.state == "ok"] if copy else []
    )
    if copy is None or not beside or ctx.key(folder) in ctx.searched:
        return
    yield ctx.finding(
        "cudnn-parts-not-found",
        ctx.serious,
        search_first(ctx, copy.folder),
        f"{trial.missing}: {copy.folder}",
        product=product(copy.version),
        file=trial.missing,
        folder=copy.folder,
    )


def _foreign(ctx: Context, path: str) -> bool:
    """Whether a file outside the environment came by the loader's search.

    Environments made of links have their files elsewhere, where nobody searches.
    """
    folder = ctx.parent(path)
    copy = copy_in(ctx, folder)
    searched = ctx.key(folder) in ctx.searched or (copy is not None and not copy.environment)
    mine = ctx.environment is not None and ctx.belongs(path, ctx.environment)
    return searched and not mine


def copy_in(ctx: Context, folder: str) -> CudnnCopy | None:
    """The copy that lies in a folder."""
    return next((c for c in ctx.machine.cudnns if ctx.key(c.folder) == ctx.key(folder)), None)


RULES = (
    Rule(parts_not_found, ("cudnn-parts-not-found",), ("L06",)),
    Rule(foreign_part, ("cudnn-920-foreign-part",), ("L08",)),
    Rule(
        overridden,
        ("library-path-overrides", "system-cudnn-overrides"),
        ("L14", "L15", "L16", "F13"),
        provable=False,
    ),
)
