"""Save report: the very text, what was left out of it, and leaving out more of it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from PySide6.QtCore import QStandardPaths, Qt
from PySide6.QtGui import QGuiApplication, QKeyEvent
from PySide6.QtWidgets import QFileDialog, QListWidgetItem, QWidget

from cudnn_assistant.gui.dialogs import Dialog
from cudnn_assistant.gui.disclosure import Disclosure, Link
from cudnn_assistant.gui.layouts import Column, Line, room_for
from cudnn_assistant.gui.redaction_by_hand import (
    SHORTEST,
    marks,
    readable,
    without_lines,
    without_words,
)
from cudnn_assistant.gui.report_view import PastedLines, ReportView
from cudnn_assistant.gui.text_widgets import Text, announce, line_height
from cudnn_assistant.gui.widgets import Button, Notice
from cudnn_assistant.session.given_file import write
from cudnn_assistant.session.reports import Forms
from cudnn_assistant.wording import prose, say
from cudnn_assistant.wording.refusals import cause

Edit = Callable[[str], str]
"""What the person left out of the text; done anew when a line is put back, as lines stay lines."""


class ReportDialog(Dialog):
    """Shows the very text that will be saved. Nothing is sent anywhere."""

    def __init__(
        self, forms: Forms, parent: QWidget | None = None, *, crashed: bool = False
    ) -> None:
        """``crashed``: by a bug of our own; the program ends when it closes."""
        title = say("gui.crash-heading" if crashed else "gui.report-heading")
        super().__init__(title, say("gui.crash-lead" if crashed else "gui.report-lead"), parent)
        self.forms = self._given = forms
        """As it would be saved now, and without what the person has left out of it."""
        self._edits: list[Edit] = []
        self.text = ReportView(forms.text)
        self.text.copyAvailable.connect(self._offer)
        self.cut = Notice("note", say("gui.data-cut-warning"))
        self.cut.hide()
        self.news = Text(muted=True)
        self.row.insertWidget(0, self.news, 1)
        close = Button(say("gui.report-close-button"), self.reject)
        copy = Button(say("gui.copy-button"), self.copy)
        self.finish(self._middle(), close, copy, Button(say("gui.save-button"), self.ask))
        self.resize(room_for(self, line_height() * 42, line_height() * 32))
        self._offer(False)

    def _middle(self) -> QWidget:
        middle = QWidget()
        rows = Column(self.text, self._tools(), inside=middle)
        if self.forms.left_out:
            label = say("gui.lines-with-gaps", count=len(self.forms.left_out))
            opener = Disclosure(say("gui.show"), label, rows, self._pasted)
            rows.addLayout(Line(Text(label), opener, wide=0))
        rows.addWidget(self.cut)
        return middle

    def _pasted(self) -> QWidget:
        """What the person pasted, line by line beside what the report tells of it."""
        self.pasted = PastedLines(self.forms.left_out)
        self.pasted.itemChanged.connect(self._keep)
        return self.pasted

    def _keep(self, line: QListWidgetItem) -> None:
        self._given = self._given.keeping(self.pasted.kept())
        self._show()
        back = line.checkState() == Qt.CheckState.Checked
        self._say(say("gui.put-back") if back else say("gui.left-out"))

    def _tools(self) -> Line:
        self.leave = Button(say("gui.leave-out-button"), self.leave_out)
        self.back = Button(say("gui.put-back-button"), self.put_back)
        self.count = Text(muted=True)
        self.next = Link(say("gui.show-next-marked"), self.text.show_next_mark)
        return Line(self.count, self.next, self.back, self.leave, wide=0)

    def _offer(self, chosen: bool) -> None:
        self.leave.setEnabled(chosen)
        self.back.setEnabled(bool(self._edits))
        count = sum(1 for line in self.forms.text.split("\n") for _mark in marks(line))
        text = say("gui.places-marked", count=count)
        hint = say("gui.select-more")
        self.count.setText(prose((text, hint)) if count else hint)
        self.next.setVisible(bool(count))

    def leave_out(self) -> None:
        """Whole lines go; words inside of a line are replaced wherever they stand."""
        if not self.text.textCursor().hasSelection():
            return
        words, (first, last) = self.text.words(), self.text.lines()
        if words and len(words) < SHORTEST:
            self._say(say("gui.select-at-least"))
            return
        self._edits.append(
            (lambda text: without_words(text, words))
            if words
            else (lambda text: without_lines(text, first, last))
        )
        self._show()
        self._say(say("gui.left-out-everywhere") if words else say("gui.left-out"))

    def put_back(self) -> None:
        """As it was before the last time something was left out."""
        if self._edits:
            self._edits.pop()
            self._show()
            self._say(say("gui.put-back"))

    def _show(self) -> None:
        """The report as it was given, with what the person has left out since."""
        given = self._given
        text = given.text
        for edit in self._edits:
            text = edit(text)
        self.forms = replace(given, edited=text) if self._edits else given
        self.text.show_text(text)
        self.cut.setVisible(readable(given.text) and not readable(text))
        self._offer(False)

    def keyPressEvent(self, event: QKeyEvent) -> None:  # noqa: N802
        """Delete leaves out what is selected."""
        if event.key() in (Qt.Key.Key_Delete, Qt.Key.Key_Backspace):
            self.leave_out()
            return
        super().keyPressEvent(event)

    def copy(self) -> None:
        """The whole text to the clipboard."""
        QGuiApplication.clipboard().setText(self.forms.text)
        self._say(say("gui.report-copied"))

    def ask(self) -> None:
        """Let the person choose a file, then save."""
        place = QStandardPaths.StandardLocation.DocumentsLocation
        ask = QFileDialog(self, say("gui.report-heading"), QStandardPaths.writableLocation(place))
        ask.setAcceptMode(QFileDialog.AcceptMode.AcceptSave)
        endings = {
            say(f"gui.file-type-{ending}"): ending
            for ending in ("md", "html", "zip", "cudnn-report")
        }
        ask.setNameFilters(list(endings))
        ask.setDefaultSuffix("md")
        ask.filterSelected.connect(lambda kind: ask.setDefaultSuffix(endings[kind]))
        ask.selectFile(self.forms.name)
        ask.fileSelected.connect(lambda name: self.save(Path(name)))
        ask.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        ask.open()

    def save(self, path: Path) -> None:
        """Write the file that its name asks for; says so, or why it could not."""
        try:
            write(str(path), self.forms.content(str(path)))
        except OSError as trouble:
            self._say(say("gui.not-saved", reason=cause(trouble)))
            return
        self._say(say("gui.saved-as", file=path))

    def _say(self, text: str) -> None:
        self.news.setText(text)
        announce(self, text)
