"""What ``explain`` answers with: the telling lines of a text and the ranked causes."""

from __future__ import annotations

from typing import Literal

import msgspec

State = Literal["confirmed", "possible", "ruled-out"]
"""confirmed: the text or the computer's snapshot proves it; ruled-out: the snapshot excludes it."""


class Line(msgspec.Struct, frozen=True, kw_only=True):
    """A line that tells something, in the text or in what the person knows."""

    number: int
    """Counted from 1; 0 for something the person gave."""
    text: str
    """Without colours and time stamps, cut to 400 characters."""
    means: str
    """What it says, in plain words."""
    pattern: str
    """Id of the pattern in ``resources/errors/patterns``."""


class Cause(msgspec.Struct, frozen=True, kw_only=True, rename={"cls": "class"}):
    """One possible root cause. At most one for each class."""

    code: str
    """Name of the cause ("cudnn-too-old"), or of its class where none is closer."""
    cls: str
    """Class id ("zlibwapi-missing"); "class" in JSON."""
    score: float
    """Share of this cause among all, 0 to 1; the scores of all classes add up to 1."""
    state: State
    because: tuple[str, ...]
    """What spoke for it, strongest first: lines, given facts, comparisons, findings."""
    title: str
    why: str
    fix: str
    confirm: str
    """What would settle whether it is this one."""


class Explanation(msgspec.Struct, frozen=True, kw_only=True):
    """The answer. Both lists are empty when nothing in the text was recognised."""

    lines: tuple[Line, ...]
    """In the order of the text."""
    causes: tuple[Cause, ...]
    """Best first; those that the snapshot rules out come last."""
