"""Carrying out a plan from a terminal: show it, ask once, tell how far it is, stop when told."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple

import msgspec

from cudnn_assistant.cli.allowed_installers import allowed
from cudnn_assistant.cli.options import Options
from cudnn_assistant.cli.screen import Screen
from cudnn_assistant.machine import Machine
from cudnn_assistant.plan import (
    Demands,
    Plan,
    demanded,
    demands,
    outcomes,
    starts_only,
    unrehearsed,
)
from cudnn_assistant.plan import tried as sentences_of_try
from cudnn_assistant.session import Checkup, Refused, Session
from cudnn_assistant.session.changing import Change, NotApplied
from cudnn_assistant.session.events import Event, Progress
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
STOPPED = 130
"""The exit code of a program that was stopped with Ctrl+C."""
_NOT_CHANGED = 1
_NOT_POSSIBLE = 5
_IN_VAIN = -1
"""Not made, because it was tried and would not help; a larger plan may."""
_TRIES = 3


def carry_out(
    session: Session, plan: Plan, machine: Machine, options: Options, screen: Screen
) -> int:
    """Show, ask, apply. The exit code, which is :data:`DONE` only when all was done."""
    return make(session, plan, machine, options, screen).code


def make(
    session: Session,
    plan: Plan,
    machine: Machine,
    options: Options,
    screen: Screen,
    before: Checkup | None = None,
) -> Made:
    """Show, try, ask, apply.

    ``before`` is the checkup that the plan is for: it is tried before it is made, and where the
    try shows more that can be mended, the larger plan is shown and asked about.
    """
    for _time in range(_TRIES):
        made = _once(session, plan, machine, options, screen, before)
        if made.code != _IN_VAIN:
            return made
        plan = made.plan
    return made._replace(code=_NOT_CHANGED)


def _once(
    session: Session,
    plan: Plan,
    machine: Machine,
    options: Options,
    screen: Screen,
    before: Checkup | None,
) -> Made:
    try:
        plan = _rehearsed(session, plan, screen, before)
        show_plan(session, plan, machine, screen, _serves(plan, before))
        if options.dry_run:
            print_plan(plan, machine, screen)
        proposed, plan = plan, _to_be_made(plan, machine, screen, options)
        if proposed.steps and not plan.steps:
            return Made(_NOT_CHANGED, plan)
        if forbidden := session.forbidden(plan):
            raise forbidden
        texts = session.licences(plan)
    except (Refused, OSError) as trouble:
        screen.trouble(why(trouble))
        return Made(_NOT_POSSIBLE, plan)
    if not _agreed(plan, texts, options, screen):
        return Made(_NOT_CHANGED, plan)
    return _apply(session, plan, texts, "--yes" if options.yes else "asked", screen, before)


def _to_be_made(plan: Plan, machine: Machine, screen: Screen, options: Options) -> Plan:
    """What of a plan is left to be asked about."""
    in_vain = plan.rehearsal is not None and plan.rehearsal.outcome == "stopped"
    if options.dry_run or in_vain:
        return msgspec.structs.replace(plan, steps=())
    return allowed(plan, machine, screen, yes=options.yes)


def _serves(plan: Plan, before: Checkup | None) -> dict[str, str]:
    """Titles of the problems by code, to say what each change is for."""
    found = before.findings if before else ()
    also = plan.rehearsal.also if plan.rehearsal else ()
    return {f.code: words(f, before.machine).title for f in (*found, *also)} if before else {}


def _agreed(plan: Plan, texts: Sequence[Licence], options: Options, screen: Screen) -> bool:
    """Whether the person wants it; installers alone were asked for one by one."""
    if options.yes:
        _say_what_yes_accepts(texts, screen)
        return True
    return (starts_only(plan) and not texts) or _asked(len(plan.steps), texts, screen)


def _apply(
    session: Session,
    plan: Plan,
    texts: Sequence[Licence],
    how: str,
    screen: Screen,
    before: Checkup | None,
) -> Made:
    with _stoppable(screen) as stop:
        _wait(session.pause(plan) if how == "--yes" else 0, stop, screen)
        advance = ProgressLine(lambda text: None if stop.is_set() else screen.progress(text))

        def hear(event: Event) -> None:
            if isinstance(event, Progress):
                advance(event.number, event.what, event.here, event.size)

        change = Change(hear, stop)
        try:
            entry = session.apply(plan, change, texts, how, before)
        except NotApplied as trouble:
            code = _say_why_not(trouble, stop.is_set(), screen)
            if trouble.code != "rehearsal-stopped":
                return Made(code, plan)
            return _tried_in_vain(change, screen, before) or Made(_NOT_CHANGED, plan)
    screen.progress("")
    if change.tried is not None and before is not None and not screen.json:
        for sentence in sentences_of_try(change.tried.rehearsal, before.machine):
            screen.line(sentence)
    for ended in () if screen.json else outcomes(entry.plan):
        screen.line(ended.text)
        for line in ended.output.splitlines():
            screen.line(line, indent=2)
    if stop.is_set():
        screen.trouble(say("cli.done-already"))
        return Made(STOPPED, plan)
    return Made(DONE, change.tried or plan)


def _wait(seconds: int, stop: threading.Event, screen: Screen) -> None:
    """Let other computers go first; told to stop, the change ends by itself."""
    if seconds:
        screen.progress(say("cli.waiting", seconds=seconds))
        stop.wait(seconds)


def _tried_in_vain(change: Change, screen: Screen, before: Checkup | None) -> Made | None:
    """What comes of a plan that was tried when it was staged; ``None``: it wasn't."""
    if change.tried is None or before is None:
        return None
    if change.grew:
        return Made(_IN_VAIN, change.tried)
    for sentence in sentences_of_try(change.tried.rehearsal, before.machine):
        screen.trouble(sentence)
    return Made(_NOT_CHANGED, change.tried)


def _rehearsed(session: Session, plan: Plan, screen: Screen, before: Checkup | None) -> Plan:
    if unrehearsed(plan):
        screen.progress(say("cli.asking-pip"))
    elif before is not None:
        screen.progress(say("progress.trying"))
    try:
        return session.rehearse(plan, before=before)
    finally:
        screen.progress("")


def _say_why_not(trouble: NotApplied, stopped: bool, screen: Screen) -> int:
    screen.trouble(why(trouble))
    if not trouble.as_before:
        screen.trouble(say("cli.way-back"))
        return 4
    screen.trouble(say("cli.all-as-before"))
    return STOPPED if stopped else _NOT_POSSIBLE


def _say_what_yes_accepts(texts: Sequence[Licence], screen: Screen) -> None:
    """``--yes`` accepts a licence only where its address is seen, also beside JSON."""
    for text in texts:
        line = say("cli.yes-accepts-licence", link=text.address)
        if screen.json:
            screen.trouble(line)
        else:
            screen.line(line)


def _asked(count: int, texts: Sequence[Licence], screen: Screen) -> bool:
    question = say("cli.ask-changes", count=count)
    if texts:
        question = say("cli.ask-licence-and-changes", count=count)
    asked = screen.ask(question, more=(lambda: _show(texts, screen)) if texts else None)
    if asked is None:
        screen.trouble(say("cli.nothing-changed"))
    return bool(asked)


def _show(texts: Sequence[Licence], screen: Screen) -> None:
    for text in texts:
        screen.line(text.address)
        for line in text.lines:
            screen.line(line, indent=2)
        screen.line(say("cli.licence-sha", sha=text.sha256))
        screen.line()


@contextmanager
def _stoppable(screen: Screen) -> Iterator[threading.Event]:
    """An event that Ctrl+C sets, so that what is begun is taken back instead of broken off."""
    cancel = threading.Event()

    def stop(_number: int, _frame: object) -> None:
        cancel.set()
        screen.progress(say("cli.stopping"))

    signals = (signal.SIGINT, signal.SIGTERM)
    before = [(number, signal.signal(number, stop)) for number in signals]
    try:
        yield cancel
    finally:
        for number, handler in before:
            signal.signal(number, handler)


def show_plan(
    session: Session,
    plan: Plan,
    machine: Machine,
    screen: Screen,
    serves: Mapping[str, str] = MappingProxyType({}),
) -> None:
    """Every change with its old and new value and what it is for; then what all of it needs."""
    if screen.json:
        return
    screen.line()
    for change in session.preview(plan, machine):
        screen.line(f"{change.title}  {change.place}")
        for code in plan.steps[change.step].why:
            if code in serves:
                screen.line(say("cli.for", title=serves[code]), indent=2)
        for row in change.lines:
            note = f"   ({row.note})" if row.note else ""
            screen.verbatim(f"{row.sign} {row.text}{note}", indent=2)
        for note in change.notes:
            screen.line(note, indent=2)
    for sentence in (*demanded(plan, machine), *sentences_of_try(plan.rehearsal, machine)):
        screen.line(sentence)
    screen.line()


class PrintedPlan(Plan, kw_only=True, omit_defaults=False):
    """A plan as ``--dry-run --json`` prints it."""

    demands: Demands


def print_plan(plan: Plan, machine: Machine, screen: Screen) -> None:
    """The plan as JSON, where that is asked for."""
    if screen.json:
        printed = PrintedPlan(
            steps=plan.steps,
            undoes=plan.undoes,
            rehearsal=plan.rehearsal,
            demands=demands(plan, machine),
        )
        screen.as_json(printed)
