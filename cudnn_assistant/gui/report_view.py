"""The text of a report and the lines that were pasted for it, to be read and selected."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QEvent, Qt
from PySide6.QtGui import (
    QSyntaxHighlighter,
    QTextBlock,
    QTextCharFormat,
    QTextCursor,
)
from PySide6.QtWidgets import QListWidget, QListWidgetItem, QPlainTextEdit

from cudnn_assistant.gui import theme
from cudnn_assistant.gui.redaction_by_hand import marks
from cudnn_assistant.gui.text_widgets import ReadOnly, line_height
from cudnn_assistant.report.redaction import Line
from cudnn_assistant.visible import visible
from cudnn_assistant.wording import say


class Marker(QSyntaxHighlighter):
    """Marks the places where a name or a secret was left out."""

    def __init__(self, view: QPlainTextEdit) -> None:
        super().__init__(view.document())
        self._view = view

    def _look(self) -> QTextCharFormat:
        look, palette = QTextCharFormat(), self._view.palette()
        look.setFontUnderline(True)
        look.setFontWeight(700)
        if not theme.high_contrast(palette):
            ground, text = palette.base().color(), theme.status("note", palette)
            look.setBackground(theme.blend(text, ground, 0.16))
        return look

    def highlightBlock(self, text: str) -> None:  # noqa: N802
        """One line."""
        for start, length in marks(text):
            self.setFormat(start, length, self._look())


class ReportView(ReadOnly):
    """The text of a report."""

    def __init__(self, text: str) -> None:
        super().__init__(text, say("gui.report-text-label"))
        self._marker = Marker(self)

    def changeEvent(self, event: QEvent) -> None:  # noqa: N802
        """The marks follow another palette."""
        super().changeEvent(event)
        if event.type() == QEvent.Type.PaletteChange:
            self._marker.rehighlight()

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


class PastedLines(QListWidget):
    """The person's own lines in which something is left out, to be put back one by one."""

    def __init__(self, lines: Sequence[Line]) -> None:
        super().__init__()
        self.setAccessibleName(say("gui.pasted-lines-label"))
        self.setFont(theme.font(0.95, fixed=True))
        self.setWordWrap(True)
        self.setSizeAdjustPolicy(QListWidget.SizeAdjustPolicy.AdjustToContents)
        self.setSpacing(1)
        self.setMaximumHeight(line_height() * 9)
        for line in lines:
            item = QListWidgetItem(f"{line.number}: {visible(line.pasted)}", self)
            item.setData(Qt.ItemDataRole.UserRole, line.number)
            item.setFlags(item.flags() | Qt.ItemFlag.ItemIsUserCheckable)
            item.setCheckState(Qt.CheckState.Unchecked)

    def kept(self) -> list[int]:
        """Numbers of the lines that are to be as they were pasted."""
        items = map(self.item, range(self.count()))
        checked = (item for item in items if item.checkState() == Qt.CheckState.Checked)
        return [item.data(Qt.ItemDataRole.UserRole) for item in checked]
