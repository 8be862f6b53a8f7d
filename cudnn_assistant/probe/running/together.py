"""Runs the parts of the look beside each other; none can hold up or bring down the whole."""

from __future__ import annotations

import contextlib
import queue
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import msgspec

from cudnn_assistant.machine import Gap, Timing, readable
from cudnn_assistant.probe.running.children import Cancel, never
from cudnn_assistant.trouble import Cancelled
from cudnn_assistant.wording import met

_POLL = 0.1
"""Seconds between two questions whether the look is still wanted."""
_HELD_UP = 0.02
"""Seconds after which the next part no longer waits for the one before."""
_GRACE = 1.0
"""Seconds that cancelled parts have to end their child processes."""
Facts = dict[str, Any]
"""Fields of a Machine; the gaps are those that the part leaves besides others."""


class Seen(msgspec.Struct, frozen=True):
    """What one part found out."""

    part: str
    facts: Facts
    gaps: tuple[Gap, ...]
    timing: Timing
    cancelled: bool = False
    """It was told that nobody wants the look any more."""


class Work(msgspec.Struct, frozen=True):
    """One part: what it does, and which facts are unknown when it can't be done."""

    do: Callable[[], Facts]
    unknown: tuple[str, ...]


def guarded(part: str, work: Work) -> Seen:
    """Do a part's work here. Whatever else it raises becomes a gap for each fact left unknown."""
    began = time.perf_counter()
    try:
        facts = work.do()
        gaps = facts.pop("gaps", ())
    except Cancelled:
        return Seen(part, {}, (), Timing(part=part, milliseconds=0), cancelled=True)
    except Exception as trouble:  # noqa: BLE001  (the look goes on, whatever one part meets)
        why = readable(f"{type(trouble).__name__}: {trouble}")
        facts, gaps = {}, tuple(Gap(what=what, why=why) for what in work.unknown)
    spent = (time.perf_counter() - began) * 1000
    return Seen(part, facts, gaps, Timing(part=part, milliseconds=round(spent, 1)))


def _let_end(count: int, done: queue.SimpleQueue[Seen]) -> None:
    until = time.monotonic() + _GRACE
    with contextlib.suppress(queue.Empty):
        for _part in range(count):
            done.get(timeout=max(until - time.monotonic(), 0.001))


def together(works: Mapping[str, Work], deadline: float, cancel: Cancel = never) -> Iterator[Seen]:
    """Do all parts beside each other; each is given back as it is done.

    One thread goes from part to part, and whenever it is held up another goes on with the next:
    threads that read all at once spend more on Python's lock than on reading.
    A part that takes longer than ``deadline`` seconds is given up: its facts are unknown. (A
    thread can't be ended; it is left behind and dies with the program.)
    """
    done: queue.SimpleQueue[Seen] = queue.SimpleQueue()
    left = deque(works.items())

    def go_on() -> None:
        with contextlib.suppress(IndexError):
            while True:
                done.put(guarded(*left.popleft()))

    waiting = dict(works)
    until = time.monotonic() + deadline
    threading.Thread(target=go_on, daemon=True).start()
    cancelled = cancel()
    while waiting and not cancelled:
        patience = _HELD_UP if left else _POLL
        try:
            seen = done.get(timeout=min(max(until - time.monotonic(), 0.001), patience))
        except queue.Empty:
            if time.monotonic() >= until:
                break
            if left:
                threading.Thread(target=go_on, daemon=True).start()
            cancelled = cancel()
            continue
        del waiting[seen.part]
        if not seen.cancelled:
            yield seen
        cancelled = seen.cancelled or cancel()
    begun = len(waiting) - len(left)
    left.clear()
    if cancelled:
        _let_end(begun, done)
        raise Cancelled
    for part, work in waiting.items():
        why = met("no-answer-within", seconds=round(deadline))
        gaps = tuple(Gap(what=what, why=why) for what in work.unknown)
        yield Seen(part, {}, gaps, Timing(part=part, milliseconds=deadline * 1000))
