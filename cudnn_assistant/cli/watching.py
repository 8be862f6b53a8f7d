"""``watch``: run the person's own program and say which cuDNN it really used."""

from __future__ import annotations

import msgspec

from cudnn_assistant.cli.options import Options
from cudnn_assistant.cli.screen import Screen
from cudnn_assistant.explain import text_lines
from cudnn_assistant.session import Misuse, Session
from cudnn_assistant.session.watching import LoadedCopy, WatchResult
from cudnn_assistant.visible import visible_json
from cudnn_assistant.wording import say


def watch(session: Session, options: Options, screen: Screen) -> int:
    """Run the command, pass on all it says, tell what it loaded, and end with its exit code.

    What we say goes to standard error, so that the program's output stays its own.
    """
    words = options.program[1:] if options.program[:1] == ("--",) else options.program
    if bool(words) == bool(options.pid):
        raise Misuse("watch-nothing")
    seen = session.watch(words, options.pid)
    if screen.json:
        screen.trouble(visible_json(msgspec.json.encode(seen).decode()))
    else:
        for line in _lines(seen):
            screen.trouble(line)
    return seen.exit_code or 0


def _lines(seen: WatchResult) -> list[str]:
    rows = [say("watching.ended", code=seen.exit_code)] if seen.exit_code else []
    main = [copy for copy in seen.copies if copy.main]
    parts = [copy for copy in seen.copies if not copy.main]
    rows += [say("watching.used", version=_version(copy), folder=copy.folder) for copy in main]
    rows += [
        say("watching.parts", files=", ".join(copy.files), folder=copy.folder) for copy in parts
    ]
    if not seen.copies:
        rows.append(say("watching.no-cudnn"))
    if not seen.complete:
        rows.append(say("watching.too-short"))
    if seen.explanation is not None:
        rows += ["", *text_lines(seen.explanation)]
    return rows


def _version(copy: LoadedCopy) -> str:
    return copy.version or "?"
