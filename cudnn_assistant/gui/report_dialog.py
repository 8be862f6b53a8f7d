"""Save report: the very text, what was left out of it, and leaving out more of it."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QStandardPaths, Qt
from PySide6.QtGui import (
    QGuiApplication,
    QKeyEvent,
    QSyntaxHighlighter,
    QTextBlock,
    QTextCharFormat,
    QTextCursor,
    QTextOption,
)
from PySide6.QtWidgets import QFileDialog, QHBoxLayout, QPlainTextEdit, QVBoxLayout, QWidget

from cudnn_assistant.gui import theme
from cudnn_assistant.gui.dialogs import Dialog
from cudnn_assistant.gui.disclosure import Link
from cudnn_assistant.gui.redaction_by_hand import (
    SHORTEST,
    marks,
    readable,
    without_lines,
    without_words,
)
from cudnn_assistant.gui.text_widgets import Text, announce, line_height
from cudnn_assistant.gui.theme import SPACE
from cudnn_assistant.gui.widgets import Button, Notice
from cudnn_assistant.report import LOG, MESSAGE, PAGE, REPORT, pack
from cudnn_assistant.report.document import Block, Heading
from cudnn_assistant.report.page import page
from cudnn_assistant.session.reports import Written
from cudnn_assistant.wording import say


def content(path: Path, written: Written) -> bytes:
    """What is saved under this name: the text, a page, or all of it packed.

    Where the person has left out more, log and message are not packed: they could hold it.
    """
    ending = path.suffix.lower()
    if ending in (".html", ".htm"):
        return as_page(written).encode()
    if ending != ".zip":
        return written.text.encode()
    return pack(
        {
            REPORT: written.text,
            PAGE: as_page(written),
            LOG: written.log,
            MESSAGE: written.message,
        }
    )


def as_page(written: Written) -> str:
    """The report as a page; one that the person has changed is shown as its very text."""
    title = "cuDNN Assistant report"
    return written.page or page((Heading(1, (title,)), Block(written.text)), title)


class Marker(QSyntaxHighlighter):
    """Marks the places where a name or a secret was left out."""

    def __init__(self, view: QPlainTextEdit) -> None:
        super().__init__(view.document())
        palette = view.palette()
        self._look = QTextCharFormat()
        self._look.setFontUnderline(True)
        self._look.setFontWeight(700)
        if not theme.high_contrast(palette):
            ground, text = palette.base().color(), theme.status("note", palette)
            self._look.setBackground(theme.blend(text, ground, 0.16))

    def highlightBlock(self, text: str) -> None:  # noqa: N802
        """One line."""
        for start, length in marks(text):
            self.setFormat(start, length, self._look)


class ReportView(QPlainTextEdit):
    """The text of a report: read, walked and selected, never typed into."""

    def __init__(self, text: str) -> None:
        super().__init__(text)
        self.setReadOnly(True)
        self.setTextInteractionFlags(
            Qt.TextInteractionFlag.TextSelectableByMouse
            | Qt.TextInteractionFlag.TextSelectableByKeyboard
        )
        self.setTabChangesFocus(True)
        self.setFont(theme.font(0.95, fixed=True))
        self.setWordWrapMode(QTextOption.WrapMode.WrapAtWordBoundaryOrAnywhere)
        self.setAccessibleName(say("gui.report-text-label"))
        self._marker = Marker(self)

    def lines(self) -> tuple[int, int]:
        """Numbers of the first and the last selected line."""
        cursor, document = self.textCursor(), self.document()
        first = document.findBlock(cursor.selectionStart())
        last = document.findBlock(max(cursor.selectionStart(), cursor.selectionEnd() - 1))
        return first.blockNumber(), last.blockNumber()

    def words(self) -> str:
        """What is selected inside of one line; "" where a whole line or more is."""
        chosen = self.textCursor().selectedText()
        first, last = self.lines()
        whole = self.document().findBlockByNumber(first).text().strip()
        return "" if first != last or chosen.strip() in ("", whole) else chosen.strip()

    def show_text(self, text: str) -> None:
        """Another text, at the same place."""
        line, bar = self.lines()[0], self.verticalScrollBar()
        at = bar.value()
        self.setPlainText(text)
        self.setTextCursor(QTextCursor(self.document().findBlockByNumber(line)))
        bar.setValue(at)

    def show_next_mark(self) -> None:
        """Select the next place where something was left out; after the last comes the first."""
        cursor = self.textCursor()
        here = cursor.block()
        block, after = here, cursor.selectionEnd() - here.position()
        for _line in range(self.blockCount() + 1):
            found = next((m for m in marks(block.text()) if m[0] >= after), None)
            if found is not None:
                self._choose(block, *found)
                return
            block = block.next() if block.next().isValid() else self.document().firstBlock()
            after = 0

    def _choose(self, block: QTextBlock, start: int, length: int) -> None:
        cursor = QTextCursor(block)
        cursor.setPosition(block.position() + start)
        cursor.setPosition(block.position() + start + length, QTextCursor.MoveMode.KeepAnchor)
        self.setTextCursor(cursor)
        self.centerCursor()


class ReportDialog(Dialog):
    """Shows the very text that will be saved. Nothing is sent anywhere."""

    def __init__(
        self, written: Written, parent: QWidget | None = None, *, title: str = "", lead: str = ""
    ) -> None:
        said = say("gui.report-lead")
        super().__init__(title or say("gui.report-heading"), lead or said, parent)
        self.written = written
        self._before: list[Written] = []
        self.text = ReportView(written.text)
        self.text.copyAvailable.connect(self._offer)
        self.cut = Notice("note", _cut_text())
        self.cut.hide()
        self.news = Text(muted=True)
        self.row.insertWidget(0, self.news, 1)
        close = Button(say("gui.report-close-button"), self.reject)
        copy = Button(say("gui.copy-button"), self.copy)
        self.finish(self._middle(), close, copy, Button(say("gui.save-button"), self.ask))
        self.resize(line_height() * 42, line_height() * 32)
        self._offer(False)

    def _middle(self) -> QWidget:
        middle = QWidget()
        rows = QVBoxLayout(middle)
        rows.setContentsMargins(0, 0, 0, 0)
        rows.setSpacing(SPACE)
        rows.addWidget(self.text, 1)
        rows.addLayout(self._tools())
        rows.addWidget(self.cut)
        return middle

    def _tools(self) -> QHBoxLayout:
        self.leave = Button(say("gui.leave-out-button"), self.leave_out)
        self.back = Button(say("gui.put-back-button"), self.put_back)
        self.count = Text(muted=True)
        self.next = Link(say("gui.show-next-marked"), self.text.show_next_mark)
        row = QHBoxLayout()
        row.setSpacing(SPACE)
        middle = Qt.AlignmentFlag.AlignVCenter
        row.addWidget(self.count, 1, middle)
        for widget in (self.next, self.back, self.leave):
            row.addWidget(widget, 0, middle)
        return row

    def _offer(self, chosen: bool) -> None:
        self.leave.setEnabled(chosen)
        self.back.setEnabled(bool(self._before))
        count = sum(1 for line in self.written.text.split("\n") for _mark in marks(line))
        text = say("gui.places-marked", count=count)
        hint = say("gui.select-more")
        self.count.setText(f"{text} {hint}" if count else hint)
        self.next.setVisible(bool(count))

    def leave_out(self) -> None:
        """Whole lines go; words inside of a line are replaced wherever they stand."""
        if not self.text.textCursor().hasSelection():
            return
        words, text = self.text.words(), self.written.text
        if words and len(words) < SHORTEST:
            self._say(say("gui.select-at-least"))
            return
        changed = without_words(text, words) if words else without_lines(text, *self.text.lines())
        self._before.append(self.written)
        self._show(Written(changed))
        self._say(say("gui.left-out-everywhere") if words else say("gui.left-out"))

    def put_back(self) -> None:
        """As it was before the last time something was left out."""
        if self._before:
            self._show(self._before.pop())
            self._say(say("gui.put-back"))

    def _show(self, written: Written) -> None:
        self.written = written
        self.text.show_text(written.text)
        first = self._before[0] if self._before else written
        self.cut.setVisible(readable(first.text) and not readable(written.text))
        self._offer(False)

    def keyPressEvent(self, event: QKeyEvent) -> None:  # noqa: N802
        """Delete leaves out what is selected."""
        if event.key() in (Qt.Key.Key_Delete, Qt.Key.Key_Backspace):
            self.leave_out()
            return
        super().keyPressEvent(event)

    def copy(self) -> None:
        """The whole text to the clipboard."""
        QGuiApplication.clipboard().setText(self.written.text)
        self._say(say("gui.report-copied"))

    def ask(self) -> None:
        """Let the person choose a file, then save."""
        place = QStandardPaths.StandardLocation.DocumentsLocation
        ask = QFileDialog(self, say("gui.report-heading"), QStandardPaths.writableLocation(place))
        ask.setAcceptMode(QFileDialog.AcceptMode.AcceptSave)
        names = (
            say("gui.file-type-md"),
            say("gui.file-type-html"),
            say("gui.file-type-zip"),
        )
        ask.setNameFilters(names)
        ask.setDefaultSuffix("md")
        ask.filterSelected.connect(
            lambda kind: ask.setDefaultSuffix(("md", "html", "zip")[names.index(kind)])
        )
        ask.selectFile(self.written.name)
        ask.fileSelected.connect(lambda name: self.save(Path(name)))
        ask.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        ask.open()

    def save(self, path: Path) -> None:
        """Write the file that its name asks for; says so, or why it could not."""
        try:
            path.write_bytes(content(path, self.written))
        except OSError as trouble:
            reason = trouble.strerror or str(trouble)
            self._say(say("gui.not-saved", reason=reason))
            return
        self._say(say("gui.saved-as", file=path))

    def _say(self, text: str) -> None:
        self.news.setText(text)
        announce(self, text)


def _cut_text() -> str:
    return say("gui.data-cut-warning")


def crash_dialog(written: Written, parent: QWidget | None = None) -> ReportDialog:
    """What is shown after a bug of our own; the program ends with code 3 when it closes."""
    return ReportDialog(
        written,
        parent,
        title=say("gui.crash-heading"),
        lead=say("gui.crash-lead"),
    )
