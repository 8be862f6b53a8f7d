"""What pages are built from: marks, cards, buttons, notices, bars of progress."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator
from functools import partial
from itertools import pairwise

from PySide6.QtCore import QRectF, QSize, Qt, QTimer
from PySide6.QtGui import (
    QAccessible,
    QGuiApplication,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPen,
    QShowEvent,
)
from PySide6.QtWidgets import (
    QAbstractButton,
    QApplication,
    QFrame,
    QLayout,
    QProgressBar,
    QPushButton,
    QScrollArea,
    QWidget,
)

from cudnn_assistant.gui import theme
from cudnn_assistant.gui.layouts import Column, Line, Part
from cudnn_assistant.gui.text_widgets import Text, announce, is_read_as, line_height
from cudnn_assistant.gui.theme import SPACE, Look
from cudnn_assistant.wording import say

ENTER = (Qt.Key.Key_Return, Qt.Key.Key_Enter)


class Mark(QWidget):
    """A status icon that also has a word for it."""

    def __init__(self, look: Look, size: float = 1.4) -> None:
        """``size``: how many times as tall as a line of text."""
        super().__init__()
        self._turn = 0
        self._timer = QTimer(self)
        self._timer.timeout.connect(self._step)
        is_read_as(self, QAccessible.Role.Graphic)
        side = round(line_height() * size)
        self.setFixedSize(side, side)
        self.show_look(look)

    def show_look(self, look: Look) -> None:
        """Show another status."""
        self.look = look
        word = say(f"gui.mark-{look}")  # for those who don't see it
        self.setAccessibleName(word)
        self.setToolTip(word)
        if look == "busy" and theme.motion():
            self._timer.start(80)
        else:
            self._timer.stop()
        self.update()

    def _step(self) -> None:
        self._turn = (self._turn + 30) % 360
        self.update()

    def paintEvent(self, _event: QPaintEvent) -> None:  # noqa: N802
        """Draw the icon in the colours of the palette."""
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        palette = self.palette()
        colour, paper = theme.status(self.look, palette), theme.card(palette)
        box = QRectF(self.rect())
        painter.translate(box.center())
        painter.rotate(self._turn if self.look == "busy" else 0)
        painter.translate(-box.center())
        theme.drawing(self.look, colour.name(), paper.name()).render(painter, box)
        painter.end()


class Card(QFrame):
    """A box that groups what belongs to one thing."""

    def __init__(self, *parts: Part, gap: int = SPACE) -> None:
        super().__init__()
        self.rows = Column(*parts, inside=self, gap=gap, margin=(2 * SPACE,) * 4)

    def paintEvent(self, _event: QPaintEvent) -> None:  # noqa: N802
        """A rounded box in the palette's content colour with a quiet border."""
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(QPen(theme.hairline(self.palette()), 1))
        painter.setBrush(theme.card(self.palette()))
        painter.drawRoundedRect(QRectF(self.rect()).adjusted(0.5, 0.5, -0.5, -0.5), 6, 6)
        painter.end()


class Scrolled(QScrollArea):
    """What is as tall as it likes; Tab passes it by."""

    def __init__(self, inside: QWidget) -> None:
        super().__init__()
        self.setWidget(inside)
        self.setWidgetResizable(True)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)


def pressed(event: QKeyEvent, focus: QWidget | None) -> bool:
    """Enter presses the button that has the focus, as Space does. Whether it did."""
    if isinstance(focus, QAbstractButton) and event.key() in ENTER:
        focus.click()
        return True
    return False


def tab_as_read(page: QWidget) -> None:
    """Tab walks through what is in its layouts as that is read, whenever it came there."""
    found = [one for one in _as_read(page) if one.focusPolicy() & Qt.FocusPolicy.TabFocus]
    for one, following in pairwise(found):
        QWidget.setTabOrder(one, following)


def _as_read(part: QWidget | QLayout | None) -> Iterator[QWidget]:
    if isinstance(part, QLayout):
        items = filter(None, map(part.itemAt, range(part.count())))
        for item in items:
            yield from _as_read(item.layout() or item.widget())
    elif part is not None:
        yield part
        yield from _as_read(part.widget() if isinstance(part, QScrollArea) else part.layout())


def discard(widget: QWidget) -> None:
    """Take a widget away for good, at once."""
    # Hidden first: a layout shows what was put in a moment ago, even once it has no parent.
    widget.hide()
    widget.setParent(None)
    widget.deleteLater()


def empty(layout: QLayout) -> None:
    """Take away all that is in a layout."""
    while (item := layout.takeAt(0)) is not None:
        if (widget := item.widget()) is not None:
            discard(widget)


class Button(QPushButton):
    """A push button with room around its words.

    The second click of a double click is for what stood here before: on another page in its place
    it would say yes to what nobody has read.
    """

    def __init__(self, text: str, do: Callable[[], object], *, name: str = "") -> None:
        super().__init__(text)
        self._seen = math.inf
        """When it was first seen; it never comes twice."""
        self.setAutoDefault(False)
        if name:
            self.setAccessibleName(name)
        # Qt would hand over whether it is checked.
        self.clicked.connect(lambda _checked: do())

    def sizeHint(self) -> QSize:  # noqa: N802
        """Roomier than the style's own, so that a click is easy to land."""
        hint = super().sizeHint()
        least = 8 * line_height() // 2
        return QSize(max(least, hint.width() + 2 * SPACE), hint.height() + SPACE // 2)

    def width_with(self, text: str) -> int:
        """How wide it wants to be with another text."""
        measure = partial(self.fontMetrics().size, Qt.TextFlag.TextShowMnemonic)
        return self.sizeHint().width() + measure(text).width() - measure(self.text()).width()

    def mousePressEvent(self, event: QMouseEvent) -> None:  # noqa: N802
        """Only what can have been meant."""
        if time.monotonic() - self._seen > QApplication.doubleClickInterval() / 1000:
            super().mousePressEvent(event)

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: N802
        """Fusion's own frame of the focus is a hair."""
        super().paintEvent(event)
        self._seen = min(self._seen, time.monotonic())
        if self.style().name() == "fusion":
            theme.draw_focus(self)


class CopyButton(Button):
    """Copies commands, and says that it did."""

    def __init__(self, text: str) -> None:
        super().__init__(say("gui.copy"), self._copy, name=say("gui.copy-commands"))
        self._text = text

    def _copy(self) -> None:
        QGuiApplication.clipboard().setText(self._text)
        self.setText(say("gui.copied"))
        announce(self, say("gui.copied"))
        QTimer.singleShot(2000, self, lambda: self.setText(say("gui.copy")))


FLAT = (2 * SPACE, SPACE + 4, 2 * SPACE, SPACE + 4)
"""Margins of a card that holds one line."""


class Notice(Card):
    """Lasting news inside a page: an icon, a sentence, perhaps one action. A screen reader says it
    as it comes, after the answer that it belongs to.
    """

    def __init__(
        self, look: Look, text: str, label: str = "", do: Callable[[], object] | None = None
    ) -> None:
        super().__init__()
        self.rows.setContentsMargins(*FLAT)
        buttons = [Button(label, do, name=f"{label}: {text}")] if do else []
        mark = Mark(look)
        self._left = mark.width() + SPACE + 4
        self.rows.addLayout(Line(mark, Text(text), *buttons, wide=1, gap=SPACE + 4))
        self.setAccessibleName(text)

    def showEvent(self, event: QShowEvent) -> None:  # noqa: N802
        """It has come; not only the window is back."""
        super().showEvent(event)
        if not event.spontaneous():
            QTimer.singleShot(0, self, lambda: announce(self, self.accessibleName()))

    def below(self) -> Column:
        """Room for more, in line with the sentence."""
        rows = Column(margin=(self._left, 0, 0, 0))
        self.rows.addLayout(rows)
        return rows


class ShareBar(QProgressBar):
    """How much is done; or, where nobody knows, that work goes on."""

    def __init__(self, name: str, *, share: bool = True) -> None:
        super().__init__()
        self.setTextVisible(False)
        self.setFixedHeight(SPACE)
        self.setAccessibleName(name)
        # A range of nothing is a bar in motion; where no motion is wanted it stands still.
        self.setRange(0, 1000 if share or not theme.motion() else 0)

    def show_share(self, share: float) -> None:
        """How much is done, 0 to 1."""
        # Else it would be painted at once, and with it all else that waits to be.
        self.setUpdatesEnabled(False)
        self.setRange(0, 1000)
        self.setValue(round(1000 * share))
        self.setUpdatesEnabled(True)
