"""The three small windows: History, Save report, and what is said after a bug of our own."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from PySide6.QtCore import QDateTime, QLocale, Qt, QTimeZone, Signal
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import (
    QDialog,
    QFileDialog,
    QHBoxLayout,
    QHeaderView,
    QPlainTextEdit,
    QTreeWidget,
    QTreeWidgetItem,
    QVBoxLayout,
    QWidget,
)

from cudnn_assistant.gui import theme
from cudnn_assistant.gui.doing import Standing
from cudnn_assistant.gui.parts import Button
from cudnn_assistant.gui.text import Text, announce, line_height
from cudnn_assistant.gui.theme import SPACE
from cudnn_assistant.plan import Entry
from cudnn_assistant.wording import _


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
    standing: Standing


def state_word(standing: Standing) -> str:
    """How a change stands today."""
    return {
        "in place": _("in place"),
        "undone": _("undone"),
        "changed": _("changed since by another program"),
    }[standing]


def local_time(utc: str) -> str:
    """A moment of the journal in the person's own time and manner."""
    when = QDateTime.fromString(utc, Qt.DateFormat.ISODate)
    when.setTimeZone(QTimeZone(b"UTC"))
    return QLocale.system().toString(when.toLocalTime(), QLocale.FormatType.ShortFormat)


class HistoryDialog(Dialog):
    """What this program changed, newest first. ``undo`` carries the chosen Entry."""

    undo = Signal(object)

    def __init__(self, past: Sequence[Past], parent: QWidget | None = None) -> None:
        lead = (
            _("Choose a change to see how it is put back. Nothing happens before you agree.")
            if past
            else _("You haven't changed anything with this program.")
        )
        super().__init__(_("Changes made with this program"), lead, parent)
        self.list = self._tree(past)
        self.button = Button(_("&Undo this change"), self._undo)
        close = Button(_("&Close"), self.reject)
        if past:
            self.finish(self.list, close, self.button)
        else:
            self.finish(QWidget(), close)
        self._choose()

    def _tree(self, past: Sequence[Past]) -> QTreeWidget:
        tree = QTreeWidget()
        tree.setHeaderLabels([_("When"), _("What"), _("State")])
        tree.setRootIsDecorated(False)
        tree.setAccessibleName(_("Changes"))
        for one in reversed(past):
            texts = [local_time(one.entry.when), one.what, state_word(one.standing)]
            item = QTreeWidgetItem(tree, texts)
            item.setData(0, Qt.ItemDataRole.UserRole, one)
            item.setToolTip(1, one.what)
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
        self.button.setEnabled(chosen is not None and chosen.standing != "undone")

    def _undo(self) -> None:
        chosen = self._chosen()
        if chosen is not None:
            self.accept()
            self.undo.emit(chosen.entry)


class ReportDialog(Dialog):
    """Shows the very text that will be saved. Nothing is sent anywhere."""

    def __init__(
        self, text: str, parent: QWidget | None = None, *, title: str = "", lead: str = ""
    ) -> None:
        said = _("Your user name and computer name are left out. Nothing is sent anywhere.")
        super().__init__(title or _("Save report"), lead or said, parent)
        self.text = QPlainTextEdit(text)
        self.text.setReadOnly(True)
        self.text.setTabChangesFocus(True)
        self.text.setFont(theme.font(0.95, fixed=True))
        self.text.setLineWrapMode(QPlainTextEdit.LineWrapMode.NoWrap)
        self.text.setAccessibleName(_("The text of the report"))
        self.news = Text(muted=True)
        self.row.insertWidget(0, self.news, 1)
        close = Button(_("C&lose"), self.reject)
        copy = Button(_("&Copy"), self.copy)
        self.finish(self.text, close, copy, Button(_("&Save…"), self.ask))

    def copy(self) -> None:
        """The whole text to the clipboard."""
        QGuiApplication.clipboard().setText(self.text.toPlainText())
        self._say(_("Copied."))

    def ask(self) -> None:
        """Let the person choose a file, then save."""
        name, _kind = QFileDialog.getSaveFileName(
            self, _("Save report"), "cudnn-report.md", _("Markdown text (*.md)")
        )
        if name:
            self.save(Path(name))

    def save(self, path: Path) -> None:
        """Write the text; says so, or why it could not."""
        try:
            path.write_text(self.text.toPlainText(), encoding="utf-8")
        except OSError as trouble:
            reason = trouble.strerror or str(trouble)
            self._say(_("It could not be saved there: {reason}.").format(reason=reason))
            return
        self._say(_("Saved as {file}.").format(file=path))

    def _say(self, text: str) -> None:
        self.news.setText(text)
        announce(self, text)


def crash_dialog(report: str, parent: QWidget | None = None) -> ReportDialog:
    """What is shown after a bug of our own; the program ends with code 3 when it closes."""
    return ReportDialog(
        report,
        parent,
        title=_("cuDNN Assistant has to close"),
        lead=_(
            "It met a problem in itself. Your settings are as they were, or the next start "
            "offers the way back. This text helps to mend it; user and computer name are left out."
        ),
    )
