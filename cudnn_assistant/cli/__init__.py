"""The command line: look, fix, take back, report, in a terminal or for scripts."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence

from cudnn_assistant.cli.screen import Screen


def run(arguments: Sequence[str]) -> int:
    """Do what the words say and return the exit code of design Part 2.

    With no words at all, started outside a terminal on a desktop, the window opens instead.
    """
    if not arguments and not _terminal() and _desktop():
        from cudnn_assistant.gui.app import run as open_window

        return open_window([])
    from cudnn_assistant.cli.arguments import COMMANDS, parser

    words = list(arguments)
    if not any(word in COMMANDS for word in words) and not {"-h", "--help"} & set(words):
        words.insert(0, "check")
    told = parser().parse_args(words)
    screen = Screen(
        color=getattr(told, "color", "auto"),
        quiet=getattr(told, "quiet", False),
        json=getattr(told, "json", False),
    )
    from cudnn_assistant.cli.commands import COMMANDS_BY_NAME

    try:
        return COMMANDS_BY_NAME[told.command](told, screen)
    except KeyboardInterrupt:
        screen.progress("")
        return 130
    except BrokenPipeError:
        # The reader (head, less) went away; nobody is left to tell.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 141


def _terminal() -> bool:
    streams = (sys.stdin, sys.stdout, sys.stderr)
    return any(stream is not None and stream.isatty() for stream in streams)


def _desktop() -> bool:
    if sys.platform == "win32":
        return True
    return bool(os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY"))
