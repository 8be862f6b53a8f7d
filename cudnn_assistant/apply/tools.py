"""What the kinds of steps get from whoever applies a plan."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from cudnn_assistant.plan import Plan
from cudnn_assistant.plan.kinds.row import nothing
from cudnn_assistant.system import System

Progress = Callable[[int, str, int, int], None]
"""Called with (number of the step, "download", "unpack", "packages", "rehearsal" or "installer",
bytes so far, bytes in all or 0 when unknown), from the applying thread. From "installer" on
nothing stops it."""
Rehearse = Callable[[Plan, Mapping[int, str]], Plan]
"""Tries a plan of which these steps, by their numbers, are staged in these folders; the plan with
what came of it. Raises :class:`Refused` where it would not help."""


@dataclass
class Tools:
    """The system, and how to tell and to stop."""

    system: System
    progress: Progress = nothing
    cancel: threading.Event = field(default_factory=threading.Event)
    hold: threading.Event = field(default_factory=threading.Event)
    """While it is set a download waits."""
    rehearse: Rehearse | None = None
    """Tries what is staged, before it is carried out."""
    lock: tuple[int, ...] = ()
    """Handles of the lock, to be inherited by a child that changes the computer."""
    lying: dict[str, str] = field(default_factory=dict)
    """Paths, by folders of ours: of what was downloaded for one, or where a removed one is."""
    number: int = 0
    """The step that is carried out now."""

    def tell(self, what: str, here: int, size: int) -> None:
        """Say how far the present step is."""
        self.progress(self.number, what, here, size)
