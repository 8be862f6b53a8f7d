"""Is the copy of cuDNN that programs load as new as they ask for?"""

from __future__ import annotations

from cudnn_assistant.diagnose.copies.loaded_copy import best, candidates, loaded_copy, product
from cudnn_assistant.diagnose.needs import Need
from cudnn_assistant.diagnose.remedies import fits, install_cudnn, search_first
from cudnn_assistant.diagnose.rule import Context, Findings, Layer, rule
from cudnn_assistant.finding import Manual
from cudnn_assistant.machine import CudnnCopy
from cudnn_assistant.versions import older, short

_TooOld = tuple[Need, CudnnCopy, CudnnCopy | None]
"""What is asked for, the older copy that programs load or would load, and the better one here."""


def _too_old(ctx: Context) -> list[_TooOld]:
    copy, measured = loaded_copy(ctx)
    if copy is None or ctx.works or ctx.environment is not None:
        return []
    need = next((n for n in ctx.needs if n.major in (0, copy.major)), None)
    if need is None or (need.major == 0 and not measured):
        return []
    newer = _newer(ctx, copy, need)
    behind = bool(need.version) and older(copy.version, need.version)
    found = behind or (newer and ctx.stopped and not copy.damaged)
    return [(need, copy, best(ctx, newer) if newer else None)] if found else []


@rule("older-cudnn-first", layer=Layer.SEARCH, of=_too_old)
def older_first(ctx: Context, found: _TooOld) -> Findings:
    """An older copy of the same major stands before the one that is needed."""
    return _behind_older(ctx, *found, stray=False)


@rule("stray-cudnn-first", layer=Layer.SEARCH, of=_too_old)
def stray_first(ctx: Context, found: _TooOld) -> Findings:
    """The older copy lies where Windows looks before all of PATH."""
    return _behind_older(ctx, *found, stray=True)


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


def _newer(ctx: Context, copy: CudnnCopy, need: Need) -> list[CudnnCopy]:
    """Copies of the same major that are newer, and fit."""
    same = (c for c in candidates(ctx, need) if c.major == copy.major)
    return [c for c in same if older(copy.version, short(c.version)) and fits(ctx, c)]


def _behind_older(
    ctx: Context, need: Need, copy: CudnnCopy, good: CudnnCopy | None, *, stray: bool
) -> Findings:
    entry = ctx.searched.get(ctx.key(copy.folder))
    on_path = entry is not None and entry.variable.upper() == "PATH"
    if good is None or stray is not (ctx.windows and not on_path):
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
        program=need.who,
        by_hand=isinstance(remedy, Manual) and bool(remedy.commands),
    )
