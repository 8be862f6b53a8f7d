"""Page 1: find out what is there and whether cuDNN starts. It fills line by line."""

from __future__ import annotations

from PySide6.QtCore import Qt, QTimer, Signal
from PySide6.QtWidgets import QGridLayout, QWidget

from cudnn_assistant.gui.page import Page
from cudnn_assistant.gui.text_widgets import Text, announce
from cudnn_assistant.gui.theme import SPACE, Look
from cudnn_assistant.gui.widgets import BusyBar, Card, Mark
from cudnn_assistant.machine import Machine
from cudnn_assistant.session import describe, news
from cudnn_assistant.session.events import DataKnown, Event, PartLooked
from cudnn_assistant.summary import PartName, part_line
from cudnn_assistant.wording import say

PARTS: tuple[PartName, ...] = ("gpu", "cuda", "cudnn", "settings", "trial")
SLOW = 10_000
"""Milliseconds after which a line says that it takes longer than usual."""


class Row:
    """One line of the list: mark, what is looked at, what was found."""

    def __init__(self, grid: QGridLayout, label: str) -> None:
        number = grid.rowCount()
        top = Qt.AlignmentFlag.AlignTop
        self.mark = Mark("wait", 1.15)
        self.label = Text(label)
        self.text = Text(muted=True)
        grid.addWidget(self.mark, number, 0, top)
        grid.addWidget(self.label, number, 1, top)
        grid.addWidget(self.text, number, 2, top)
        self.slow = QTimer(self.mark)
        self.slow.setSingleShot(True)
        self.slow.timeout.connect(self._say_slow)

    def begin(self) -> None:
        """The part started."""
        self.mark.show_look("busy")
        self.slow.start(SLOW)

    def finish(self, look: Look, text: str) -> None:
        """The part is done."""
        self.slow.stop()
        self.mark.show_look(look)
        self.text.setText(text)

    def _say_slow(self) -> None:
        text = say("gui.check-slow")
        self.text.setText(text)
        announce(self.text, text)


class CheckPage(Page):
    """Shows a check while it runs; ``cancelled`` when the person stops it."""

    cancelled = Signal()

    def __init__(self, title: str = "", data: str = "") -> None:
        super().__init__(
            "check",
            title or say("gui.check-heading"),
            say("gui.check-lead"),
        )
        self.bar = BusyBar()
        self.rows: dict[str, Row] = {}
        self.content.addWidget(self._list())
        self.content.addWidget(self.bar)
        self.bar.run(True)
        self.buttons.add(say("gui.cancel"), self.cancelled.emit)
        self.show_data(data)

    def _list(self) -> QWidget:
        card = Card()
        grid = QGridLayout()
        grid.setHorizontalSpacing(SPACE + 4)
        grid.setVerticalSpacing(SPACE + 4)
        grid.setColumnStretch(1, 2)
        grid.setColumnStretch(2, 3)
        labels = (
            say("gui.check-line-gpu"),
            say("gui.check-line-cuda"),
            say("gui.check-line-cudnn"),
            say("gui.check-line-settings"),
            say("gui.check-line-test"),
            say("gui.check-line-data"),
        )
        for part, label in zip((*PARTS, "data"), labels, strict=True):
            self.rows[part] = Row(grid, label)
        card.rows.addLayout(grid)
        return card

    def hear(self, event: Event) -> None:
        """What the check tells: a part began or is done, or where the data is from."""
        if isinstance(event, DataKnown):
            self.show_data(" ".join((describe(event.source), *news(event.source))))
        elif isinstance(event, PartLooked):
            for part in PARTS:
                if part == event.part:
                    self.show_part(part, event.done, event.machine)

    def show_data(self, text: str) -> None:
        """Say where the compatibility data is from; "" when that is not known yet."""
        if text:
            self.rows["data"].finish("ok", text)

    def show_part(self, part: PartName, done: bool, machine: Machine) -> None:
        """A part of the look began, or is done."""
        row = self.rows.get(part)
        if row is None:
            return
        if not done:
            row.begin()
            return
        line = part_line(part, machine)
        row.finish(line.mark, line.text)
        if not self.bar.moving:
            finished = sum(1 for p in PARTS if self.rows[p].mark.look not in ("wait", "busy"))
            self.bar.show_share(finished / len(PARTS))
        announce(self, f"{row.label.text()}: {line.text}")

    def escape(self) -> None:
        """Stop the check."""
        self.cancelled.emit()


class StoppedPage(Page):
    """The check was cancelled, or could not be made at all."""

    again = Signal()
    save = Signal()

    def __init__(self, title: str, lead: str, *, report: bool) -> None:
        super().__init__("check", title, lead, "unknown" if report else "wait")
        if report:
            self.buttons.rare(say("gui.save-report-button"), self.save.emit)
        label = say("gui.try-again") if report else say("gui.check-again-button")
        self.buttons.add(label, self.again.emit, default=True)
