"""Windows: what the taskbar is told of the window, and a second start that finds the first."""

from __future__ import annotations

import ctypes
import os
import sys
from typing import Any

from cudnn_assistant import places

_ct: Any = ctypes
_BY_PATH = 3
"""SHARD_PATHW."""
_ASK_LITTLE, _RESTORE, _LONGEST = 0x1000, 9, 32_768


def name_window() -> None:
    """Before the first window: else Windows shows us as one of Python's."""
    if sys.platform == "win32":
        _ct.windll.shell32.SetCurrentProcessExplicitAppUserModelID(places.WINDOW_ID)


def opened(path: str) -> None:
    """A report that was opened stands in the list, unless the person has told Windows otherwise."""
    if sys.platform == "win32":
        _ct.windll.shell32.SHAddToRecentDocs(_BY_PATH, _ct.c_wchar_p(path))


def brought_to_front(title: str) -> bool:
    """Whether a window of this title is one of our program, and is shown now.

    A folder of the same name in Explorer, or another copy of ours, is not.
    """
    if sys.platform != "win32":
        return False
    user = _ct.WinDLL("user32")
    user.FindWindowW.restype = _ct.c_void_p
    window = _ct.c_void_p(user.FindWindowW(None, title))
    if not window.value or not _is_ours(_program_of(window)):
        return False
    if user.IsIconic(window):
        user.ShowWindow(window, _RESTORE)
    return bool(user.SetForegroundWindow(window))


def _program_of(window: Any) -> str:
    """The file that the window's process was started from; "" where Windows doesn't say."""
    number, size = _ct.c_uint32(), _ct.c_uint32(_LONGEST)
    _ct.WinDLL("user32").GetWindowThreadProcessId(window, _ct.byref(number))
    kernel = _ct.WinDLL("kernel32")
    kernel.OpenProcess.restype = _ct.c_void_p
    process = _ct.c_void_p(kernel.OpenProcess(_ASK_LITTLE, False, number))
    if not process.value:
        return ""
    name = _ct.create_unicode_buffer(_LONGEST)
    known = kernel.QueryFullProcessImageNameW(process, 0, name, _ct.byref(size))
    kernel.CloseHandle(process)
    return str(name.value) if known else ""


def _is_ours(program: str) -> bool:
    # The same folder: python.exe from a terminal, pythonw.exe from the menu.
    ours = places.program_folder() or os.path.dirname(sys.executable)
    return os.path.normcase(os.path.dirname(program)) == os.path.normcase(ours)
