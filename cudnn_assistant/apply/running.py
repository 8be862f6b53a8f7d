"""The order of things: lock, compare, journal, do, read back; on trouble all the way back."""

from __future__ import annotations

import contextlib
import datetime
import os
import secrets
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

import filelock
import msgspec

from cudnn_assistant import places
from cudnn_assistant.apply import run_installer
from cudnn_assistant.apply.beforehand import refuse_forbidden
from cudnn_assistant.apply.kinds import actions_of
from cudnn_assistant.apply.licences import refuse_unaccepted
from cudnn_assistant.apply.recovering import close_complete, half_done
from cudnn_assistant.apply.tools import Progress, Rehearse, Tools
from cudnn_assistant.journal import Journal
from cudnn_assistant.plan import Accepted, Entry, Plan, Step, StepState, settings_of, settings_only
from cudnn_assistant.plan.kinds.row import nothing
from cudnn_assistant.system import System
from cudnn_assistant.trouble import Fact, Refused
from cudnn_assistant.unpack import clear_unfinished

Say = Callable[[int, StepState], object]
"""Called with (number of the step, its new state), from the applying thread."""


_HALFWAY = "not-taken-back"


class NotApplied(Refused):
    """A plan was not carried out."""

    def __init__(self, code: str, /, **facts: Fact) -> None:
        super().__init__(code, **facts)
        self.as_before = code != _HALFWAY

    @classmethod
    def because(cls, trouble: Refused | OSError) -> NotApplied:
        """Of this; everything is as it was before."""
        if isinstance(trouble, Refused):
            return cls(trouble.code, **trouble.facts)
        return cls("system-said", why=trouble)


def apply(
    plan: Plan,
    system: System,
    journal: Journal,
    say: Say | None = None,
    *,
    progress: Progress | None = None,
    cancel: threading.Event | None = None,
    hold: threading.Event | None = None,
    accepted: Sequence[Accepted] = (),
    rehearse: Rehearse | None = None,
) -> Entry:
    """Carry out ``plan`` and return its journal entry, which keeps what was ``accepted``.

    A value that is no longer what the plan was made from stops it before the first write. What
    goes wrong later takes the steps before it back, in reverse order; so does ``cancel``, which
    is heard while something long runs, and between its step and others; while ``hold`` is set a
    download waits. A plan that downloads something whose licence is not among ``accepted`` is not
    begun. What has to be downloaded is staged first, and ``rehearse`` hears of it before anything
    is changed. Raises :class:`NotApplied`.
    """
    never = threading.Event
    tools = Tools(system, progress or nothing, cancel or never(), hold or never(), rehearse)
    try:
        # Before the lock, which is a file already.
        refuse_forbidden(plan)
    except Refused as trouble:
        raise NotApplied.because(trouble) from trouble
    with _alone(journal) as tools.lock:
        try:
            _refuse_while_interrupted(plan, journal, system)
            refuse_unaccepted(plan, accepted)
            if not plan.steps:
                # Whoever took the value away by hand may have left what lies beside it.
                undone = (entry for entry in journal.entries() if entry.id == plan.undoes)
                steps = tuple(step for entry in undone for step in half_done(entry, system))
                plan = msgspec.structs.replace(plan, steps=steps)
            for step in plan.steps:
                actions_of(step).compare(step, tools)
            prepared = tuple(actions_of(step).prepare(step, tools) for step in plan.steps)
            plan = msgspec.structs.replace(plan, steps=prepared)
            entry = _new_entry(plan, accepted, system.where("user"))
            journal.record(entry)
        except Refused as trouble:
            raise NotApplied.because(trouble) from trouble
        except OSError as trouble:
            raise NotApplied("no-journal", why=trouble) from trouble
        return _Run(entry, tools, journal, say or nothing).carry_out()


@dataclass
class _Run:
    """One entry on its way through the steps."""

    entry: Entry
    tools: Tools
    journal: Journal
    say: Say

    def carry_out(self) -> Entry:
        try:
            self.stage()
            for batch in self.batches():
                self.do(batch)
        except (Refused, OSError) as trouble:
            self.take_back(self.tools.number, trouble)
        self.tools.system.announce()
        clear_unfinished(str(places.own_libraries()))
        try:
            return self.journal.finish(self.entry)
        except OSError:
            # All is done and read back; the next start finds that out for itself and closes it.
            return self.entry

    def stage(self) -> None:
        """Lay everything ready, and try it."""
        staged: dict[int, str] = {}
        for number, step in enumerate(self.entry.plan.steps):
            self.tools.number = number
            if folder := actions_of(step).stage(step, self.tools):
                staged[number] = folder
        known = self.entry.plan.rehearsal
        if self.tools.rehearse and (known is None or known.outcome == "later"):
            self.tools.tell("rehearsal", 0, 0)
            tried = self.tools.rehearse(self.entry.plan, staged)
            self.entry = msgspec.structs.replace(self.entry, plan=tried)

    def batches(self) -> list[list[int]]:
        """Numbers of steps to carry out together: the administrator is asked once for all."""
        steps = self.entry.plan.steps
        whole = [setting for setting in settings_of(self.entry.plan) if setting.scope == "machine"]
        asked = [number for number, step in enumerate(steps) if step in whole]
        if len(asked) < 2 or self.tools.system.may_write("machine"):
            asked = []
        return [
            asked if number in asked else [number]
            for number in range(len(steps))
            if number not in asked[1:]
        ]

    def do(self, batch: list[int]) -> None:
        steps = [self.entry.plan.steps[number] for number in batch]
        self.tools.number = batch[-1]
        # Settings alone are written faster than anybody can stop them: those are finished.
        if self.tools.cancel.is_set() and not settings_only(self.entry.plan):
            raise Refused("stopped")
        for step in steps:
            # Compared a moment ago, but a long step may lie between.
            actions_of(step).compare(step, self.tools)
        if len(batch) > 1:
            changes = settings_of(Plan(steps=tuple(steps)))
            self.tools.system.write_machine([(step.name, step.after) for step in changes])
        for number, step in zip(batch, steps, strict=True):
            # What was written together is written already; that leaves the reading back.
            self.keep(number, actions_of(step).do(step, self.tools) or step)

    def keep(self, number: int, step: Step) -> None:
        """A step as it is known only after it was done."""
        steps, states = list(self.entry.plan.steps), list(self.entry.states)
        steps[number], states[number] = step, "done"
        plan = msgspec.structs.replace(self.entry.plan, steps=tuple(steps))
        self.entry = msgspec.structs.replace(self.entry, plan=plan, states=tuple(states))
        self.journal.record(self.entry)
        self.say(number, "done")

    def take_back(self, number: int, trouble: Refused | OSError) -> None:
        """Undo the steps up to ``number``; always raises :class:`NotApplied`."""
        self.tools.cancel = threading.Event()
        states = list(self.entry.states)
        try:
            for back in range(number, -1, -1):
                step = self.entry.plan.steps[back]
                settle = back == number and isinstance(trouble, OSError)
                written = actions_of(step).put_back(step, self.tools, settle)
                states[back] = "taken-back" if written or states[back] == "done" else "stopped"
        except (Refused, OSError) as more:
            raise NotApplied(_HALFWAY, first=trouble, second=more) from trouble
        finally:
            if "taken-back" in states:
                self.tools.system.announce()
        with contextlib.suppress(OSError):
            # Unwritten, the next start looks again and finds that nothing is left to do.
            self.journal.finish(msgspec.structs.replace(self.entry, states=tuple(states)))
        clear_unfinished(str(places.own_libraries()))
        raise NotApplied.because(trouble) from trouble


def _refuse_while_interrupted(plan: Plan, journal: Journal, system: System) -> None:
    if journal.unfinished() and run_installer.at_work():
        raise Refused("still-at-work")
    close_complete(journal, system)
    waiting = {entry.id for entry in journal.unfinished()}
    if waiting and plan.undoes not in waiting:
        raise Refused("interrupted-earlier")


def _new_entry(plan: Plan, accepted: Sequence[Accepted], place: str) -> Entry:
    now = datetime.datetime.now(datetime.UTC)
    # A clock can jump back; the random part keeps the id unique all the same.
    name = f"{now:%Y%m%d-%H%M%S}-{secrets.token_hex(2)}"
    states: list[StepState] = ["planned"] * len(plan.steps)
    when = f"{now:%Y-%m-%dT%H:%M:%SZ}"
    return Entry(
        id=name, when=when, plan=plan, states=tuple(states), accepted=tuple(accepted), place=place
    )


@contextmanager
def _alone(journal: Journal) -> Iterator[tuple[int, ...]]:
    """Only one program at a time changes things; the system frees the lock of a killed one.

    Gives the handles to hand down to a child that changes things for us: if we are killed, it
    runs on, and holds the lock until it has ended (Linux).
    """
    try:
        os.makedirs(os.path.dirname(journal.path), mode=0o700, exist_ok=True)
        lock = filelock.FileLock(journal.path + ".lock", timeout=0)
        lock.acquire()
    except filelock.Timeout as trouble:
        raise NotApplied("another-window") from trouble
    except OSError as trouble:
        raise NotApplied("no-journal", why=trouble) from trouble
    handle = getattr(getattr(lock, "_context", None), "lock_file_fd", None)
    try:
        yield (handle,) if isinstance(handle, int) and os.name == "posix" else ()
    finally:
        lock.release()
