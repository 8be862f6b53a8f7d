"""A variable of all users, written as the administrator by a program of Windows' own.

For a copy of ours that the person's account can write (their own folder, a virtual environment):
nothing of it is started with more rights than theirs. What Windows asks about is then
System32\\reg.exe, which nobody but Windows can exchange, with the whole change on its command line.
"""

from __future__ import annotations

import ntpath
import os
import sys

from cudnn_assistant import places
from cudnn_assistant.machine import Value
from cudnn_assistant.system.windows_registry import MACHINE


def command(name: str, value: Value | None, system32: str) -> list[str]:
    """What sets or removes (``None``) the variable."""
    program = ntpath.join(system32, "reg.exe")
    key = f"HKLM\\{MACHINE}"
    if value is None:
        return [program, "delete", key, "/v", name, "/f"]
    kind = "REG_EXPAND_SZ" if value.expand else "REG_SZ"
    return [program, "add", key, "/v", name, "/t", kind, "/d", value.text, "/f"]


def ours() -> tuple[str, ...]:
    """The files and folders that our own part for the administrator would be loaded from."""
    package = os.path.dirname(places.__file__)
    folders = [package, os.path.dirname(sys.executable), sys.base_prefix, *filter(None, sys.path)]
    return tuple(dict.fromkeys((sys.executable, *folders)))
