"""Is the copy of cuDNN that programs load whole, of one piece, and made for this computer?"""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable, Iterator
from functools import wraps

from cudnn_assistant.diagnose.context import Check, Context, Rule
from cudnn_assistant.diagnose.cudnn import best, candidates, product, taken
from cudnn_assistant.diagnose.needs import Need, passed, stopped
from cudnn_assistant.diagnose.remedies import fits, install_cudnn, reinstall, search_first
from cudnn_assistant.diagnose.touched import touched
from cudnn_assistant.finding import Automatic, Finding, Manual, Remedy, TakeOut
from cudnn_assistant.machine import CudnnCopy, Part, PartState
from cudnn_assistant.versions import major, numbers, short

NEEDED = frozenset(
    {
        "cudnn", "graph", "ops", "cnn", "engines_precompiled", "heuristic",
        "ops_infer", "cnn_infer",
    }
)  # fmt: skip
"""Parts without which no convolution runs (loading.md §3)."""


MIXED = (1002, 14)
"""Status of a version check: sub-libraries of different versions, in cuDNN 9 and 8."""


def judged(ctx: Context) -> list[CudnnCopy]:
    """The copies to judge, one for each need: what programs load, or would load."""
    found: list[CudnnCopy] = []
    for need in ctx.needs:
        copy = _judged(ctx, need)
        if copy is not None and copy not in found:
            found.append(copy)
    return found


def _judged(ctx: Context, need: Need) -> CudnnCopy | None:
    copy, _ = taken(ctx)
    # A copy that took the place of an environment's own is another rule's matter.
    mine = ctx.environment is None or (copy is not None and copy.environment == ctx.subject)
    if copy is not None and mine and need.major in (0, copy.major):
        return copy
    found = candidates(ctx, need)
    if ctx.environment is not None:
        return best(ctx, found) if found else None
    # The loader takes the first file of that name, whatever is wrong with it.
    if ctx.machine.search and not ctx.machine.unknown("search"):
        # Where no folder of a copy is searched, adding one helps only if a copy is whole.
        found = [c for c in found if ctx.reachable(c.folder, c.found_via)] or found
    else:
        found = [c for c in found if ctx.reachable(c.folder, c.found_via)]
    first = min((ctx.rank(c.folder) for c in found), default=0)
    found = [c for c in found if ctx.rank(c.folder) == first]
    return best(ctx, found) if found else None


def proven(ctx: Context, copy: CudnnCopy) -> bool:
    """A test of the subject passed with this very copy (or with one that isn't known)."""
    return passed(ctx.trial) and ctx.winner in (copy, None)


OfCopy = Callable[[Context, CudnnCopy], Iterator[Finding]]


def each(check: OfCopy) -> Check:
    """A rule about one copy, for every copy that is to be judged."""

    @wraps(check)
    def rule(ctx: Context) -> Iterator[Finding]:
        for copy in judged(ctx):
            yield from check(ctx, copy)

    return rule


def need_for(ctx: Context, copy: CudnnCopy) -> Need:
    """What is asked of this copy, by whoever asks first."""
    asked = next((n for n in ctx.needs if n.major in (0, copy.major)), Need())
    return asked._replace(major=copy.major)


def replace(ctx: Context, copy: CudnnCopy) -> Remedy:
    """Use another good copy, else a new one; packages are put back by pip."""
    if copy.environment or ctx.environment is not None:
        return reinstall(ctx)
    if before_path(ctx, copy.folder):
        return Manual()
    good = [c for c in candidates(ctx, need_for(ctx, copy)) if c is not copy and fits(ctx, c)]
    if good:
        return search_first(ctx, best(ctx, good).folder, ctx.searched.get(ctx.key(copy.folder)))
    return install_cudnn(ctx, need_for(ctx, copy))


def before_path(ctx: Context, folder: str) -> bool:
    """Whether Windows searches a folder before all of PATH: no setting gets in front of it."""
    entry = ctx.searched.get(ctx.key(folder)) if ctx.windows else None
    return entry is not None and entry.variable.upper() != "PATH"


def stray(ctx: Context) -> Iterator[Finding]:
    """L12: single files in System32 come before, or into, a whole copy elsewhere."""
    trial = ctx.trial
    if trial is None or not stopped(trial) or ctx.environment is not None:
        return
    files = [p for p in dict.fromkeys((trial.loaded, *trial.mapped)) if "cudnn" in ctx.name(p)]
    file = next((p for p in files if before_path(ctx, ctx.parent(p))), "")
    here = next((c for c in ctx.copies if c.folder == ctx.parent(file)), None)
    match = re.search(r"64_(\d+)\.dll$", file, re.IGNORECASE)
    good = [c for c in candidates(ctx, Need(major=int(match[1]))) if fits(ctx, c)] if match else []
    if not good or (here is not None and not here.damaged):
        return
    whole = best(ctx, good)
    yield ctx.finding(
        "stray-cudnn-first", ctx.serious, Manual(), file,
        f"{product(whole.version)}: {whole.folder}",
        lone=file, new=short(whole.version), folder=whole.folder,
    )  # fmt: skip


@each
def damaged(ctx: Context, copy: CudnnCopy) -> Iterator[Finding]:
    """L04, L05, L09, L35, L36: files of the copy are missing, cut short or can't be read."""
    found = [
        (code, parts)
        for code, states in _HARM
        if (parts := [p for p in copy.damaged if p.state in states])
    ]
    if _inner(copy) not in (0, copy.major):
        return  # the parts of the name's major are not what it needs
    # One finding for one copy: about a file that every program needs, if there is one.
    found.sort(key=lambda harm: not any(p.name in NEEDED for p in harm[1]))
    for code, parts in found[:1]:
        yield _damage(ctx, copy, parts, code)


@each
def unlinked(ctx: Context, copy: CudnnCopy) -> Iterator[Finding]:
    """L34, L35: the files are there without the short names that programs ask for."""
    lacking = [p for p in copy.parts if p.state == "missing" and p.name == "cudnn"]
    if ctx.windows or not lacking or copy.file == lacking[0].file or proven(ctx, copy):
        return
    folder = shlex.quote(copy.folder)
    home = copy.environment or copy.folder.startswith("/home/")
    command = f"/sbin/ldconfig -n {folder}" if home else f"sudo ldconfig -n {folder}"
    remedy = Manual(commands=(command,), administrator=not home)
    yield ctx.finding(
        "cudnn-links-missing", ctx.serious, remedy, f"{copy.file}: {copy.folder}",
        product=product(copy.version), there=copy.file, file=lacking[0].file, folder=copy.folder,
    )  # fmt: skip


_HARM: tuple[tuple[str, tuple[PartState, ...]], ...] = (
    ("cudnn-damaged", ("empty", "truncated", "not-a-library", "damaged-link")),
    ("cudnn-unreadable", ("unreadable",)),
    ("cudnn-part-missing", ("missing",)),
)


def _by_hand(ctx: Context, copy: CudnnCopy, remedy: Remedy) -> dict[str, str]:
    """Facts for the two ways by hand: take the copy's folder out, or install the copy again."""
    entry = ctx.searched.get(ctx.key(copy.folder))
    listed = entry is not None and entry.variable in ("PATH", "LD_LIBRARY_PATH")
    takes_out = remedy == Manual() or (
        isinstance(remedy, Automatic) and isinstance(remedy.edits[0], TakeOut)
    )
    if entry is not None and listed and takes_out and not copy.environment:
        return {"entry": copy.folder, "list": entry.variable, "place": entry.source}
    return {"again": product(copy.version), "owner": copy.owner}


def _damage(ctx: Context, copy: CudnnCopy, parts: list[Part], code: str) -> Finding:
    asked = ctx.trial.missing if stopped(ctx.trial) and ctx.trial else ""
    needed = [p for p in parts if p.name in NEEDED or p.file == asked]
    severity = ctx.serious if needed and not proven(ctx, copy) else "warning"
    if severity == "warning" and ctx.serious == "info":
        severity = "info"
    part = (needed or parts)[0]
    file = ctx.join(copy.folder, part.file)
    remedy = replace(ctx, copy)
    if code == "cudnn-unreadable":
        remedy = Manual(
            commands=() if ctx.windows else (f"sudo chmod a+r '{file}'",), administrator=True
        )
    return ctx.finding(
        code,
        severity,
        remedy,
        *(f"{p.file}: {p.state}" for p in parts[:8]),
        copy.folder,
        product=product(copy.version),
        file=part.file,
        count=str(len(parts)),
        folder=copy.folder,
        also=_by_hand(ctx, copy, remedy),
    )


@each
def mixed(ctx: Context, copy: CudnnCopy) -> Iterator[Finding]:
    """L07: parts of different cuDNN versions came together in one program."""
    trial = ctx.trial
    if proven(ctx, copy):
        return
    versions = {numbers(p.version)[:3]: p for p in copy.parts if numbers(p.version)}
    stages = ("sublibraries", "handle", "convolution")
    told = trial is not None and (
        (trial.code in MIXED and trial.stage in stages) or _strange(trial.detail)
    )
    checked = copy.check is not None and (copy.check.code in MIXED or _strange(copy.check.detail))
    folders = _folders(ctx)
    if not (len(versions) > 1 or told or checked or (len(folders) > 1 and stopped(trial))):
        return
    evidence = (
        [f"{p.file}: {p.version}" for p in versions.values()] if len(versions) > 1 else folders
    )
    said = trial.detail if trial and told else copy.check.detail if copy.check and checked else ""
    remedy = replace(ctx, copy)
    yield ctx.finding(
        "cudnn-mixed-versions",
        ctx.serious,
        remedy,
        *evidence,
        said,
        product=product(copy.version),
        folder=copy.folder,
        count=str(max(len(versions), len(folders), 2)),
        versions=", ".join(".".join(map(str, v)) for v in sorted(versions))
        if len(versions) > 1
        else "",
        also=_by_hand(ctx, copy, remedy),
    )


def _strange(said: str) -> bool:
    """Whether the loader found one part of cuDNN asking another for what that one hasn't got."""
    return re.search(r"libcudnn[\w.-]*: undefined symbol: [^;]*cudnn", said) is not None


def _folders(ctx: Context) -> list[str]:
    files = touched(ctx, ctx.trial) if ctx.trial else ()
    return list(dict.fromkeys(ctx.parent(p) for p in files))


@each
def renamed(ctx: Context, copy: CudnnCopy) -> Iterator[Finding]:
    """L17: the file's name says one major, its content another.

    A small test may pass with it; programs that want what the name says do not.
    """
    if not _inner(copy) or _inner(copy) == copy.major:
        return
    yield ctx.finding(
        "cudnn-renamed", ctx.serious, replace(ctx, copy), f"{copy.file}: {copy.version}",
        file=copy.file, product=product(copy.version), folder=copy.folder,
    )  # fmt: skip


def _inner(copy: CudnnCopy) -> int:
    """Major by the file itself: a package's record or a header may be another copy's."""
    check = copy.check
    loaded = check.version if check is not None and check.status != "other-copy" else ""
    return major(loaded or copy.file_version)


@each
def architecture(ctx: Context, copy: CudnnCopy) -> Iterator[Finding]:
    """L11: the copy is made for another kind of processor."""
    here = ctx.machine.os.architecture
    if here and copy.architecture not in ("", here) and not proven(ctx, copy):
        yield ctx.finding(
            "cudnn-wrong-architecture", ctx.serious, replace(ctx, copy),
            f"{copy.file}: {copy.architecture}; {here}",
            product=product(copy.version), made=copy.architecture, here=here, folder=copy.folder,
        )  # fmt: skip


RULES = (
    Rule(stray, ("stray-cudnn-first",), ("L12",)),
    Rule(unlinked, ("cudnn-links-missing",), ("L34", "L35")),
    Rule(architecture, ("cudnn-wrong-architecture",), ("L11",)),
    Rule(
        damaged,
        ("cudnn-part-missing", "cudnn-damaged", "cudnn-unreadable"),
        ("L04", "L05", "L09", "L35", "L36"),
    ),
    Rule(renamed, ("cudnn-renamed",), ("L17",), provable=False),
    Rule(mixed, ("cudnn-mixed-versions",), ("L07", "L08")),
)
