"""Writing what somebody asked for into the file that they named."""

from __future__ import annotations

import os

from cudnn_assistant.cli.screen import Screen
from cudnn_assistant.wording import say


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
