"""What to do about a change that was interrupted: close it, or offer the one way back."""

from __future__ import annotations

import os
from contextlib import suppress

import filelock
import msgspec

from cudnn_assistant import places
from cudnn_assistant.apply import run_installer
from cudnn_assistant.apply.kinds import actions_of
from cudnn_assistant.apply.shadow import remove_shadow
from cudnn_assistant.apply.variables import tidy
from cudnn_assistant.journal import Journal
from cudnn_assistant.plan import Entry, Plan, Step, StepState, settings_of, starts_only, undo_plan
from cudnn_assistant.system import System
from cudnn_assistant.system.policy import refuse_where_nothing_may_change
from cudnn_assistant.trouble import Refused
from cudnn_assistant.unpack import clear_unfinished


def recover(journal: Journal, system: System, *, close: bool = True) -> Plan | None:
    """What to do about a change that was interrupted: the plan that takes it back, if any.

    An interrupted entry whose steps are all in place is closed here (and announced again), unless
    nothing is to be changed. A step is part of the way back even where nothing was written yet,
    because a system may have begun it. While another window or an installer is at work nothing is
    interrupted: ``None``. Raises :class:`OSError` when the journal can't be read, :class:`Refused`
    when a value can't or where nothing may be changed.
    """
    if not journal.unfinished():
        return None
    # A lock would be the first thing written: root's, in another's home.
    refuse_where_nothing_may_change()
    if _busy(journal) or run_installer.at_work():
        return None
    if close:
        # Where none can be closed nothing can be changed either; what is left is told all the same.
        with suppress(OSError):
            close_complete(journal, system)
    # The way back of an interrupted change, interrupted too, is the same: that of the oldest.
    first = next((entry for entry in journal.unfinished() if not _complete(entry)), None)
    if first is None:
        return None
    refuse_elsewhere(first, system)
    plan = undo_plan(first, system.read, system.family)
    needed = [step for step in plan.steps if not actions_of(step).reached(step)]
    return msgspec.structs.replace(plan, steps=(*needed, *half_done(first, system)))


def refuse_elsewhere(entry: Entry, system: System) -> None:
    """Raises :class:`Refused` for a change of settings that programs read with another HOME: here
    nothing would be left of it."""
    here = os.path.realpath(system.where("user"))
    if os.path.lexists(entry.place) and os.path.realpath(entry.place) != here:
        raise Refused("made-elsewhere", file=entry.place)


def close_complete(journal: Journal, system: System) -> None:
    """Close the interrupted entries of which nothing is left to do, and clear what lies about:
    of earlier changes, now that none is made. Raises :class:`OSError`."""
    clear_unfinished(str(places.own_libraries()))
    remove_shadow()
    for entry in journal.unfinished():
        if found := _complete(entry):
            system.announce()
            journal.finish(found)


def _complete(entry: Entry) -> Entry | None:
    """The entry with what was reached, if all was, or if it only was to start an installer."""
    states: list[StepState] = [
        "done" if state == "planned" and actions_of(step).reached(step) else state
        for step, state in zip(entry.plan.steps, entry.states, strict=True)
    ]
    never_begun = starts_only(entry.plan) and set(states) == {"planned"}
    ended = never_begun or set(states) <= {"done"}
    return msgspec.structs.replace(entry, states=tuple(states)) if ended else None


def half_done(entry: Entry, system: System) -> tuple[Step, ...]:
    """The steps that clear what lies beside the values that are as they were before."""
    return tuple(back for step in settings_of(entry.plan) if (back := tidy(step, system)))


def _busy(journal: Journal) -> bool:
    try:
        with filelock.FileLock(journal.path + ".lock", timeout=0):
            return False
    except filelock.Timeout:
        return True
    except OSError:
        # Where no lock can be made, no other window of this person can change anything either.
        return False
