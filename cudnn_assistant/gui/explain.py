"""What a message of a program means: paste or drop it, and read the likely causes."""

from __future__ import annotations

from collections.abc import Iterable

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QDragEnterEvent, QDropEvent
from PySide6.QtWidgets import QHBoxLayout, QPlainTextEdit, QVBoxLayout, QWidget

from cudnn_assistant.explain import Cause, Explanation, State, doubt
from cudnn_assistant.gui import theme
from cudnn_assistant.gui.disclosure import Disclosure
from cudnn_assistant.gui.page import Page
from cudnn_assistant.gui.text_widgets import Listing, Text, announce, line_height
from cudnn_assistant.gui.theme import SPACE, Look
from cudnn_assistant.gui.widgets import BusyBar, Card, Mark, Notice
from cudnn_assistant.wording import say

LOOKS: dict[State, Look] = {"confirmed": "bad", "possible": "unknown", "ruled-out": "none"}
SHOWN = 4
"""Causes after the first that are listed; the rest says little."""
LISTED = 6
"""Lines of a list below the causes."""


def state_word(state: State) -> str:
    """What we know of a cause, in words."""
    return {
        "confirmed": say("gui.standing-confirmed"),
        "possible": say("gui.standing-possible"),
        "ruled-out": say("gui.standing-ruled-out"),
    }[state]


class Message(QPlainTextEdit):
    """Where the message is pasted. A dropped file is handed on as a path, not as its address."""

    dropped = Signal(str)

    def __init__(self) -> None:
        super().__init__()
        self.setFont(theme.font(0.95, fixed=True))
        self.setTabChangesFocus(True)
        self.setAccessibleName(say("gui.message-label"))
        self.set_lines(8)

    def set_lines(self, count: int) -> None:
        """Stand this many lines high; what is longer scrolls."""
        self.setFixedHeight(line_height() * count)

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:  # noqa: N802
        """Files are welcome, too."""
        if event.mimeData().hasUrls():
            event.acceptProposedAction()
        else:
            super().dragEnterEvent(event)

    def dropEvent(self, event: QDropEvent) -> None:  # noqa: N802
        """Hand a file on; take text in."""
        files = [url.toLocalFile() for url in event.mimeData().urls() if url.isLocalFile()]
        if files:
            event.acceptProposedAction()
            self.dropped.emit(files[0])
        else:
            super().dropEvent(event)


class CauseCard(Card):
    """One cause: the first told whole, the others open on demand."""

    def __init__(self, cause: Cause, *, whole: bool) -> None:
        super().__init__()
        self.rows.setSpacing(0)
        if not whole:
            self.rows.setContentsMargins(2 * SPACE, SPACE + 4, 2 * SPACE, SPACE + 4)
        middle = Qt.AlignmentFlag.AlignVCenter
        mark = Mark(LOOKS[cause.state], 1.4)
        row = QHBoxLayout()
        row.setSpacing(SPACE + 4)
        row.addWidget(mark, 0, middle)
        row.addWidget(Text(cause.title, size=1.1 if whole else 1.0, bold=whole), 1, middle)
        row.addWidget(Text(state_word(cause.state), muted=True), 0, middle)
        self.rows.addLayout(row)
        below = QVBoxLayout()
        below.setContentsMargins(mark.sizeHint().width() + SPACE + 4, 0, 0, 0)
        self.rows.addLayout(below)
        if whole:
            below.addWidget(self._body(cause))
        else:
            name = say("gui.show-cause", title=cause.title)
            opener = Disclosure(say("gui.show"), name, below, lambda: self._body(cause))
            row.addWidget(opener, 0, middle)

    def _body(self, cause: Cause) -> QWidget:
        body = QWidget()
        rows = QVBoxLayout(body)
        rows.setContentsMargins(0, SPACE, 0, 0)
        rows.setSpacing(SPACE)
        lines = [cause.why]
        if cause.fix:
            lines.append(say("gui.what-you-can-do", text=cause.fix))
        if cause.confirm and cause.state == "possible":
            lines.append(say("gui.would-settle-it", text=cause.confirm))
        for text in filter(None, lines):
            rows.addWidget(Text(text))
        if cause.because:
            name = say("gui.why-we-think-so-of", title=cause.title)
            said = "\n".join((*cause.because, f"[{cause.code}]"))
            opener = Disclosure(say("gui.why-we-think-so"), name, rows, lambda: Listing(said, name))
            rows.addWidget(opener, 0, Qt.AlignmentFlag.AlignLeft)
        return body


class ExplainPage(Page):
    """Outside the four steps: asked for from any of them, and left back to it."""

    back = Signal()
    ask = Signal(object)
    """Explain this: a text, or the bytes of a file."""
    dropped = Signal(str)

    def __init__(self) -> None:
        super().__init__(
            None,
            say("gui.explain-heading"),
            say("gui.explain-lead"),
        )
        self.message = Message()
        self.message.dropped.connect(self.dropped)
        self.bar = BusyBar()
        self.content.addWidget(self.message)
        self.content.addWidget(self.bar)
        self.bar.run(False)
        self.answer = QVBoxLayout()
        self.answer.setSpacing(SPACE + 4)
        self.content.addLayout(self.answer)
        self.buttons.rare(say("gui.back"), self.back.emit)
        self.buttons.add(say("gui.paste"), self._paste)
        self.buttons.add(say("gui.explain-button"), self._ask, default=True)

    def _paste(self) -> None:
        self.message.clear()
        self.message.paste()
        self._ask()

    def _ask(self) -> None:
        if self.message.toPlainText().strip():
            self.ask.emit(self.message.toPlainText())

    def wait(self) -> None:
        """Work goes on; old answers are gone."""
        self._clear()
        self.bar.run(True)

    def _clear(self) -> None:
        while (item := self.answer.takeAt(0)) is not None:
            old = item.widget()
            if old is not None:
                old.hide()
                old.deleteLater()

    def show_answer(self, found: Explanation) -> None:
        """The causes, best first; or that nothing is known."""
        self.bar.run(False)
        self._clear()
        self.message.set_lines(4)
        if not found.causes:
            said = say("gui.explain-nothing-found")
            self.answer.addWidget(Notice("info", said))
            announce(self, said, now=True)
            return
        if doubtful := doubt(found):
            self.answer.addWidget(Text(doubtful, muted=True))
        for number, cause in enumerate(found.causes[: 1 + SHOWN]):
            self.answer.addWidget(CauseCard(cause, whole=number == 0))
        self._show_list(say("gui.explain-would-tell"), found.would_tell)
        self._show_list(
            say("gui.explain-lines"), [line.means for line in found.lines if line.number]
        )
        self._show_list(
            say("gui.explain-understood"), [f"{one.label}: {one.value}" for one in found.understood]
        )
        announce(self, found.causes[0].title, now=True)

    def _show_list(self, title: str, sentences: Iterable[str]) -> None:
        shown = list(dict.fromkeys(sentences))[:LISTED]
        if not shown:
            return
        card = Card(SPACE // 2)
        card.rows.addWidget(Text(title, bold=True))
        for text in shown:
            card.rows.addWidget(Text(text))
        self.answer.addWidget(card)

    def settle(self) -> None:
        """The focus goes to the text, where the message is to be pasted."""
        super().settle()
        if not self.title.hasFocus():
            self.message.setFocus()

    def escape(self) -> None:
        """Back to where one came from."""
        self.back.emit()
