"""A page: step line, title, lead, content that scrolls, buttons that don't."""

from __future__ import annotations

from collections.abc import Callable, Collection
from functools import partial
from typing import Literal, get_args

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QAccessible, QResizeEvent
from PySide6.QtWidgets import QToolButton, QWidget

from cudnn_assistant.gui.button_row import Buttons
from cudnn_assistant.gui.layouts import TOP, Column, Line
from cudnn_assistant.gui.text_widgets import Text, Title, announce, page_edge
from cudnn_assistant.gui.theme import SPACE, Look
from cudnn_assistant.gui.widgets import Mark, Notice, Scrolled, empty, tab_as_read
from cudnn_assistant.wording import say

Order = Literal["check", "problems", "review", "result"]
ORDER: tuple[Order, ...] = get_args(Order)
Wish = Literal[
    "about", "back", "check", "close", "explain", "help", "history", "open", "review", "save",
    "settings", "stop", "undo", "watch",
]  # fmt: skip
"""What can be asked of the window, by a page or its menu."""


class Steps(QWidget):
    """Where we are, as text: Check › Problems › Review › Result."""

    def __init__(self, here: Order) -> None:
        super().__init__()
        self._line = Line(inside=self)
        self.show_step(here, ())

    def show_step(self, here: Order, passed: Collection[Order]) -> None:
        """Where we are; steps before it that were really taken are marked, not those left out."""
        at, parts = ORDER.index(here), []
        for number, step in enumerate(ORDER):
            name = say(f"gui.step-{step}") + (" ✓" if number < at and step in passed else "")
            text = Text(name, size=0.95, bold=number == at, muted=number != at)
            parts += [Text("›", size=0.95, muted=True), text]
        empty(self._line)
        for part in parts[1:]:
            self._line.addWidget(part)
        self._line.addStretch(1)
        name = say(f"gui.step-{here}")
        self.setAccessibleName(say("gui.step-of", number=at + 1, count=len(ORDER), name=name))


class Sheet(Scrolled):
    """What scrolls. Its edges stay in line with the buttons when the scroll bar comes."""

    def resizeEvent(self, event: QResizeEvent) -> None:  # noqa: N802
        """Take the scroll bar's width out of the margin on its side."""
        super().resizeEvent(event)
        edge = page_edge(self.width())
        sides = edge, max(SPACE, edge - self.width() + self.viewport().width())
        mirrored = self.layoutDirection() == Qt.LayoutDirection.RightToLeft
        left, right = sides[::-1] if mirrored else sides
        if (inside := self.widget()) is not None:
            inside.setContentsMargins(left, 0, right, 0)


class Page(QWidget):
    """A page: step line, title, lead, content that scrolls, and buttons that don't."""

    wished = Signal(str)
    """Something else is asked for: a Wish."""
    link = Signal(str)
    """Open this address."""

    def __init__(self, here: Order | None, title: str, lead: str) -> None:
        super().__init__()
        self.title = Title(title)
        self.lead = Text(lead)
        self.mark = Mark("wait", 2.6)
        self.mark.hide()
        self.here = here
        self.steps = Steps(here) if here is not None else None
        self.menu = QToolButton()
        self.menu.setText(say("gui.menu"))
        self.menu.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        self.menu.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.menu.setAutoRaise(True)
        self.anew: Callable[[], object] = partial(self.wished.emit, "back")
        """Says in the language that is spoken by then what is shown here."""
        self.buttons = Buttons()
        self.news = Column(gap=SPACE + 4)
        self.content = Column(self.news, gap=SPACE + 4)
        self._scroll = self._sheet()
        Column(self._scroll, self.buttons, inside=self, gap=0)

    def _sheet(self) -> Sheet:
        inside = QWidget()
        head = Line(self.steps or QWidget(), self.menu, wide=0)
        words = Column(self.title, self.lead)
        answer = Line(self.mark, words, wide=1, at=TOP, gap=2 * SPACE)
        margin = (0, 2 * SPACE, 0, 3 * SPACE)
        self.rows = Column(head, answer, self.content, inside=inside, gap=2 * SPACE, margin=margin)
        self.rows.addStretch(1)
        return Sheet(inside)

    def show_look(self, look: Look) -> None:
        """The large icon beside the title."""
        self.mark.show_look(look)
        self.mark.show()

    def become(self, here: Order) -> None:
        """The page stays, and is another step now."""
        self.here = here
        if self.steps is not None:
            self.steps.show_step(here, ())

    def focusNextPrevChild(self, following: bool) -> bool:  # noqa: N802
        """Tab, or the way back."""
        tab_as_read(self)
        return super().focusNextPrevChild(following)

    def tell(self, look: Look, text: str) -> Notice:
        """Put news above the content: what has just happened, or did not."""
        notice = Notice(look, text)
        self.news.insertWidget(0, notice)
        return notice

    def settle(self) -> None:
        """Put the focus where work goes on: the title for screen readers, else the default."""
        if QAccessible.isActive():
            self.title.setFocus()
        elif self.buttons.primary is not None:
            self.buttons.primary.setFocus()
        announce(self, f"{self.title.text()}. {self.lead.text()}", now=True)

    def escape(self) -> None:
        """What Esc does on this page; nothing unless a page says otherwise."""
