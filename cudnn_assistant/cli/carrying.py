"""Carrying out a plan from a terminal: show it, ask once, tell how far it is, stop when told."""

from __future__ import annotations

import argparse
import signal
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from types import MappingProxyType
from typing import TYPE_CHECKING

import msgspec

from cudnn_assistant.apply import (
    NotApplied,
    accept,
    apply,
    read_licence,
    rehearse,
)
from cudnn_assistant.apply.advance import Advance
from cudnn_assistant.cli.screen import Screen
from cudnn_assistant.cli.starting import allowed
from cudnn_assistant.journal import Journal
from cudnn_assistant.machine import Machine
from cudnn_assistant.plan import (
    Demands,
    Plan,
    consents,
    demanded,
    demands,
    licences,
    outcomes,
    preview,
    starts_only,
    unrehearsed,
)
from cudnn_assistant.system import Refused, System
from cudnn_assistant.system.policy import refuse_where_nothing_may_change
from cudnn_assistant.wording import _, ngettext

if TYPE_CHECKING:
    from cudnn_assistant.download import Licence

STOPPED = 130
"""The exit code of a program that was stopped with Ctrl+C."""


def carry_out(
    plan: Plan,
    machine: Machine,
    system: System,
    journal: Journal,
    told: argparse.Namespace,
    screen: Screen,
    serves: Mapping[str, str] = MappingProxyType({}),
) -> int | None:
    """Show, ask, apply. ``None`` when it was done, else the exit code.

    ``serves``: titles of the problems by code, to say what each change is for.
    """
    try:
        plan = _rehearsed(plan, screen)
    except Refused as trouble:
        screen.trouble(str(trouble))
        return 5
    show_plan(plan, machine, screen, system.touched("user"), serves)
    if told.dry_run:
        print_plan(plan, machine, screen)
        return 1
    if consents(plan):
        plan = allowed(plan, machine, screen, yes=told.yes)
        if not plan.steps:
            return 1
    try:
        refuse_where_nothing_may_change()
        texts = [read_licence(address) for address in licences(plan)]
    except (Refused, OSError) as trouble:
        screen.trouble(str(trouble))
        return 5
    if told.yes:
        _say_what_yes_accepts(texts, screen)
    elif (texts or not starts_only(plan)) and not _asked(len(plan.steps), texts, screen):
        return 1
    how = "--yes" if told.yes else "asked"
    with _stoppable(screen) as cancel:
        try:
            entry = apply(
                plan,
                system,
                journal,
                progress=Advance(lambda text: None if cancel.is_set() else screen.progress(text)),
                cancel=cancel,
                accepted=accept(texts, how),
            )
        except NotApplied as trouble:
            return _say_why_not(trouble, cancel.is_set(), screen)
    screen.progress("")
    for ended in () if screen.json else outcomes(entry.plan):
        screen.line(ended.text)
        for line in ended.output.splitlines():
            screen.line(line, indent=2)
    if cancel.is_set():
        screen.trouble(_("It was done already. To go back, run: cudnn-assistant undo"))
        return STOPPED
    return None


def _rehearsed(plan: Plan, screen: Screen) -> Plan:
    if unrehearsed(plan):
        screen.progress(_("Asking pip what it would change…"))
    try:
        return rehearse(plan)
    finally:
        screen.progress("")


def _say_why_not(trouble: NotApplied, stopped: bool, screen: Screen) -> int:
    screen.trouble(trouble.message)
    if not trouble.as_before:
        screen.trouble(_("To go back, run: cudnn-assistant undo"))
        return 4
    screen.trouble(_("Everything is as it was before."))
    return STOPPED if stopped else 5


def _say_what_yes_accepts(texts: Sequence[Licence], screen: Screen) -> None:
    """``--yes`` accepts a licence only where its address is seen, also beside JSON."""
    for text in texts:
        line = _("With --yes you accept NVIDIA's licence: {link}").format(link=text.address)
        if screen.json:
            screen.trouble(line)
        else:
            screen.line(line)


def _asked(count: int, texts: Sequence[Licence], screen: Screen) -> bool:
    question = ngettext("Make {count} change?", "Make {count} changes?", count).format(count=count)
    if texts:
        question = ngettext(
            "Accept NVIDIA's licence (r to read it) and make {count} change?",
            "Accept NVIDIA's licence (r to read it) and make {count} changes?",
            count,
        ).format(count=count)
    asked = screen.ask(question, more=(lambda: _show(texts, screen)) if texts else None)
    if asked is None:
        screen.trouble(_("Nothing was changed. To do it without a question, add --yes."))
    return bool(asked)


def _show(texts: Sequence[Licence], screen: Screen) -> None:
    for text in texts:
        screen.line(text.address)
        for line in text.lines:
            screen.line(line, indent=2)
        screen.line(_("SHA-256 of this text: {sha}").format(sha=text.sha256))
        screen.line()


@contextmanager
def _stoppable(screen: Screen) -> Iterator[threading.Event]:
    """An event that Ctrl+C sets, so that what is begun is taken back instead of broken off."""
    cancel = threading.Event()

    def stop(_number: int, _frame: object) -> None:
        cancel.set()
        screen.progress(_("Stopping; everything goes back to what it was…"))

    signals = (signal.SIGINT, signal.SIGTERM)
    before = [(number, signal.signal(number, stop)) for number in signals]
    try:
        yield cancel
    finally:
        for number, handler in before:
            signal.signal(number, handler)


def show_plan(
    plan: Plan,
    machine: Machine,
    screen: Screen,
    touched: Sequence[str] = (),
    serves: Mapping[str, str] = MappingProxyType({}),
) -> None:
    """Every change with its old and new value and what it is for; then what all of it needs."""
    if screen.json:
        return
    screen.line()
    for change in preview(plan, machine, touched=touched):
        screen.line(f"{change.title}  {change.place}")
        for code in plan.steps[change.step].why:
            if code in serves:
                screen.line(_("For: {title}").format(title=serves[code]), indent=2)
        for row in change.lines:
            note = f"   ({row.note})" if row.note else ""
            screen.raw(f"  {row.sign} {row.text}{note}\n")
        for note in change.notes:
            screen.line(note, indent=2)
    for sentence in demanded(plan, machine):
        screen.line(sentence)
    screen.line()


class ToldPlan(Plan, kw_only=True, omit_defaults=False):
    """A plan as ``--dry-run --json`` prints it."""

    demands: Demands


def print_plan(plan: Plan, machine: Machine, screen: Screen) -> None:
    """The plan as JSON, where that is asked for."""
    if screen.json:
        told = ToldPlan(steps=plan.steps, undoes=plan.undoes, demands=demands(plan, machine))
        screen.raw(msgspec.json.encode(told).decode() + "\n")
