"""``watch``: run the person's own program and say which cuDNN it really used."""

from __future__ import annotations

import msgspec

from cudnn_assistant.cli.options import Options
from cudnn_assistant.cli.screen import Screen
from cudnn_assistant.explain import text_lines
from cudnn_assistant.session import Misuse, Session
from cudnn_assistant.session.watching import WatchResult, told
from cudnn_assistant.visible import visible_json


def watch(session: Session, options: Options, screen: Screen) -> int:
    """Run the command, pass on all it says, tell what it loaded, and end with its exit code.

    What we say goes to standard error, so that the program's output stays its own.
    """
    words = options.program[1:] if options.program[:1] == ("--",) else options.program
    if bool(words) == bool(options.pid):
        raise Misuse("watch-nothing")
    seen = session.watch(words, options.pid, exact=options.exact)
    if screen.json:
        screen.trouble(visible_json(msgspec.json.encode(seen).decode()))
    else:
        for line in _lines(seen):
            screen.trouble(line)
    return seen.exit_code or 0


def _lines(seen: WatchResult) -> list[str]:
    rows = told(seen)
    if seen.explanation is not None:
        rows += ["", *text_lines(seen.explanation)]
    return rows
