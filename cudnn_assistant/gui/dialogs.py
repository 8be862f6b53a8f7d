"""The small windows: what they have in common, and History."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape

from PySide6.QtCore import QDateTime, QLocale, Qt, QTimeZone, Signal
from PySide6.QtWidgets import (
    QDialog,
    QHBoxLayout,
    QHeaderView,
    QTreeWidget,
    QTreeWidgetItem,
    QVBoxLayout,
    QWidget,
)

from cudnn_assistant.gui.text_widgets import Text, line_height
from cudnn_assistant.gui.theme import SPACE
from cudnn_assistant.gui.widgets import Button
from cudnn_assistant.plan import Entry
from cudnn_assistant.session.changing import ChangeStatus
from cudnn_assistant.wording import say


class Dialog(QDialog):
    """A small window: text, content, buttons at the right."""

    def __init__(self, title: str, lead: str, parent: QWidget | None) -> None:
        super().__init__(parent)
        self.setWindowTitle(title)
        self.lead = Text(lead)
        self.rows = QVBoxLayout(self)
        self.rows.setContentsMargins(3 * SPACE, 3 * SPACE, 3 * SPACE, 2 * SPACE + 4)
        self.rows.setSpacing(2 * SPACE)
        self.rows.addWidget(Text(title, size=1.35, bold=True))
        self.rows.addWidget(self.lead)
        self.row = QHBoxLayout()
        self.row.setSpacing(SPACE)
        self.row.addStretch(1)

    def finish(self, content: QWidget, *buttons: Button) -> None:
        """Put the content and the buttons in; the last one is the default."""
        self.rows.addWidget(content, 1)
        for button in buttons:
            self.row.addWidget(button)
        buttons[-1].setDefault(True)
        self.rows.addLayout(self.row)
        height = 26 if content.sizeHint().isValid() else 10
        self.resize(line_height() * 38, line_height() * height)


@dataclass(frozen=True)
class Past:
    """A change in the journal as History shows it."""

    entry: Entry
    what: str
    change_status: ChangeStatus


def state_word(change_status: ChangeStatus) -> str:
    """How a change stands today."""
    return {
        "in place": say("gui.state-in-place"),
        "undone": say("gui.state-undone"),
        "changed": say("gui.state-changed-since"),
    }[change_status]


def local_time(utc: str) -> str:
    """A moment of the journal in the person's own time and manner."""
    when = QDateTime.fromString(utc, Qt.DateFormat.ISODate)
    when.setTimeZone(QTimeZone(b"UTC"))
    return QLocale().toString(when.toLocalTime(), QLocale.FormatType.ShortFormat)


class HistoryDialog(Dialog):
    """What this program changed, newest first. ``undo`` carries the chosen Entry."""

    undo = Signal(object)

    def __init__(self, past: Sequence[Past], parent: QWidget | None = None) -> None:
        lead = say("gui.history-choose") if past else say("gui.history-empty")
        super().__init__(say("gui.history-heading"), lead, parent)
        self.list = self._tree(past)
        self.button = Button(say("gui.history-undo"), self._undo)
        close = Button(say("gui.close"), self.reject)
        if past:
            self.finish(self.list, close, self.button)
            # What was changed is what a person looks for, and takes the most room.
            room = self.screen().availableGeometry().width() - 4 * SPACE
            self.resize(min(line_height() * 54, room), self.height())
        else:
            self.finish(QWidget(), close)
        self._choose()

    def _tree(self, past: Sequence[Past]) -> QTreeWidget:
        tree = QTreeWidget()
        tree.setHeaderLabels(
            [say("gui.history-when"), say("gui.history-what"), say("gui.history-state")]
        )
        tree.setRootIsDecorated(False)
        tree.setAccessibleName(say("gui.history-changes"))
        for one in reversed(past):
            texts = [local_time(one.entry.when), one.what, state_word(one.change_status)]
            item = QTreeWidgetItem(tree, texts)
            item.setData(0, Qt.ItemDataRole.UserRole, one)
            item.setToolTip(1, escape(one.what))
        header = tree.header()
        header.setStretchLastSection(False)
        header.setSectionResizeMode(QHeaderView.ResizeMode.ResizeToContents)
        header.setSectionResizeMode(1, QHeaderView.ResizeMode.Stretch)
        newest = tree.topLevelItem(0)
        if newest is not None:
            tree.setCurrentItem(newest)
        tree.currentItemChanged.connect(self._choose)
        return tree

    def _chosen(self) -> Past | None:
        item = self.list.currentItem()
        return item.data(0, Qt.ItemDataRole.UserRole) if item else None

    def _choose(self) -> None:
        chosen = self._chosen()
        self.button.setEnabled(chosen is not None and chosen.change_status != "undone")

    def _undo(self) -> None:
        chosen = self._chosen()
        if chosen is not None:
            self.accept()
            self.undo.emit(chosen.entry)
