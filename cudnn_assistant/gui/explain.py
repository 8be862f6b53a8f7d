"""What a message of a program means: paste or drop it, and read the likely causes."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from cudnn_assistant.explain import Cause, Explanation, State, doubt
from cudnn_assistant.gui.disclosure import Disclosure
from cudnn_assistant.gui.message import Message
from cudnn_assistant.gui.page import Page
from cudnn_assistant.gui.text_widgets import Listing, Text, announce
from cudnn_assistant.gui.theme import SPACE, Look
from cudnn_assistant.gui.widgets import Button, Card, Mark, Notice, ShareBar, empty
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


@dataclass(frozen=True)
class Here:
    """What of this computer an answer can lead to."""

    rows: Mapping[str, str] = field(default_factory=dict)
    """The subject whose row tells of a problem, by the problem's code."""
    ours: frozenset[str] = frozenset()
    """Codes of the problems that can be put right from here."""


class CauseCard(Card):
    """One cause: the first told whole, the others open on demand."""

    def __init__(
        self, cause: Cause, *, whole: bool, ways: Sequence[tuple[str, Callable[[], object]]] = ()
    ) -> None:
        """``ways``: what can be done about it here, a button each."""
        super().__init__()
        self._ways = ways
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
        if self._ways:
            row = QHBoxLayout()
            row.setSpacing(SPACE)
            for label, do in self._ways:
                row.addWidget(Button(label, do, name=f"{label}: {cause.title}"))
            row.addStretch(1)
            rows.addLayout(row)
        return body


class Answers(QWidget):
    """The causes that a text speaks for, best first, each with its way to this computer's row."""

    show_row = Signal(str)
    """Show the row of this subject."""
    review = Signal()
    """Put right what can be put right from here."""

    def __init__(self) -> None:
        super().__init__()
        self.rows = QVBoxLayout(self)
        self.rows.setContentsMargins(0, 0, 0, 0)
        self.rows.setSpacing(SPACE + 4)

    def clear(self) -> None:
        """Old answers are gone."""
        empty(self.rows)

    def show_answer(self, found: Explanation, here: Here) -> None:
        """The causes, best first; or that nothing is known."""
        self.clear()
        if not found.causes:
            said = say("gui.explain-nothing-found")
            self.rows.addWidget(Notice("info", said))
            announce(self, said, now=True)
            return
        if doubtful := doubt(found):
            self.rows.addWidget(Text(doubtful, muted=True))
        for at, cause in enumerate(found.causes[: 1 + SHOWN]):
            ways = tuple(self._ways(cause, here))
            self.rows.addWidget(CauseCard(cause, whole=not at, ways=ways))
        self._show_list(say("gui.explain-would-tell"), found.would_tell)
        lines = [line.means for line in found.lines if line.number]
        self._show_list(say("gui.explain-lines"), lines)
        understood = [f"{one.label}: {one.value}" for one in found.understood]
        self._show_list(say("gui.explain-understood"), understood)
        announce(self, found.causes[0].title, now=True)

    def _ways(self, cause: Cause, here: Here) -> Iterator[tuple[str, Callable[[], object]]]:
        subject = here.rows.get(cause.code)
        if subject is None:
            return
        yield say("gui.show-row"), lambda: self.show_row.emit(subject)
        if cause.code in here.ours:
            yield say("gui.make-it-work"), self.review.emit

    def _show_list(self, title: str, sentences: Iterable[str]) -> None:
        shown = list(dict.fromkeys(sentences))[:LISTED]
        if not shown:
            return
        card = Card(SPACE // 2)
        card.rows.addWidget(Text(title, bold=True))
        for text in shown:
            card.rows.addWidget(Text(text))
        self.rows.addWidget(card)


class ExplainPage(Page):
    """Outside the four steps: asked for from any of them, and left back to it."""

    back = Signal()
    ask = Signal(object)
    """Explain this: a text, or the bytes of a file."""
    dropped = Signal(str)
    show_row = Signal(str)
    review = Signal()

    def __init__(self) -> None:
        super().__init__(
            None,
            say("gui.explain-heading"),
            say("gui.explain-lead"),
        )
        self.asked = False
        """Whether answers are shown, or wait to be."""
        self.message = Message()
        self.message.dropped.connect(self.dropped)
        self.bar = ShareBar(say("gui.busy"), share=False)
        self.bar.hide()
        self.answers = Answers()
        self.answers.show_row.connect(self.show_row)
        self.answers.review.connect(self.review)
        for widget in (self.message, self.bar, self.answers):
            self.content.addWidget(widget)
        self.buttons.rare(say("gui.back"), self.back.emit)
        self.buttons.add(say("gui.paste"), self._paste)
        self.explain = self.buttons.add(say("gui.explain-button"), self._ask, default=True)
        self.explain.setEnabled(False)
        self.message.textChanged.connect(self._allow)

    def _allow(self) -> None:
        self.explain.setEnabled(not self.message.document().isEmpty())

    def _paste(self) -> None:
        self.message.clear()
        self.message.paste()
        self._ask()

    def _ask(self) -> None:
        if self.message.toPlainText().strip():
            self.ask.emit(self.message.message())

    def wait(self) -> None:
        """Work goes on; old answers are gone."""
        self.asked = True
        self.answers.clear()
        self.bar.show()

    def show_answer(self, found: Explanation, here: Here | None = None) -> None:
        """The causes below the text, which makes room for them."""
        self.bar.hide()
        self.message.set_lines(4)
        self.answers.show_answer(found, here or Here())

    def settle(self) -> None:
        """The focus goes to the text, where the message is to be pasted."""
        super().settle()
        if not self.title.hasFocus():
            self.message.setFocus()

    def let_go(self) -> None:
        """A text of many megabytes is kept no longer."""
        self.message.whole = None

    def escape(self) -> None:
        """Back to where one came from."""
        self.back.emit()
