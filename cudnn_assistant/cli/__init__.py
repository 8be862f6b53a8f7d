"""The command line: look, fix, take back, report, in a terminal or for scripts."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence

from cudnn_assistant.cli.screen import Screen


def run(arguments: Sequence[str]) -> int:
    """Do what the words say and return the exit code: 0 works or done, 1 problems, 2 wrong use,

    3 could not find out, 4 changed but not working, 5 could not be changed.
    """
    from cudnn_assistant.cli.arguments import options

    chosen = options(arguments)
    screen = Screen(color=chosen.color, quiet=chosen.quiet, json=chosen.json)
    from cudnn_assistant.cli.commands import carry_out

    try:
        return carry_out(chosen, screen)
    except KeyboardInterrupt:
        screen.progress("")
        return 130
    except BrokenPipeError:
        # The reader (head, less) went away; nobody is left to tell.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 141
