"""The list of one change: lines with a sign and a word, walked with arrow keys, copied whole."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QPointF, QRect, QSize, Qt
from PySide6.QtGui import (
    QFocusEvent,
    QFont,
    QFontMetricsF,
    QGuiApplication,
    QKeyEvent,
    QKeySequence,
    QPainter,
    QPaintEvent,
    QPalette,
    QResizeEvent,
)
from PySide6.QtWidgets import (
    QListWidget,
    QListWidgetItem,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
)

from cudnn_assistant.gui import theme
from cudnn_assistant.gui.text_widgets import height_of, show_whole, wrapped
from cudnn_assistant.gui.theme import SPACE
from cudnn_assistant.plan import ChangeLine
from cudnn_assistant.wording import say

LINE = Qt.ItemDataRole.UserRole
SIGNS = {"+": "ok", "-": "bad", " ": ""}


@dataclass(frozen=True)
class Folded:
    """A run of lines that stay as they are, shown as one."""

    count: int


Shown = ChangeLine | Folded


def fold(lines: Sequence[ChangeLine]) -> list[Shown]:
    """The lines that differ, each with its neighbour; runs of others become one line.

    A run of one is not folded: it would save nothing.
    """
    near = {at + step for at, line in enumerate(lines) if line.sign != " " for step in (-1, 0, 1)}
    result: list[Shown] = []
    for differs, places in groupby(range(len(lines)), near.__contains__):
        run = [lines[at] for at in places]
        result += run if differs or len(run) < 2 else [Folded(len(run))]
    return result


def accessible_text(line: Shown) -> str:
    """A line as a screen reader says it: the sign as a word."""
    if isinstance(line, Folded):
        return say("gui.more-unchanged", count=line.count)
    sign = {"+": say("gui.added"), "-": say("gui.removed"), " ": say("gui.unchanged")}[line.sign]
    return f"{sign}: {line.text}" + (f", {line.note}" if line.note else "")


class _Painter(QStyledItemDelegate):
    """Draws sign, text and note; the text wraps anywhere, so that no path is cut."""

    def __init__(self, view: QListWidget) -> None:
        super().__init__(view)
        self._view = view
        self._fixed = theme.font(0.95, fixed=True)
        self._plain = theme.font(0.95)
        self._sign = theme.font(1.1, bold=True)

    def _parts(self, line: Shown) -> tuple[str, str, str, QFont]:
        if isinstance(line, Folded):
            return "", "… " + accessible_text(line), "", self._plain
        return line.sign.strip(), line.text, line.note, self._fixed

    def _columns(self, note: str, width: int) -> tuple[int, int, int]:
        sign = math.ceil(QFontMetricsF(self._sign).horizontalAdvance("+")) + SPACE
        wanted = math.ceil(QFontMetricsF(self._plain).horizontalAdvance(note)) + 2 * SPACE + 2
        right = min(wanted, width // 3) if note else 0
        return sign, max(5 * SPACE, width - sign - right - SPACE), right

    def height(self, line: Shown, width: int) -> int:
        """The height of a line of the list, wrapped at this width."""
        _sign, text, note, font = self._parts(line)
        _left, middle, right = self._columns(note, width)
        height = height_of(wrapped(text, font, middle))
        if note:
            height = max(height, height_of(wrapped(note, self._plain, right - 2 * SPACE)))
        return height + SPACE - 2

    def sizeHint(  # noqa: N802
        self, _option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex
    ) -> QSize:
        """As tall as the wrapped text or its note."""
        width = self._view.viewport().width()
        return QSize(width, self.height(index.data(LINE), width))

    def paint(
        self,
        painter: QPainter,
        option: QStyleOptionViewItem,
        index: QModelIndex | QPersistentModelIndex,
    ) -> None:
        """One line of the list."""
        sign, text, note, font = self._parts(index.data(LINE))
        box: QRect = option.rect
        palette: QPalette = option.palette
        state: QStyle.StateFlag = option.state
        chosen = bool(state & QStyle.StateFlag.State_Selected) and self._view.hasFocus()
        painter.save()
        if chosen:
            painter.fillRect(box, palette.highlight())
        first = palette.highlightedText().color() if chosen else palette.windowText().color()
        quiet = first if chosen else theme.muted(palette)
        left, middle, right = self._columns(note, box.width())
        top = box.top() + SPACE / 2 - 1
        coloured = theme.status(SIGNS[sign or " "], palette) if sign and not chosen else first
        columns = (
            ("−" if sign == "-" else sign, self._sign, SPACE / 2, left, coloured, top - 2),
            (text, font, SPACE / 2 + left, middle, first if sign else quiet, top),
            (note, self._plain, left + middle + 2 * SPACE, right - 2 * SPACE, quiet, top),
        )
        for words, letters, start, width, colour, y in columns:
            x = start
            if option.direction == Qt.LayoutDirection.RightToLeft:
                x = box.width() - start - width
            painter.setPen(colour)
            if words:
                wrapped(words, letters, width).draw(painter, QPointF(box.left() + x, y))
        painter.restore()


class DiffList(QListWidget):
    """The lines of one change. Arrow keys walk, Ctrl+C copies what is selected."""

    def __init__(self, lines: Sequence[ChangeLine], name: str) -> None:
        super().__init__()
        self._all = list(lines)
        self._painter = _Painter(self)
        self.setItemDelegate(self._painter)
        self.setSelectionMode(QListWidget.SelectionMode.ExtendedSelection)
        show_whole(self)
        self.setTabKeyNavigation(False)
        self.viewport().setAutoFillBackground(False)
        self.setAccessibleName(name)
        self.show_all(False)

    @property
    def folded(self) -> bool:
        """Whether folding hides anything."""
        return len(fold(self._all)) < len(self._all)

    def show_all(self, whole: bool) -> None:
        """Show every line, or only those that differ and their neighbours."""
        self.clear()
        for line in self._all if whole else fold(self._all):
            item = QListWidgetItem(self)
            item.setData(LINE, line)
            item.setData(Qt.ItemDataRole.AccessibleTextRole, accessible_text(line))
        self.updateGeometry()

    def focusInEvent(self, event: QFocusEvent) -> None:  # noqa: N802
        """The focus is seen from the first moment on: a line has it."""
        super().focusInEvent(event)
        if self.currentRow() < 0:
            self.setCurrentRow(0)

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: N802
        """The lines, and the frame of the focus."""
        super().paintEvent(event)
        theme.draw_focus(self, self.viewport())

    def resizeEvent(self, event: QResizeEvent) -> None:  # noqa: N802
        """Another width wraps the lines elsewhere."""
        super().resizeEvent(event)
        if event.oldSize().width() != event.size().width():
            self.scheduleDelayedItemsLayout()

    def heightForWidth(self, width: int) -> int:  # noqa: N802
        """All lines; the page scrolls, the list doesn't."""
        lines = [self.item(row).data(LINE) for row in range(self.count())]
        return sum(self._painter.height(line, width) for line in lines) + 2

    def sizeHint(self) -> QSize:  # noqa: N802
        """All lines, at the present width."""
        return QSize(super().sizeHint().width(), self.heightForWidth(self.width()))

    def minimumSizeHint(self) -> QSize:  # noqa: N802
        """Any width; at least as tall as its lines when nothing wraps."""
        return QSize(0, self.heightForWidth(10_000))

    def keyPressEvent(self, event: QKeyEvent) -> None:  # noqa: N802
        """Ctrl+C copies the paths that are selected, without signs and notes."""
        if event.matches(QKeySequence.StandardKey.Copy):
            chosen = [item.data(LINE) for item in self.selectedItems()]
            texts = [line.text for line in chosen if isinstance(line, ChangeLine)]
            QGuiApplication.clipboard().setText("\n".join(texts))
            return
        super().keyPressEvent(event)
