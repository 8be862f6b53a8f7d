"""The pages beside the four steps: what a message means, and which cuDNN a program loads."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial

from PySide6.QtCore import QMimeData, Signal
from PySide6.QtWidgets import QApplication, QLineEdit, QWidget

from cudnn_assistant.explain import Cause, Explanation, State, basis, doubt, likely
from cudnn_assistant.gui import theme
from cudnn_assistant.gui.disclosure import OpeningLine, add_details
from cudnn_assistant.gui.layouts import Column, Line
from cudnn_assistant.gui.message import Draft, Message, file_of
from cudnn_assistant.gui.page import Page
from cudnn_assistant.gui.preferences import Origin
from cudnn_assistant.gui.text_widgets import Listing, Text, announce
from cudnn_assistant.gui.theme import SPACE, Look
from cudnn_assistant.gui.widgets import FLAT, Button, Card, Notice, ShareBar, empty
from cudnn_assistant.session.watching import WatchResult, told
from cudnn_assistant.wording import prose, say

LOOKS: dict[State, Look] = {"confirmed": "bad", "possible": "unknown", "ruled-out": "none"}
SHOWN = 4
"""Causes after the first that are listed; the rest says little."""
LISTED = 6
"""Lines of a list below the causes."""


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
        if not whole:
            self.rows.setContentsMargins(*FLAT)
        look, state = LOOKS[cause.state], say(f"gui.standing-{cause.state}")
        make = partial(self._body, cause)
        self.rows.addWidget(OpeningLine(look, cause.title, state, make, whole=whole))

    def _body(self, cause: Cause) -> QWidget:
        body = QWidget()
        lines = [cause.why]
        if cause.fix:
            lines.append(say("gui.what-you-can-do", text=cause.fix))
        if cause.confirm and cause.state == "possible":
            lines.append(say("gui.would-settle-it", text=cause.confirm))
        texts = map(Text, filter(None, lines))
        rows = Column(*texts, inside=body, margin=(0, SPACE // 2, 0, 0))
        if cause.because:
            name = say("gui.why-we-think-so-of", title=cause.title)
            said = "\n".join((*cause.because, f"[{cause.code}]"))
            add_details(rows, say("gui.why-we-think-so"), name, lambda: Listing(said, name))
        if self._ways:
            names = ((label, do, f"{label}: {cause.title}") for label, do in self._ways)
            rows.addLayout(Line(*(Button(label, do, name=name) for label, do, name in names)))
        return body


class Answers(QWidget):
    """The causes that a text speaks for, best first, each with its way to this computer's row."""

    def __init__(self, show_row: Callable[[str], object], review: Callable[[], object]) -> None:
        """``review``: put right what can be put right from here."""
        super().__init__()
        self._show_row, self._review = show_row, review
        self.rows = Column(inside=self, gap=SPACE + 4)

    def clear(self) -> None:
        """Old answers are gone."""
        empty(self.rows)

    def show_answer(self, found: Explanation, here: Here) -> None:
        """The causes, best first; or that nothing is known."""
        self.clear()
        if not found.causes:
            self.rows.addWidget(Notice("info", say("explain.no-known-message-about-gpu-cuda")))
        elif doubtful := doubt(found):
            self.rows.addWidget(Text(doubtful, muted=True))
        for at, cause in enumerate(likely(found)[: 1 + SHOWN]):
            ways = tuple(self._ways(cause, here))
            self.rows.addWidget(CauseCard(cause, whole=not at, ways=ways))
        self._show_list(say("gui.explain-would-tell"), found.would_tell)
        lines = [line.means for line in found.lines if line.number]
        self._show_list(say("gui.explain-lines"), lines)
        understood = [f"{one.label}: {one.value}" for one in found.understood]
        self._show_list(say("gui.explain-understood"), understood)
        if found.causes or found.filled_in:
            self.rows.addWidget(Text(basis(found), muted=True))
        if found.causes:
            announce(self, found.causes[0].title, now=True)

    def _ways(self, cause: Cause, here: Here) -> Iterator[tuple[str, Callable[[], object]]]:
        subject = here.rows.get(cause.code)
        if subject is None:
            return
        yield say("gui.show-row"), partial(self._show_row, subject)
        if cause.code in here.ours:
            yield say("gui.make-it-work"), self._review

    def _show_list(self, title: str, sentences: Iterable[str]) -> None:
        shown = map(Text, list(dict.fromkeys(sentences))[:LISTED])
        if texts := list(shown):
            self.rows.addWidget(Card(Text(title, bold=True), *texts, gap=SPACE // 2))


class SidePage(Page):
    """Outside the four steps: asked for from any of them, and left back to it.

    Something is typed into its ``field``; what it means stands below.
    """

    ask = Signal(object)
    """Answer this."""
    show_row = Signal(str)
    """Show the row of this subject."""

    def __init__(self, title: str, lead: str, field: QWidget) -> None:
        super().__init__(None, title, lead)
        self._field = field
        self.bar = ShareBar(say("gui.busy"), share=False)
        self.bar.hide()
        self.answers = Answers(self.show_row.emit, partial(self.wished.emit, "review"))
        for widget in (field, self.bar, self.answers):
            self.content.addWidget(widget)
        self.buttons.rare(say("gui.back"), self.escape)

    def settle(self) -> None:
        """The focus goes to where something is to be typed."""
        super().settle()
        if not self.title.hasFocus():
            self._field.setFocus()

    def escape(self) -> None:
        """Back to where one came from."""
        self.wished.emit("back")


class ExplainPage(SidePage):
    """A message is pasted, and explained. It asks for a text, or for the bytes of a file."""

    came = Signal(str)
    """The message was shown there: an Origin."""

    def __init__(self, draft: Draft | None = None) -> None:
        self._draft = draft or Draft()
        self.message = Message(self._draft)
        super().__init__(say("gui.explain-heading"), say("gui.explain-lead"), self.message)
        # Until there is an answer the page is for the message.
        self.rows.setStretchFactor(self.content, 1000)
        self.buttons.add(say("gui.paste"), self._paste)
        self.explain = self.buttons.add(say("gui.explain-button"), self._ask, default=True)
        self._allow()
        self.message.textChanged.connect(self._allow)

    def _allow(self) -> None:
        self.explain.setEnabled(not self.message.document().isEmpty())

    def _paste(self) -> None:
        empty(self.news)
        source = QApplication.clipboard().mimeData() or QMimeData()
        if not (file_of(source) or source.text().strip()):
            self.tell("note", say("gui.nothing-to-paste"))
            return
        self.message.selectAll()
        self.message.paste()
        if not file_of(source):
            self._ask()

    def _ask(self) -> None:
        if self.message.toPlainText().strip():
            self.ask.emit(self.message.message())

    def take(self, text: str, data: bytes) -> None:
        """A text takes the place of what was there, and is explained."""
        self.message.take(text, data)
        self.ask.emit(self.message.message())

    def wait(self) -> None:
        """Work goes on; old answers are gone."""
        self._draft.asked = True
        self.answers.clear()
        self.bar.show()

    def ask_origin(self) -> None:
        """Whether this computer can tell more of the message: it is asked for once."""
        self._make_room()
        question, here = Text(say("gui.message-origin"), bold=True), self._origin("here")
        self.answers.rows.addWidget(Card(question, Line(here, self._origin("elsewhere"))))
        here.setFocus()
        announce(self, question.text(), now=True)

    def show_answer(
        self, found: Explanation, here: Here | None = None, other: Origin | None = None
    ) -> None:
        """The causes below the text; ``other``: where it might have been shown as well."""
        self._make_room()
        self.answers.show_answer(found, here or Here())
        if other is not None:
            place = QWidget()
            Line(self._origin(other), inside=place)
            self.answers.rows.addWidget(place)

    def _make_room(self) -> None:
        self.bar.hide()
        self.message.setFixedHeight(self.message.minimumHeight())
        self.rows.setStretchFactor(self.content, 0)

    def _origin(self, origin: Origin) -> Button:
        return Button(say(f"gui.message-from-{origin}"), partial(self.came.emit, origin))


@dataclass
class Watching:
    """A program that is watched, whichever page is shown."""

    command: str = ""
    """As it is typed."""
    running: bool = False
    exact: bool = False
    """It is asked to say more while it runs."""
    stop: threading.Event = field(default_factory=threading.Event)
    """Set when it is to end."""
    result: WatchResult | None = None
    """What was seen of the last one."""


class WatchPage(SidePage):
    """A program is run and watched. It asks for the command as it is typed."""

    def __init__(self, watching: Watching | None = None) -> None:
        self._watching = watching or Watching()
        self.command = QLineEdit(self._watching.command)
        super().__init__(say("gui.watch-heading"), say("gui.watch-lead"), self.command)
        self.command.setFont(theme.font(1.0, fixed=True))
        self.command.setPlaceholderText("python train.py")
        self.command.setAccessibleName(say("gui.watch-command"))
        self.command.returnPressed.connect(self._ask)
        self.command.textChanged.connect(self._allow)
        self.seen = Column()
        self.content.insertLayout(self.content.indexOf(self.answers), self.seen)
        self.stop = self.buttons.add(say("gui.watch-stop"), self._stop)
        self.run = self.buttons.add(say("gui.watch-button"), self._ask, default=True)
        self.show_running()

    def _allow(self) -> None:
        self._watching.command = self.command.text()
        self.run.setEnabled(bool(self.command.text().strip()) and not self._watching.running)

    def _ask(self, exact: bool = False) -> None:
        if self.run.isEnabled():
            self._watching.exact = exact
            self.answers.clear()
            empty(self.seen)
            self.ask.emit(self.command.text())

    def _stop(self) -> None:
        self.stop.setEnabled(False)
        self._watching.stop.set()

    def show_running(self) -> None:
        """Whether a program runs: one at a time."""
        self.bar.setVisible(self._watching.running)
        self.stop.setVisible(self._watching.running)
        self.stop.setEnabled(not self._watching.stop.is_set())
        self._allow()
        if self._watching.running:
            announce(self, say("gui.watching"))

    def show_refused(self, text: str) -> None:
        """Say why it can't be run, where the answer would stand."""
        self.show_running()
        self.seen.addWidget(Notice("note", text))

    def show_seen(self, seen: WatchResult, here: Here) -> None:
        """What it loaded, and what its last words mean."""
        self.show_running()
        self.seen.addWidget(Card(*map(Text, told(seen))))
        if seen.unexplained and not seen.exact:
            more, label = say("gui.watch-exactly"), say("gui.watch-exactly-button")
            self.seen.addWidget(Notice("info", more, label, lambda: self._ask(exact=True)))
        if seen.explanation is not None and seen.explanation.causes:
            self.answers.show_answer(seen.explanation, here)
        announce(self, prose(told(seen)), now=True)
