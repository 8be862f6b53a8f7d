"""How far a long step is, in one line: how much, how fast, how long still."""

from __future__ import annotations

from collections import deque
from time import monotonic

from cudnn_assistant.wording.numbers import listed, number
from cudnn_assistant.wording.sentences import say

_WINDOW = 10.0
"""Seconds over which the speed is taken: long enough to be calm, short enough to be true."""
_CALM = 0.5
"""Seconds before which no speed is known."""


class ProgressLine:
    """Turns the news of ``apply`` into lines."""

    def __init__(self) -> None:
        self._about: tuple[int, str] | None = None
        self._samples: deque[tuple[float, int]] = deque()

    def __call__(self, step: int, what: str, here: int, size: int) -> str:
        """The line for ``apply``'s Progress."""
        now = monotonic()
        if self._about != (step, what):
            self._about = (step, what)
            self._samples.clear()
        self._samples.append((now, here))
        while now - self._samples[0][0] > _WINDOW:
            self._samples.popleft()
        line = say(f"progress.of-{what}", here=number(here / 1e6), size=number(size / 1e6))
        (start, first), (end, last) = self._samples[0], self._samples[-1]
        if what != "download" or last == first or end - start < _CALM:
            return line
        speed = (last - first) / (end - start)
        rate = say("progress.speed", speed=number(speed / 1e6, 1))
        return listed((line, rate, left((size - here) / speed)))


def left(seconds: float) -> str:
    """A time still to go, as exact as such a guess is."""
    if seconds < 5:
        return say("progress.nearly-done")
    if seconds < 55:
        return say("progress.seconds-left", seconds=5 * round(seconds / 5))
    return say("progress.minutes-left", count=round(seconds / 60))
