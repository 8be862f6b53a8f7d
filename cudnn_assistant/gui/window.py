"""The window: it hosts the pages, puts the flows together, and hears keys and drops."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QEvent, Qt, QTimer
from PySide6.QtGui import (
    QCloseEvent,
    QDragEnterEvent,
    QDropEvent,
    QKeyEvent,
    QKeySequence,
    QPaintEvent,
    QShortcut,
)
from PySide6.QtWidgets import QApplication

from cudnn_assistant.gui.check import CheckPage
from cudnn_assistant.gui.flow import Flow
from cudnn_assistant.gui.page_host import PageHost
from cudnn_assistant.gui.side_flows import SideFlows
from cudnn_assistant.gui.theme import app_icon
from cudnn_assistant.session import Session

INSTALL_POLL = 2000
"""Milliseconds between two polls whether an installer has done something."""


class Window(PageHost):
    """Looks by itself as soon as it is on the screen; everything slow happens in a Job.

    What follows what is the matter of ``flow``; ``side_flows`` has what is beside it.
    """

    def __init__(
        self,
        session: Session,
        open_link: Callable[[str], bool] | None = None,
        file: str = "",
    ) -> None:
        super().__init__(open_link)
        self._begun = False
        self._file = file
        self.flow = Flow(self, session)
        self.side_flows = SideFlows(self, self.flow, session)
        self._connect()
        self.setWindowTitle(QApplication.applicationDisplayName() or "cuDNN Assistant")
        self.setWindowIcon(app_icon())
        self.setAcceptDrops(True)
        self.setMinimumSize(640, 480)
        self.resize(780, 560)
        self._add_shortcuts()
        self.go(CheckPage())

    def _connect(self) -> None:
        self.troubled.connect(self.flow.give_up)
        self.flow.save.connect(self.side_flows.save)
        self.flow.explain.connect(self.side_flows.show_explain)
        self.flow.history.connect(self.side_flows.show_history)
        self._watch = QTimer(self)
        self._watch.timeout.connect(self._look_around)
        self._watch.start(INSTALL_POLL)

    def _add_shortcuts(self) -> None:
        keys = (
            (QKeySequence("F5"), self.flow.check),
            (QKeySequence(QKeySequence.StandardKey.Save), self.side_flows.save),
            (QKeySequence("Ctrl+E"), self.side_flows.show_explain),
            (QKeySequence("Esc"), self._escape),
        )
        for key, do in keys:
            QShortcut(key, self).activated.connect(do)

    def _escape(self) -> None:
        self.page.escape()

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: N802
        """The first picture is on the screen before the first look begins."""
        super().paintEvent(event)
        if not self._begun:
            self._begun = True
            QTimer.singleShot(0, self.begin)

    def begin(self) -> None:
        """Set out on the flow, or show the file that was double-clicked."""
        if self._file:
            self.side_flows.take_file(self._file, first=True)
        else:
            self.flow.begin()

    def _look_around(self) -> None:
        if self.dialog is None:
            self.flow.look_around()

    def event(self, event: QEvent) -> bool:
        """Coming back to the window, perhaps from an installer: poll at once."""
        if event.type() == QEvent.Type.WindowActivate:
            self._look_around()
        return super().event(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:  # noqa: N802
        """Enter that nothing with the focus has taken presses the default button."""
        primary = self.page.buttons.primary
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and primary is not None:
            primary.click()
        else:
            super().keyPressEvent(event)

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:  # noqa: N802
        """Files may be dropped anywhere on the window."""
        if any(url.isLocalFile() for url in event.mimeData().urls()):
            event.acceptProposedAction()

    def dropEvent(self, event: QDropEvent) -> None:  # noqa: N802
        """Take the first file."""
        files = [url.toLocalFile() for url in event.mimeData().urls() if url.isLocalFile()]
        if files:
            event.acceptProposedAction()
            self.side_flows.take_file(files[0])

    def closeEvent(self, event: QCloseEvent) -> None:  # noqa: N802
        """Closing waits for a change that is being made, and for nothing else."""
        if self.flow.state.changing:
            self.closing = True
            self.flow.change.hurry()
            event.ignore()
            return
        self.cancel_all()
        if self.dialog is not None:
            self.dialog.reject()
        super().closeEvent(event)
