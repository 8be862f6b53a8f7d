"""``watch``: run the person's own program and say which cuDNN it really used."""

from __future__ import annotations

from cudnn_assistant.cli.options import Options
from cudnn_assistant.cli.screen import Screen, json_line
from cudnn_assistant.explain import text_lines
from cudnn_assistant.session import Misuse, Session
from cudnn_assistant.session.watching import told
from cudnn_assistant.wording import say


def watch(session: Session, options: Options, screen: Screen) -> int:
    """Run the command, pass on all it says, tell what it loaded, and end with its exit code.

    What we say goes to standard error, so that the program's output stays its own.
    """
    words = options.program[1:] if options.program[:1] == ("--",) else options.program
    if bool(words) == bool(options.pid):
        raise Misuse("watch-nothing")
    seen = session.watch(words, options.pid, exact=options.exact)
    if screen.json:
        screen.trouble(json_line(seen))
    else:
        meaning = ["", *text_lines(seen.explanation)] if seen.explanation else []
        more = ["", say("watching.ask-exactly")] if seen.unexplained and not seen.exact else []
        for line in (*told(seen), *meaning, *more):
            screen.trouble(line)
    return seen.exit_code or 0
