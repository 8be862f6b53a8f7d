"""What comes slowly is waited for in a thread of its own; meanwhile other things get done."""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable, Iterator
from contextlib import closing
from typing import Generic, TypeVar

from cudnn_assistant.trouble import Cancelled

T = TypeVar("T")

_AHEAD = 4
"""Items that may wait to be taken."""
_BEAT = 0.2
"""Seconds between two looks while nothing comes."""


class _End:
    """The source has no more; or it broke, with what."""

    def __init__(self, trouble: BaseException | None = None) -> None:
        self.trouble = trouble


def beside(source: Callable[[], Iterator[T]], cancel: threading.Event | None) -> Iterator[T]:
    """The items of ``source()``, which is called and walked in another thread.

    ``cancel`` is heard while nothing comes: :class:`Cancelled`. What the source raises is raised
    here. A source that is left early is closed at its next item: one that waits for a server is
    not waited for, and its thread never outlives the program.
    """
    arriving = _Arriving(source)
    arriving.start()
    try:
        while True:
            try:
                item = arriving.items.get(timeout=_BEAT)
            except queue.Empty:
                if cancel is not None and cancel.is_set():
                    raise Cancelled from None
                continue
            if not isinstance(item, _End):
                yield item
            elif item.trouble is None:
                return
            else:
                raise item.trouble
    finally:
        arriving.unwanted.set()


class _Arriving(threading.Thread, Generic[T]):
    def __init__(self, source: Callable[[], Iterator[T]]) -> None:
        super().__init__(name="arriving", daemon=True)
        self._source = source
        self.items: queue.Queue[T | _End] = queue.Queue(_AHEAD)
        self.unwanted = threading.Event()

    def run(self) -> None:
        try:
            # A generator: closing it closes its connection.
            with closing(self._source()) as items:  # type: ignore[type-var]
                for item in items:
                    if not self._put(item):
                        return
        except BaseException as trouble:  # noqa: BLE001  (raised again where it is waited for)
            self._put(_End(trouble))
        else:
            self._put(_End())

    def _put(self, item: T | _End) -> bool:
        while not self.unwanted.is_set():
            try:
                self.items.put(item, timeout=_BEAT)
            except queue.Full:
                continue
            return True
        return False
