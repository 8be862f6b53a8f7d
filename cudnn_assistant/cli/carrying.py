"""Carrying out a plan from a terminal: show it, ask once, tell how far it is, stop when told."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, NamedTuple

import msgspec

from cudnn_assistant.cli.ending import STOPPED
from cudnn_assistant.cli.options import Options
from cudnn_assistant.cli.screen import Screen
from cudnn_assistant.machine import Machine
from cudnn_assistant.plan import (
    Consent,
    Demands,
    Plan,
    demanded,
    demands,
    kind_of,
    outcomes,
    starts_only,
    tried,
    unrehearsed,
)
from cudnn_assistant.session import Checkup, Refused, Session
from cudnn_assistant.session.changing import Change, NotApplied
from cudnn_assistant.session.events import Event, Progress
from cudnn_assistant.signals import listening
from cudnn_assistant.wording import say, words
from cudnn_assistant.wording.progress import ProgressLine
from cudnn_assistant.wording.refusals import why

if TYPE_CHECKING:
    from cudnn_assistant.session import Licence


class Made(NamedTuple):
    """What became of a plan."""

    code: int
    """For the exit."""
    plan: Plan
    """As it was made, or as it would have to be."""


DONE = 0
"""The exit code of a change that was made."""
_NOT_CHANGED = 1
_NOT_POSSIBLE = 5
_IN_VAIN = -1
"""Not made, because it was tried and would not help; a larger plan may."""
_TRIES = 3


class Maker(NamedTuple):
    """What is the same each time that a plan is shown and asked about."""

    session: Session
    machine: Machine
    options: Options
    screen: Screen
    before: Checkup | None = None
    """The checkup that the plan is for: it is tried before it is made, and where the try shows more
    that can be mended, the larger plan is shown and asked about."""

    def carry_out(self, plan: Plan) -> Made:
        """Show, try, ask, apply. The code is :data:`DONE` only when all was done."""
        made = Made(_IN_VAIN, plan)
        for _time in range(_TRIES):
            made = self._once(made.plan)
            if made.code != _IN_VAIN:
                return made
        return made._replace(code=_NOT_CHANGED)

    def _once(self, plan: Plan) -> Made:
        try:
            plan = self._rehearsed(plan)
            self._show(plan)
            proposed, plan = plan, self._to_be_made(plan)
            if proposed.steps and not plan.steps:
                return Made(_NOT_CHANGED, plan)
            texts = self.session.licences(plan)
        except (Refused, OSError) as trouble:
            self.screen.trouble(why(trouble))
            return Made(_NOT_POSSIBLE, plan)
        return self._apply(plan, texts) if self._agreed(plan, texts) else Made(_NOT_CHANGED, plan)

    def _rehearsed(self, plan: Plan) -> Plan:
        if unrehearsed(plan):
            self.screen.progress(say("progress.asking-pip"))
        elif self.before is not None:
            self.screen.progress(say("progress.of-rehearsal"))
        try:
            return self.session.rehearse(plan, before=self.before)
        finally:
            self.screen.progress("")

    def _show(self, plan: Plan) -> None:
        """Every change with its old and new value and what it is for; then what all of it needs."""
        screen, machine, serves = self.screen, self.machine, self._serves(plan)
        if screen.json and self.options.dry_run:
            print_plan(plan, machine, screen)
            return
        screen.line()
        for step, change in zip(plan.steps, self.session.preview(plan, machine), strict=True):
            screen.line(f"{change.title}  {change.place}")
            for code in step.why:
                if code in serves:
                    screen.line(say("plan.for", title=serves[code]), indent=2)
            for row in change.lines:
                note = f"   ({row.note})" if row.note else ""
                screen.verbatim(f"{row.sign} {row.text}{note}", indent=2)
            screen.lines(change.notes, indent=2)
        screen.lines((*demanded(plan, machine), *tried(plan.rehearsal, machine)))
        screen.line()

    def _serves(self, plan: Plan) -> dict[str, str]:
        """Titles of the problems by code, to say what each change is for."""
        if self.before is None:
            return {}
        also = plan.rehearsal.also if plan.rehearsal else ()
        found = (*self.before.findings, *also)
        return {one.code: words(one, self.before.machine).title for one in found}

    def _to_be_made(self, plan: Plan) -> Plan:
        """What of a plan is left to be asked about: no installer that may not be started."""
        if self.options.dry_run or plan.in_vain:
            return msgspec.structs.replace(plan, steps=())
        kept = [step for step in plan.steps if self._may_start(kind_of(step).consent(step))]
        return msgspec.structs.replace(plan, steps=tuple(kept))

    def _may_start(self, consent: Consent | None) -> bool:
        """Whether a step is left, for which this is needed; says why not."""
        if not consent:
            return True
        if not self.machine.os.administrator:
            hindrance = "cli.installer-needs-administrator"
        elif self.options.yes and consent.never_by_flag:
            hindrance = "cli.installer-needs-question"
        else:
            return self.options.yes or bool(self.screen.ask(consent.question))
        self.screen.trouble(say(hindrance, name=consent.name, how=consent.by_hand))
        return False

    def _agreed(self, plan: Plan, texts: Sequence[Licence]) -> bool:
        """Whether the person wants it; installers alone were asked for one by one."""
        if self.options.yes:
            # A licence is accepted only where its address is seen.
            for text in texts:
                self.screen.line(say("cli.yes-accepts-licence", link=text.address))
            return True
        return (starts_only(plan) and not texts) or _asked(len(plan.steps), texts, self.screen)

    def _apply(self, plan: Plan, texts: Sequence[Licence]) -> Made:
        screen, yes = self.screen, self.options.yes
        with _stoppable(screen) as stop:
            # Other computers go first; told to stop, the change ends by itself.
            if yes and (seconds := self.session.pause(plan)):
                screen.progress(say("cli.waiting", seconds=seconds))
                stop.wait(seconds)
            line = ProgressLine()

            def hear(event: Event) -> None:
                if isinstance(event, Progress) and not stop.is_set():
                    screen.progress(line(event.number, event.what, event.here, event.size))

            change = Change(hear, stop)
            try:
                how = "--yes" if yes else "asked"
                entry = self.session.apply(plan, change, texts, how, self.before)
            except NotApplied as trouble:
                code = _say_why_not(trouble, stop.is_set(), screen)
                if trouble.code != "rehearsal-stopped":
                    return Made(code, plan)
                for sentence in () if change.grew else self._tried(change):
                    screen.trouble(sentence)
                return Made(_IN_VAIN if change.grew else _NOT_CHANGED, change.tried or plan)
        screen.progress("")
        screen.lines(self._tried(change))
        for ended in outcomes(entry.plan):
            screen.line(ended.text)
            screen.lines(ended.output.splitlines(), indent=2)
        if stop.is_set():
            screen.trouble(say("cli.done-already"))
            return Made(STOPPED, plan)
        return Made(DONE, change.tried or plan)

    def _tried(self, change: Change) -> Sequence[str]:
        """What came of trying a plan once it was staged, in sentences."""
        if change.tried is None or self.before is None:
            return ()
        return tried(change.tried.rehearsal, self.before.machine)


def _say_why_not(trouble: NotApplied, stopped: bool, screen: Screen) -> int:
    screen.trouble(why(trouble))
    if not trouble.as_before:
        screen.trouble(say("cli.way-back"))
        return 4
    screen.trouble(say("cli.all-as-before"))
    return STOPPED if stopped else _NOT_POSSIBLE


def _asked(count: int, texts: Sequence[Licence], screen: Screen) -> bool:
    question = say("cli.ask-licence-and-changes" if texts else "cli.ask-changes", count=count)
    asked = screen.ask(question, more=(lambda: _show(texts, screen)) if texts else None)
    if asked is None:
        screen.trouble(say("cli.nothing-changed"))
    return bool(asked)


def _show(texts: Sequence[Licence], screen: Screen) -> None:
    for text in texts:
        screen.line(text.address)
        screen.lines(text.lines, indent=2)
        screen.line(say("cli.licence-sha", sha=text.sha256))
        screen.line()


@contextmanager
def _stoppable(screen: Screen) -> Iterator[threading.Event]:
    """An event that Ctrl+C sets, as a terminal that is closed does, so that what is begun is taken
    back instead of broken off."""
    cancel = threading.Event()

    def stop(_number: int, _frame: object) -> None:
        cancel.set()
        screen.progress(say("cli.stopping"))

    before = [(number, signal.signal(number, stop)) for number in listening()]
    try:
        yield cancel
    finally:
        for number, handler in before:
            signal.signal(number, handler)


class PrintedPlan(Plan, kw_only=True, omit_defaults=False):
    """A plan as ``--dry-run --json`` prints it."""

    demands: Demands


def print_plan(plan: Plan, machine: Machine, screen: Screen) -> None:
    """The plan as JSON, with what it asks for."""
    fields = msgspec.structs.asdict(plan)
    screen.as_json(PrintedPlan(**fields, demands=demands(plan, machine)))
