"""Words of a shell command, for the shell that a person of that system has."""

from __future__ import annotations

import shlex

from cudnn_assistant.machine import Family


def quote(text: str, family: Family) -> str:
    """``text`` as one word: of PowerShell on Windows, of a POSIX shell on Linux."""
    if family == "windows":
        return "'" + text.replace("'", "''") + "'"
    return shlex.quote(text)
