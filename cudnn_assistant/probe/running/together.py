"""Runs the parts of the look beside each other; none can hold up or bring down the whole."""

from __future__ import annotations

import contextlib
import queue
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import msgspec

from cudnn_assistant.machine import Gap, Timing, readable
from cudnn_assistant.probe.running.children import Cancel, never
from cudnn_assistant.trouble import Cancelled

_POLL = 0.1
"""Seconds between two questions whether the look is still wanted."""
_GRACE = 1.0
"""Seconds that cancelled parts have to end their child processes."""
Facts = dict[str, Any]
"""Fields of a Machine."""


class Seen(msgspec.Struct, frozen=True):
    """What one part found out."""

    part: str
    facts: Facts
    gaps: tuple[Gap, ...]
    timing: Timing


class Work(msgspec.Struct, frozen=True):
    """One part: what it does, and which facts are unknown when it can't be done."""

    do: Callable[[], tuple[Facts, tuple[Gap, ...]]]
    unknown: tuple[str, ...]


def guarded(part: str, work: Work) -> Seen:
    """Do a part's work here. Whatever it raises becomes a gap for each fact it leaves unknown."""
    began = time.perf_counter()
    try:
        facts, gaps = work.do()
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
    """Do all parts at once; each is given back as it is done.

    A part that takes longer than ``deadline`` seconds is given up: its facts are unknown. (A
    thread can't be ended; it is left behind and dies with the program.) Raises
    :class:`~cudnn_assistant.probe.running.children.Cancelled` when ``cancel`` says so and
    the parts have had a moment to end what they started.
    """
    done: queue.SimpleQueue[Seen] = queue.SimpleQueue()

    def run(part: str, work: Work) -> None:
        done.put(guarded(part, work))

    for part, work in works.items():
        threading.Thread(target=run, args=(part, work), daemon=True, name=part).start()
    waiting = dict(works)
    until = time.monotonic() + deadline
    while waiting and not cancel():
        try:
            seen = done.get(timeout=min(max(until - time.monotonic(), 0.001), _POLL))
        except queue.Empty:
            if time.monotonic() >= until:
                break
            continue
        del waiting[seen.part]
        yield seen
    if cancel():
        _let_end(len(waiting), done)
        raise Cancelled
    for part, work in waiting.items():
        why = f"no answer within {deadline:.0f} s"
        gaps = tuple(Gap(what=what, why=why) for what in work.unknown)
        yield Seen(part, {}, gaps, Timing(part=part, milliseconds=deadline * 1000))
