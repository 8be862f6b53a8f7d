"""``explain``: what an error text means, most likely cause first."""

from __future__ import annotations

from cudnn_assistant.cli.looking import checkup_of_file, given, look_with_progress
from cudnn_assistant.cli.options import Options
from cudnn_assistant.cli.screen import Screen
from cudnn_assistant.explain import text_lines
from cudnn_assistant.explain.reading import text_of
from cudnn_assistant.explain.understood import refuse_unread
from cudnn_assistant.session import Checkup, LookRequest, Misuse, Session
from cudnn_assistant.session.given_file import LARGEST_LOG
from cudnn_assistant.wording import say


def explain(session: Session, options: Options, screen: Screen) -> int:
    """Say what an error text means; 3 when nothing in it is recognised.

    A text may be another computer's, so this one is looked at only when asked.
    """
    facts = dict(_fact(word) for word in options.given)
    refuse_unread(facts, session.compat)
    seen: Checkup | None = None
    if options.machine:
        seen = checkup_of_file(session, options.machine)
    elif options.here and not options.no_look:
        seen = look_with_progress(session, LookRequest(trial=False, offline=True), screen)
    text = given(options.file, LARGEST_LOG, screen)
    found = session.explain(text, seen, facts)
    if text and not found.lines and not text_of(text).strip():
        screen.trouble(say("cli.no-text"))
    if screen.json:
        screen.as_json(found)
    else:
        screen.lines(text_lines(found))
    return 0 if found.causes else 3


def _fact(word: str) -> tuple[str, str]:
    name, sign, value = word.partition("=")
    if not sign or not name.strip():
        raise Misuse("given-without-value")
    return name.strip().lower(), value
