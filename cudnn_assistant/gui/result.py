"""Page 4: state the outcome and how we know."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from PySide6.QtCore import Qt, QTimer, Signal
from PySide6.QtWidgets import QGridLayout, QWidget

from cudnn_assistant.finding import Finding, Manual, Unknown
from cudnn_assistant.gui.checkbox import RestartBox
from cudnn_assistant.gui.page import Page
from cudnn_assistant.gui.problems import Commands, explain_link
from cudnn_assistant.gui.pythons import Pythons
from cudnn_assistant.gui.text_widgets import Text, announce
from cudnn_assistant.gui.theme import SPACE, Look
from cudnn_assistant.gui.widgets import Card, Mark, Notice
from cudnn_assistant.session import Checkup
from cudnn_assistant.summary import Line, headline, lines
from cudnn_assistant.wording import say, words

Outcome = Literal["works", "needs you", "impossible", "unknown"]
LOOKS: dict[Outcome, Look] = {
    "works": "ok",
    "needs you": "next",
    "impossible": "none",
    "unknown": "unknown",
}


@dataclass(frozen=True)
class Ending:
    """What the Result page shows."""

    checkup: Checkup
    outcome: Outcome
    changed: int = 0
    """How many changes were made before this check."""
    undoable: bool = False
    """The journal holds something to undo."""
    task: Finding | None = None
    """What needs the person, for the outcome "needs you"."""
    again: bool | None = None
    """Whether the window starts by itself after the restart; None: not asked."""
    foreign: bool = False
    """Of another computer, by its report: nothing of it can be tested."""


def ending_text(ending: Ending) -> tuple[str, str]:
    """Title and sentence of an ending."""
    checkup = ending.checkup
    if ending.task is not None:
        said = words(ending.task, checkup.machine)
        restart = isinstance(ending.task.remedy, Manual) and ending.task.remedy.restart
        then = say("gui.then-start-again") if restart else say("gui.then-come-back")
        return said.title, f"{said.fix} {then}"
    if ending.outcome == "unknown" and ending.changed:
        return say("gui.still-broken"), _after_change(checkup)
    return headline(checkup.verdict, checkup.machine, checkup.findings)


def _after_change(checkup: Checkup) -> str:
    report = say("gui.everything-in-report")
    if not checkup.findings or isinstance(checkup.findings[0].remedy, Unknown):
        return say("gui.reason-not-found") + " " + report
    title = words(checkup.findings[0], checkup.machine).title
    return say("gui.seen-now", title=title) + " " + report


class Facts(Card):
    """What was seen, a line for each part."""

    def __init__(self, rows: tuple[Line, ...]) -> None:
        super().__init__()
        grid = QGridLayout()
        grid.setHorizontalSpacing(SPACE + 4)
        grid.setVerticalSpacing(SPACE + 4)
        grid.setColumnStretch(1, 2)
        grid.setColumnStretch(2, 5)
        for number, line in enumerate(rows):
            cells: tuple[QWidget, ...] = (
                Mark(line.mark, 1.15),
                Text(line.label),
                Text(line.text, muted=True),
            )
            for column, cell in enumerate(cells):
                grid.addWidget(cell, number, column, Qt.AlignmentFlag.AlignTop)
        self.rows.addLayout(grid)


class ResultPage(Page):
    """One of four outcomes, and the way on from it."""

    again = Signal()
    save = Signal()
    undo = Signal()
    """Undo what was made in this session."""
    history = Signal()
    explain = Signal()
    notes = Signal()
    """Show the findings that do not keep cuDNN from working."""
    leave = Signal(object)
    test = Signal(object)
    """Run the test inside a framework; carries the PythonEnvironment."""
    after_restart = Signal(bool)
    """Start by itself after the restart, or not after all."""
    back = Signal()
    """Back to the problems, from what the person is asked to do."""
    closed = Signal()

    def __init__(self, ending: Ending) -> None:
        self._ending = ending
        super().__init__("result", *ending_text(ending), LOOKS[ending.outcome])
        self._show_news()
        if ending.task is not None and isinstance(ending.task.remedy, Manual):
            self._show_task(ending.task.remedy)
        self._show_facts()
        if ending.outcome in ("unknown", "works"):
            link = explain_link(self.explain.emit)
            self.content.addWidget(link, 0, Qt.AlignmentFlag.AlignLeft)
        self._fill_buttons()

    def _show_facts(self) -> None:
        machine, findings = self._ending.checkup.machine, self._ending.checkup.findings
        rows = lines(machine, findings)
        self.content.addWidget(Facts(tuple(row for row in rows if row.part != "python")))
        environments = [row for row in rows if row.part == "python"]
        known = [one for one in machine.pythons if one.frameworks]
        self.pythons = Pythons(environments, known, testable=not self._ending.foreign)
        self.pythons.test.connect(self.test)
        self.content.addWidget(self.pythons)
        self.pythons.setVisible(bool(environments))

    def offer_problems(self) -> None:
        """A test has shown a problem, which can be told whole."""
        text = say("gui.test-shows-problem")
        notice = Notice("note", text, say("gui.show"), self.notes.emit)
        self.content.insertWidget(self.content.indexOf(self.pythons) + 1, notice)
        announce(self, text)
        # Laid out first: where it is isn't known before.
        QTimer.singleShot(0, notice, lambda: self.show_inside(notice))

    def _show_task(self, remedy: Manual) -> None:
        if remedy.commands:
            self.content.addWidget(Commands(remedy.commands))
        if remedy.restart and self._ending.again is not None:
            self.box = RestartBox(self._ending.again)
            self.box.toggled.connect(self.after_restart)
            self.content.addWidget(self.box)
        if not remedy.restart:
            self._add_notice("info", say("gui.checks-by-itself"))

    def _show_news(self) -> None:
        ending = self._ending
        if ending.changed and ending.outcome == "works":
            self._add_notice("info", say("gui.reopen-programs"))
        elif ending.changed:
            label = say("gui.undo-heading", count=ending.changed)
            self._add_notice("note", say("gui.ask-undo"), label, self.undo.emit)
        count = len(ending.checkup.findings) if ending.outcome == "works" else 0
        if count:
            text = say("gui.things-to-know", count=count)
            self._add_notice("info", text, say("gui.show"), self.notes.emit)

    def _add_notice(
        self, look: Look, text: str, label: str = "", do: Callable[[], object] | None = None
    ) -> None:
        self.content.addWidget(Notice(look, text, label, do))

    def _fill_buttons(self) -> None:
        outcome, buttons = self._ending.outcome, self.buttons
        if self._ending.undoable:
            buttons.rare(say("gui.undo-open-button"), self.history.emit)
        if outcome == "needs you":
            buttons.rare(say("gui.back"), self.back.emit)
        if outcome != "unknown":
            buttons.rare(say("gui.save-report-button"), self.save.emit)
        buttons.add(say("gui.check-again-button"), self.again.emit)
        if outcome == "unknown":
            buttons.add(say("gui.save-report-button"), self.save.emit, default=True)
        elif outcome == "needs you":
            task = self._ending.task
            assert task is not None
            label = words(task, self._ending.checkup.machine).label_of_way_out
            buttons.add(label or say("gui.close"), self._way_on, default=True)
        else:
            buttons.add(say("gui.close"), self.closed.emit, default=True)

    def _way_on(self) -> None:
        task = self._ending.task
        if task is not None and isinstance(task.remedy, Manual) and task.remedy.link:
            self.leave.emit(task)
        else:
            self.closed.emit()

    def escape(self) -> None:
        """Close: there is nothing to lose here."""
        self.closed.emit()
