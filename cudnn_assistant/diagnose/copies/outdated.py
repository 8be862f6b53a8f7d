"""Is the copy of cuDNN that programs load as new as they ask for?"""

from __future__ import annotations

import msgspec

from cudnn_assistant.diagnose.copies.loaded_copy import best, candidates, loaded_copy, product
from cudnn_assistant.diagnose.needs import Need
from cudnn_assistant.diagnose.remedies import fits, install_cudnn, search_first
from cudnn_assistant.diagnose.rule import Context, Findings, Layer, rule
from cudnn_assistant.finding import Manual
from cudnn_assistant.machine import CudnnCopy
from cudnn_assistant.versions import older, short


class _TooOld(msgspec.Struct, frozen=True):
    """A copy that programs load or would load, which is older than what a need asks for."""

    need: Need
    copy: CudnnCopy
    newer: CudnnCopy | None
    """The better one on this computer."""


def _too_old(ctx: Context) -> _TooOld | None:
    copy, measured = loaded_copy(ctx)
    if copy is None or ctx.works or ctx.environment is not None:
        return None
    need = next((n for n in ctx.needs if n.major in (0, copy.major)), None)
    if need is None or (need.major == 0 and not measured):
        return None
    newer = _newer(ctx, copy, need)
    behind = bool(need.version) and older(copy.version, need.version)
    if not behind and not (newer and ctx.stopped and not copy.damaged):
        return None
    return _TooOld(need, copy, best(ctx, newer) if newer else None)


@rule("older-cudnn-first", layer=Layer.SEARCH)
def older_first(ctx: Context) -> Findings:
    """An older copy of the same major stands before the one that is needed."""
    return _behind_older(ctx, stray=False)


@rule("stray-cudnn-first", layer=Layer.SEARCH)
def stray_first(ctx: Context) -> Findings:
    """The older copy lies where Windows looks before all of PATH."""
    return _behind_older(ctx, stray=True)


@rule("cudnn-too-old", layer=Layer.SEARCH)
def too_old(ctx: Context) -> Findings:
    """The copy is older than programs ask for, and no newer one is there."""
    found = _too_old(ctx)
    if found and found.newer is None:
        yield ctx.trouble(
            install_cudnn(ctx, found.need),
            found.copy.folder,
            sure=ctx.winner is not None,
            product=product(found.copy.version),
            needed_version=short(found.need.version),
            program=found.need.who,
            folder=found.copy.folder,
        )


def _newer(ctx: Context, copy: CudnnCopy, need: Need) -> list[CudnnCopy]:
    """Copies of the same major that are newer, and fit."""
    same = (c for c in candidates(ctx, need) if c.major == copy.major)
    return [c for c in same if older(copy.version, short(c.version)) and fits(ctx, c)]


def _behind_older(ctx: Context, *, stray: bool) -> Findings:
    found = _too_old(ctx)
    if found is None or found.newer is None:
        return
    copy, good = found.copy, found.newer
    entry = ctx.searched.get(ctx.key(copy.folder))
    if stray is not (ctx.windows and (entry is None or entry.variable.upper() != "PATH")):
        return
    remedy = Manual() if stray else search_first(ctx, good.folder, entry)
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
        scope=entry.scope if entry else "",
        place=entry.source if entry else "",
        program=found.need.who,
        by_hand=isinstance(remedy, Manual) and bool(remedy.commands),
    )
