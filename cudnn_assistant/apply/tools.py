"""What the kinds of steps get from whoever applies a plan."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass, field

from cudnn_assistant.system import System

Progress = Callable[[int, str, int, int], None]
"""Called with (number of the step, "download", "unpack", "packages" or "installer", bytes so far,
bytes in all or 0 when unknown), from the applying thread. From "installer" on nothing stops it."""


def _silent(_number: int, _what: str, _here: int, _size: int) -> None:
    return


@dataclass
class Tools:
    """The system, and how to tell and to stop."""

    system: System
    progress: Progress = _silent
    cancel: threading.Event = field(default_factory=threading.Event)
    hold: threading.Event = field(default_factory=threading.Event)
    """While it is set a download waits."""
    lock: tuple[int, ...] = ()
    """Handles of the lock, to be inherited by a child that changes the computer."""
    number: int = 0
    """The step that is carried out now."""

    def tell(self, what: str, here: int, size: int) -> None:
        """Say how far the present step is."""
        self.progress(self.number, what, here, size)
