"""What a session tells while it is at work, to the one function that was handed in."""

from __future__ import annotations

from collections.abc import Callable
from typing import get_args

import msgspec

from cudnn_assistant.machine import Machine
from cudnn_assistant.plan import StepState
from cudnn_assistant.probe import Part

PARTS: tuple[Part, ...] = get_args(Part)


class PartLooked(msgspec.Struct, frozen=True):
    """A part of the look begins (``done`` False) or has ended."""

    part: Part
    done: bool
    machine: Machine
    """The snapshot as far as it is known."""


class StepChanged(msgspec.Struct, frozen=True):
    """A step of the plan that is being carried out has another state."""

    number: int
    state: StepState


class Progress(msgspec.Struct, frozen=True):
    """How far a long step is; at most ten times a second, and once at its end."""

    number: int
    what: str
    """"download", "unpack", "packages", "rehearsal" or "installer"; from the last on nothing stops
    it."""
    here: int
    """Bytes so far."""
    size: int
    """Bytes in all; 0 when unknown."""


Event = StepChanged | Progress
Hear = Callable[[Event], object]
"""Of a change that is carried out; called in the thread that called the session."""


def ignore(_event: object) -> None:
    """Hear nothing."""
