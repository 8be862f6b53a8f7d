"""Windows: what the taskbar is told of the window, and a second start that finds the first."""

from __future__ import annotations

import ctypes
import os
import sys
import zlib
from typing import Any

from cudnn_assistant import places

_ct: Any = ctypes
_BY_PATH = 3
"""SHARD_PATHW."""
_RESTORE = 9


def name_window() -> None:
    """Before the first window: else Windows shows us as one of Python's."""
    if sys.platform == "win32":
        _ct.windll.shell32.SetCurrentProcessExplicitAppUserModelID(places.WINDOW_ID)


def opened(path: str) -> None:
    """A report that was opened stands in the list, unless the person has told Windows otherwise."""
    if sys.platform == "win32":
        _ct.windll.shell32.SHAddToRecentDocs(_BY_PATH, _ct.c_wchar_p(path))


def mark(window: int) -> None:
    """A second start of this copy finds the window by this: a property that Windows keeps."""
    if sys.platform == "win32":
        _ct.windll.user32.SetPropW(_ct.c_void_p(window), _mark(), _ct.c_void_p(1))


def brought_to_front(title: str) -> bool:
    """Whether a window of this title is one of our program, and is shown now.

    A folder of the same name in Explorer, or a copy of ours in another environment, is not.
    """
    if sys.platform != "win32":
        return False
    user, window = _ct.WinDLL("user32"), _ct.c_void_p()
    user.FindWindowExW.restype = user.GetPropW.restype = _ct.c_void_p
    while not user.GetPropW(window, _mark()):
        window.value = user.FindWindowExW(None, window, None, _ct.c_wchar_p(title))
        if not window:
            return False
    if user.IsIconic(window):
        user.ShowWindow(window, _RESTORE)
    return bool(user.SetForegroundWindow(window))


def _mark() -> str:
    # The name of a property has no room for every path.
    return f"cuDNN Assistant {zlib.crc32(os.path.normcase(places.__file__).encode()):08x}"
