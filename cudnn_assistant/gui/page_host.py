"""What a window gives to the pages: one is shown at a time, and slow work runs beside it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from PySide6.QtCore import Signal
from PySide6.QtGui import QDesktopServices
from PySide6.QtWidgets import QDialog, QMenu, QStackedWidget, QWidget

from cudnn_assistant.gui.job import Job
from cudnn_assistant.gui.layouts import Column
from cudnn_assistant.gui.notification import Notifier
from cudnn_assistant.gui.page import Order, Page
from cudnn_assistant.trouble import Trouble
from cudnn_assistant.wording import say
from cudnn_assistant.wording.refusals import why

PATIENCE = 3.0
"""Seconds that work has to end its child processes when the program ends; it takes a tenth."""


def sentence_of(trouble: BaseException) -> str:
    """Trouble in the world in words; a bug is a bug and goes on, the excepthook shows it."""
    if not isinstance(trouble, Trouble | OSError):
        raise trouble
    return why(trouble)


class PageHost(QWidget):
    """A stack of pages, and the work for them. It knows no page and no order of pages."""

    wished = Signal(str)
    """A page asks for something else: a Wish."""
    troubled = Signal(str)
    """Work that nobody listens to for trouble met trouble in the world; the text says it."""

    def __init__(self, open_link: Callable[[str], bool] | None = None) -> None:
        super().__init__()
        self._browse = open_link or QDesktopServices.openUrl
        self.dialog: QDialog | None = None
        self.passed: set[Order] = set()
        """The steps taken since the person last set out."""
        self.closing = False
        """The person wants to close as soon as the change is made."""
        self.notifier = Notifier(self)
        """Told of each end of what takes long."""
        self._jobs: list[Job] = []
        """All that may still be at work, also what nobody listens to any more."""
        self.menu = QMenu(self)
        self.pages = QStackedWidget()
        Column(self.pages, inside=self)

    @property
    def page(self) -> Page:
        """The page that is shown."""
        page = self.pages.currentWidget()
        assert isinstance(page, Page)
        return page

    def go(self, page: Page) -> None:
        """Show another page; the old one, and work that was begun for it, is gone."""
        self.cancel_all()
        self._forget_jobs()
        self.step(page)
        page.wished.connect(self.wished)
        page.link.connect(self.open_link)
        page.menu.setMenu(self.menu)
        old = self.pages.currentWidget()
        self.pages.addWidget(page)
        self.pages.setCurrentWidget(page)
        page.settle()
        if isinstance(old, Page):
            self.pages.removeWidget(old)
            old.deleteLater()

    def step(self, page: Page) -> None:
        """Say on the page, and remember, which step of the flow it is by now."""
        if page.steps is not None and page.here is not None:
            page.steps.show_step(page.here, self.passed)
            self.passed.add(page.here)

    def open_link(self, link: str) -> None:
        """Open an address in the browser; where there is none, the page shows it."""
        if not self._browse(link):
            self.page.tell("note", say("gui.no-browser", link=link))

    def work(
        self,
        work: Callable[[Job], object],
        done: Callable[[Any], object],
        broke: Callable[[Any], object] | None = None,
        progress: Callable[[Any], object] | None = None,
        *,
        lasts: bool = False,
    ) -> Job:
        """Do something slow; it ends with the page, unless it ``lasts``."""
        job = Job(work, self)
        job.lasts = lasts
        if progress is not None:
            job.progress.connect(progress)
        job.done.connect(done)
        job.broke.connect(broke or (lambda met: self.troubled.emit(sentence_of(met))))
        self._forget_jobs()
        self._jobs.append(job)
        job.start()
        return job

    def _forget_jobs(self) -> None:
        """Those that are over; what they worked on, and for whom, goes with them."""
        for old in [old for old in self._jobs if not old.busy and old.over]:
            self._jobs.remove(old)
            old.deleteLater()

    def cancel_all(self) -> None:
        """Don't hear of any work any more, but of what lasts."""
        for job in self._jobs:
            if not job.lasts:
                job.cancel()

    def end(self) -> None:
        """The last thing before the program ends: no test goes on without it.

        A person's own program does, but what it says passes through us, and would stop it.
        """
        for job in self._jobs:
            job.cancel()
        for job in self._jobs:
            job.wait(None if job.lasts else PATIENCE)

    def open(self, dialog: QDialog) -> None:
        """Show a small window, one at a time; it is forgotten when it closes."""
        if self.dialog is not None:
            dialog.deleteLater()
            return
        self.dialog = dialog
        dialog.finished.connect(self._dialog_closed)
        dialog.open()

    def _dialog_closed(self) -> None:
        if self.dialog is not None:
            self.dialog.deleteLater()
            self.dialog = None
