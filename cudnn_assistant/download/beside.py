"""What comes slowly is waited for in a thread of its own; meanwhile other things get done."""

from __future__ import annotations

import queue
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from typing import TypeVar

from cudnn_assistant.trouble import Cancelled

T = TypeVar("T")

_AHEAD = 4
"""Items that may wait to be taken."""
_BEAT = 0.2
"""Seconds between two looks while nothing comes."""
_PATIENCE = 60.0
LATE = "timed out"
"""As the system says it of one connection."""


class _End:
    """The source has no more; or it broke, with what."""

    trouble: BaseException | None = None


def beside(
    source: Callable[[], Iterator[T]], cancel: threading.Event | None, late: Exception
) -> Iterator[T]:
    """The items of ``source()``, which is called and walked in another thread.

    ``cancel`` is heard while nothing comes: :class:`Cancelled`. After a minute without an item
    ``late`` is raised, however busily a server sends single bytes; what the source raises is raised
    here. A source that is left early is closed at its next item: one that waits for a server is
    not waited for, and its thread never outlives the program.
    """
    arriving: queue.Queue[T | _End] = queue.Queue(_AHEAD)
    unwanted = threading.Event()
    walk = (source, arriving, unwanted)
    threading.Thread(target=_walk, args=walk, name="arriving", daemon=True).start()
    try:
        until = time.monotonic() + _PATIENCE
        while True:
            try:
                item = arriving.get(timeout=_BEAT)
            except queue.Empty:
                if cancel is not None and cancel.is_set():
                    raise Cancelled from None
                if time.monotonic() > until:
                    raise late from None
                continue
            if not isinstance(item, _End):
                yield item
                until = time.monotonic() + _PATIENCE
            elif item.trouble is None:
                return
            else:
                raise item.trouble
    finally:
        unwanted.set()


def _walk(
    source: Callable[[], Iterator[T]], arriving: queue.Queue[T | _End], unwanted: threading.Event
) -> None:
    def put(item: T | _End) -> bool:
        while not unwanted.is_set():
            try:
                arriving.put(item, timeout=_BEAT)
            except queue.Full:
                continue
            return True
        return False

    end = _End()
    try:
        # A generator: closing it closes its connection.
        with closing(source()) as items:  # type: ignore[type-var]
            all(map(put, items))
    except BaseException as trouble:  # noqa: BLE001  (raised again where it is waited for)
        end.trouble = trouble
    put(end)
