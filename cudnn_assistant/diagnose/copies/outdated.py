"""Is the copy of cuDNN that programs load as new as they ask for?"""

from __future__ import annotations

from typing import NamedTuple

from cudnn_assistant.diagnose.copies.loaded_copy import best, candidates, loaded_copy, product
from cudnn_assistant.diagnose.needs import Need, stopped
from cudnn_assistant.diagnose.remedies import fits, install_cudnn, search_first
from cudnn_assistant.diagnose.rule import Context, Findings, Layer, rule
from cudnn_assistant.finding import Facts, Finding, Manual, Remedy
from cudnn_assistant.machine import CudnnCopy, PathEntry
from cudnn_assistant.versions import older, short


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
    copy, measured = loaded_copy(ctx)
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
def older_first(ctx: Context) -> Findings:
    """An older copy of the same major stands before the one that is needed."""
    found = _too_old(ctx)
    if found and found.newer and not (ctx.windows and found.before_all):
        remedy = search_first(ctx, found.newer.folder, found.entry)
        yield _put_in_front(ctx, found, found.newer, remedy)


@rule("stray-cudnn-first", layer=Layer.SEARCH)
def stray_first(ctx: Context) -> Findings:
    """The older copy lies where Windows looks before all of PATH."""
    found = _too_old(ctx)
    if found and found.newer and ctx.windows and found.before_all:
        yield _put_in_front(ctx, found, found.newer, Manual())


@rule("cudnn-too-old", layer=Layer.SEARCH)
def too_old(ctx: Context) -> Findings:
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
    facts = Facts(
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
    return ctx.finding(ctx.serious, remedy, *evidence, where, sure=found.measured, **facts)
