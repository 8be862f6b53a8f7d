"""Which copies of cuDNN would serve, which are to be judged, and what helps against a bad one."""

from __future__ import annotations

import msgspec

from cudnn_assistant.diagnose.context import Context
from cudnn_assistant.diagnose.needs import Need, passed
from cudnn_assistant.diagnose.remedies import (
    RENAME,
    before_path,
    fits,
    install_cudnn,
    reinstall,
    search_first,
    take_out,
)
from cudnn_assistant.finding import Facts, Remedy
from cudnn_assistant.machine import CudnnCopy, Trial
from cudnn_assistant.regex import regex
from cudnn_assistant.versions import major, numbers, short

_FILE = regex(r"(?<![\w.])/[^\s:;,'\"]+/libcudnn[\w-]*\.so[.\d]*")
"""A file of cuDNN in what the loader of Linux says: one that it refused is never mapped."""


def cudnn_files(ctx: Context, trial: Trial) -> tuple[str, ...]:
    """cuDNN files that a test had mapped, or that its loader names in what it said."""
    named = _FILE.findall(trial.detail)
    files = (p for p in (*trial.mapped, *named) if "cudnn" in ctx.name(p).casefold())
    return tuple(dict.fromkeys(files))


def candidates(ctx: Context, need: Need) -> list[CudnnCopy]:
    """Full copies of the needed major: the subject's, and packages beside who asks for them."""
    beside = (c for c in ctx.machine.cudnns if c.environment and c.environment == need.where)
    packages = (c for c in beside if "wheel" in c.found_via and c not in ctx.copies)
    known = (*ctx.copies, *packages)
    return [c for c in known if need.major in (0, c.major) and c.flavour == "full"]


def best(ctx: Context, copies: list[CudnnCopy]) -> CudnnCopy:
    """The copy to prefer: one that fits, then the newest."""
    return max(copies, key=lambda c: (fits(ctx, c), numbers(c.version), -ctx.rank(c.folder)))


def product(version: str) -> str:
    """The name people know: "cuDNN 9.8", "cuDNN" when the version is unknown."""
    return f"cuDNN {short(version)}".strip()


def loaded_copy(ctx: Context) -> tuple[CudnnCopy | None, bool]:
    """The copy that programs load and whether that was measured.

    Without a test the first copy in search order is assumed, of a major that is asked for.
    """
    if ctx.winner is not None:
        return ctx.winner, True
    if ctx.stopped or ctx.environment is not None:
        return None, False
    found = [c for c in ctx.copies if c.flavour == "full" and ctx.reachable(c.folder, c.found_via)]
    asked = {n.major for n in ctx.needs} - {0} or {max((c.major for c in found), default=0)}
    found.sort(key=lambda c: (c.major not in asked, ctx.rank(c.folder)))
    return next(iter(found), None), False


def copies_to_check(ctx: Context) -> list[CudnnCopy]:
    """The copies to judge, one for each need: what programs load, or would load."""
    found: list[CudnnCopy] = []
    for need in ctx.needs:
        copy = _to_check(ctx, need)
        if copy is not None and copy not in found:
            found.append(copy)
    return found


def _to_check(ctx: Context, need: Need) -> CudnnCopy | None:
    copy, _ = loaded_copy(ctx)
    # A copy that took the place of an environment's own is another rule's matter.
    mine = ctx.environment is None or (copy is not None and copy.environment == ctx.subject)
    if copy is not None and mine and need.major in (0, copy.major):
        return copy
    found = candidates(ctx, need)
    if ctx.environment is not None:
        return best(ctx, found) if found else None
    # The loader takes the first file of that name, whatever is wrong with it.
    known = ctx.machine.search and not ctx.machine.unknown("search")
    reached = [c for c in found if ctx.reachable(c.folder, c.found_via)]
    # Where no folder of a copy is searched, adding one helps only if a copy is whole.
    found = reached or (found if known and ctx.wanted else [])
    first = min((ctx.rank(c.folder) for c in found), default=0)
    found = [c for c in found if ctx.rank(c.folder) == first]
    return best(ctx, found) if found else None


def proven(ctx: Context, copy: CudnnCopy) -> bool:
    """A test passed with this very copy: of the subject (or with one that isn't known), or of
    another where the subject's didn't stop."""
    others = (t for subject in copy.wins_for for t in ctx.machine.trials_of(subject))
    mine = passed(ctx.trial) and ctx.winner in (copy, None)
    return mine or (ctx.stopped is None and any(map(passed, others)))


def need_for(ctx: Context, copy: CudnnCopy) -> Need:
    """What is asked of this copy, by whoever asks first."""
    asked = next((n for n in ctx.needs if n.major in (0, copy.major)), Need())
    return msgspec.structs.replace(asked, major=copy.major)


def replace(ctx: Context, copy: CudnnCopy) -> Remedy:
    """Use another good copy, else a new one; packages are put back by pip."""
    if copy.environment or ctx.environment is not None:
        return reinstall(ctx)
    return other_copy(ctx, copy) or install_cudnn(ctx, need_for(ctx, copy))


def other_copy(ctx: Context, copy: CudnnCopy) -> Remedy | None:
    """Find another good copy of the same major first; ``None`` where there is none."""
    good = [c for c in candidates(ctx, need_for(ctx, copy)) if c is not copy and fits(ctx, c)]
    if good and before_path(ctx, copy.folder):
        return RENAME
    beat = ctx.searched.get(ctx.key(copy.folder))
    return search_first(ctx, best(ctx, good).folder, beat) if good else None


def by_hand(ctx: Context, copy: CudnnCopy, remedy: Remedy) -> Facts:
    """Facts for the two ways by hand: take the copy's folder out, or install the copy again."""
    known = Facts(product=product(copy.version), folder=copy.folder)
    entry = ctx.searched.get(ctx.key(copy.folder))
    listed = entry is not None and entry.variable != "default" and not copy.environment
    if entry is not None and listed and remedy == take_out(ctx, entry):
        return known | {"entry": copy.folder, "listed_in": entry.variable, "place": entry.source}
    return known | {"reinstall": True, "owner": copy.owner}


def inner_major(copy: CudnnCopy) -> int:
    """Major by the file itself: a package's record or a header may be another copy's."""
    check = copy.check
    loaded = check.version if check is not None and check.status != "other-copy" else ""
    return major(loaded or copy.file_version)
