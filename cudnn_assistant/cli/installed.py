"""``installed``: the copies in our own folder, who uses them, and how to be rid of one."""

from __future__ import annotations

from cudnn_assistant.cli.carrying import DONE, Maker
from cudnn_assistant.cli.options import Options
from cudnn_assistant.cli.screen import Screen
from cudnn_assistant.machine import SYSTEM
from cudnn_assistant.session import Session
from cudnn_assistant.session.own_copies import OwnCopies
from cudnn_assistant.wording import in_words, listed, number, say
from cudnn_assistant.wording.refusals import why


def installed(session: Session, options: Options, screen: Screen) -> int:
    """List our copies, or remove one."""
    screen.progress(say("cli.looking-for-users"))
    try:
        found = session.own_copies()
    except OSError as trouble:
        screen.trouble(why(trouble))
        return 3
    screen.progress("")
    if options.remove:
        return _remove(session, found, options, screen)
    return _list(found, screen)


def _remove(session: Session, found: OwnCopies, options: Options, screen: Screen) -> int:
    chosen = found.named(options.remove)
    if chosen is None:
        screen.trouble(say("cli.no-copy-there", folder=options.remove))
        return 2
    if (plan := found.removal(chosen)) is None:
        screen.trouble(say("cli.copy-not-ours", folder=chosen.folder))
        return 2
    for subject in chosen.subjects:
        screen.line(say("cli.copy-used-now", subject=_name(subject)))
    code = Maker(session, found.machine, options, screen).carry_out(plan).code
    if code == DONE:
        screen.line(say("cli.copy-removed"))
    return code


def _list(found: OwnCopies, screen: Screen) -> int:
    if screen.json:
        screen.as_json(found.copies)
        return 0
    if not found.copies:
        screen.line(say("cli.no-copies", folder=found.root))
    for one in found.copies:
        what = f"{one.product} {one.version}".strip() or say("cli.copy-not-in-journal")
        screen.line(f"{one.folder}  {number(one.size / 1e6)} MB  {what}")
        if one.variables:
            names = listed(map(_layer, one.variables))
            screen.line(say("cli.copy-named-in", names=names), indent=2)
        for subject in one.subjects:
            screen.line(say("cli.copy-used-by", subject=_name(subject)), indent=2)
        if not one.variables:
            screen.line(say("cli.copy-named-nowhere"), indent=2)
    return 0


def _layer(variable: str) -> str:
    scope, _space, name = variable.partition(" ")
    return f"{name} ({in_words(scope)})"


def _name(subject: str) -> str:
    return say("cli.users-of-system-cudnn") if subject == SYSTEM else subject
