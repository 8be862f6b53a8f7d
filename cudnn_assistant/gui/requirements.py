"""What a window needs of a Linux system, asked before Qt, which would end the process itself."""

from __future__ import annotations

import ctypes
import os
import sys

_EVERYWHERE = ("libEGL.so.1", "libGL.so.1", "libfontconfig.so.1", "libxkbcommon.so.0")
_ON_X11 = (
    "libxcb-cursor.so.0",
    "libxkbcommon-x11.so.0",
    "libxcb-icccm.so.4",
    "libxcb-image.so.0",
    "libxcb-keysyms.so.1",
    "libxcb-render-util.so.0",
    "libxcb-shape.so.0",
)
"""Libraries that PySide6's wheel takes from the system (its platform plugins' DT_NEEDED)."""

_PACKAGES = "libegl1 libgl1 libfontconfig1 libxkbcommon-x11-0 libxcb-cursor0 libxcb-icccm4 \
libxcb-image0 libxcb-keysyms1 libxcb-render-util0 libxcb-shape0"


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
    missing = [name for name in _EVERYWHERE + (_ON_X11 if on_x11 else ()) if not _loads(name)]
    if shown and not missing:
        return ""
    # Words take a fifth of the time to the first picture, which needs none.
    from cudnn_assistant.wording import listed, say

    if not shown:
        return say("gui.no-display")
    return say("gui.libraries-missing", names=listed(missing), packages=_PACKAGES)


def _loads(name: str) -> bool:
    try:
        ctypes.CDLL(name)
    except OSError:
        return False
    return True
