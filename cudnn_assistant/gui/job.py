"""The one helper for work beside the window: create, connect, then start.

An object that starts in its constructor loses results that come before anyone listens.
"""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Callable

from PySide6.QtCore import QObject, Qt, Signal

from cudnn_assistant.trouble import Cancelled


class Job(QObject):
    """Runs ``work(job)`` in a thread of its own; its signals arrive in the window's thread.

    Exactly one of ``done`` and ``broke`` comes, unless the job was cancelled: then none does.
    The thread never outlives the program.
    """

    progress = Signal(object)
    done = Signal(object)
    broke = Signal(object)
    _news = Signal(str, object)

    def __init__(self, work: Callable[[Job], object], parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._work = work
        self.stop = threading.Event()
        """Set when nobody listens any more."""
        self.lasts = False
        """It goes on, whichever page is shown."""
        self.over = False
        """Nothing comes of it any more: its end was told, or nobody wants it."""
        self._thread = threading.Thread(target=self._run, name="job", daemon=True)
        self._news.connect(self._deliver, Qt.ConnectionType.QueuedConnection)

    def start(self) -> None:
        """Begin; call once, after connecting."""
        self._thread.start()

    def cancel(self) -> None:
        """Send no more signals and stop the work at its next report. Does not wait."""
        self.stop.set()
        self.over = True

    @property
    def busy(self) -> bool:
        """Whether its thread is at work."""
        return self._thread.is_alive()

    def wait(self, seconds: float | None) -> None:
        """Give the thread that long to end what it started, or any time; for the program's end."""
        self._thread.join(seconds)

    def tell(self, news: object) -> None:
        """For the work: report. Raises :class:`Cancelled` when nobody listens any more."""
        if self.stop.is_set():
            raise Cancelled
        self._send("progress", news)

    def _run(self) -> None:
        try:
            # What it works on may be large, and the job outlives its work.
            work = self._work
            del self._work
            result = work(self)
            del work
        except Cancelled:
            return
        except BaseException as trouble:  # noqa: BLE001  (handed to the window, which shows it)
            self._send("broke", trouble)
        else:
            self._send("done", result)

    def _send(self, kind: str, value: object) -> None:
        # A window that was closed meanwhile has taken the signal's source with it.
        with contextlib.suppress(RuntimeError):
            self._news.emit(kind, value)

    def _deliver(self, kind: str, value: object) -> None:
        # Asked here, in the window's thread: news that was under way when the person cancelled
        # must not arrive either.
        if not self.stop.is_set():
            self.over = kind != "progress"
            getattr(self, kind).emit(value)
