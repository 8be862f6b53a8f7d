"""Between Review and Check: the changes while they are made."""

from __future__ import annotations

import threading
from collections.abc import Sequence

from cudnn_assistant.gui.layouts import TOP, Grid
from cudnn_assistant.gui.page import Page
from cudnn_assistant.gui.text_widgets import Text, announce
from cudnn_assistant.gui.theme import SPACE
from cudnn_assistant.gui.widgets import Button, Card, Mark, ShareBar
from cudnn_assistant.plan import Plan, StepState, consents, downloads, takes_long
from cudnn_assistant.session.events import Event, Progress, StepChanged
from cudnn_assistant.wording import say
from cudnn_assistant.wording.progress import ProgressLine


class ProgressPage(Page):
    """The steps and how far they are. What takes long can be cancelled; it is then taken back."""

    def __init__(self, plan: Plan, titles: Sequence[str]) -> None:
        count = len(titles)
        title = say("gui.making-changes", count=count)
        lead = say("remedies.undo-installer" if consents(plan) else "gui.change-way-back")
        super().__init__("review", title, lead)
        self.marks = [Mark("wait", 1.15) for _title in titles]
        self.states = [Text(muted=True) for _title in titles]
        self.content.addWidget(self._list(titles))
        self.bar = ShareBar(title)
        self.content.addWidget(self.bar)
        self._begin(0)
        self._row = 0
        self._line = ProgressLine()
        self._reported = ""
        """What the step is busy with, as it was announced."""
        self.pause: Button | None = None
        self.cancel, self.hold = threading.Event(), threading.Event()
        """Set, they stop the change and take it back, or let the download wait."""
        # A change is no time for anything else.
        self.menu.setEnabled(False)
        if takes_long(plan):
            if downloads(plan):
                self.pause = self.buttons.add(say("gui.pause"), self._hold)
                self.pause.setEnabled(False)
            self.stop = self.buttons.add(say("gui.cancel"), self._cancel)
        else:
            self.buttons.hide()

    def _list(self, titles: Sequence[str]) -> Card:
        grid = Grid(0, 3, 2, across=SPACE + 4, down=SPACE + 4)
        for row, title in enumerate(titles):
            for column, cell in enumerate((self.marks[row], Text(title), self.states[row])):
                grid.addWidget(cell, row, column, TOP)
        return Card(grid)

    def _begin(self, number: int) -> None:
        if number < len(self.marks):
            self.marks[number].show_look("busy")

    def _hold(self) -> None:
        assert self.pause is not None
        waits = not self.hold.is_set()
        self.hold.set() if waits else self.hold.clear()
        self.pause.setText(say("gui.go-on") if waits else say("gui.pause"))
        news = say("gui.paused") if waits else ""
        self.states[self._row].setText(news)
        announce(self, news or say("gui.going-on"))

    def _cancel(self) -> None:
        self.stop.setEnabled(False)
        if self.pause is not None:
            self.pause.setEnabled(False)
        self.title.setText(say("gui.stopping"))
        self.cancel.set()

    def show_closing(self, *, stops: bool) -> None:
        """The window closes as soon as it may: say what it waits for."""
        self.title.setText(say("gui.closing-stops") if stops else say("gui.closing-waits"))
        self.lead.setText(say("gui.closing-lead"))
        announce(self, f"{self.title.text()}. {self.lead.text()}", now=True)

    def hear(self, event: Event) -> None:
        """A step has a new state, or is so far."""
        if isinstance(event, StepChanged):
            self.show_step(event.number, event.state)
        elif isinstance(event, Progress):
            self.show_progress(event.number, event.what, event.here, event.size)

    def show_step(self, number: int, state: StepState) -> None:
        """A step has a new state."""
        self.marks[number].show_look("ok" if state == "done" else "none")
        self.states[number].setText("")
        self._begin(number + 1)
        done = sum(mark.look == "ok" for mark in self.marks)
        self.bar.show_share(done / len(self.marks))

    def show_progress(self, number: int, what: str, here: int, size: int) -> None:
        """A long step is so far."""
        self._row = number
        if self.pause is not None:
            # What is under way when the pause begins still arrives.
            if self.hold.is_set():
                return
            self.pause.setEnabled(what == "download" and self.stop.isEnabled())
        if what == "installer":
            # What is begun goes on to its end.
            self.stop.setEnabled(False)
        self.states[number].setText(self._line(number, what, here, size))
        if size:
            self.bar.show_share((number + here / size) / len(self.marks))
        if self._reported != f"{number} {what}":
            self._reported = f"{number} {what}"
            announce(self, self.states[number].text())

    def escape(self) -> None:
        """Cancel, where that is offered."""
        if self.buttons.isVisibleTo(self) and self.stop.isEnabled():
            self._cancel()
