"""Text that can be clicked: arrows that open and close, and quiet ways to somewhere else."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QRect, QSize, Qt
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QStyle, QStyleOptionToolButton, QToolButton, QVBoxLayout, QWidget

from cudnn_assistant.gui import theme
from cudnn_assistant.gui.text_widgets import line_height
from cudnn_assistant.gui.theme import SPACE


class DisclosureArrow(QToolButton):
    """A line of text with an arrow, to open and close something; lies flush with the text above."""

    def __init__(self, label: str, name: str) -> None:
        super().__init__()
        self.setText(label)
        self.setAccessibleName(name)
        self.setCheckable(True)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.toggled.connect(self.update)

    def sizeHint(self) -> QSize:  # noqa: N802
        """Arrow, text, and room for a finger."""
        text = self.fontMetrics().horizontalAdvance(self.text())
        return QSize(line_height() + text + SPACE, line_height() + SPACE)

    def paintEvent(self, _event: QPaintEvent) -> None:  # noqa: N802
        """The style's arrow and focus frame; no panel, so that it does not look pressed."""
        painter = QPainter(self)
        option = QStyleOptionToolButton()
        self.initStyleOption(option)
        side = line_height()
        kind = QStyle.PrimitiveElement
        arrow = kind.PE_IndicatorArrowDown if self.isChecked() else kind.PE_IndicatorArrowRight
        option.rect = QRect(-side // 5, (self.height() - side) // 2, side, side).adjusted(
            3, 3, -3, -3
        )
        self.style().drawPrimitive(arrow, option, painter, self)
        font = self.font()
        font.setUnderline(self.underMouse())
        painter.setFont(font)
        painter.setPen(self.palette().windowText().color())
        box = self.rect().adjusted(side, 0, 0, 0)
        painter.drawText(box, Qt.AlignmentFlag.AlignVCenter, self.text())
        theme.draw_focus(painter, self)


class Link(QToolButton):
    """A quiet way to somewhere else, at the end of a page."""

    def __init__(self, label: str, do: Callable[[], object]) -> None:
        super().__init__()
        self.setText(label)
        self.setAutoRaise(True)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.clicked.connect(lambda _checked: do())

    def sizeHint(self) -> QSize:  # noqa: N802
        """The text, and room for a finger."""
        text = self.fontMetrics().horizontalAdvance(self.text())
        return QSize(text + SPACE // 2, line_height() + SPACE)

    def paintEvent(self, _event: QPaintEvent) -> None:  # noqa: N802
        """Underlined text in the palette's own colour, in line with the text above."""
        painter = QPainter(self)
        font = self.font()
        font.setUnderline(True)
        painter.setFont(font)
        painter.setPen(self.palette().windowText().color())
        painter.drawText(self.rect(), Qt.AlignmentFlag.AlignVCenter, self.text())
        theme.draw_focus(painter, self)


class Disclosure(DisclosureArrow):
    """Opens and closes what is behind it, which is made when first opened."""

    def __init__(
        self, label: str, name: str, rows: QVBoxLayout, make: Callable[[], QWidget]
    ) -> None:
        super().__init__(label, name)
        self._rows = rows
        self._make = make
        self.body: QWidget | None = None
        self.toggled.connect(self._open)

    def _open(self, wide: bool) -> None:
        if self.body is None:
            self.body = self._make()
            self._rows.addWidget(self.body)
            self._tab_through(self.body)
        self.body.setVisible(wide)

    def _tab_through(self, body: QWidget) -> None:
        """Tab reaches what was opened next, not last of all."""
        last: QWidget = self
        for child in (body, *body.findChildren(QWidget)):
            if child.focusPolicy() & Qt.FocusPolicy.TabFocus:
                QWidget.setTabOrder(last, child)
                last = child
