"""Which function answers which command, and what a wish that can't be meant leads to."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import NamedTuple

from cudnn_assistant.cli.options import Options
from cudnn_assistant.cli.screen import Screen
from cudnn_assistant.session import Misuse, Session
from cudnn_assistant.wording.refusals import why

Command = Callable[[Session, Options, Screen], int]


class _Place(NamedTuple):
    """A function that is loaded once its command is asked for."""

    module: str
    function: str

    def load(self) -> Command:
        command: Command = getattr(import_module(f"{__package__}.{self.module}"), self.function)
        return command


_PLACES = {
    "check": _Place("looking", "check"),
    "explain": _Place("explaining", "explain"),
    "fix": _Place("changing", "fix"),
    "undo": _Place("changing", "undo"),
    "report": _Place("reporting", "report"),
    "test": _Place("testing", "test"),
    "watch": _Place("watching", "watch"),
    "feed": _Place("data", "feed"),
    "recommend": _Place("recommending", "recommend"),
    "installed": _Place("installed", "installed"),
    "mcp": _Place("assistants", "mcp"),
    "integrate": _Place("integrate", "integrate"),
}


def carry_out(options: Options, screen: Screen) -> int:
    """Do what is asked for, and return the exit code."""
    try:
        return _PLACES[options.command].load()(Session(), options, screen)
    except Misuse as trouble:
        screen.trouble(why(trouble))
        return 2
