"""Carrying out a plan: one at a time, journalled before anything is written, all or nothing."""

from __future__ import annotations

import contextlib
import datetime
import os
import secrets
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import filelock
import msgspec

from cudnn_assistant.journal import Journal
from cudnn_assistant.plan import Entry, Plan, SetVariable, Step, StepState, back_to, undo_plan
from cudnn_assistant.system import Refused, System
from cudnn_assistant.system.reasons import reason
from cudnn_assistant.wording import _

Say = Callable[[int, Step, StepState], None]
"""Called with (number of the step, the step, its new state), from the applying thread."""


class NotApplied(Exception):
    """A plan was not carried out. The text says why, in words for the person."""

    def __init__(self, message: str, as_before: bool) -> None:
        super().__init__(message)
        self.message = message
        self.as_before = as_before
        """Everything is as it was before; False: the journal knows the way back."""


def apply(plan: Plan, system: System, journal: Journal, say: Say | None = None) -> Entry:
    """Carry out ``plan`` and return its journal entry.

    A value that is no longer what the plan was made from stops it before the first write. What
    goes wrong later takes the steps before it back, in reverse order. Raises :class:`NotApplied`.
    """
    with _alone(journal):
        try:
            _refuse_while_interrupted(plan, journal)
            for step in plan.steps:
                _compare(step, system)
            entry = _new_entry(plan)
            journal.begin(entry)
        except Refused as trouble:
            raise NotApplied(str(trouble), as_before=True) from trouble
        except OSError as trouble:
            raise NotApplied(_no_journal(trouble), as_before=True) from trouble
        return _Run(entry, system, journal, say).carry_out()


class _Run:
    """One entry on its way through the steps."""

    def __init__(self, entry: Entry, system: System, journal: Journal, say: Say | None) -> None:
        self.entry = entry
        self.system = system
        self.journal = journal
        self.say = say

    def carry_out(self) -> Entry:
        number = 0
        try:
            for number, step in enumerate(self.entry.plan.steps):
                _compare(step, self.system)
                _do(step, self.system)
                self.mark(number, "done")
        except (Refused, OSError) as trouble:
            self.take_back(number, trouble)
        self.system.announce()
        try:
            return self.journal.finish(self.entry)
        except OSError:
            # All is done and read back; the next start finds that out for itself and closes it.
            return self.entry

    def mark(self, number: int, state: StepState) -> None:
        states = list(self.entry.states)
        states[number] = state
        self.entry = msgspec.structs.replace(self.entry, states=tuple(states))
        self.journal.record(self.entry)
        if self.say:
            self.say(number, self.entry.plan.steps[number], state)

    def take_back(self, number: int, trouble: Exception) -> None:
        """Undo the steps up to ``number``; always raises :class:`NotApplied`."""
        message = _words(trouble)
        unsettled = isinstance(trouble, OSError)
        states = list(self.entry.states)
        try:
            for back in range(number, -1, -1):
                step = self.entry.plan.steps[back]
                settle = unsettled and back == number
                written = isinstance(step, SetVariable) and _put_back(step, self.system, settle)
                states[back] = "taken-back" if written or states[back] == "done" else "stopped"
        except (Refused, OSError) as more:
            text = _("{first} Taking back the steps before it was not possible: {second}")
            message = text.format(first=message, second=_words(more))
            raise NotApplied(message, as_before=False) from trouble
        finally:
            if "taken-back" in states:
                self.system.announce()
        with contextlib.suppress(OSError):
            # Unwritten, the next start looks again and finds that nothing is left to do.
            self.journal.finish(msgspec.structs.replace(self.entry, states=tuple(states)))
        raise NotApplied(message, as_before=True) from trouble


def _put_back(step: SetVariable, system: System, settle: bool) -> bool:
    """Undo a variable's step if it reached the system; True when it had.

    ``settle``: the write was broken off halfway, so that even the old value is written again.
    """
    now = system.read(step.scope, step.name)
    back = back_to(step, now, system.family)
    if back:
        system.write(back.scope, back.name, back.after)
    elif settle:
        system.write(step.scope, step.name, now)
    return back is not None


def _do(step: Step, system: System) -> None:
    if not isinstance(step, SetVariable):
        raise Refused(_("This kind of step is not carried out by this version."))
    system.write(step.scope, step.name, step.after)
    if system.read(step.scope, step.name) != step.after:
        raise Refused(
            _("{name} was written, but reading it back gave another value.").format(name=step.name)
        )


def _compare(step: Step, system: System) -> None:
    if isinstance(step, SetVariable) and system.read(step.scope, step.name) != step.before:
        raise Refused(
            _(
                "{name} was changed by another program since we looked. "
                "Check again to see the present value."
            ).format(name=step.name)
        )


def _refuse_while_interrupted(plan: Plan, journal: Journal) -> None:
    waiting = {entry.id for entry in journal.unfinished()}
    if waiting and plan.undoes not in waiting:
        raise Refused(
            _("An earlier change was interrupted. Take it back first, then make new changes.")
        )


def _new_entry(plan: Plan) -> Entry:
    now = datetime.datetime.now(datetime.UTC)
    # A clock can jump back; the random part keeps the id unique all the same.
    name = f"{now:%Y%m%d-%H%M%S}-{secrets.token_hex(2)}"
    states: list[StepState] = ["planned"] * len(plan.steps)
    return Entry(id=name, when=f"{now:%Y-%m-%dT%H:%M:%SZ}", plan=plan, states=tuple(states))


@contextmanager
def _alone(journal: Journal) -> Iterator[None]:
    """Only one program at a time changes things; the system frees the lock of a killed one."""
    try:
        os.makedirs(os.path.dirname(journal.path), mode=0o700, exist_ok=True)
        lock = filelock.FileLock(journal.path + ".lock", timeout=0)
        lock.acquire()
    except filelock.Timeout as trouble:
        raise NotApplied(
            _("Another window of this program is making changes at this moment."), as_before=True
        ) from trouble
    except OSError as trouble:
        raise NotApplied(_no_journal(trouble), as_before=True) from trouble
    try:
        yield
    finally:
        lock.release()


def _no_journal(trouble: OSError) -> str:
    return _("Nothing was changed, because the record for undoing it can't be kept. {why}").format(
        why=reason(trouble)
    )


def _words(trouble: Exception) -> str:
    return reason(trouble) if isinstance(trouble, OSError) else str(trouble)


def recover(journal: Journal, system: System) -> Plan | None:
    """What to do about a change that was interrupted: the plan that takes it back, if any.

    An interrupted entry whose steps are all in place is closed here (and announced again). A step
    is part of the way back even where nothing was written yet, because a system may have begun it.
    Raises :class:`OSError` when the journal can't be read, :class:`Refused` when a value can't.
    """
    for entry in journal.unfinished():
        if all(state == "done" for state in entry.states):
            system.announce()
            journal.finish(entry)
    waiting = {entry.id: entry for entry in journal.unfinished()}
    for entry in waiting.values():
        # The way back of an interrupted change, interrupted too, is the same way back.
        if entry.plan.undoes not in waiting:
            return _way_back(entry, system)
    return None


def _way_back(entry: Entry, system: System) -> Plan:
    plan = undo_plan(entry, system.read, system.family)
    named = {(step.scope, step.name) for step in plan.steps if isinstance(step, SetVariable)}
    begun = [
        SetVariable(scope=step.scope, name=step.name, before=now, after=now, why=step.why)
        for step in entry.plan.steps
        if isinstance(step, SetVariable)
        and (step.scope, step.name) not in named
        and (now := system.read(step.scope, step.name)) == step.before
    ]
    return msgspec.structs.replace(plan, steps=(*plan.steps, *begun))
