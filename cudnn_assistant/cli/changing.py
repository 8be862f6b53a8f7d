"""The commands that change the computer: fix and undo. Both show the plan, ask once, look again."""

from __future__ import annotations

import argparse

from cudnn_assistant import places
from cudnn_assistant.apply import NotApplied, apply, recover
from cudnn_assistant.cli.carrying import carry_out, print_plan
from cudnn_assistant.cli.looking import EXIT, compat_data, look, show
from cudnn_assistant.cli.screen import Screen
from cudnn_assistant.journal import Journal
from cudnn_assistant.machine import Machine, OperatingSystem
from cudnn_assistant.plan import Entry, Plan, preview, starts_only, stays, undo_plan
from cudnn_assistant.system import Refused, System, this_system
from cudnn_assistant.wording import _, words


def fix(told: argparse.Namespace, screen: Screen) -> int:
    """Check, show the plan, ask once, apply, check again."""
    system, journal = this_system(), Journal(places.journal())
    waiting = _interrupted(system, journal, screen)
    if isinstance(waiting, int):
        return waiting
    if waiting is not None:
        if not screen.json:
            screen.line(_("A change was interrupted. This takes it back first."))
        code = carry_out(waiting, _here(system), system, journal, told, screen)
        if code is not None:
            return code
    compat, data = compat_data(told.offline)
    checkup = look(told, screen, compat)
    if not checkup.plan.steps:
        if told.dry_run and screen.json:
            print_plan(checkup.plan, checkup.machine, screen)
        else:
            show(checkup, data, screen, told)
        return EXIT[checkup.verdict]
    if not screen.json:
        show(checkup, data, screen, told)
    serves = {f.code: words(f, checkup.machine).title for f in checkup.findings}
    code = carry_out(checkup.plan, checkup.machine, system, journal, told, screen, serves)
    if code is not None:
        return code
    if not screen.json:
        screen.line(_("Done. Checking again…"))
        screen.line()
    again = look(told, screen, compat)
    show(again, data, screen, told)
    if again.verdict == "works":
        return 0
    if not (screen.json or starts_only(checkup.plan)):
        screen.line(_("The change can be taken back: cudnn-assistant undo"))
    return 4


def undo(told: argparse.Namespace, screen: Screen) -> int:
    """Take the last (or the named) change back; ``--list`` shows all of them."""
    system, journal = this_system(), Journal(places.journal())
    try:
        entries = journal.entries()
    except OSError as trouble:
        screen.trouble(_("The list of changes can't be read: {why}.").format(why=trouble.strerror))
        return 3
    if told.list:
        return _list(entries, _here(system), screen)
    entry: Entry | None = None
    try:
        plan = recover(journal, system)
        if plan is None:
            entry = _chosen(entries, told.id, system)
            if entry is None:
                screen.line(_("There is no change to take back."))
                return 0 if not told.id else 2
            plan = _back(entry, system)
            for sentence in stays(entry.plan):
                screen.line(sentence)
    except (Refused, OSError) as trouble:
        screen.trouble(str(trouble))
        return 5
    if entry is not None and _stays_whole(entry, system):
        return 0
    if not plan.steps:
        screen.line(_("Nothing of this change is left: another program has changed it since."))
        return 0 if told.dry_run else _close(plan, system, journal, screen)
    code = carry_out(plan, _here(system), system, journal, told, screen)
    if code is None:
        screen.line(_("The change was taken back."))
    return code or 0


def _close(plan: Plan, system: System, journal: Journal, screen: Screen) -> int:
    """Write that the change is taken back, so that older ones get their turn."""
    try:
        apply(plan, system, journal)
    except NotApplied as trouble:
        screen.trouble(trouble.message)
        return 5
    return 0


def _here(system: System) -> Machine:
    """As much of this computer as showing a way back needs."""
    return Machine(os=OperatingSystem(family=system.family))


def _interrupted(system: System, journal: Journal, screen: Screen) -> Plan | int | None:
    try:
        return recover(journal, system)
    except (Refused, OSError) as trouble:
        screen.trouble(str(trouble))
        return 5


def _chosen(entries: tuple[Entry, ...], name: str, system: System) -> Entry | None:
    if name:
        return next((entry for entry in entries if entry.id == name), None)
    in_place = (
        entry
        for entry in reversed(entries)
        if not entry.undone_by and not entry.plan.undoes and "done" in entry.states
    )
    return next((entry for entry in in_place if not _stays_whole(entry, system)), None)


def _back(entry: Entry, system: System) -> Plan:
    return undo_plan(entry, system.read, system.family)


def _stays_whole(entry: Entry, system: System) -> bool:
    """Whether nothing of it is to be taken back, by its nature."""
    if len(stays(entry.plan)) < len(entry.plan.steps):
        return False
    return not _back(entry, system).steps


def _list(entries: tuple[Entry, ...], machine: Machine, screen: Screen) -> int:
    if not entries:
        screen.line(_("You haven't changed anything with this program."))
    for entry in entries:
        if entry.plan.undoes:
            continue
        if entry.undone_by:
            state = _("undone")
        elif "done" in entry.states:
            state = _("in place")
        else:
            state = _("not made")
        what = ", ".join(change.title for change in preview(entry.plan, machine))
        screen.line(f"{entry.id}  {entry.when}  {state}  {what}")
    return 0
