"""Is there a cuDNN of the right major, and do programs find it and not another one?"""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator

from cudnn_assistant.diagnose import pinned
from cudnn_assistant.diagnose.context import Context, Rule
from cudnn_assistant.diagnose.needs import Need, stopped
from cudnn_assistant.diagnose.packages import lacking, packages_of
from cudnn_assistant.diagnose.remedies import (
    fits,
    install_cudnn,
    install_packages,
    reinstall,
    search_first,
)
from cudnn_assistant.envpath import split
from cudnn_assistant.finding import Finding, Manual, Remedy
from cudnn_assistant.machine import CudnnCopy, Package, PathEntry, Variable
from cudnn_assistant.versions import major, numbers, older, short


def candidates(ctx: Context, need: Need) -> list[CudnnCopy]:
    """The subject's full copies of the needed major."""
    return [c for c in ctx.copies if need.major in (0, c.major) and c.flavour == "full"]


def best(ctx: Context, copies: list[CudnnCopy]) -> CudnnCopy:
    """The copy to prefer: one that fits, then the newest."""
    return max(copies, key=lambda c: (fits(ctx, c), numbers(c.version), -ctx.rank(c.folder)))


def product(version: str) -> str:
    """The name people know: "cuDNN 9.8", "cuDNN" when the version is unknown."""
    return f"cuDNN {short(version)}".strip()


def missing(ctx: Context) -> Iterator[Finding]:
    """L01, L02, L31, L16, L37: nobody installed a cuDNN of the major that programs ask for."""
    if ctx.machine.unknown("cudnn") or (ctx.environment is None and not ctx.wanted):
        return
    for need in ctx.needs:
        if candidates(ctx, need) or ctx.met(need) or _serves_another(ctx, need):
            continue
        if (recorded := _recorded(ctx, need)) is not None:
            yield lacking(ctx, recorded, "error")
            continue
        others = [c for c in ctx.copies if c.major != need.major and c.flavour == "full"]
        jit = next((c for c in ctx.copies if c.flavour == "jit"), None)
        alone = next((c for c in ctx.copies if c.flavour == "shim"), None)
        if alone is not None and not others:
            yield _main_file_alone(ctx, alone, need)
            continue
        remedy = reinstall(ctx) if ctx.environment is not None else install_cudnn(ctx, need)
        facts = {
            "major": str(need.major) if need.major else "",
            "product": f"cuDNN {need.major}" if need.major else "cuDNN",
            "program": need.who,
            "where": need.where,
            "present": product(best(ctx, others).version) if others else "",
            "libraries": "" if ctx.machine.toolkits or ctx.libraries("cublasLt") else "cuBLAS",
        }
        evidence = [f"{product(c.version)}: {c.folder}" for c in others]
        code = "cudnn-wrong-major" if others else "cudnn-missing"
        if jit is not None and not others:
            code, evidence = "cudnn-jit-only", [f"{jit.file}: {jit.folder}"]
        evidence = evidence or [f"{_main_file(ctx, need)}: –"]
        yield ctx.finding(code, "error", remedy, *evidence, also=facts)


def _serves_another(ctx: Context, need: Need) -> bool:
    """F07: the environment has the cuDNN of another framework in it; one package is for one."""
    others = (n for n in ctx.needs if n.major != need.major)
    return ctx.environment is not None and any(candidates(ctx, other) for other in others)


def _main_file(ctx: Context, need: Need) -> str:
    """The file that was asked for in vain, or would be: cuDNN's main library of that major."""
    asked = ctx.trial.missing if ctx.trial and stopped(ctx.trial) else ""
    major_of = need.major or 9
    usual = f"cudnn64_{major_of}.dll" if ctx.windows else f"libcudnn.so.{major_of}"
    return asked if "cudnn" in asked else usual


def _recorded(ctx: Context, need: Need) -> Package | None:
    """L37: the package of that cuDNN which is installed by its record alone."""
    kind = re.compile(r"nvidia-cudnn-cu\d+")
    return next(
        (
            p for p in packages_of(ctx)
            if kind.fullmatch(p.name) and major(p.version) == need.major and not p.manager
        ),
        None,
    )  # fmt: skip


def _main_file_alone(ctx: Context, copy: CudnnCopy, need: Need) -> Finding:
    """L16: a package brings the main library only; the parts have to come from elsewhere."""
    suffix = f"-cu{need.cuda}" if need.cuda in (11, 12) else "-cu13" if need.cuda == 13 else "-cu12"
    version = (
        f"=={copy.version}" if copy.version.count(".") == 3 else f">={short(copy.version)},<10"
    )
    return ctx.finding(
        "cudnn-main-file-alone", "error", install_packages(ctx, f"nvidia-cudnn{suffix}{version}"),
        f"{copy.file}: {copy.folder}",
        program=need.who, file=copy.file, folder=copy.folder, product=product(copy.version),
    )  # fmt: skip


def unreachable(ctx: Context) -> Iterator[Finding]:
    """E01, E02, L34: a copy is installed, and the loader doesn't look into its folder."""
    unknown = ctx.machine.unknown("variables") or ctx.machine.unknown("search")
    if ctx.environment is not None or not ctx.machine.search or unknown:
        return
    for need in ctx.needs:
        if ctx.met(need) or ctx.winner in candidates(ctx, need):
            continue
        copies = [c for c in candidates(ctx, need) if fits(ctx, c)] or candidates(ctx, need)
        if not copies or any(_reached(ctx, c) for c in candidates(ctx, need)):
            continue
        copy = best(ctx, copies)
        above = _above(ctx, copy)
        code = "cudnn-not-on-path" if above is None else "cudnn-parent-on-path"
        if ctx.serious != "error":
            code = "spare-cudnn-not-searched"
        named = ctx.machine.variable("CUDNN_PATH") or ctx.machine.variable("CUDNN_HOME")
        startup = _of_terminals(ctx, copy.folder)
        yield ctx.finding(
            code,
            ctx.serious,
            search_first(ctx, copy.folder),
            f"{copy.file}: {copy.folder}",
            f"{above.variable}: {above.text}" if above else "",
            f"{named.name}={named.value.text}" if named else "",
            f"{startup.name}={startup.value.text} ({startup.source})" if startup else "",
            product=product(copy.version),
            startup=startup.source if startup else "",
            version=short(copy.version),
            folder=copy.folder,
            entry=above.text if above else "",
            variable=ctx.variable,
        )


def _of_terminals(ctx: Context, folder: str) -> Variable | None:
    """E15: the line of a start-up file that names the folder, which this program didn't get."""
    if ctx.windows:
        return None
    known = (v for v in ctx.machine.variables if v.name == ctx.variable and v.scope == "user")
    return next(
        (v for v in known if ctx.key(folder) in map(ctx.key, split(v.value.text, "linux"))), None
    )


def _reached(ctx: Context, copy: CudnnCopy) -> bool:
    """Whether the loader looks into the copy's folder.

    Where the test found no cuDNN, an entry in quotes or with blanks isn't looked into.
    """
    entry = ctx.searched.get(ctx.key(copy.folder))
    odd = entry is not None and ('"' in entry.text or entry.text != entry.text.strip())
    lost = ctx.trial is not None and ctx.trial.status == "missing-library"
    return ctx.reachable(copy.folder, copy.found_via) and not (odd and lost)


_LIKELY = re.compile("cuda|cudnn|nvidia", re.IGNORECASE)
"""In the name of a folder that is likely to hold cuDNN."""


def closed(ctx: Context) -> Iterator[Finding]:
    """L36: a folder of the search list can't be opened, and cuDNN wasn't found in the others."""
    trial = ctx.trial
    if ctx.windows or ctx.environment is not None or trial is None or trial.stage != "load":
        return
    shut = [e for e in ctx.machine.search if e.closed and _LIKELY.search(e.folder)]
    entry = next(iter(shut), None)
    if (
        entry is None
        or ctx.copies
        or trial.status != "missing-library"
        or "cudnn" not in trial.missing
    ):
        return
    folders = " ".join(shlex.quote(f) for f in (ctx.parent(entry.folder), entry.folder))
    remedy = Manual(commands=(f"sudo chmod a+rx {folders}",), administrator=True)
    yield ctx.finding(
        "search-folder-closed", ctx.serious, remedy, f"{entry.variable}: {entry.text}",
        folder=entry.folder, sure=False,
    )  # fmt: skip


def forgotten(ctx: Context) -> Iterator[Finding]:
    """L34: the folder stands in the loader's configuration, which nobody told the loader."""
    if ctx.environment is not None or ctx.windows or not _no_cudnn_found(ctx):
        return
    missing_file = ctx.trial.missing if ctx.trial else ""
    for copy in ctx.copies:
        entry = ctx.searched.get(ctx.key(copy.folder))
        listed = entry is not None and entry.variable == "ld.so.conf"
        asked = not missing_file or missing_file.startswith(f"libcudnn.so.{copy.major}")
        if entry and listed and asked and "ld-cache" not in copy.found_via and not copy.damaged:
            remedy = Manual(commands=("sudo ldconfig",), administrator=True)
            yield ctx.finding(
                "loader-list-not-renewed", ctx.serious, remedy, copy.folder, entry.source,
                product=product(copy.version), folder=copy.folder, place=entry.source,
            )  # fmt: skip
            return


def _no_cudnn_found(ctx: Context) -> bool:
    """The test found none by its name; untested: the loader's list was read, and names none."""
    trial = ctx.trial
    if trial is not None:
        lost = trial.status == "missing-library" and trial.stage == "load"
        return lost and trial.missing.startswith("libcudnn")
    read = any("ld-cache" in lib.found_via for lib in ctx.machine.libraries)
    ways = {"ld-cache", "system-folder", ctx.variable}
    return read and not any(ways & set(copy.found_via) for copy in ctx.copies)


def _above(ctx: Context, copy: CudnnCopy) -> PathEntry | None:
    """The searched folder one or two levels above the copy: the installer's wrong entry."""
    parent = ctx.parent(copy.folder)
    for folder in (parent, ctx.parent(parent)):
        entry = ctx.searched.get(ctx.key(folder)) if ctx.windows else None
        if entry is not None and entry.variable.upper() == "PATH":
            return entry
    return None


def taken(ctx: Context) -> tuple[CudnnCopy | None, bool]:
    """The copy that programs load and whether that was measured.

    Without a test the first copy in search order is assumed.
    """
    if ctx.winner is not None:
        return ctx.winner, True
    if stopped(ctx.trial) or ctx.environment is not None:
        return None, False
    found = [c for c in ctx.copies if c.flavour == "full" and ctx.reachable(c.folder, c.found_via)]
    return min(found, key=lambda c: ctx.rank(c.folder), default=None), False


def older_first(ctx: Context) -> Iterator[Finding]:
    """L03, L12, L13, E10: an older copy of the same major stands before the one that is needed."""
    copy, sure = taken(ctx)
    if copy is None or ctx.works or ctx.environment is not None:
        return
    need = next((n for n in ctx.needs if n.major in (0, copy.major)), None)
    if need is None or (need.major == 0 and not sure):
        return
    behind = bool(need.version) and older(copy.version, need.version)
    newer = [
        c for c in candidates(ctx, need)
        if c.major == copy.major and older(copy.version, short(c.version)) and fits(ctx, c)
    ]  # fmt: skip
    if not behind and not (newer and stopped(ctx.trial) and not copy.damaged):
        return
    if newer:
        yield _put_in_front(ctx, copy, best(ctx, newer), need, sure)
    elif behind:
        yield ctx.finding(
            "cudnn-too-old", ctx.serious, install_cudnn(ctx, need), copy.folder, sure=sure,
            product=product(copy.version), needed=short(need.version), program=need.who,
            folder=copy.folder,
        )  # fmt: skip


def _put_in_front(
    ctx: Context, copy: CudnnCopy, good: CudnnCopy, need: Need, sure: bool
) -> Finding:
    entry = ctx.searched.get(ctx.key(copy.folder))
    before_all = ctx.windows and (entry is None or entry.variable.upper() != "PATH")
    remedy: Remedy = Manual() if before_all else search_first(ctx, good.folder, entry)
    evidence = [f"{product(c.version)}: {c.folder}" for c in (copy, good)]
    where = f"{entry.variable}, {entry.scope}: {entry.text}" if entry else ""
    return ctx.finding(
        "stray-cudnn-first" if before_all else "older-cudnn-first",
        ctx.serious,
        remedy,
        *evidence,
        where,
        sure=sure,
        old=short(copy.version),
        new=short(good.version),
        old_folder=copy.folder,
        folder=good.folder,
        file=ctx.join(copy.folder, copy.file),
        variable=entry.variable if entry else ctx.variable,
        scope=entry.scope if entry else "",
        place=entry.source if entry else "",
        program=need.who,
        add=good.folder if isinstance(remedy, Manual) and remedy.commands else "",
    )


RULES = (
    *pinned.RULES,
    Rule(closed, ("search-folder-closed",), ("L36",)),
    Rule(
        missing,
        (
            "cudnn-missing",
            "cudnn-wrong-major",
            "cudnn-jit-only",
            "cudnn-main-file-alone",
            "package-incomplete",
        ),
        ("L01", "L02", "L31", "L16", "L37"),
    ),
    Rule(forgotten, ("loader-list-not-renewed",), ("L34",)),
    Rule(
        unreachable,
        ("cudnn-not-on-path", "cudnn-parent-on-path", "spare-cudnn-not-searched"),
        ("E01", "E02", "E05", "L34"),
    ),
    Rule(
        older_first,
        ("older-cudnn-first", "stray-cudnn-first", "cudnn-too-old"),
        ("L03", "L12", "L13", "E10"),
    ),
)
