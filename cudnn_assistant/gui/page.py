"""A page: step line, title, lead, content that scrolls, buttons that don't."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from typing import Literal

from PySide6.QtCore import QPointF, QSize, Qt, Signal
from PySide6.QtGui import QAccessible, QIcon, QKeyEvent, QPainter, QPaintEvent, QPen, QResizeEvent
from PySide6.QtWidgets import (
    QFrame,
    QHBoxLayout,
    QScrollArea,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from cudnn_assistant.gui import theme
from cudnn_assistant.gui.text_widgets import Text, Title, announce, line_height
from cudnn_assistant.gui.theme import SPACE, Look
from cudnn_assistant.gui.widgets import Button, Mark, Notice, discard
from cudnn_assistant.wording import say

Order = Literal["check", "problems", "review", "result"]
ORDER: tuple[Order, ...] = ("check", "problems", "review", "result")


class Steps(QWidget):
    """Where we are, as text: Check › Problems › Review › Result."""

    def __init__(self, here: Order) -> None:
        super().__init__()
        self._here: Order = here
        self._texts: dict[Order, Text] = {}
        self._names: dict[Order, str] = {
            "check": say("gui.step-check"),
            "problems": say("gui.step-problems"),
            "review": say("gui.step-review"),
            "result": say("gui.step-result"),
        }
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(SPACE)
        for number, step in enumerate(ORDER):
            if number:
                row.addWidget(Text("›", size=0.95, muted=True))
            text = Text(self._names[step], size=0.95, muted=True)
            self._texts[step] = text
            row.addWidget(text)
        row.addStretch(1)
        self.show_step(here, ())

    def show_step(self, here: Order, passed: Collection[Order]) -> None:
        """Where we are; steps before it that were really taken are marked, not those left out."""
        self._here = here
        at = ORDER.index(here)
        for number, step in enumerate(ORDER):
            done = number < at and step in passed
            self._texts[step].setText(self._names[step] + (" ✓" if done else ""))
            self._texts[step].emphasise(number == at)
        self.setAccessibleName(
            say("gui.step-of", number=at + 1, count=len(ORDER), name=self._names[here])
        )


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
        self._upper, self._lower = QHBoxLayout(), QHBoxLayout()
        rows = QVBoxLayout(self)
        rows.setContentsMargins(4 * SPACE, 2 * SPACE, 4 * SPACE, 2 * SPACE)
        rows.setSpacing(SPACE)
        for row in (self._upper, self._lower):
            row.setSpacing(SPACE)
            rows.addLayout(row)
        self._upper.addStretch(1)
        self._lower.addStretch(1)

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

    def add(
        self,
        text: str,
        do: Callable[[], object],
        *,
        default: bool = False,
        icon: QIcon | None = None,
    ) -> Button:
        """A button at the right; add the default one last."""
        button = Button(text, do)
        if icon is not None:
            button.setIcon(icon)
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
        """One row or two, one line or two."""
        super().resizeEvent(event)
        self._arrange()

    def _arrange(self) -> None:
        room = self.width() - 8 * SPACE
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


def _in_two_lines(text: str) -> str:
    """Broken at the space that is nearest to its middle."""
    words = " ".join(text.split("\n"))
    spaces = [at for at, letter in enumerate(words) if letter == " "]
    at = min(spaces, key=lambda at: abs(2 * at - len(words)), default=-1)
    return words if at < 0 else f"{words[:at]}\n{words[at + 1 :]}"


class Sheet(QScrollArea):
    """What scrolls. Its right edge stays in line with the buttons when the scroll bar comes."""

    def __init__(self, inside: QWidget) -> None:
        super().__init__()
        self.setWidget(inside)
        self.setWidgetResizable(True)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)

    def resizeEvent(self, event: QResizeEvent) -> None:  # noqa: N802
        """Take the scroll bar's width out of the margin."""
        super().resizeEvent(event)
        inside = self.widget()
        layout = inside.layout() if inside is not None else None
        if layout is not None:
            bar = self.width() - self.viewport().width()
            edge = layout.contentsMargins()
            edge.setRight(max(SPACE, 4 * SPACE - bar))
            layout.setContentsMargins(edge)


class Page(QWidget):
    """A page: step line, title, lead, content that scrolls, and buttons that don't."""

    stepped = Signal(str)
    """The page has become another step of the flow."""

    def __init__(
        self, here: Order | None, title: str, lead: str = "", look: Look | None = None
    ) -> None:
        super().__init__()
        self.title = Title(title)
        self.lead = Text(lead)
        self.mark = Mark(look or "wait", 2.6)
        # Only ever hidden here: showing a widget that has no parent yet opens a window.
        if not lead:
            self.lead.hide()
        if look is None:
            self.mark.hide()
        self.here = here
        self.steps = Steps(here) if here is not None else None
        self.menu = MenuButton()
        self.buttons = Buttons()
        self.content = QVBoxLayout()
        self.content.setSpacing(SPACE + 4)
        sheet = self._scroll = self._sheet()
        rows = QVBoxLayout(self)
        rows.setContentsMargins(0, 0, 0, 0)
        rows.setSpacing(0)
        rows.addWidget(sheet, 1)
        rows.addWidget(self.buttons)

    def _answer(self) -> QHBoxLayout:
        words = QVBoxLayout()
        words.setSpacing(SPACE)
        words.addWidget(self.title)
        words.addWidget(self.lead)
        row = QHBoxLayout()
        row.setSpacing(2 * SPACE)
        row.addWidget(self.mark, 0, Qt.AlignmentFlag.AlignTop)
        row.addLayout(words, 1)
        return row

    def _sheet(self) -> QScrollArea:
        inside = QWidget()
        rows = QVBoxLayout(inside)
        rows.setContentsMargins(4 * SPACE, 2 * SPACE, 4 * SPACE, 3 * SPACE)
        rows.setSpacing(2 * SPACE)
        head = QHBoxLayout()
        if self.steps is not None:
            head.addWidget(self.steps, 1)
        head.addStretch(0 if self.steps is not None else 1)
        head.addWidget(self.menu, 0, Qt.AlignmentFlag.AlignVCenter)
        rows.addLayout(head)
        rows.addLayout(self._answer())
        rows.addLayout(self.content)
        rows.addStretch(1)
        # Lines longer than this are hard to read; a maximised window has its text in the middle.
        inside.setMaximumWidth(line_height() * 62)
        sheet = Sheet(inside)
        sheet.setAlignment(Qt.AlignmentFlag.AlignHCenter)
        return sheet

    def show_look(self, look: Look) -> None:
        """The large icon beside the title."""
        self.mark.show_look(look)
        self.mark.show()

    def become(self, here: Order) -> None:
        """The page stays, and is another step now."""
        self.here = here
        if self.steps is not None:
            self.steps.show_step(here, ())
        self.stepped.emit(here)

    def show_inside(self, widget: QWidget) -> None:
        """Scroll so far that a part of the page can be seen."""
        self._scroll.ensureWidgetVisible(widget)

    def tab_through(self, *groups: QWidget) -> None:
        """Tab walks from the menu through these, in this order, to the buttons."""
        last: QWidget = self.menu
        for group in (*groups, self.buttons):
            for child in (group, *group.findChildren(QWidget)):
                if child.focusPolicy() & Qt.FocusPolicy.TabFocus:
                    QWidget.setTabOrder(last, child)
                    last = child

    def tell(self, look: Look, text: str) -> None:
        """Put news above the content: what has just happened, or did not."""
        self.content.insertWidget(0, Notice(look, text))
        announce(self, text)

    def settle(self) -> None:
        """Put the focus where work goes on: the title for screen readers, else the default."""
        if QAccessible.isActive():
            self.title.setFocus()
        elif self.buttons.primary is not None:
            self.buttons.primary.setFocus()
        announce(self, f"{self.title.text()}. {self.lead.text()}", now=True)

    def escape(self) -> None:
        """What Esc does on this page; nothing unless a page says otherwise."""


class MenuButton(QToolButton):
    """The window's menu, on every page at the same place."""

    def __init__(self) -> None:
        super().__init__()
        self.setText(say("gui.menu"))
        self.setAccessibleName(say("gui.menu"))
        self.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setAutoRaise(True)

    def keyPressEvent(self, event: QKeyEvent) -> None:  # noqa: N802
        """Enter opens it, as Space does."""
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self.showMenu()
            return
        super().keyPressEvent(event)
