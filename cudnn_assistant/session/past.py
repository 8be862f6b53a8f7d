"""What was changed on this computer: how it stands today, and what of it can be taken back."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterable, Iterator
from typing import Literal

import msgspec

from cudnn_assistant.journal import Journal
from cudnn_assistant.plan import Entry, Plan, kind_of, settings_of, stays, undo_plan
from cudnn_assistant.system import System
from cudnn_assistant.trouble import Refused

Status = Literal["in-place", "undone", "changed"]
"""Of a change in the journal; changed: another program has changed it since."""


def in_place(entries: Iterable[Entry]) -> Iterator[Entry]:
    """Those of which something was done that nobody has taken back."""
    for entry in entries:
        if not entry.undone_by and not entry.plan.undoes and "done" in entry.states:
            yield entry


class Past(msgspec.Struct, frozen=True):
    """The changes in the journal, seen from how the system is now."""

    journal: Journal
    system: System

    def interrupted(self) -> bool:
        """Whether a change was interrupted, as far as the journal can be read; quick."""
        with contextlib.suppress(OSError):
            return bool(self.journal.unfinished())
        return False

    def recover(self, *, close: bool = True) -> Plan | None:
        """See :func:`cudnn_assistant.apply.recover`."""
        from cudnn_assistant.apply import recover

        return recover(self.journal, self.system, close=close)

    def undoable(self, name: str = "") -> Entry | None:
        """The change of that id, or the last of which something can be taken back.

        Raises :class:`OSError`, and what :meth:`way_back` raises.
        """
        there = in_place(reversed(self.journal.entries()))
        if name:
            return next((entry for entry in there if entry.id == name), None)
        return next((entry for entry in there if not self.stays_whole(entry)), None)

    def status(self, entry: Entry) -> Status:
        """How a change stands today, as far as settings tell.

        Raises :class:`Refused` when that can't be read.
        """
        if entry.undone_by:
            return "undone"
        settings, read = settings_of(entry.plan), self.system.read
        same = all(read(step.scope, step.name) == step.after for step in settings)
        return "in-place" if same else "changed"

    def way_back(self, entry: Entry) -> Plan:
        """The plan that takes a change back; what others changed since stays.

        Raises :class:`Refused`, also where all that is left is a copy that is still searched.
        """
        from cudnn_assistant.apply import refuse_elsewhere

        refuse_elsewhere(entry, self.system)
        plan = undo_plan(entry, self.system.read, self.system.family, self.journal.entries())
        for step in () if plan.steps else entry.plan.steps:
            if (archive := kind_of(step).archive(step)) and os.path.isdir(archive.folder):
                raise Refused("copy-still-named", folder=archive.folder)
        return plan

    def close(self, plan: Plan) -> None:
        """Write that a change of which nothing is left is taken back, so that older ones get their
        turn. Raises :class:`Refused`."""
        from cudnn_assistant.apply import apply

        apply(plan, self.system, self.journal)

    def stays_whole(self, entry: Entry) -> bool:
        """Whether nothing of it is to be taken back, by its nature."""
        if len(stays(entry.plan)) < len(entry.plan.steps):
            return False
        return not self.way_back(entry).steps
