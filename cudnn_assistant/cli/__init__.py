"""The command line: look, fix, take back, report, in a terminal or for scripts."""

from __future__ import annotations

from collections.abc import Sequence
from importlib import import_module


def run(arguments: Sequence[str]) -> int:
    """Do what the words say and return the exit code: 0 works or done, 1 problems, 2 wrong use,

    3 could not find out, 4 changed but not working, 5 could not be changed.
    """
    # Late: this file is loaded before a wish to stop is heard.
    from cudnn_assistant.cli.arguments import module_of, options
    from cudnn_assistant.cli.ending import ready_to_stop
    from cudnn_assistant.cli.screen import Screen
    from cudnn_assistant.wording import refusal

    ready_to_stop(refusal("stopped"))

    chosen = options(arguments)
    screen = Screen(color=chosen.color, quiet=chosen.quiet, json=chosen.json)
    from cudnn_assistant.session import Misuse, Session
    from cudnn_assistant.wording.refusals import why

    try:
        module = import_module(f"{__package__}.{module_of(chosen.command)}")
        return int(getattr(module, chosen.command)(Session(), chosen, screen))
    except Misuse as trouble:
        screen.trouble(why(trouble))
        return 2
