"""Is there a cuDNN of the right major, and do programs find it and not another one?"""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from typing import NamedTuple

from cudnn_assistant.compat import cudnn_package
from cudnn_assistant.diagnose.context import Context
from cudnn_assistant.diagnose.needs import Need, stopped
from cudnn_assistant.diagnose.programs.packages import lacking, packages_of
from cudnn_assistant.diagnose.remedies import (
    fits,
    install_cudnn,
    install_packages,
    reinstall,
    search_first,
)
from cudnn_assistant.diagnose.rule import Layer, rule
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


_LIKELY = re.compile("cuda|cudnn|nvidia", re.IGNORECASE)
"""In the name of a folder that is likely to hold cuDNN."""


@rule("search-folder-closed", layer=Layer.SEARCH)
def closed(ctx: Context) -> Iterator[Finding]:
    """A folder of the search list can't be opened, and cuDNN wasn't found in the others."""
    trial = ctx.trial
    if ctx.windows or ctx.environment is not None or trial is None or trial.stage != "load":
        return
    entry = next((e for e in ctx.machine.search if e.closed and _LIKELY.search(e.folder)), None)
    lost = trial.status == "missing-library" and "cudnn" in trial.missing
    if entry is None or ctx.copies or not lost:
        return
    folders = " ".join(shlex.quote(f) for f in (ctx.parent(entry.folder), entry.folder))
    remedy = Manual(commands=(f"sudo chmod a+rx {folders}",), administrator=True)
    yield ctx.finding(
        ctx.serious, remedy, f"{entry.variable}: {entry.text}", sure=False, folder=entry.folder
    )


class _Lack(NamedTuple):
    """What a need finds of its cuDNN, where no copy serves it."""

    need: Need
    others: list[CudnnCopy]
    """Copies of another major."""
    recorded: Package | None
    """Its package, installed by its record alone."""

    def only(self, ctx: Context, flavour: str) -> CudnnCopy | None:
        """The copy of that flavour, where there is nothing better than it."""
        found = next((c for c in ctx.copies if c.flavour == flavour), None)
        return found if not self.others and self.recorded is None else None


def _lacks(ctx: Context) -> list[_Lack]:
    """The needs that no copy of the subject's serves."""
    if ctx.machine.unknown("cudnn") or (ctx.environment is None and not ctx.wanted):
        return []
    return [_lack(ctx, need) for need in ctx.needs if _unserved(ctx, need)]


def _unserved(ctx: Context, need: Need) -> bool:
    return not (candidates(ctx, need) or ctx.met(need) or _serves_another(ctx, need))


def _lack(ctx: Context, need: Need) -> _Lack:
    others = [c for c in ctx.copies if c.major != need.major and c.flavour == "full"]
    return _Lack(need, others, _recorded(ctx, need))


@rule("package-incomplete", layer=Layer.SEARCH)
def recorded_only(ctx: Context) -> Iterator[Finding]:
    """The package of the needed cuDNN is installed by its record alone."""
    for lack in _lacks(ctx):
        if lack.recorded is not None:
            yield lacking(ctx, lack.recorded, "error")


@rule("cudnn-main-file-alone", layer=Layer.SEARCH)
def main_file_alone(ctx: Context) -> Iterator[Finding]:
    """A package brings the main library only; the parts have to come from elsewhere."""
    for lack in _lacks(ctx):
        need = lack.need
        if copy := lack.only(ctx, "shim"):
            yield ctx.error(
                install_packages(ctx, _whole_package(ctx, copy, need)),
                f"{copy.file}: {copy.folder}",
                program=need.who,
                file=copy.file,
                folder=copy.folder,
                product=product(copy.version),
            )


def _whole_package(ctx: Context, copy: CudnnCopy, need: Need) -> str:
    """The requirement for the package that holds all parts of that cuDNN."""
    exact = f"=={copy.version}" if len(numbers(copy.version)) > 3 else ""
    wanted = exact or f">={short(copy.version)},<{copy.major + 1}"
    return f"{cudnn_package(ctx.compat, need.cuda)}{wanted}"


@rule("cudnn-jit-only", layer=Layer.SEARCH)
def jit_only(ctx: Context) -> Iterator[Finding]:
    """The small cuDNN is there, which holds none of the engines that programs ask for."""
    for lack in _lacks(ctx):
        if (copy := lack.only(ctx, "jit")) and not lack.only(ctx, "shim"):
            yield _missing(ctx, lack, f"{copy.file}: {copy.folder}")


@rule("cudnn-wrong-major", layer=Layer.SEARCH)
def wrong_major(ctx: Context) -> Iterator[Finding]:
    """There is a cuDNN, of another major than programs ask for."""
    for lack in _lacks(ctx):
        if lack.others and lack.recorded is None:
            evidence = (f"{product(c.version)}: {c.folder}" for c in lack.others)
            yield _missing(ctx, lack, *evidence)


@rule("cudnn-missing", layer=Layer.SEARCH)
def missing(ctx: Context) -> Iterator[Finding]:
    """Nobody installed a cuDNN of the major that programs ask for."""
    for lack in _lacks(ctx):
        half = lack.only(ctx, "shim") or lack.only(ctx, "jit")
        if not (lack.others or lack.recorded or half):
            yield _missing(ctx, lack, f"{_main_file(ctx, lack.need)}: –")


def _missing(ctx: Context, lack: _Lack, *evidence: str) -> Finding:
    need, others = lack.need, lack.others
    return ctx.error(
        reinstall(ctx) if ctx.environment is not None else install_cudnn(ctx, need),
        *evidence,
        cudnn_major=need.major,
        product=f"cuDNN {need.major}" if need.major else "cuDNN",
        program=need.who,
        environment=need.where,
        present=product(best(ctx, others).version) if others else "",
        libraries="" if ctx.machine.toolkits or ctx.libraries("cublasLt") else "cuBLAS",
    )


def _serves_another(ctx: Context, need: Need) -> bool:
    """The environment has the cuDNN of another framework in it; one package is for one."""
    others = (n for n in ctx.needs if n.major != need.major)
    return ctx.environment is not None and any(candidates(ctx, other) for other in others)


def _main_file(ctx: Context, need: Need) -> str:
    """The file that was asked for in vain, or would be: cuDNN's main library of that major."""
    asked = ctx.trial.missing if ctx.trial and stopped(ctx.trial) else ""
    major_of = need.major or 9
    usual = f"cudnn64_{major_of}.dll" if ctx.windows else f"libcudnn.so.{major_of}"
    return asked if "cudnn" in asked else usual


def _recorded(ctx: Context, need: Need) -> Package | None:
    """The package of that cuDNN which is installed by its record alone."""
    kind = re.compile(r"nvidia-cudnn-cu\d+")
    return next(
        (
            p for p in packages_of(ctx)
            if kind.fullmatch(p.name) and major(p.version) == need.major and not p.manager
        ),
        None,
    )  # fmt: skip


@rule("loader-list-not-renewed", layer=Layer.SEARCH)
def forgotten(ctx: Context) -> Iterator[Finding]:
    """The folder stands in the loader's configuration, which nobody told the loader."""
    if ctx.environment is not None or ctx.windows or not _no_cudnn_found(ctx):
        return
    missing_file = ctx.trial.missing if ctx.trial else ""
    for copy in ctx.copies:
        entry = _listed_in_vain(ctx, copy)
        asked = not missing_file or missing_file.startswith(f"libcudnn.so.{copy.major}")
        if entry and asked and not copy.damaged:
            remedy = Manual(commands=("sudo ldconfig",), administrator=True)
            yield ctx.finding(
                ctx.serious,
                remedy,
                copy.folder,
                entry.source,
                product=product(copy.version),
                folder=copy.folder,
                place=entry.source,
            )
            return


def _listed_in_vain(ctx: Context, copy: CudnnCopy) -> PathEntry | None:
    """The line of the loader's configuration that names a copy which the loader doesn't know."""
    entry = ctx.searched.get(ctx.key(copy.folder))
    listed = entry is not None and entry.variable == "ld.so.conf"
    return entry if listed and "ld-cache" not in copy.found_via else None


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


class _Unreached(NamedTuple):
    """A copy that would serve, in a folder that the loader doesn't look into."""

    copy: CudnnCopy
    above: PathEntry | None
    """The searched folder just above it: the entry that was meant for it."""


def _unreached(ctx: Context) -> list[_Unreached]:
    """The best copy for each need that no searched folder serves."""
    unknown = ctx.machine.unknown("variables") or ctx.machine.unknown("search")
    if ctx.environment is not None or not ctx.machine.search or unknown:
        return []
    found = [best(ctx, copies) for need in ctx.needs if (copies := _hidden(ctx, need))]
    return [_Unreached(copy, _above(ctx, copy)) for copy in found]


def _hidden(ctx: Context, need: Need) -> list[CudnnCopy]:
    """The copies that would serve a need, where none of them is found by its name."""
    known = candidates(ctx, need)
    if ctx.met(need) or ctx.winner in known or any(_reached(ctx, c) for c in known):
        return []
    return [c for c in known if fits(ctx, c)] or known


@rule("cudnn-not-on-path", layer=Layer.SEARCH)
def not_on_path(ctx: Context) -> Iterator[Finding]:
    """A copy is installed, and the loader doesn't look into its folder."""
    for found in _unreached(ctx) if ctx.serious == "error" else ():
        if found.above is None:
            yield _not_searched(ctx, found)


@rule("cudnn-parent-on-path", layer=Layer.SEARCH)
def parent_on_path(ctx: Context) -> Iterator[Finding]:
    """The folder above the copy's is searched, as an installer of cuDNN writes it."""
    for found in _unreached(ctx) if ctx.serious == "error" else ():
        if found.above is not None:
            yield _not_searched(ctx, found)


@rule("spare-cudnn-not-searched", layer=Layer.SEARCH)
def spare_not_searched(ctx: Context) -> Iterator[Finding]:
    """The same for a copy that no program here asks for."""
    for found in _unreached(ctx) if ctx.serious != "error" else ():
        yield _not_searched(ctx, found)


def _not_searched(ctx: Context, found: _Unreached) -> Finding:
    copy, above = found
    named = ctx.machine.variable("CUDNN_PATH") or ctx.machine.variable("CUDNN_HOME")
    startup = _of_terminals(ctx, copy.folder)
    return ctx.finding(
        ctx.serious,
        search_first(ctx, copy.folder),
        f"{copy.file}: {copy.folder}",
        f"{above.variable}: {above.text}" if above else "",
        f"{named.name}={named.value.text}" if named else "",
        f"{startup.name}={startup.value.text} ({startup.source})" if startup else "",
        product=product(copy.version),
        startup_file=startup.source if startup else "",
        version=short(copy.version),
        folder=copy.folder,
        entry=above.text if above else "",
        variable=ctx.variable,
    )


def _of_terminals(ctx: Context, folder: str) -> Variable | None:
    """The line of a start-up file that names the folder, which this program didn't get."""
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


class _TooOld(NamedTuple):
    """The copy that programs load or would load, where it is older than what a need asks for."""

    need: Need
    copy: CudnnCopy
    measured: bool
    newer: CudnnCopy | None
    """The better copy on this computer."""
    entry: PathEntry | None
    """The list's entry that leads to the copy."""

    @property
    def before_all(self) -> bool:
        """Whether Windows searches the copy's folder before all of PATH."""
        return self.entry is None or self.entry.variable.upper() != "PATH"


def _too_old(ctx: Context) -> _TooOld | None:
    copy, measured = taken(ctx)
    if copy is None or ctx.works or ctx.environment is not None:
        return None
    need = next((n for n in ctx.needs if n.major in (0, copy.major)), None)
    if need is None or (need.major == 0 and not measured):
        return None
    newer = _newer(ctx, copy, need)
    behind = bool(need.version) and older(copy.version, need.version)
    if not behind and not (newer and stopped(ctx.trial) and not copy.damaged):
        return None
    entry = ctx.searched.get(ctx.key(copy.folder))
    return _TooOld(need, copy, measured, best(ctx, newer) if newer else None, entry)


def _newer(ctx: Context, copy: CudnnCopy, need: Need) -> list[CudnnCopy]:
    """Copies of the same major that are newer, and fit."""
    same = (c for c in candidates(ctx, need) if c.major == copy.major)
    return [c for c in same if older(copy.version, short(c.version)) and fits(ctx, c)]


@rule("older-cudnn-first", layer=Layer.SEARCH)
def older_first(ctx: Context) -> Iterator[Finding]:
    """An older copy of the same major stands before the one that is needed."""
    found = _too_old(ctx)
    if found and found.newer and not (ctx.windows and found.before_all):
        remedy = search_first(ctx, found.newer.folder, found.entry)
        yield _put_in_front(ctx, found, found.newer, remedy)


@rule("stray-cudnn-first", layer=Layer.SEARCH)
def stray_first(ctx: Context) -> Iterator[Finding]:
    """The older copy lies where Windows looks before all of PATH."""
    found = _too_old(ctx)
    if found and found.newer and ctx.windows and found.before_all:
        yield _put_in_front(ctx, found, found.newer, Manual())


@rule("cudnn-too-old", layer=Layer.SEARCH)
def too_old(ctx: Context) -> Iterator[Finding]:
    """The copy is older than programs ask for, and no newer one is there."""
    found = _too_old(ctx)
    if found and found.newer is None:
        need, copy = found.need, found.copy
        yield ctx.finding(
            ctx.serious,
            install_cudnn(ctx, need),
            copy.folder,
            sure=found.measured,
            product=product(copy.version),
            needed_version=short(need.version),
            program=need.who,
            folder=copy.folder,
        )


def _put_in_front(ctx: Context, found: _TooOld, good: CudnnCopy, remedy: Remedy) -> Finding:
    copy, entry = found.copy, found.entry
    evidence = [f"{product(c.version)}: {c.folder}" for c in (copy, good)]
    where = f"{entry.variable}, {entry.scope}: {entry.text}" if entry else ""
    return ctx.finding(
        ctx.serious,
        remedy,
        *evidence,
        where,
        sure=found.measured,
        older=short(copy.version),
        newer=short(good.version),
        older_folder=copy.folder,
        folder=good.folder,
        file=ctx.join(copy.folder, copy.file),
        variable=entry.variable if entry else ctx.variable,
        scope=entry.scope if entry else "",
        place=entry.source if entry else "",
        program=found.need.who,
        by_hand=isinstance(remedy, Manual) and bool(remedy.commands),
    )
