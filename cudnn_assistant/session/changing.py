"""Carrying out a plan and its story: what was changed, how it stands, what can be taken back."""

from __future__ import annotations

import threading
import time
from collections.abc import Sequence
from typing import Literal

from cudnn_assistant.apply import NotApplied, apply
from cudnn_assistant.journal import Journal
from cudnn_assistant.plan import (
    Accepted,
    Entry,
    Plan,
    Step,
    StepState,
    settings_of,
    stays,
    undo_plan,
)
from cudnn_assistant.session.events import Hear, Progress, StepChanged
from cudnn_assistant.system import System

__all__ = ["Change", "ChangeStatus", "NotApplied", "change_status", "undoable"]

ChangeStatus = Literal["in place", "undone", "changed"]
"""Of a change in the journal; changed: another program has changed it since."""
_PAUSE = 0.1


class Change:
    """One change: what of it may be stopped, and who hears of it."""

    def __init__(
        self,
        hear: Hear,
        stop: threading.Event | None = None,
        hold: threading.Event | None = None,
    ) -> None:
        self.hear = hear
        self._reported_at = 0.0
        self.stop = stop or threading.Event()
        """Set, it stops the change and takes it back."""
        self.hold = hold or threading.Event()
        """While it is set a download waits."""

    def carry_out(
        self, plan: Plan, system: System, journal: Journal, accepted: Sequence[Accepted]
    ) -> Entry:
        """See :func:`cudnn_assistant.apply.apply`."""
        return apply(
            plan,
            system,
            journal,
            self._step,
            progress=self.tell_progress,
            cancel=self.stop,
            hold=self.hold,
            accepted=accepted,
        )

    def _step(self, number: int, _step: Step, state: StepState) -> None:
        self.hear(StepChanged(number, state))

    def tell_progress(self, number: int, what: str, here: int, size: int) -> None:
        """See :class:`Progress`."""
        # A fast download speaks thousands of times a second; nobody reads that fast.
        if time.monotonic() - self._reported_at > _PAUSE or here == size:
            self._reported_at = time.monotonic()
            self.hear(Progress(number, what, here, size))


def change_status(entry: Entry, system: System) -> ChangeStatus:
    """How a change in the journal stands today, as far as settings tell."""
    if entry.undone_by:
        return "undone"
    settings = settings_of(entry.plan)
    same = all(system.read(step.scope, step.name) == step.after for step in settings)
    return "in place" if same else "changed"


def undoable(entries: Sequence[Entry], system: System, name: str = "") -> Entry | None:
    """The change of that name, or the last one of which something can be taken back."""
    if name:
        return next((entry for entry in entries if entry.id == name), None)
    in_place = (
        entry
        for entry in reversed(entries)
        if not entry.undone_by and not entry.plan.undoes and "done" in entry.states
    )
    return next((entry for entry in in_place if not stays_whole(entry, system)), None)


def way_back(entry: Entry, system: System) -> Plan:
    """The plan that takes a change back; what others changed since stays."""
    return undo_plan(entry, system.read, system.family)


def stays_whole(entry: Entry, system: System) -> bool:
    """Whether nothing of it is to be taken back, by its nature."""
    if len(stays(entry.plan)) < len(entry.plan.steps):
        return False
    return not way_back(entry, system).steps
