"""Questions about the files that a cuDNN is made of. Pure; an empty table is the built-in one."""

from __future__ import annotations

from cudnn_assistant.compat.facts import Compat, CudnnParts, load_builtin
from cudnn_assistant.versions import major as major_of

PartsTable = tuple[CudnnParts, ...]
"""What each cuDNN is made of, () the built-in table."""


def cudnn_parts(compat: Compat, text: str) -> CudnnParts | None:
    """What the series of a version is made of; None when unknown."""
    return _series(compat.parts, major_of(text))


def parts_of(table: PartsTable, major: int) -> CudnnParts:
    """What a major is made of; of one that isn't known, what the newest known one is."""
    known = table or load_builtin().parts
    return _series(known, major) or max(known, key=lambda one: major_of(one.last))


def cudnn_majors(table: PartsTable) -> tuple[int, ...]:
    """The majors whose files are known, newest first."""
    known = table or load_builtin().parts
    found = {n for one in known for n in range(major_of(one.first), major_of(one.last) + 1)}
    return tuple(sorted(found, reverse=True))


def _series(table: PartsTable, major: int) -> CudnnParts | None:
    within = (one for one in table if major_of(one.first) <= major <= major_of(one.last))
    return next(within, None)
