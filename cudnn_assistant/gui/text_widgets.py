"""Texts: labels that wrap anywhere, listings to copy from, and what a screen reader says."""

from __future__ import annotations

import math
from collections.abc import Sequence

from PySide6.QtCore import QPointF, QSize, Qt
from PySide6.QtGui import (
    QAccessible,
    QAccessibleAnnouncementEvent,
    QFont,
    QFontMetrics,
    QGuiApplication,
    QPainter,
    QPaintEvent,
    QPalette,
    QTextLayout,
    QTextOption,
)
from PySide6.QtWidgets import (
    QApplication,
    QFrame,
    QLabel,
    QPlainTextEdit,
    QSizePolicy,
    QWidget,
)

from cudnn_assistant.gui import theme
from cudnn_assistant.gui.access import is_read_as
from cudnn_assistant.gui.theme import SPACE
from cudnn_assistant.wording import say


def line_height() -> int:
    """Height of a line in the application's font."""
    return QFontMetrics(QApplication.font()).height()


def announce(source: QWidget, text: str, *, now: bool = False) -> None:
    """Let a screen reader say ``text``: politely, or ``now`` for a verdict."""
    if not QAccessible.isActive() or not text:
        return
    event = QAccessibleAnnouncementEvent(source, text)
    manners = QAccessible.AnnouncementPoliteness
    event.setPoliteness(manners.Assertive if now else manners.Polite)
    QAccessible.updateAccessibility(event)


def wrapped(text: str, font: QFont, width: float, spacing: float = 1.0) -> QTextLayout:
    """``text`` laid out in lines of ``width``, broken at words and, where it must be, inside."""
    option = QTextOption()
    option.setWrapMode(QTextOption.WrapMode.WrapAtWordBoundaryOrAnywhere)
    lines = QTextLayout(text.replace("\n", "\u2028"), font)
    lines.setTextOption(option)
    lines.beginLayout()
    height = 0.0
    while (line := lines.createLine()).isValid():
        line.setLineWidth(width)
        line.setPosition(QPointF(0, height))
        height += math.ceil(line.height() * spacing)
    lines.endLayout()
    return lines


def height_of(lines: QTextLayout) -> int:
    """The height of all lines."""
    count = lines.lineCount()
    if not count:
        return 0
    last = lines.lineAt(count - 1)
    return math.ceil(last.y() + last.height())


class Text(QLabel):
    """Plain text that wraps at words, and inside a word (a path) where it must.

    QLabel alone wraps at spaces only: one long path would widen the page or be cut off.
    """

    def __init__(
        self,
        text: str = "",
        *,
        size: float = 1.0,
        bold: bool = False,
        muted: bool = False,
        fixed: bool = False,
    ) -> None:
        super().__init__(text)
        self._muted = muted
        self._lines: QTextLayout | None = None
        self._width = -1.0
        self.setTextFormat(Qt.TextFormat.PlainText)
        self.setFont(theme.font(size, bold=bold, fixed=fixed))
        # QLabel keeps its height-for-width policy through setText only when it wraps by itself.
        self.setWordWrap(True)
        self.setContextMenuPolicy(Qt.ContextMenuPolicy.ActionsContextMenu)
        self.addAction(say("gui.copy"), lambda: QGuiApplication.clipboard().setText(self.text()))

    def setText(self, text: str) -> None:  # noqa: N802
        """Show another text."""
        self._width = -1.0
        super().setText(text)
        self.updateGeometry()

    def setFont(self, font: QFont | str | Sequence[str]) -> None:  # noqa: N802
        """Write in another font."""
        self._width = -1.0
        super().setFont(font)

    def emphasise(self, on: bool) -> None:
        """Bold, in the colour of first-rank text; or plain, in that of second rank."""
        font = self.font()
        font.setWeight(QFont.Weight.DemiBold if on else QFont.Weight.Normal)
        self._muted = not on
        self.setFont(font)

    def _laid_out(self, width: float) -> QTextLayout:
        if self._lines is not None and self._width == width:
            return self._lines
        # A little more than the font's own leading: calm text, and room for accents.
        self._lines = wrapped(self.text(), self.font(), width, 1.12)
        self._width = width
        return self._lines

    def _height(self, width: float) -> int:
        return height_of(self._laid_out(width))

    def _natural(self) -> int:
        measure = self.fontMetrics()
        longest = max(measure.horizontalAdvance(part) for part in self.text().split("\n"))
        return longest + 2

    def heightForWidth(self, width: int) -> int:  # noqa: N802
        """The height that all lines need at this width."""
        return self._height(max(1, width))

    def sizeHint(self) -> QSize:  # noqa: N802
        """One line, but not wider than some sixty letters."""
        width = min(self._natural(), self.fontMetrics().averageCharWidth() * 60)
        return QSize(width, self._height(width))

    def minimumSizeHint(self) -> QSize:  # noqa: N802
        """Wide enough for a short word; taller when that is all there is."""
        width = min(self._natural(), self.fontMetrics().averageCharWidth() * 8)
        return QSize(width, self.fontMetrics().height())

    def paintEvent(self, _event: QPaintEvent) -> None:  # noqa: N802
        """Draw the lines in the palette's colour, and the focus where it is."""
        painter = QPainter(self)
        palette = self.palette()
        painter.setPen(theme.muted(palette) if self._muted else palette.windowText().color())
        self._laid_out(float(self.width())).draw(painter, QPointF(0, 0))
        theme.draw_focus(painter, self)


class Title(Text):
    """The page's answer. Focus lands here for screen readers, and only for them."""

    def __init__(self, text: str) -> None:
        super().__init__(text, size=1.6, bold=True)
        self.setAccessibleName(text)
        is_read_as(self, QAccessible.Role.Heading)
        if QAccessible.isActive():
            self.setFocusPolicy(Qt.FocusPolicy.TabFocus)

    def setText(self, text: str) -> None:  # noqa: N802
        """Another answer, for eyes and ears."""
        super().setText(text)
        self.setAccessibleName(text)


class Listing(QPlainTextEdit):
    """Text to read and copy whole: paths, codes, commands. As tall as it needs to be."""

    def __init__(self, text: str, name: str) -> None:
        super().__init__(text)
        self.setReadOnly(True)
        self.setTabChangesFocus(True)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setFont(theme.font(0.95, fixed=True))
        self.setWordWrapMode(QTextOption.WrapMode.WrapAtWordBoundaryOrAnywhere)
        self.setTextInteractionFlags(
            Qt.TextInteractionFlag.TextSelectableByMouse
            | Qt.TextInteractionFlag.TextSelectableByKeyboard
        )
        self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        policy = QSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Preferred)
        policy.setHeightForWidth(True)
        self.setSizePolicy(policy)
        self.document().setDocumentMargin(SPACE)
        self.viewport().setBackgroundRole(QPalette.ColorRole.Window)
        self.setAccessibleName(name)

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: N802
        """The text, and the frame of the focus."""
        super().paintEvent(event)
        theme.draw_focus(QPainter(self.viewport()), self)

    def hasHeightForWidth(self) -> bool:  # noqa: N802
        """Narrower means taller."""
        return True

    def heightForWidth(self, width: int) -> int:  # noqa: N802
        """All lines at this width."""
        room = max(1.0, width - 2 * self.document().documentMargin())
        lines = wrapped(self.toPlainText(), self.font(), room)
        return height_of(lines) + math.ceil(2 * self.document().documentMargin()) + 2

    def sizeHint(self) -> QSize:  # noqa: N802
        """All lines, at the present width."""
        return QSize(super().sizeHint().width(), self.heightForWidth(self.width()))

    def minimumSizeHint(self) -> QSize:  # noqa: N802
        """Any width; at least a line."""
        return QSize(0, self.heightForWidth(10_000))
