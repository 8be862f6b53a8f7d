"""Texts: labels that wrap anywhere, listings to copy from, and what a screen reader says."""

from __future__ import annotations

import math
import re

from PySide6.QtCore import QEvent, QObject, QPointF, QSize, Qt
from PySide6.QtGui import (
    QAccessible,
    QAccessibleAnnouncementEvent,
    QAccessibleInterface,
    QFont,
    QFontMetrics,
    QGuiApplication,
    QKeyEvent,
    QKeySequence,
    QPainter,
    QPaintEvent,
    QPalette,
    QTextLayout,
    QTextOption,
)
from PySide6.QtWidgets import (
    QAbstractScrollArea,
    QAccessibleWidget,
    QApplication,
    QFrame,
    QLabel,
    QPlainTextEdit,
    QSizePolicy,
    QStyleOption,
    QWidget,
)

from cudnn_assistant.gui import theme
from cudnn_assistant.gui.theme import SPACE
from cudnn_assistant.wording import say


def line_height() -> int:
    """Height of a line in the application's font."""
    return QFontMetrics(QApplication.font()).height()


def page_edge(width: int) -> int:
    """Left and right of what stands on a page of this width, its buttons included.

    Lines longer than 62 times their height are hard to read: a wide window has them in the middle.
    """
    return 4 * SPACE + max(0, width - line_height() * 62) // 2


def announce(source: QWidget, text: str, *, now: bool = False) -> None:
    """Let a screen reader say ``text``: politely, or ``now`` for a verdict."""
    if not QAccessible.isActive() or not text:
        return
    event = QAccessibleAnnouncementEvent(source, text)
    manners = QAccessible.AnnouncementPoliteness
    event.setPoliteness(manners.Assertive if now else manners.Polite)
    QAccessible.updateAccessibility(event)


ROLE = "accessible role"
"""The property of a widget that holds its role, where that isn't Qt's own."""


def tell_roles() -> None:
    """From now on widgets are what :func:`is_read_as` says. Once for a program."""
    QAccessible.installFactory(_interface)


def is_read_as(widget: QWidget, role: QAccessible.Role) -> None:
    """A heading is a heading, a drawing a graphic; its name is the widget's accessible name."""
    widget.setProperty(ROLE, role.value)


def _interface(_key: str, widget: QObject) -> QAccessibleInterface | None:
    if not isinstance(widget, QWidget) or (role := widget.property(ROLE)) is None:
        return None
    told = QAccessibleWidget(widget, QAccessible.Role(role))
    # Qt keeps the interface, Python would let it go; it ends with its widget.
    widget.told = told  # type: ignore[attr-defined]
    return told


def wrapped(text: str, font: QFont, width: float) -> QTextLayout:
    """``text`` laid out in lines of ``width``, broken at words and, where it must be, inside.

    The lines begin where reading begins.
    """
    option = QTextOption()
    option.setWrapMode(QTextOption.WrapMode.WrapAtWordBoundaryOrAnywhere)
    if QGuiApplication.isRightToLeft():
        # A path is read from left to right there, too; only its place is another.
        option.setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignAbsolute)
    lines = QTextLayout(text.replace("\n", "\u2028"), font)
    lines.setTextOption(option)
    lines.beginLayout()
    height = 0.0
    while (line := lines.createLine()).isValid():
        line.setLineWidth(width)
        line.setPosition(QPointF(0, height))
        height += math.ceil(line.height())
    lines.endLayout()
    return lines


def height_of(lines: QTextLayout) -> int:
    """The height of all lines."""
    count = lines.lineCount()
    if not count:
        return 0
    last = lines.lineAt(count - 1)
    return math.ceil(last.y() + last.height())


_BREAK = "\u200b"
"""Takes no room and lets a line end: after the marks of a path, and inside of what is too long.
A number, a size or a version, stays whole."""
_AFTER = re.compile(r"(?<=[\\/_.=;,@])(?=\w)(?!(?<=\d[.,])\d)")
_CLOSE = rf"[^\s{_BREAK}\u2e80-\u9fff\uf900-\ufaff\uff00-\uffef]"
"""What no line ends behind by itself; among Chinese and Japanese signs it may, by their rules."""
_TOO_LONG = re.compile(rf"{_CLOSE}{{24}}(?={_CLOSE})")
_JOIN = "\u2060"
"""Takes no room, and no line ends there: behind the signs of a command's option."""
_OPTION = re.compile(r"(?<!\S)--?(?=\w)")


def breakable(text: str) -> str:
    """``text`` with places where a long path may go on in the next line, and no option may."""
    text = _OPTION.sub(lambda signs: signs[0] + _JOIN, text)
    return _TOO_LONG.sub(lambda run: run[0] + _BREAK, _AFTER.sub(_BREAK, text))


class Text(QLabel):
    """Plain text that wraps at words, and inside a word (a path) where it must.

    It can be selected and copied, and what is copied is the text alone.
    """

    def __init__(
        self,
        text: str = "",
        *,
        size: float = 1.0,
        bold: bool = False,
        muted: bool = False,
    ) -> None:
        super().__init__()
        self._muted = muted
        self.setTextFormat(Qt.TextFormat.PlainText)
        self.setFont(theme.font(size, bold=bold))
        self.setWordWrap(True)
        self.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self.setText(text)
        self.setContextMenuPolicy(Qt.ContextMenuPolicy.ActionsContextMenu)
        self.addAction(say("gui.copy"), self.copy)
        self._colour()

    def text(self) -> str:
        """The text as it was given."""
        return self._text

    def setText(self, text: str) -> None:  # noqa: N802
        """Show another text."""
        self._text = text
        self.setAccessibleName(text)
        super().setText(breakable(text))
        # Where there is text, a click may begin to select it.
        if not self.focusPolicy() & Qt.FocusPolicy.TabFocus:
            click = Qt.FocusPolicy.ClickFocus if self._text else Qt.FocusPolicy.NoFocus
            self.setFocusPolicy(click)

    def copy(self) -> None:
        """What is selected goes to the clipboard, or all of it."""
        chosen = re.sub(f"[{_BREAK}{_JOIN}]", "", self.selectedText()).replace("\u2029", "\n")
        QGuiApplication.clipboard().setText(chosen or self._text)

    def _colour(self) -> None:
        palette, quiet = self.palette(), theme.muted(QApplication.palette(self))
        if self._muted and palette.windowText().color() != quiet:
            palette.setColor(QPalette.ColorRole.WindowText, quiet)
            self.setPalette(palette)

    def changeEvent(self, event: QEvent) -> None:  # noqa: N802
        """Second-rank text follows another palette."""
        super().changeEvent(event)
        if event.type() == QEvent.Type.ApplicationPaletteChange:
            self._colour()

    def keyPressEvent(self, event: QKeyEvent) -> None:  # noqa: N802
        """Ctrl+C copies what is selected, as it was written."""
        if event.matches(QKeySequence.StandardKey.Copy):
            self.copy()
            return
        super().keyPressEvent(event)

    def sizeHint(self) -> QSize:  # noqa: N802
        """One line, but not wider than some sixty letters."""
        measure = self.fontMetrics()
        longest = max(measure.horizontalAdvance(part) for part in self._text.split("\n"))
        width = min(longest + 2, measure.averageCharWidth() * 60)
        return QSize(width, self.heightForWidth(width))

    def minimumSizeHint(self) -> QSize:  # noqa: N802
        """Wide enough for a short word; taller when that is all there is."""
        width = min(self.sizeHint().width(), self.fontMetrics().averageCharWidth() * 8)
        return QSize(width, self.fontMetrics().height())

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: N802
        """The text, and the focus where it is."""
        super().paintEvent(event)
        if self.focusPolicy() & Qt.FocusPolicy.TabFocus:
            theme.draw_focus(self)


class Title(Text):
    """The page's answer. Focus lands here for screen readers, and only for them."""

    def __init__(self, text: str) -> None:
        super().__init__(text, size=1.6, bold=True)
        is_read_as(self, QAccessible.Role.Heading)
        if QAccessible.isActive():
            self.setFocusPolicy(Qt.FocusPolicy.TabFocus)


def show_whole(view: QAbstractScrollArea) -> None:
    """As tall as what is in it at its width: the page scrolls, the view doesn't."""
    view.setFrameShape(QFrame.Shape.NoFrame)
    view.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
    view.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
    policy = QSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Preferred)
    policy.setHeightForWidth(True)
    view.setSizePolicy(policy)


class ReadOnly(QPlainTextEdit):
    """Text to read, walk, select and copy, never typed into: paths, codes, commands."""

    def __init__(self, text: str, name: str) -> None:
        super().__init__(text)
        self.setReadOnly(True)
        self.setTabChangesFocus(True)
        self.setFont(theme.font(0.95, fixed=True))
        self.setWordWrapMode(QTextOption.WrapMode.WrapAtWordBoundaryOrAnywhere)
        self.setTextInteractionFlags(
            Qt.TextInteractionFlag.TextSelectableByMouse
            | Qt.TextInteractionFlag.TextSelectableByKeyboard
        )
        self.setAccessibleName(name)


class Listing(ReadOnly):
    """The same, as tall as it needs to be."""

    def __init__(self, text: str, name: str) -> None:
        super().__init__(text, name)
        show_whole(self)
        self.document().setDocumentMargin(SPACE)
        self.viewport().setBackgroundRole(QPalette.ColorRole.Window)

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: N802
        """The text, and the frame of the focus; in high contrast always one."""
        super().paintEvent(event)
        painter, option = QPainter(self.viewport()), QStyleOption()
        option.initFrom(self)
        theme.draw_edge(painter, option, self.viewport().rect())
        painter.end()
        theme.draw_focus(self, self.viewport())

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
