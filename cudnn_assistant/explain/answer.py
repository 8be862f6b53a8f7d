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
    """How often a first cause with such evidence was the right one, in reports that nothing was
    learned from; 0 to 1. The others share what is left."""
    state: State
    because: tuple[str, ...]
    """What spoke for it, strongest first: lines, given facts, comparisons, findings."""
    title: str
    why: str
    fix: str
    """The remedy; "" where the answer isn't clear enough for one."""
    confirm: str
    """What would settle whether it is this one."""


class Understood(msgspec.Struct, frozen=True, kw_only=True):
    """Something that was read out of the text or given, so that a person can correct it."""

    key: str
    """A field of the facts ("cuda", "driver"); for most the same key can be given."""
    label: str
    value: str


class Explanation(msgspec.Struct, frozen=True, kw_only=True):
    """The answer. Lines and causes are empty when nothing in the text was recognised."""

    lines: tuple[Line, ...]
    """In the order of the text."""
    causes: tuple[Cause, ...]
    """Best first; those that the snapshot rules out come last."""
    clear: bool = False
    """Whether the first cause is likely enough to act on. If not, no cause has a remedy."""
    basis: Literal["text", "computer"] = "text"
    """Whether all that a computer's snapshot shows was judged together with the text."""
    understood: tuple[Understood, ...] = ()
    """What the text and the person told."""
    filled_in: tuple[Understood, ...] = ()
    """Those that neither the text nor the person told: they are taken from the computer."""
    would_tell: tuple[str, ...] = ()
    """What would settle it, where the answer isn't clear: a line, a command or a file."""
