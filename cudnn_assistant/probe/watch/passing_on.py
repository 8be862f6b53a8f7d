"""Standard error of a watched program: passed on byte for byte, its beginning and end kept.

A program whose standard error is a terminal must find one there, or it prints other things (no
colours, no progress bars). So a terminal of its own stands between the two.
"""

from __future__ import annotations

import contextlib
import os
import sys
import threading
from collections.abc import Callable

_KEPT = 64 * 1024
"""Bytes of the beginning, where frameworks tell what they do without, and of the end."""
_PIECE = 65536
_TARGET = 2
"""Our own standard error."""


class Tee:
    """One end for the program to write into; what it wrote appears here and is kept.

    ``sift`` takes out of it what isn't the program's own.
    """

    def __init__(self, sift: Callable[[bytes], bytes] | None = None) -> None:
        self._sift = sift
        self._begun, self._kept = bytearray(), bytearray()
        self._left_out = False
        self.terminal = sys.platform != "win32" and os.isatty(_TARGET)
        if sys.platform != "win32" and self.terminal:
            import pty

            self._reading, self.writing = pty.openpty()
            _as_is(self.writing)
            self.resize()
        else:
            self._reading, self.writing = os.pipe()
        self._thread = threading.Thread(target=self._pass_on, daemon=True)

    def begin(self) -> None:
        """The program has its end: ours of it is closed, and the rest passed on."""
        os.close(self.writing)
        self._thread.start()

    def end(self) -> str:
        """Wait a moment for the rest, and give the beginning and the end of what was written."""
        # A daemon of the program may hold its end open for ever.
        self._thread.join(1.0)
        begun, kept = bytes(self._begun), bytes(self._kept)
        if self._left_out:
            # No line is made of two.
            begun = begun[: begun.rfind(b"\n") + 1]
            kept = kept.partition(b"\n")[2] or kept
        return (begun + kept).decode("utf-8", "backslashreplace")

    def resize(self) -> None:
        """Give the program's terminal the size of ours."""
        if sys.platform == "win32" or not self.terminal:
            return
        import fcntl
        import termios

        with contextlib.suppress(OSError):
            size = fcntl.ioctl(_TARGET, termios.TIOCGWINSZ, bytes(8))
            fcntl.ioctl(self._reading, termios.TIOCSWINSZ, size)

    def _pass_on(self) -> None:
        # A terminal whose program is gone answers with an error instead of the end.
        with contextlib.suppress(OSError):
            while piece := os.read(self._reading, _PIECE):
                own = self._sift(piece) if self._sift else piece
                room = _KEPT - len(self._begun)
                self._begun += own[:room]
                self._kept += own[room:]
                self._left_out |= len(self._kept) > _KEPT
                del self._kept[:-_KEPT]
                _write(own)


def _as_is(descriptor: int) -> None:
    """No translation of line ends: they are translated once, by the real terminal."""
    if sys.platform != "win32":
        import termios

        mode = termios.tcgetattr(descriptor)
        mode[1] &= ~termios.OPOST
        termios.tcsetattr(descriptor, termios.TCSANOW, mode)


def _write(piece: bytes) -> None:
    while piece:
        piece = piece[os.write(_TARGET, piece) :]
