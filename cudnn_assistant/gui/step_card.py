"""The cards of the Review page: a step with all that it changes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from urllib.parse import urlsplit

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QCheckBox, QVBoxLayout, QWidget

from cudnn_assistant.gui.diff_list import DiffList
from cudnn_assistant.gui.disclosure import Disclosure, DisclosureArrow, Link, add_details
from cudnn_assistant.gui.layouts import TOP, Column, Line
from cudnn_assistant.gui.text_widgets import Text
from cudnn_assistant.gui.theme import SPACE
from cudnn_assistant.gui.widgets import Card
from cudnn_assistant.plan import Change, Step, kind_of
from cudnn_assistant.wording import say


class StepCard(Card):
    """One step: what and where, its lines, its notes; perhaps a box to untick."""

    def __init__(
        self,
        step: Step,
        change: Change,
        open_link: Callable[[str], object],
        serves: Sequence[str] | None = None,
        *,
        on: bool = True,
        waits: bool = False,
    ) -> None:
        """``serves``: titles of the problems that it solves, or leaves when it is off; with them
        it has a box. ``waits``: it is off because it can wait and needs an administrator."""
        super().__init__()
        self._licence = kind_of(step).needs(step).licence
        self._open_link = open_link
        self.box: QCheckBox | None = None
        self.list: DiffList | None = None
        # What is changed exactly is behind Details.
        self._folded = kind_of(step).setting(step) is not None
        self._column = Column(Text(change.plain, size=1.05, bold=on, muted=not on), gap=SPACE // 2)
        if serves is not None:
            self.box = QCheckBox()
            self.box.setChecked(on)
            self.box.setAccessibleName(say("gui.make-this-change", title=change.plain))
            self.rows.addLayout(Line(self.box, self._column, wide=1, at=TOP))
        else:
            self.rows.addLayout(self._column)
        for title in serves or ():
            text = say("plan.for", title=title) if on else say("gui.stays-broken", title=title)
            self._column.addWidget(Text(text, muted=on))
        self.opener: Disclosure | None = None
        if on and self._folded:
            name = say("gui.details-of", title=change.plain)
            make = partial(self._details, change)
            self.opener = add_details(self._column, say("gui.details"), name, make)
        elif on:
            self._column.addWidget(self._details(change))
        elif self.box and kind_of(step).consent(step):
            self._column.addWidget(Text(say("gui.tick-installer"), muted=True))
        elif self.box and waits:
            self._column.addWidget(Text(say("gui.tick-administrator"), muted=True))
        if self._licence:
            link = Link(say("gui.read-licence"), partial(open_link, self._licence))
            self._column.addWidget(link, 0, Qt.AlignmentFlag.AlignLeft)

    def _details(self, change: Change) -> QWidget:
        """What only an expert asks for: where it is stored, every line, lengths."""
        details = QWidget()
        rows = Column(inside=details, gap=SPACE // 2)
        if change.says and self._folded:
            rows.addWidget(Text(change.title, bold=True))
        if change.place.startswith("https://"):
            # The server's name, and behind it all of the address.
            link = Link(urlsplit(change.place).netloc, partial(self._open_link, change.place))
            link.setToolTip(change.place)
            rows.addWidget(link, 0, Qt.AlignmentFlag.AlignLeft)
        elif change.place and all(line.text != change.place for line in change.lines):
            rows.addWidget(Text(change.place, muted=True))
        if change.lines:
            self._show_lines(change, rows)
        shown = (note for note in change.notes if not (self._licence and self._licence in note))
        for note in shown:
            rows.addWidget(Text(note, muted=True))
        return details

    def _show_lines(self, change: Change, rows: QVBoxLayout) -> None:
        self.list = DiffList(change.lines, change.title)
        rows.addWidget(self.list)
        if self.list.folded:
            more = DisclosureArrow(say("gui.show-all"), say("gui.show-all-of", title=change.title))
            more.turned.connect(self.list.show_all)
            rows.addWidget(more, 0, Qt.AlignmentFlag.AlignLeft)

    @property
    def first(self) -> QWidget | None:
        """What takes the focus in it first; ``None`` where nothing can."""
        return self.box or self.opener or self.list
