"""The buttons of a page: where they stand, and what they do where there is little room."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from PySide6.QtCore import QPointF, QSize
from PySide6.QtGui import QPainter, QPaintEvent, QPen, QResizeEvent
from PySide6.QtWidgets import QWidget

from cudnn_assistant.gui import theme
from cudnn_assistant.gui.layouts import Column, Line
from cudnn_assistant.gui.text_widgets import page_edge
from cudnn_assistant.gui.theme import SPACE
from cudnn_assistant.gui.widgets import Button, discard


class Buttons(QWidget):
    """The buttons, which never scroll: rare ones far left, the default one at the right.

    Where one row is too narrow for all words, the rare ones stand in a row of their own above;
    where it is still too narrow, the longest words stand in two lines.
    """

    def __init__(self) -> None:
        super().__init__()
        self.primary: Button | None = None
        self._rare: list[Button] = []
        self._usual: list[Button] = []
        self._upper, self._lower = Line(), Line()
        Column(self._upper, self._lower, inside=self, margin=(0, 2 * SPACE, 0, 2 * SPACE))

    def clear(self) -> None:
        """Take all of them away, to offer others."""
        for button in (*self._rare, *self._usual):
            discard(button)
        self._rare, self._usual, self.primary = [], [], None

    def rare(self, text: str, do: Callable[[], object]) -> Button:
        """A button at the far left."""
        button = Button(text, do)
        self._lower.insertWidget(len(self._rare), button)
        self._rare.append(button)
        self._show(button)
        return button

    def add(self, text: str, do: Callable[[], object], *, default: bool = False) -> Button:
        """A button at the right; add the default one last."""
        button = Button(text, do)
        self._lower.addWidget(button)
        self._usual.append(button)
        if default:
            button.setDefault(True)
            self.primary = button
        self._show(button)
        return button

    def _show(self, button: Button) -> None:
        self._arrange()
        if self.isVisible():
            # The layout would show it later, and until then it can't have the focus.
            button.show()

    def _wide(self, buttons: Sequence[Button]) -> int:
        return sum(button.sizeHint().width() + SPACE for button in buttons) - SPACE

    def minimumSizeHint(self) -> QSize:  # noqa: N802
        """Wide enough for the wider of the two rows."""
        usual = sum(b.width_with(_in_two_lines(b.text())) + SPACE for b in self._usual) - SPACE
        least = max(self._wide(self._rare), usual) + 8 * SPACE
        return QSize(least, super().minimumSizeHint().height())

    def resizeEvent(self, event: QResizeEvent) -> None:  # noqa: N802
        """In line with the page; one row or two, one line or two."""
        super().resizeEvent(event)
        edge = page_edge(self.width())
        self.setContentsMargins(edge, 0, edge, 0)
        self._arrange()

    def _arrange(self) -> None:
        room = self.width() - 2 * page_edge(self.width())
        self._fold(room)
        all_of_them = self._wide([*self._rare, *self._usual]) + 2 * SPACE
        row = self._upper if all_of_them > room else self._lower
        for number, button in enumerate(self._rare):
            if row.indexOf(button) != number:
                row.insertWidget(number, button)

    def _fold(self, room: int) -> None:
        """Give each its words in one line; in two, the longest first, until all have room."""
        lines = {button: " ".join(button.text().split("\n")) for button in self._usual}
        wide = {button: button.width_with(text) for button, text in lines.items()}
        over = sum(wide.values()) + SPACE * (len(wide) - 1) - room
        for button in sorted(wide, key=wide.__getitem__, reverse=True):
            if over > 0:
                lines[button] = _in_two_lines(lines[button])
                over -= wide[button] - button.width_with(lines[button])
            button.setText(lines[button])

    def paintEvent(self, _event: QPaintEvent) -> None:  # noqa: N802
        """A hairline above, so that text scrolls out of sight at an edge."""
        painter = QPainter(self)
        painter.setPen(QPen(theme.hairline(self.palette()), 1))
        painter.drawLine(QPointF(0, 0.5), QPointF(self.width(), 0.5))
        painter.end()


def _in_two_lines(text: str) -> str:
    """Broken at the space that is nearest to its middle."""
    words = " ".join(text.split("\n"))
    spaces = [at for at, letter in enumerate(words) if letter == " "]
    at = min(spaces, key=lambda at: abs(2 * at - len(words)), default=-1)
    return words if at < 0 else f"{words[:at]}\n{words[at + 1 :]}"
