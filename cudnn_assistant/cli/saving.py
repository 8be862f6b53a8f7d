"""Writing what somebody asked for into the file that they named."""

from __future__ import annotations

import contextlib
import os
import tempfile

from cudnn_assistant.cli.screen import Screen
from cudnn_assistant.wording import refusal, say


def save(path: str, content: bytes, screen: Screen) -> int:
    """0 when it was written, 3 when it can't be; either is said."""
    try:
        with open(path, "wb") as file:
            file.write(content)
    except OSError as trouble:
        why = trouble.strerror or str(trouble)
        screen.trouble(say("cli.report-not-writable", path=path, why=why))
        return 3
    screen.trouble(say("cli.report-written", path=os.path.abspath(path)))
    return 0


def replace(path: str, content: bytes, screen: Screen) -> bool:
    """Put a file that others read all the time in the place of the one before, whole or not at all.

    Everybody may read it. What can't be written is said.
    """
    beside = ""
    try:
        handle, beside = tempfile.mkstemp(dir=os.path.dirname(os.path.abspath(path)), suffix=".new")
        with open(handle, "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(handle)
        os.chmod(beside, 0o644)
        os.replace(beside, path)
    except OSError as trouble:
        with contextlib.suppress(OSError):
            os.unlink(beside)
        why = trouble.strerror or str(trouble)
        screen.trouble(refusal("file-not-written", file=path, why=why))
        return False
    return True
