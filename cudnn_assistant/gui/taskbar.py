"""What Windows' taskbar is told of the window: its name, and the reports for the name's list."""

from __future__ import annotations

import ctypes
import sys
from typing import Any

from cudnn_assistant import places

_ct: Any = ctypes
_BY_PATH = 3
"""SHARD_PATHW."""


def name_window() -> None:
    """Before the first window: else Windows shows us as one of Python's."""
    if sys.platform == "win32":
        _ct.windll.shell32.SetCurrentProcessExplicitAppUserModelID(places.WINDOW_ID)


def opened(path: str) -> None:
    """A report that was opened stands in the list, unless the person has told Windows otherwise."""
    if sys.platform == "win32":
        _ct.windll.shell32.SHAddToRecentDocs(_BY_PATH, _ct.c_wchar_p(path))
