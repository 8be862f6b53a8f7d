"""The commands that change the computer: fix and undo. Both show the plan, ask once, look again."""

from __future__ import annotations

from typing import Literal

import msgspec

from cudnn_assistant.cli.carrying import DONE, Maker, print_plan
from cudnn_assistant.cli.looking import EXIT, look, show
from cudnn_assistant.cli.options import Options
from cudnn_assistant.cli.screen import Screen
from cudnn_assistant.plan import Entry, Plan, starts_only, stays
from cudnn_assistant.session import Checkup, Refused, Session
from cudnn_assistant.session.checkup import works_for
from cudnn_assistant.session.past import Status
from cudnn_assistant.session.permitted import known, left_alone
from cudnn_assistant.wording import listed, moment, say
from cudnn_assistant.wording.refusals import why

_HELPED_NOT = 4
_NOT_POSSIBLE = 5


def fix(session: Session, options: Options, screen: Screen) -> int:
    """Check, show the plan, ask once, apply, check again."""
    code = _take_back_interrupted(session, options, screen)
    if code != DONE:
        return code
    only = known(options.only)
    checkup = look(session, options, screen)
    if only:
        checkup = session.limited(checkup, only)
    if not checkup.plan.steps:
        return _nothing_to_do(session, checkup, only, options, screen)
    if not screen.json:
        show(checkup, session.source, screen, options)
    made = Maker(session, checkup.machine, options, screen, checkup).carry_out(checkup.plan)
    return made.code if made.code != DONE else _look_again(session, made.plan, options, screen)


def _nothing_to_do(
    session: Session, checkup: Checkup, only: frozenset[str], options: Options, screen: Screen
) -> int:
    if options.dry_run and screen.json:
        print_plan(checkup.plan, checkup.machine, screen)
    else:
        show(checkup, session.source, screen, options)
    if refused := left_alone(checkup, only):
        screen.trouble(why(refused))
    return EXIT[checkup.verdict]


def _take_back_interrupted(session: Session, options: Options, screen: Screen) -> int:
    try:
        plan = session.past.recover(close=not options.dry_run)
    except (Refused, OSError) as trouble:
        screen.trouble(why(trouble))
        return _NOT_POSSIBLE
    if plan is None:
        return DONE
    screen.line(say("cli.taking-back-interrupted"))
    return _carry_out_undo(session, plan, options, screen)


def _look_again(session: Session, made: Plan, options: Options, screen: Screen) -> int:
    screen.line(say("cli.checking-again"))
    screen.line()
    checkup = look(session, options, screen, again=True)
    show(checkup, session.source, screen, options)
    if checkup.verdict == "works" or _as_promised(made, checkup):
        return DONE
    if not starts_only(made):
        screen.line(say("cli.can-be-undone"))
    return _HELPED_NOT if checkup.main else EXIT[checkup.verdict]


def _as_promised(made: Plan, checkup: Checkup) -> bool:
    """Whether cuDNN starts for everybody for whom it did when the plan was tried."""
    promised = made.rehearsal.subjects if made.rehearsal else ()
    return bool(promised) and all(works_for(checkup, one) for one in promised)


def undo(session: Session, options: Options, screen: Screen) -> int:
    """Take the last (or the named) change back; ``--list`` shows all of them."""
    past = session.past
    try:
        entries = past.journal.entries()
    except OSError as trouble:
        screen.trouble(say("cli.changes-not-readable", why=why(trouble)))
        return 3
    if options.list:
        return _list(session, entries, screen)
    try:
        if (plan := past.recover(close=not options.dry_run)) is not None:
            return _carry_out_undo(session, plan, options, screen)
        entry = past.undoable(options.id)
        if entry is None:
            screen.line(say("cli.no-change", file=past.journal.path))
            return 2 if options.id else 0
        plan, stays_whole = past.way_back(entry), past.stays_whole(entry)
    except (Refused, OSError) as trouble:
        screen.trouble(why(trouble))
        return _NOT_POSSIBLE
    screen.lines(stays(entry.plan))
    return 0 if stays_whole else _carry_out_undo(session, plan, options, screen)


def _carry_out_undo(session: Session, plan: Plan, options: Options, screen: Screen) -> int:
    if not plan.steps:
        screen.line(say("cli.nothing-left-of-change"))
        try:
            if not options.dry_run:
                session.past.close(plan)
        except Refused as trouble:
            screen.trouble(why(trouble))
            return _NOT_POSSIBLE
        return DONE
    code = Maker(session, session.unseen, options, screen).carry_out(plan).code
    if code == DONE:
        screen.line(say("cli.taken-back"))
    return code


def _list(session: Session, entries: tuple[Entry, ...], screen: Screen) -> int:
    printed = [_printed(session, entry) for entry in entries if not entry.plan.undoes]
    if screen.json:
        screen.as_json(printed)
        return 0
    if not entries:
        screen.line(say("plan.no-changes-yet"))
    for one in printed:
        state = say(f"plan.state-{one.state}")
        screen.line(f"{one.id}  {moment(one.when)}  {state}  {listed(one.changes)}")
    return 0


class Printed(msgspec.Struct):
    """A change of the past, as ``undo --list --json`` prints it."""

    id: str
    when: str
    state: Status | Literal["not-made"]
    changes: list[str]


def _printed(session: Session, entry: Entry) -> Printed:
    made = entry.undone_by or "done" in entry.states
    titles = [change.title for change in session.preview(entry.plan, session.unseen)]
    return Printed(entry.id, entry.when, session.past.status(entry) if made else "not-made", titles)
