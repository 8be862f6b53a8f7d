"""Opens the window and fills it with the real things: this system, this computer, the journal.

What the window is made of takes longer to load than a first picture takes to paint: that one comes
first, and needs nothing but Qt.
"""

from __future__ import annotations

import os
import signal
import socket
import sys
import threading
import traceback
from collections.abc import Sequence
from types import TracebackType
from typing import TYPE_CHECKING

from PySide6.QtCore import (
    QMessageLogContext,
    QPoint,
    QRect,
    QSocketNotifier,
    Qt,
    QTimer,
    QtMsgType,
    qInstallMessageHandler,
)
from PySide6.QtGui import QFont, QGuiApplication, QPainter, QPaintEvent
from PySide6.QtWidgets import QApplication, QWidget

from cudnn_assistant import places
from cudnn_assistant.gui import taskbar
from cudnn_assistant.gui.theme import app_icon, show_edges
from cudnn_assistant.signals import listening

if TYPE_CHECKING:
    from cudnn_assistant.gui.window import Window

CRASHED = 3
NO_WINDOW = 3
NAME = "cuDNN Assistant"
_TURN = 10
"""Milliseconds between two questions whether all is loaded."""


class Opening(QWidget):
    """The first picture: icon and name, where the window will be."""

    def __init__(self) -> None:
        super().__init__()
        self.setWindowTitle(NAME)
        self.resize(820, 640)
        self.painted = False

    def paintEvent(self, _event: QPaintEvent) -> None:  # noqa: N802
        """Both in the middle."""
        self.painted = True
        painter = QPainter(self)
        box, icon = self.rect(), QRect(0, 0, 64, 64)
        icon.moveCenter(box.center() - QPoint(0, icon.height()))
        app_icon().paint(painter, icon)
        font = QFont(self.font())
        font.setPointSizeF(font.pointSizeF() * 1.6)
        painter.setFont(font)
        painter.setPen(self.palette().windowText().color())
        painter.drawText(box, Qt.AlignmentFlag.AlignCenter, NAME)
        painter.end()


class Program:
    """From the first picture to the window: loads beside the event loop, then opens."""

    def __init__(self, file: str) -> None:
        self._file = file
        self._opening = Opening()
        self.window: Window | None = None
        self._loader = threading.Thread(target=_load, name="loader", daemon=True)
        self._timer = QTimer()
        self._timer.timeout.connect(self._turn)
        self._timer.start(_TURN)
        self._opening.show()
        taskbar.mark(self._opening.winId())

    def _turn(self) -> None:
        if not self._opening.isVisible():
            # Closed before there was a window: that is what the person wants.
            self._timer.stop()
            QApplication.quit()
        elif self._opening.painted and self._loader.ident is None:
            self._loader.start()
        elif self._loader.ident is not None and not self._loader.is_alive():
            self._timer.stop()
            self._open()

    def _open(self) -> None:
        self.window = make_window(self._file)
        sys.excepthook = Crash(self.window)
        self.window.show()
        taskbar.mark(self.window.winId())
        self._opening.close()


class Stopping:
    """Ctrl+C in the terminal that the window came from, that terminal closed, or a system that
    ends: the window closes.

    Python hears a signal only while it runs, and Qt waits outside of it: the signal wakes it.
    """

    def __init__(self) -> None:
        self._wakes, self._woken = socket.socketpair()
        for end in (self._wakes, self._woken):
            end.setblocking(False)
        self._notifier = QSocketNotifier(self._woken.fileno(), QSocketNotifier.Type.Read)
        self._notifier.activated.connect(lambda: self._woken.recv(64))
        signal.set_wakeup_fd(self._wakes.fileno(), warn_on_full_buffer=False)
        # Again and again: the signal may come before there is a window, or while one is made.
        self._closes = QTimer(interval=_TURN)
        self._closes.timeout.connect(QApplication.closeAllWindows)
        for one in listening():
            signal.signal(one, lambda _number, _frame: self._closes.start())


def _load() -> None:
    from cudnn_assistant.wording.sentences import rows

    rows("gui")


def make_window(file: str) -> Window:
    """The window on this computer; ``file`` is opened first, if there is one."""
    from cudnn_assistant.gui.text_widgets import tell_roles
    from cudnn_assistant.gui.window import Window
    from cudnn_assistant.session import Session

    tell_roles()
    return Window(Session(), file=file, kept=places.state() / "window.json")


def run(arguments: Sequence[str]) -> int:
    """Open the window and return its exit code: 0, or 3 where a bug got in the way.

    What the window needs of the system is asked before this module is loaded (requirements.py).
    """
    # A report that is opened gets a window of its own, beside the computer's.
    if not _file(arguments) and taskbar.brought_to_front(NAME):
        return 0
    qInstallMessageHandler(_hear_qt)
    taskbar.name_window()
    app = QApplication([sys.argv[0], *arguments])
    app.setApplicationName("cudnn-assistant")
    app.setApplicationDisplayName(NAME)
    app.setDesktopFileName("cudnn-assistant")
    app.setWindowIcon(app_icon())
    show_edges()
    program, _stopping = Program(_file(arguments)), Stopping()
    code = int(app.exec())
    if program.window is not None:
        program.window.end()
    return code


def _file(arguments: Sequence[str]) -> str:
    """The file to open: behind ``--window``, or alone, as a file manager names it."""
    given = arguments[1:] if arguments[:1] == ["--window"] else arguments
    return given[0] if given and not given[0].startswith("--") else ""


def _hear_qt(kind: QtMsgType, _context: QMessageLogContext, text: str) -> None:
    if kind == QtMsgType.QtFatalMsg:
        # Qt ends the process after this message: the last chance to say it in plain words.
        print(text, file=sys.stderr, flush=True)  # noqa: T201
        from cudnn_assistant.wording import say

        print(say("gui.no-window"), say("gui.use-terminal"), file=sys.stderr, flush=True)  # noqa: T201
        os._exit(NO_WINDOW)
    if kind != QtMsgType.QtDebugMsg and sys.stderr is not None:
        print(text, file=sys.stderr)  # noqa: T201


class Crash:
    """A bug of our own: show the text that helps to mend it, then end with code 3."""

    def __init__(self, window: Window) -> None:
        self._window = window
        self._shown = False

    def __call__(
        self, kind: type[BaseException], trouble: BaseException, where: TracebackType | None
    ) -> None:
        """The excepthook. A second bug while the dialog is open is only printed."""
        from cudnn_assistant.gui.report_dialog import ReportDialog

        text = "".join(traceback.format_exception(kind, trouble, where))
        if sys.stderr is not None:
            print(text, file=sys.stderr)  # noqa: T201
        if self._shown:
            return
        self._shown = True
        dialog = ReportDialog(self._window.side_flows.report_of(text), crashed=True)
        dialog.finished.connect(lambda: QGuiApplication.exit(CRASHED))
        dialog.open()
        self._window.dialog = dialog
