"""How far a long step is, in one line: how much, how fast, how long still."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable

from cudnn_assistant.wording.numbers import number
from cudnn_assistant.wording.sentences import say

_WINDOW = 10.0
"""Seconds over which the speed is taken: long enough to be calm, short enough to be true."""
_PAUSE = 0.1


class ProgressLine:
    """Turns the news of ``apply`` into lines. ``clock`` gives seconds."""

    def __init__(
        self, show: Callable[[str], None], clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._show = show
        self._clock = clock
        self._reported = -_PAUSE
        self._about: tuple[int, str] | None = None
        self._samples: deque[tuple[float, int]] = deque()

    def __call__(self, number: int, what: str, here: int, size: int) -> None:
        """``apply``'s Progress."""
        now = self._clock()
        if self._about != (number, what):
            self._about = (number, what)
            self._samples.clear()
            self._reported = -_PAUSE
        self._samples.append((now, here))
        while now - self._samples[0][0] > _WINDOW:
            self._samples.popleft()
        # A fast download speaks thousands of times a second; nobody reads that fast.
        if now - self._reported >= _PAUSE or here == size:
            self._reported = now
            self._show(self._line(what, here, size))

    def _line(self, what: str, here: int, size: int) -> str:
        if what == "packages":
            return say("progress.packages")
        if what == "rehearsal":
            return say("progress.trying")
        if what == "installer":
            return say("progress.installer")
        if what == "unpack":
            return say("progress.unpacking", here=_megabytes(here))
        line = say("progress.download", here=_megabytes(here), size=_megabytes(size))
        speed = self.speed()
        if not speed:
            return line
        rate = say("progress.speed", speed=number(speed / 1e6, 1))
        return f"{line}, {rate}, {left((size - here) / speed)}"

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
    minutes = round(seconds / 60)
    return say("progress.minutes-left", count=minutes)


def _megabytes(size: int) -> str:
    return number(size / 1e6)
