"""Opens the window and fills it with the real things: this system, this computer, the journal."""

from __future__ import annotations

import os
import sys
import traceback
from collections.abc import Sequence
from types import TracebackType

from PySide6.QtCore import QMessageLogContext, QtMsgType, qInstallMessageHandler
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QApplication

from cudnn_assistant import places
from cudnn_assistant.gui.access import tell_roles
from cudnn_assistant.gui.report_dialog import crash_dialog
from cudnn_assistant.gui.theme import app_icon
from cudnn_assistant.gui.window import Window
from cudnn_assistant.session import Session
from cudnn_assistant.wording import say

CRASHED = 3
NO_WINDOW = 3


def run(arguments: Sequence[str]) -> int:
    """Open the window and return its exit code: 0, or 3 where a bug got in the way.

    What the window needs of the system is asked before this module is loaded (needed.py).
    """
    qInstallMessageHandler(_hear_qt)
    app = QApplication([sys.argv[0], *arguments])
    app.setApplicationName("cudnn-assistant")
    app.setApplicationDisplayName("cuDNN Assistant")
    app.setDesktopFileName("cudnn-assistant")
    app.setWindowIcon(app_icon())
    tell_roles()
    window = Window(Session(), file=_file(arguments), kept=places.state() / "window.json")
    sys.excepthook = Crash(window)
    window.show()
    code = int(app.exec())
    window.end()
    return code


def _file(arguments: Sequence[str]) -> str:
    return arguments[1] if arguments[:1] == ["--window"] and len(arguments) > 1 else ""


def _no_window() -> int:
    said = say("gui.no-window")
    print(said, file=sys.stderr)  # noqa: T201
    return NO_WINDOW


def _hear_qt(kind: QtMsgType, _context: QMessageLogContext, text: str) -> None:
    if kind == QtMsgType.QtFatalMsg:
        # Qt ends the process after this message: the last chance to say it in plain words.
        print(text, file=sys.stderr)  # noqa: T201
        sys.stderr.flush()
        os._exit(_no_window())
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
        text = "".join(traceback.format_exception(kind, trouble, where))
        if sys.stderr is not None:
            print(text, file=sys.stderr)  # noqa: T201
        if self._shown:
            return
        self._shown = True
        dialog = crash_dialog(self._window.side_flows.report_of(text))
        dialog.finished.connect(lambda: QGuiApplication.exit(CRASHED))
        dialog.open()
        self._window.dialog = dialog
