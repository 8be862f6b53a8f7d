"""Between Review and Check: the changes while they are made."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QGridLayout

from cudnn_assistant.gui.page import Page
from cudnn_assistant.gui.parts import BusyBar, Card, Mark
from cudnn_assistant.gui.text import Text, announce
from cudnn_assistant.gui.theme import SPACE
from cudnn_assistant.plan import InstallArchive, InstallPackage, Plan, StepState
from cudnn_assistant.wording import _, ngettext


def doing_word(what: str) -> str:
    """What a long step is busy with."""
    return {
        "download": _("Downloading"),
        "unpack": _("Unpacking"),
        "packages": _("Installing packages"),
    }.get(what, "")


def amount(here: int, size: int) -> str:
    """How far a step is, in megabytes; "" when nothing can be said."""
    if not here and not size:
        return ""
    if not size:
        return _("{here} MB").format(here=f"{here / 1e6:,.0f}")
    return _("{here} of {size} MB").format(here=f"{here / 1e6:,.0f}", size=f"{size / 1e6:,.0f}")


def long(plan: Plan) -> bool:
    """Whether carrying it out takes so long that one may want to stop it."""
    return any(isinstance(step, InstallArchive | InstallPackage) for step in plan.steps)


class MakingPage(Page):
    """The steps and how far they are. What takes long can be cancelled; it is then taken back."""

    cancelled = Signal()

    def __init__(self, plan: Plan, titles: Sequence[str]) -> None:
        count = len(titles)
        title = ngettext("Making {count} change…", "Making {count} changes…", count)
        lead = _("What was there before is kept, so that this can be undone.")
        super().__init__("review", title.format(count=count), lead)
        self.marks = [Mark("wait", 1.15) for _title in titles]
        self.news = [Text(muted=True) for _title in titles]
        self.content.addWidget(self._list(titles))
        self.bar = BusyBar()
        self.content.addWidget(self.bar)
        self.bar.run(True)
        self._begin(0)
        if long(plan):
            self.stop = self.buttons.add(_("&Cancel"), self._cancel)
        else:
            self.buttons.hide()

    def _list(self, titles: Sequence[str]) -> Card:
        card = Card()
        grid = QGridLayout()
        grid.setHorizontalSpacing(SPACE + 4)
        grid.setVerticalSpacing(SPACE + 4)
        grid.setColumnStretch(1, 3)
        grid.setColumnStretch(2, 2)
        for row, title in enumerate(titles):
            for column, cell in enumerate((self.marks[row], Text(title), self.news[row])):
                grid.addWidget(cell, row, column, Qt.AlignmentFlag.AlignTop)
        card.rows.addLayout(grid)
        return card

    def _begin(self, number: int) -> None:
        if number < len(self.marks):
            self.marks[number].show_look("busy")

    def _cancel(self) -> None:
        self.stop.setEnabled(False)
        self.title.setText(_("Stopping, and putting back what was changed…"))
        self.cancelled.emit()

    def hear(self, news: tuple[Any, ...]) -> None:
        """A step has a new state, or is so far."""
        if len(news) == 2:
            self.show_step(*news)
        else:
            self.show_progress(*news)

    def show_step(self, number: int, state: StepState) -> None:
        """A step has a new state."""
        self.marks[number].show_look("ok" if state == "done" else "none")
        self.news[number].setText("")
        self._begin(number + 1)
        done = sum(mark.look == "ok" for mark in self.marks)
        self.bar.show_share(done / len(self.marks))

    def show_progress(self, number: int, what: str, here: int, size: int) -> None:
        """A long step is so far."""
        text = f"{doing_word(what)} {amount(here, size)}".strip()
        if not self.news[number].text():
            announce(self, text)
        self.news[number].setText(text)
        if size:
            self.bar.show_share((number + here / size) / len(self.marks))

    def escape(self) -> None:
        """Cancel, where that is offered."""
        if self.buttons.isVisibleTo(self) and self.stop.isEnabled():
            self._cancel()
