"""The small windows: what they have in common; History, Help and About."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass

from PySide6 import __version__ as qt_version
from PySide6.QtCore import QDateTime, QLocale, QSize, Qt, QTimer, Signal
from PySide6.QtGui import QKeyEvent, QResizeEvent
from PySide6.QtWidgets import QDialog, QHeaderView, QTreeWidget, QTreeWidgetItem, QWidget

from cudnn_assistant import __version__
from cudnn_assistant.gui.layouts import Column, Line, room_for
from cudnn_assistant.gui.text_widgets import Text, breakable, height_of, line_height, wrapped
from cudnn_assistant.gui.theme import SPACE
from cudnn_assistant.gui.widgets import Button, CopyButton, Scrolled, pressed, tab_as_read
from cudnn_assistant.plan import Entry
from cudnn_assistant.session.past import Status
from cudnn_assistant.wording import say


class Dialog(QDialog):
    """A small window: text, content, buttons at the right."""

    def __init__(self, title: str, lead: str, parent: QWidget | None) -> None:
        super().__init__(parent)
        self.setWindowTitle(title)
        self.lead = Text(lead)
        heading, edge = Text(title, size=1.35, bold=True), 3 * SPACE
        margin = (edge, edge, edge, 2 * SPACE + 4)
        self.rows = Column(heading, self.lead, inside=self, gap=2 * SPACE, margin=margin)
        self.row = Line()

    def finish(self, content: QWidget, *buttons: Button) -> None:
        """Put the content and the buttons in; the last one is the default."""
        self.rows.addWidget(content, 1)
        for button in buttons:
            self.row.addWidget(button)
        buttons[-1].setDefault(True)
        self.rows.addLayout(self.row)
        wide, tall = line_height() * 38, line_height() * 26
        if not content.sizeHint().isValid():
            tall = self.rows.totalHeightForWidth(wide)
        self.resize(room_for(self, wide, tall))

    def focusNextPrevChild(self, following: bool) -> bool:  # noqa: N802
        """Tab, or the way back."""
        tab_as_read(self)
        return super().focusNextPrevChild(following)

    def keyPressEvent(self, event: QKeyEvent) -> None:  # noqa: N802
        """Enter presses what has the focus, before the default button."""
        if not pressed(event, self.focusWidget()):
            super().keyPressEvent(event)


@dataclass(frozen=True)
class Past:
    """A change in the journal as History shows it."""

    entry: Entry
    what: str
    status: Status


def local_time(utc: str) -> str:
    """A moment of the journal in the person's own time and manner."""
    when = QDateTime.fromString(utc, Qt.DateFormat.ISODate)
    return QLocale().toString(when.toLocalTime(), QLocale.FormatType.ShortFormat)


def _let_wrap(tree: QTreeWidget) -> None:
    """Make each row as tall as its text is in its column; Qt alone would cut it."""
    room = tree.columnWidth(1) - 2 * SPACE
    for at in range(tree.topLevelItemCount()):
        item = tree.topLevelItem(at)
        if item is not None:
            tall = height_of(wrapped(item.text(1), tree.font(), room))
            item.setSizeHint(1, QSize(0, tall + SPACE))
    tree.scheduleDelayedItemsLayout()


class HistoryDialog(Dialog):
    """What this program changed, newest first. ``undo`` carries the chosen Entry."""

    undo = Signal(object)

    def __init__(self, past: Sequence[Past], parent: QWidget | None = None) -> None:
        lead = say("gui.history-choose") if past else say("plan.no-changes-yet")
        super().__init__(say("gui.history-heading"), lead, parent)
        self.list = self._tree(past)
        self.button = Button(say("gui.history-undo"), self._undo)
        close = Button(say("gui.close"), self.reject)
        if past:
            self.finish(self.list, close, self.button)
            # What was changed is what a person looks for, and takes the most room.
            self.resize(room_for(self, line_height() * 54, self.height()))
        else:
            self.finish(QWidget(), close)
        self._choose()

    def _tree(self, past: Sequence[Past]) -> QTreeWidget:
        tree = QTreeWidget()
        tree.setHeaderLabels(
            [say("gui.history-when"), say("gui.history-what"), say("gui.history-state")]
        )
        tree.setRootIsDecorated(False)
        tree.setWordWrap(True)
        tree.setAlternatingRowColors(True)
        tree.setAccessibleName(say("gui.history-changes"))
        for one in reversed(past):
            texts = [
                local_time(one.entry.when),
                breakable(one.what),
                say(f"plan.state-{one.status}"),
            ]
            item = QTreeWidgetItem(tree, texts)
            item.setData(0, Qt.ItemDataRole.UserRole, one)
            # What may wrap says that it needs less than a line of it; these two are to be one.
            for column in (0, 2):
                wide = tree.fontMetrics().horizontalAdvance(texts[column]) + 2 * SPACE
                item.setSizeHint(column, QSize(wide, line_height()))
            item.setData(1, Qt.ItemDataRole.AccessibleTextRole, one.what)
        header = tree.header()
        header.setStretchLastSection(False)
        header.setSectionResizeMode(QHeaderView.ResizeMode.ResizeToContents)
        header.setSectionResizeMode(1, QHeaderView.ResizeMode.Stretch)
        newest = tree.topLevelItem(0)
        if newest is not None:
            tree.setCurrentItem(newest)
        tree.currentItemChanged.connect(self._choose)
        return tree

    def resizeEvent(self, event: QResizeEvent) -> None:  # noqa: N802
        """Another width wraps the texts elsewhere, once the columns have theirs."""
        super().resizeEvent(event)
        QTimer.singleShot(0, self, lambda: _let_wrap(self.list))

    def _chosen(self) -> Past | None:
        item = self.list.currentItem()
        return item.data(0, Qt.ItemDataRole.UserRole) if item else None

    def _choose(self) -> None:
        chosen = self._chosen()
        self.button.setEnabled(chosen is not None and chosen.status != "undone")

    def _undo(self) -> None:
        chosen = self._chosen()
        if chosen is not None:
            self.accept()
            self.undo.emit(chosen.entry)


def _scrolled(text: str, name: str) -> Scrolled:
    label = Text(text)
    label.setAlignment(Qt.AlignmentFlag.AlignTop)
    area = Scrolled(label)
    area.setAccessibleName(name)
    return area


class AboutDialog(Dialog):
    """Version and licences."""

    def __init__(self, parent: QWidget | None = None) -> None:
        title = say("gui.about-heading", version=__version__)
        super().__init__(title, say("gui.about-lead"), parent)
        python = sys.version.split()[0]
        said = say("gui.about-licences", version=__version__, qt=qt_version, python=python)
        listing = _scrolled(said, say("gui.about-licences-name"))
        self.finish(listing, CopyButton(said), Button(say("gui.close"), self.accept))


class HelpDialog(Dialog):
    """What can be done here, and by which keys."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(say("gui.help-heading"), say("gui.help-lead"), parent)
        listing = _scrolled(say("gui.help-keys"), say("gui.help-keys-name"))
        self.finish(listing, Button(say("gui.close"), self.accept))
