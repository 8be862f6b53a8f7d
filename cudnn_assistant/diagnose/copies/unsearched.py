"""Do programs find the cuDNN that they ask for, and no older one before it?"""

from __future__ import annotations

from cudnn_assistant.diagnose.copies.loaded_copy import best, candidates, loaded_copy, product
from cudnn_assistant.diagnose.needs import Need
from cudnn_assistant.diagnose.remedies import RENAME, fits, install_cudnn, loader_list, search_first
from cudnn_assistant.diagnose.rule import Context, Findings, Layer, family, rule
from cudnn_assistant.envpath import searched
from cudnn_assistant.finding import Automatic, Facts, Manual
from cudnn_assistant.machine import CudnnCopy, PathEntry, Variable
from cudnn_assistant.versions import older, short


@rule("loader-list-not-renewed", layer=Layer.SEARCH)
def forgotten(ctx: Context) -> Findings:
    """The folder stands in the loader's configuration, which nobody told the loader."""
    if ctx.environment is not None or ctx.windows or not _no_cudnn_found(ctx):
        return
    missing_file = ctx.trial.missing if ctx.trial else ""
    for copy in ctx.copies:
        entry = _listed_in_vain(ctx, copy)
        asked = not missing_file or missing_file.startswith(f"libcudnn.so.{copy.major}")
        if entry and asked and not copy.damaged:
            renewed = loader_list(ctx, copy.folder)
            by_hand = Manual(commands=("sudo ldconfig",), administrator=True)
            remedy = renewed if isinstance(renewed, Automatic) else by_hand
            facts = Facts(product=product(copy.version), folder=copy.folder, place=entry.source)
            yield ctx.trouble(remedy, copy.folder, entry.source, **facts)
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
    entries = (ctx.searched.get(ctx.key(folder)) for folder in (parent, ctx.parent(parent)))
    on_path = (entry for entry in entries if entry and entry.variable.upper() == "PATH")
    return next(on_path, None) if ctx.windows else None


def _unreached(ctx: Context) -> list[CudnnCopy]:
    """The best copy for each need that no searched folder serves."""
    unknown = ctx.machine.unknown("variables") or ctx.machine.unknown("search")
    if ctx.environment is not None or not ctx.machine.search or unknown:
        return []
    return [best(ctx, copies) for need in ctx.needs if (copies := _hidden(ctx, need))]


def _hidden(ctx: Context, need: Need) -> list[CudnnCopy]:
    """The copies that would serve a need, where none of them is found by its name."""
    known = candidates(ctx, need)
    if ctx.met(need) or ctx.winner in known or any(_reached(ctx, c) for c in known):
        return []
    return [c for c in known if fits(ctx, c)] or known


@family(
    {"cudnn-not-on-path": False, "cudnn-parent-on-path": True, "spare-cudnn-not-searched": None},
    layer=Layer.SEARCH,
    of=_unreached,
)
def not_searched(ctx: Context, copy: CudnnCopy, of_installer: bool | None) -> Findings:
    """A copy is installed, and the loader doesn't look into its folder.

    An installer of cuDNN writes the folder above it into PATH; a spare copy nobody here asks for.
    """
    above = _above(ctx, copy)
    if of_installer is not (bool(above) if ctx.serious == "error" else None):
        return
    named = ctx.machine.variable("CUDNN_PATH") or ctx.machine.variable("CUDNN_HOME")
    startup = _of_terminals(ctx, copy.folder)
    yield ctx.trouble(
        search_first(ctx, copy.folder),
        f"{copy.file}: {copy.folder}",
        f"{above.variable}: {above.text}" if above else "",
        f"{named.name}={named.value.text}" if named else "",
        f"{startup.name}={startup.value.text} ({startup.source})" if startup else "",
        product=product(copy.version),
        startup_file=startup.source if startup else "",
        folder=copy.folder,
        entry=above.text if above else "",
        variable=ctx.variable,
    )


def _of_terminals(ctx: Context, folder: str) -> Variable | None:
    """The line of a start-up file that names the folder, which this program didn't get."""
    known = (v for v in ctx.machine.variables if v.name == ctx.variable and v.scope == "user")
    for one in known if not ctx.windows else ():
        if ctx.key(folder) in map(ctx.key, searched(one.value.text, "linux")):
            return one
    return None


def _reached(ctx: Context, copy: CudnnCopy) -> bool:
    """Whether the loader looks into the copy's folder.

    Where the test found no cuDNN, an entry in quotes or with blanks isn't looked into.
    """
    entry = ctx.searched.get(ctx.key(copy.folder))
    odd = entry is not None and ('"' in entry.text or entry.text != entry.text.strip())
    lost = ctx.trial is not None and ctx.trial.status == "missing-library"
    return ctx.reachable(copy.folder, copy.found_via) and not (odd and lost)


_TooOld = tuple[Need, CudnnCopy, CudnnCopy | None]
"""What is asked for, the older copy that programs load or would load, and the better one here."""


def _too_old(ctx: Context) -> list[_TooOld]:
    copy, measured = loaded_copy(ctx)
    if copy is None or ctx.works or ctx.environment is not None:
        return []
    need = next((n for n in ctx.needs if n.major in (0, copy.major)), None)
    if need is None or (need.major == 0 and not measured):
        return []
    same = (c for c in candidates(ctx, need) if c.major == copy.major)
    newer = [c for c in same if older(copy.version, short(c.version)) and fits(ctx, c)]
    behind = bool(need.version) and older(copy.version, need.version)
    found = behind or (newer and ctx.stopped and not copy.damaged)
    return [(need, copy, best(ctx, newer) if newer else None)] if found else []


@family({"older-cudnn-first": False, "stray-cudnn-first": True}, layer=Layer.SEARCH, of=_too_old)
def behind_older(ctx: Context, found: _TooOld, stray: bool) -> Findings:
    """An older copy of the same major stands before the one that is needed; a stray one lies where
    Windows looks before all of PATH."""
    need, copy, good = found
    entry = ctx.searched.get(ctx.key(copy.folder))
    on_path = entry is not None and entry.variable.upper() == "PATH"
    if good is None or stray is not (ctx.windows and not on_path):
        return
    remedy = RENAME if stray else search_first(ctx, good.folder, entry)
    yield ctx.trouble(
        remedy,
        *(f"{product(c.version)}: {c.folder}" for c in (copy, good)),
        f"{entry.variable}, {entry.scope}: {entry.text}" if entry else "",
        sure=ctx.winner is not None,
        older=short(copy.version),
        newer=short(good.version),
        older_folder=copy.folder,
        folder=good.folder,
        file=ctx.join(copy.folder, copy.file),
        variable=entry.variable if entry else ctx.variable,
        place=entry.source if entry else "",
        program=need.who,
        by_hand=isinstance(remedy, Manual) and bool(remedy.commands),
    )


@rule("cudnn-too-old", layer=Layer.SEARCH, of=_too_old)
def too_old(ctx: Context, found: _TooOld) -> Findings:
    """The copy is older than programs ask for, and no newer one is there."""
    need, copy, newer = found
    if newer is None:
        yield ctx.trouble(
            install_cudnn(ctx, need),
            copy.folder,
            sure=ctx.winner is not None,
            product=product(copy.version),
            needed_version=short(need.version),
            program=need.who,
            folder=copy.folder,
        )
