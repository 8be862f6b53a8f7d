"""How far a long step is, in one line: how much, how fast, how long still."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable

from cudnn_assistant.wording.numbers import listed, number
from cudnn_assistant.wording.sentences import say

_WINDOW = 10.0
"""Seconds over which the speed is taken: long enough to be calm, short enough to be true."""


class ProgressLine:
    """Turns the news of ``apply`` into lines. ``clock`` gives seconds."""

    def __init__(
        self, show: Callable[[str], None], clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._show = show
        self._clock = clock
        self._about: tuple[int, str] | None = None
        self._samples: deque[tuple[float, int]] = deque()

    def __call__(self, number: int, what: str, here: int, size: int) -> None:
        """``apply``'s Progress."""
        now = self._clock()
        if self._about != (number, what):
            self._about = (number, what)
            self._samples.clear()
        self._samples.append((now, here))
        while now - self._samples[0][0] > _WINDOW:
            self._samples.popleft()
        self._show(self._line(what, here, size))

    def _line(self, what: str, here: int, size: int) -> str:
        line = say(f"progress.of-{what}", here=number(here / 1e6), size=number(size / 1e6))
        speed = self.speed() if what == "download" else 0.0
        if not speed:
            return line
        rate = say("progress.speed", speed=number(speed / 1e6, 1))
        return listed((line, rate, left((size - here) / speed)))

    def speed(self) -> float:
        """Bytes in a second over the last ten; 0 while that is not known."""
        (start, first), (end, last) = self._samples[0], self._samples[-1]
        return (last - first) / (end - start) if end - start >= 0.5 else 0.0


def left(seconds: float) -> str:
    """A time still to go, as exact as such a guess is."""
    if seconds < 5:
        return say("progress.nearly-done")
    if seconds < 55:
        return say("progress.seconds-left", seconds=5 * round(seconds / 5))
    return say("progress.minutes-left", count=round(seconds / 60))
