"""The cards of the Review page: a step with all that it changes, and the plan as commands."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout

from cudnn_assistant.gui.checkbox import CheckBox
from cudnn_assistant.gui.diff_list import DiffList
from cudnn_assistant.gui.disclosure import DisclosureArrow, Link
from cudnn_assistant.gui.text_widgets import Listing, Text
from cudnn_assistant.gui.theme import SPACE
from cudnn_assistant.gui.widgets import BusyBar, Card, CopyButton
from cudnn_assistant.plan import Change
from cudnn_assistant.wording import say


class StepCard(Card):
    """One step: what and where, its lines, its notes; perhaps a box to untick."""

    ticked = Signal(bool)

    def __init__(
        self,
        change: Change,
        *,
        box: bool = False,
        on: bool = True,
        serves: Sequence[str] = (),
    ) -> None:
        """``serves``: titles of the problems that it solves, or leaves when it is off."""
        super().__init__()
        self.box: CheckBox | None = None
        self.list: DiffList | None = None
        row = QHBoxLayout()
        row.setSpacing(SPACE)
        if box:
            self.box = self._tick_box(change, on)
            row.addWidget(self.box, 0, Qt.AlignmentFlag.AlignTop)
        self._column = QVBoxLayout()
        self._column.setSpacing(SPACE // 2)
        row.addLayout(self._column, 1)
        self.rows.addLayout(row)
        self._column.addWidget(Text(change.title, size=1.05, bold=on, muted=not on))
        self.change = change
        for title in serves:
            text = say("gui.for", title=title) if on else say("gui.stays-as-it-is", title=title)
            self._column.addWidget(Text(text, muted=on))
        if on:
            self._fill(change)

    def _fill(self, change: Change) -> None:
        if change.place and all(line.text != change.place for line in change.lines):
            self._column.addWidget(Text(change.place, muted=True))
        if change.lines:
            self._column.addSpacing(SPACE)
            self._show_lines(change)
        if change.notes:
            self._column.addSpacing(SPACE // 2)
        for note in change.notes:
            self._column.addWidget(Text(note, muted=True))

    def add_note(self, text: str) -> None:
        """Why it is as it is, in a sentence."""
        self._column.addWidget(Text(text, muted=True))

    def add_link(self, label: str, do: Callable[[], object]) -> None:
        """A way to read more before saying yes."""
        self._column.addWidget(Link(label, do), 0, Qt.AlignmentFlag.AlignLeft)

    def _tick_box(self, change: Change, on: bool) -> CheckBox:
        box = CheckBox()
        box.setChecked(on)
        box.setAccessibleName(say("gui.make-this-change", title=change.title))
        box.toggled.connect(self.ticked)
        return box

    def _show_lines(self, change: Change) -> None:
        self.list = DiffList(change.lines, change.title)
        self._column.addWidget(self.list)
        if self.list.folded:
            more = DisclosureArrow(say("gui.show-all"), say("gui.show-all-of", title=change.title))
            more.toggled.connect(self.list.show_all)
            self._column.addWidget(more, 0, Qt.AlignmentFlag.AlignLeft)


class Commands(Card):
    """The plan as commands, with a button that copies them."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.rows.addWidget(Listing(text, say("gui.commands")))
        self.rows.addWidget(CopyButton(text), 0, Qt.AlignmentFlag.AlignLeft)


class Asking(Card):
    """Something that is asked before the plan is whole; it may take a while."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.rows.addWidget(Text(text))
        self.bar = BusyBar()
        self.rows.addWidget(self.bar)
        self.bar.run(True)
        self.setAccessibleName(text)
