"""Writing what somebody asked for into the file that they named."""

from __future__ import annotations

import os
import stat

from cudnn_assistant.cli.screen import Screen
from cudnn_assistant.plain_file import NOT_PLAIN, plain
from cudnn_assistant.session.given_file import write
from cudnn_assistant.whole_file import put
from cudnn_assistant.wording import refusal, say
from cudnn_assistant.wording.refusals import because, cause

_ALIKE = 20
"""Bytes that all files of one kind of ours begin with."""


def save(path: str, content: bytes, screen: Screen) -> int:
    """0 when it was written, 3 when it can't be; either is said."""
    try:
        write(path, content)
    except OSError as trouble:
        screen.trouble(say("cli.report-not-writable", path=path, why=cause(trouble)))
        return 3
    screen.trouble(say("cli.report-written", path=os.path.abspath(path)))
    return 0


def replace(path: str, content: bytes, screen: Screen) -> bool:
    """Put a file that others read all the time in the place of the one before, whole or not at all.

    Everybody may read it. What can't be written is said, and what isn't ours is left alone.
    """
    if foreign := _foreign(path, content):
        screen.trouble(refusal(foreign, file=path))
        return False
    try:
        put(path, content, mode=0o644)
    except OSError as trouble:
        screen.trouble(refusal("file-not-written", file=path, why=because(trouble)))
        return False
    return True


def _foreign(path: str, content: bytes) -> str:
    """Why what stands there is nothing to replace; "" where it is ours, or nothing."""
    try:
        kind = os.lstat(path).st_mode
        if stat.S_ISLNK(kind):
            return "file-is-a-link"
        with plain(path) as file:
            begins = file.read(_ALIKE)
    except FileNotFoundError:
        return ""
    except OSError:
        return NOT_PLAIN
    return "edited-by-hand" if begins and begins != content[:_ALIKE] else ""
