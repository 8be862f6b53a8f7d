"""Text that can be clicked: arrows that open and close, and quiet ways to somewhere else."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QRect, QSize, Qt, Signal
from PySide6.QtGui import QMouseEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import QStyle, QStyleOptionToolButton, QToolButton, QVBoxLayout, QWidget

from cudnn_assistant.gui import theme
from cudnn_assistant.gui.layouts import Column, Line
from cudnn_assistant.gui.text_widgets import Text, line_height
from cudnn_assistant.gui.theme import SPACE, Look
from cudnn_assistant.gui.widgets import Mark
from cudnn_assistant.wording import say


class Link(QToolButton):
    """A quiet way to somewhere else: underlined text, pressed by a click, Enter or Space."""

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

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:  # noqa: N802
        """The second click would close what the first has opened."""
        event.accept()

    def paintEvent(self, _event: QPaintEvent) -> None:  # noqa: N802
        """Underlined text in the colour of links, in line with the text above."""
        painter = QPainter(self)
        font = self.font()
        font.setUnderline(True)
        painter.setFont(font)
        painter.setPen(theme.link(self.palette(), on=self.isEnabled()))
        painter.drawText(self.rect(), Qt.AlignmentFlag.AlignVCenter, self.text())
        painter.end()
        theme.draw_focus(self)


class DisclosureArrow(Link):
    """A line of text with an arrow, to open and close something; lies flush with the text above."""

    turned = Signal(bool)
    """It was opened, or closed."""

    def __init__(self, label: str, name: str) -> None:
        super().__init__(label, lambda: self.set_open(not self.open))
        self.open = False
        # What can be clicked is underlined under the mouse.
        self.setAttribute(Qt.WidgetAttribute.WA_Hover)
        self.setAccessibleName(name)
        self.setAccessibleDescription(say("gui.closed-now"))

    def set_open(self, wide: bool) -> None:
        """Open or close it."""
        if wide == self.open:
            return
        self.open = wide
        self.setAccessibleDescription(say("gui.open-now") if wide else say("gui.closed-now"))
        self.update()
        self.turned.emit(wide)

    def sizeHint(self) -> QSize:  # noqa: N802
        """Room for the arrow as well."""
        return super().sizeHint() + QSize(line_height() + SPACE // 2, 0)

    def paintEvent(self, _event: QPaintEvent) -> None:  # noqa: N802
        """The style's arrow and our focus frame; no panel, so that it does not look pressed."""
        painter = QPainter(self)
        option = QStyleOptionToolButton()
        self.initStyleOption(option)
        side = line_height()
        kind = QStyle.PrimitiveElement
        mirrored = self.layoutDirection() == Qt.LayoutDirection.RightToLeft
        closed = kind.PE_IndicatorArrowLeft if mirrored else kind.PE_IndicatorArrowRight
        arrow = kind.PE_IndicatorArrowDown if self.open else closed
        place = QRect(-side // 5, (self.height() - side) // 2, side, side).adjusted(3, 3, -3, -3)
        text = self.rect().adjusted(side, 0, 0, 0)
        if mirrored:
            place.moveRight(self.width() - place.left())
            text = self.rect().adjusted(0, 0, -side, 0)
        option.rect = place
        self.style().drawPrimitive(arrow, option, painter, self)
        font = self.font()
        font.setUnderline(self.underMouse())
        painter.setFont(font)
        painter.setPen(self.palette().windowText().color())
        painter.drawText(text, Qt.AlignmentFlag.AlignVCenter, self.text())
        painter.end()
        theme.draw_focus(self)


class Disclosure(DisclosureArrow):
    """Opens and closes what is behind it, which is made when first opened."""

    def __init__(
        self, label: str, name: str, rows: QVBoxLayout, make: Callable[[], QWidget]
    ) -> None:
        super().__init__(label, name)
        self._rows = rows
        self._make = make
        self.body: QWidget | None = None
        self.turned.connect(self._show_body)

    def _show_body(self, wide: bool) -> None:
        if self.body is None:
            self.body = self._make()
            self._rows.addWidget(self.body)
        self.body.setVisible(wide)


def add_details(
    rows: QVBoxLayout, label: str, name: str, make: Callable[[], QWidget]
) -> Disclosure:
    """More about what stands in ``rows``, as the last of it."""
    opener = Disclosure(label, name, rows, make)
    rows.addWidget(opener, 0, Qt.AlignmentFlag.AlignLeft)
    return opener


class OpeningLine(QWidget):
    """An icon, a title and a quiet word in a line that opens; or is ``whole`` from the start."""

    def __init__(
        self,
        look: Look,
        title: str,
        quiet: str,
        make: Callable[[], QWidget],
        *,
        whole: bool = False,
    ) -> None:
        super().__init__()
        mark = Mark(look, 1.4 if whole else 1.2)
        head = Text(title, size=1.1 if whole else 1.0, bold=whole)
        below = Column(margin=(mark.width() + SPACE, 0, 0, 0))
        more: list[QWidget] = [Text(quiet, muted=True)] if quiet else []
        if whole:
            below.addWidget(make())
        else:
            name = say("gui.show-cause", title=title)
            more.append(Disclosure(say("gui.show"), name, below, make))
        Column(Line(mark, head, *more, wide=1), below, inside=self, gap=SPACE // 2)
