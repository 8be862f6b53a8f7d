"""Which function answers which command, and what a wish that can't be meant leads to."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module

from cudnn_assistant.cli.options import Options
from cudnn_assistant.cli.screen import Screen
from cudnn_assistant.session import Misuse, Session
from cudnn_assistant.wording.refusals import why

Command = Callable[[Session, Options, Screen], int]


_MODULES = {
    "check": "looking",
    "explain": "explaining",
    "fix": "changing",
    "undo": "changing",
    "report": "reporting",
    "test": "testing",
    "watch": "watching",
    "feed": "data",
    "recommend": "recommending",
    "installed": "installed",
    "mcp": "assistants",
    "integrate": "integrate",
}
"""Where the function of a command's name stands; loaded once it is asked for."""


def carry_out(options: Options, screen: Screen) -> int:
    """Do what is asked for, and return the exit code."""
    try:
        module = import_module(f"{__package__}.{_MODULES[options.command]}")
        command: Command = getattr(module, options.command)
        return command(Session(), options, screen)
    except Misuse as trouble:
        screen.trouble(why(trouble))
        return 2
