"""Python environments on the Result page, each with a test inside its own framework."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QGridLayout, QHBoxLayout, QWidget

from cudnn_assistant.gui.disclosure import Link
from cudnn_assistant.gui.text_widgets import Text, announce
from cudnn_assistant.gui.theme import SPACE, Look
from cudnn_assistant.gui.widgets import Card, Mark
from cudnn_assistant.machine import PythonEnvironment, Trial
from cudnn_assistant.session.trials import frameworks_of
from cudnn_assistant.summary import Line, helped, meaning, not_tested, program, stopped
from cudnn_assistant.wording import number, say


def outcome_line(trial: Trial) -> tuple[Look, str]:
    """How a test inside a framework ended, in a line."""
    if trial.status == "ok":
        seconds = number(trial.milliseconds / 1000, 1)
        gpu = trial.gpu_name.removeprefix("NVIDIA ") or say("gui.gpu-unnamed")
        return "ok", say("gui.environment-works", program=program(trial), gpu=gpu, seconds=seconds)
    if trial.status == "not-run":
        return "unknown", not_tested(trial) or trial.detail or say("gui.could-not-be-tested")
    said = f"{program(trial)}: {stopped(trial)}."
    return "bad", " ".join(filter(None, (said, meaning(trial), helped(trial))))


class Row:
    """A line about one environment, the way to test it, and how that ended."""

    def __init__(self, line: Line, one: PythonEnvironment, card: Pythons) -> None:
        self.link: Link | None = None
        self._card = card
        grid, number, top = card.grid, card.grid.rowCount(), Qt.AlignmentFlag.AlignTop
        grid.addWidget(Mark(line.mark, 1.15), number, 0, top)
        grid.addWidget(Text(line.label), number, 1, top)
        grid.addWidget(Text(line.text, muted=True), number, 2, top)
        self._answers = QWidget()
        self._answers.hide()
        self._rows = QGridLayout(self._answers)
        self._rows.setContentsMargins(0, 0, 0, SPACE)
        self._rows.setColumnStretch(1, 1)
        grid.addWidget(self._answers, number + 1, 1, 1, 2)
        if card.testable and frameworks_of(one):
            self.link = Link(say("gui.test-environment-button"), lambda: card.test.emit(one))
            self.link.setAccessibleName(
                say("gui.test-environment-name", name=line.label, place=one.id)
            )
            row = QHBoxLayout()
            row.addWidget(self.link)
            row.addStretch(1)
            self._rows.addLayout(row, 0, 0, 1, 2)
            self._answers.show()

    def begin(self) -> None:
        """The test has begun."""
        if self.link is not None:
            self.link.hide()
        self._add("busy", say("gui.testing-environment"))

    def finish(self, trials: Sequence[Trial]) -> None:
        """The test has ended."""
        self._clear()
        if self.link is not None:
            self.link.show()
        for trial in trials:
            self._add(*outcome_line(trial))

    def _clear(self) -> None:
        for at in reversed(range(self._rows.count())):
            item = self._rows.itemAt(at)
            widget = item.widget() if item is not None else None
            if widget is not None:
                self._rows.removeWidget(widget)
                widget.deleteLater()

    def _add(self, look: Look, text: str) -> None:
        number, top = self._rows.rowCount(), Qt.AlignmentFlag.AlignTop
        self._rows.addWidget(Mark(look, 1.15), number, 0, top)
        self._rows.addWidget(Text(text), number, 1, top)
        announce(self._card, text)


class Pythons(Card):
    """A line for each environment. ``test`` carries the PythonEnvironment to be tested."""

    test = Signal(object)

    def __init__(
        self, lines: Sequence[Line], environments: Sequence[PythonEnvironment], *, testable: bool
    ) -> None:
        super().__init__()
        self.testable = testable
        self.grid = QGridLayout()
        self.grid.setHorizontalSpacing(SPACE + 4)
        self.grid.setVerticalSpacing(SPACE // 2)
        self.grid.setColumnStretch(1, 2)
        self.grid.setColumnStretch(2, 5)
        pairs = zip(lines, environments, strict=True)
        self.found = {one.id: Row(line, one, self) for line, one in pairs}
        self.rows.addLayout(self.grid)
        self.setAccessibleName(say("gui.python-environments"))

    def begin(self, name: str) -> None:
        """One test at a time: two would compete for the GPU's memory."""
        self.found[name].begin()
        self._allow(False)

    def finish(self, name: str, trials: Sequence[Trial]) -> None:
        """Show how the test of an environment ended."""
        self.found[name].finish(trials)
        self._allow(True)

    def _allow(self, on: bool) -> None:
        for row in self.found.values():
            if row.link is not None:
                row.link.setEnabled(on)
