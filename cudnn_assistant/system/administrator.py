"""Starting a program with the administrator's rights: the system asks the person for them."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence

from cudnn_assistant.places import resource
from cudnn_assistant.system.exchangeable import is_roots
from cudnn_assistant.trouble import Refused, refusing

BEGUN = b"cudnn-assistant: begun\n"
"""The first line of the output of what was really started, after the question."""

PKEXEC = ("/usr/bin/pkexec", "/bin/pkexec", "/run/wrappers/bin/pkexec")
"""Where systems keep it; the last is NixOS."""


def as_root(
    command: list[str], environment: Mapping[str, str], by_hand: Sequence[str]
) -> list[str]:
    """The command by polkit's pkexec, where we aren't root and it can ask somebody.

    It is the system's own, whatever stands on the person's PATH. Raises :class:`Refused` where it
    can't, with the lines that do it by hand.
    """
    if not os.geteuid():
        return command
    shown = environment.get("WAYLAND_DISPLAY") or environment.get("DISPLAY")
    allowed = next((path for path in PKEXEC if is_roots(path)), "") if shown else ""
    if not allowed:
        raise _needed(by_hand)
    return [allowed, *command]


def _needed(by_hand: Sequence[str]) -> Refused:
    return Refused("administrator-needed", commands=" && ".join(by_hand))


def run_lines(
    lines: Sequence[str], output: int, environment: Mapping[str, str], check: str = ""
) -> int:
    """Linux: run lines of a shell as root, one after the other up to one that doesn't end well.

    ``check`` is run after them, and needn't be told to people. What they say goes to the open file
    ``output``. They keep it open, and go on when we end. Gives the exit code of the last one;
    raises :class:`Refused` when nothing was run.
    """
    import subprocess

    by_hand = [f"sudo {line}" for line in lines]
    head = resource("as_root.sh").read_text("utf-8")
    command = ["/bin/sh", "-c", "\n".join((head, *lines, check))]
    command = as_root(command, environment, by_hand)
    with refusing("system-said"):
        done = subprocess.run(
            command,
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=output,
            env=dict(environment),
            cwd="/",
            # Ctrl+C in our terminal must not break off a package manager at its work.
            start_new_session=True,
        )
    written = os.pread(output, 2000, 0)
    if not written.startswith(BEGUN):
        nobody = b"No authentication agent" in written
        raise _needed(by_hand) if nobody else Refused("administrator-not-allowed")
    return done.returncode


def run_program(command: Sequence[str]) -> int:
    """Windows: start an installer, which shows its own window, and wait for it.

    Gives its exit code; raises :class:`Refused` when it was not started. An administrator's session
    has no letters of the person's network drives, nor what AppData is to the Store's Python.
    """
    from cudnn_assistant.system.winapi import WindowsApi

    with refusing("installer-not-started"):
        return WindowsApi().run_elevated([os.path.realpath(command[0]), *command[1:]], shown=True)
