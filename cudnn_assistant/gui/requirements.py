"""What a window needs of a Linux system, asked before Qt, which would end the process itself."""

from __future__ import annotations

import ctypes
import os
import sys

from cudnn_assistant import places


def unmet_requirement() -> str:
    """Why no window can be opened here, in a sentence; "" when one can."""
    return (_of_linux() if sys.platform.startswith("linux") else "") or _of_qt()


def _of_qt() -> str:
    try:
        import PySide6.QtWidgets  # noqa: F401
    except ImportError as trouble:
        from cudnn_assistant.wording import say

        return say("gui.qt-not-loaded", why=trouble)
    return ""


def _of_linux() -> str:
    chosen = os.environ.get("QT_QPA_PLATFORM", "")
    wayland = bool(os.environ.get("WAYLAND_DISPLAY"))
    shown = bool(chosen or wayland or os.environ.get("DISPLAY"))
    on_x11 = chosen.startswith("xcb") or not (chosen or wayland)
    table = places.resource("window_libraries.txt").read_text("utf-8")
    rows = [line.split() for line in table.splitlines() if not line.startswith("#")]
    needed = (name for name, _package, *only in rows if on_x11 or not only)
    missing = [name for name in needed if not _loads(name)]
    if shown and not missing:
        return ""
    # Words take a fifth of the time to the first picture, which needs none.
    from cudnn_assistant.wording import listed, say

    if not shown:
        return say("gui.no-display")
    packages = " ".join(dict.fromkeys(row[1] for row in rows))
    return say("gui.libraries-missing", names=listed(missing), packages=packages)


def _loads(name: str) -> bool:
    try:
        ctypes.CDLL(name)
    except OSError:
        return False
    return True
