"""The window: a stack of pages, one piece of work at a time, keys, drops and closing."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from PySide6.QtCore import QEvent, Qt, QTimer, QUrl
from PySide6.QtGui import (
    QCloseEvent,
    QDesktopServices,
    QDragEnterEvent,
    QDropEvent,
    QKeyEvent,
    QKeySequence,
    QPaintEvent,
    QShortcut,
)
from PySide6.QtWidgets import QApplication, QDialog, QStackedWidget, QVBoxLayout, QWidget

from cudnn_assistant.gui.aside import Aside
from cudnn_assistant.gui.check import CheckPage
from cudnn_assistant.gui.doing import Doing
from cudnn_assistant.gui.job import Job, Tell
from cudnn_assistant.gui.page import Order, Page
from cudnn_assistant.gui.theme import app_icon
from cudnn_assistant.gui.way import Way
from cudnn_assistant.system import Refused
from cudnn_assistant.wording import _

PATIENCE = 3.0
"""Seconds that work has to end its child processes when the program ends; it takes a tenth."""


def _browse(link: str) -> bool:
    return QDesktopServices.openUrl(QUrl(link))


class Window(QWidget):
    """Looks by itself as soon as it is on the screen; everything slow happens in a Job.

    What follows what is the matter of ``way``; ``aside`` has what is beside the way.
    """

    def __init__(
        self,
        doing: Doing,
        open_link: Callable[[str], bool] | None = None,
        file: str = "",
    ) -> None:
        super().__init__()
        self.open_link = open_link or _browse
        self.dialog: QDialog | None = None
        self.passed: set[Order] = set()
        """The steps taken since the person last set out."""
        self._job: Job | None = None
        self._jobs: list[Job] = []
        """All that may still be at work, also what nobody listens to any more."""
        self._begun = self._closing = False
        self._file = file
        self.way = Way(self, doing)
        self.aside = Aside(self, self.way, doing)
        self.setWindowTitle(QApplication.applicationDisplayName() or "cuDNN Assistant")
        self.setWindowIcon(app_icon())
        self.pages = QStackedWidget()
        rows = QVBoxLayout(self)
        rows.setContentsMargins(0, 0, 0, 0)
        rows.addWidget(self.pages)
        self.setAcceptDrops(True)
        self.setMinimumSize(640, 480)
        self.resize(780, 560)
        self._add_shortcuts()
        self.go(CheckPage())

    def _add_shortcuts(self) -> None:
        keys = (
            (QKeySequence("F5"), self.way.check),
            (QKeySequence(QKeySequence.StandardKey.Save), self.aside.save),
            (QKeySequence("Ctrl+E"), self.aside.show_explain),
            (QKeySequence("Esc"), self._escape),
        )
        for key, do in keys:
            QShortcut(key, self).activated.connect(do)

    def _escape(self) -> None:
        self.page.escape()

    @property
    def page(self) -> Page:
        """The page that is shown."""
        page = self.pages.currentWidget()
        assert isinstance(page, Page)
        return page

    def go(self, page: Page) -> None:
        """Show another page; the old one, and work that was begun for it, is gone."""
        self._cancel_all()
        if page.steps is not None and page.here is not None:
            page.steps.show_passed(self.passed)
            self.passed.add(page.here)
        old = self.pages.currentWidget()
        self.pages.addWidget(page)
        self.pages.setCurrentWidget(page)
        page.settle()
        if old is not None:
            self.pages.removeWidget(old)
            old.deleteLater()

    def work(
        self,
        work: Callable[[Tell], object],
        done: Callable[[Any], object],
        told: Callable[[Any], object] | None = None,
        broke: Callable[[Any], object] | None = None,
    ) -> None:
        """Do something slow; only the latest piece of work is heard."""
        self.cancel()
        job = Job(work, self)
        job.done.connect(done)
        job.broke.connect(broke or self._trouble_met)
        if told is not None:
            job.told.connect(told)
        self._job = job
        self._begin(job)

    def work_beside(self, work: Callable[[Tell], object], done: Callable[[Any], object]) -> None:
        """Something slow that ends nothing else; it ends with the page."""
        job = Job(work, self)
        job.done.connect(done)
        job.broke.connect(self._trouble_met)
        self._begin(job)

    def _begin(self, job: Job) -> None:
        for old in [old for old in self._jobs if not old.busy and old.cancelled]:
            self._jobs.remove(old)
            old.deleteLater()
        self._jobs.append(job)
        job.start()

    def cancel(self) -> None:
        """Don't hear of the present work any more; it ends by itself as soon as it can."""
        if self._job is not None:
            self._job.cancel()

    def end(self) -> None:
        """The last thing before the program ends: no test goes on without it."""
        self._cancel_all()
        for job in self._jobs:
            job.wait(PATIENCE)

    def _cancel_all(self) -> None:
        for job in self._jobs:
            job.cancel()

    def _trouble_met(self, trouble: BaseException) -> None:
        """Trouble in the world is told where one was; a bug is a bug, the excepthook shows it."""
        if isinstance(trouble, OSError):
            reason = trouble.strerror or str(trouble)
            text = _("That could not be read: {reason}.").format(reason=reason)
        elif isinstance(trouble, Refused):
            text = str(trouble)
        else:
            raise trouble
        self.way.back()
        self.page.tell("note", text)

    def open(self, dialog: QDialog) -> None:
        """Show a small window; it is forgotten when it closes."""
        self.dialog = dialog
        dialog.finished.connect(self._dialog_closed)
        dialog.open()

    def _dialog_closed(self) -> None:
        if self.dialog is not None:
            self.dialog.deleteLater()
            self.dialog = None

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: N802
        """The first picture is on the screen before the first look begins."""
        super().paintEvent(event)
        if not self._begun:
            self._begun = True
            QTimer.singleShot(0, self.begin)

    def begin(self) -> None:
        """Set out on the way, or show the file that was double-clicked."""
        if self._file:
            self.aside.take_file(self._file, first=True)
        else:
            self.way.begin()

    def event(self, event: QEvent) -> bool:
        """Coming back to the window, perhaps from an installer: a cheap look."""
        if event.type() == QEvent.Type.WindowActivate and self.dialog is None:
            self.way.look_around()
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
            self.aside.take_file(files[0])

    def closeEvent(self, event: QCloseEvent) -> None:  # noqa: N802
        """Closing waits for a change that is being made, and for nothing else."""
        if self.way.change.under_way:
            self._closing = True
            self.way.change.hurry()
            event.ignore()
            return
        self._cancel_all()
        if self.dialog is not None:
            self.dialog.reject()
        super().closeEvent(event)

    @property
    def closing(self) -> bool:
        """The person wants to close as soon as the change is made."""
        return self._closing
