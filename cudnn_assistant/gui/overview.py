"""The first page and the last: the answer in a sentence, and below it every subject in a row."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from PySide6.QtCore import Qt, QTimer, Signal
from PySide6.QtWidgets import QCheckBox, QWidget

from cudnn_assistant.finding import Finding, Manual
from cudnn_assistant.gui.answer import Shown, answer, lead_out, look_of_answer
from cudnn_assistant.gui.disclosure import Link
from cudnn_assistant.gui.finding_body import by_hand
from cudnn_assistant.gui.layouts import Column, Line
from cudnn_assistant.gui.page import Page, Wish
from cudnn_assistant.gui.subject_card import SubjectBody, SubjectCard
from cudnn_assistant.gui.text_widgets import Text, announce
from cudnn_assistant.gui.theme import SPACE, Look
from cudnn_assistant.gui.widgets import Notice, ShareBar, discard, empty
from cudnn_assistant.machine import SYSTEM, PythonEnvironment
from cudnn_assistant.session.events import PARTS, PartLooked
from cudnn_assistant.summary.rows import Row, filling, rows
from cudnn_assistant.wording import prose, say, words

AT_ONCE = 6
"""Rows that are made in a turn of the event loop: more than a window shows."""
SLOW = 10_000
"""Milliseconds after which a part of the look takes longer than usual."""


class OverviewPage(Page):
    """Fills while the check runs, and stays afterwards."""

    after_restart = Signal(bool)
    """Start by itself after the restart, or not after all."""
    leave = Signal(object)
    """The way out of a finding was chosen; carries the Finding."""
    test = Signal(object)
    """Run the test inside a framework; carries the PythonEnvironment."""
    trust = Signal(str)
    """Run what is in doubt; carries the folder."""

    def __init__(self) -> None:
        super().__init__("check", say("gui.check-heading"), say("gui.check-lead"))
        self.shown: Shown | None = None
        self.cards: dict[str, SubjectCard] = {}
        self.testing = ""
        """The subject whose framework runs a convolution just now."""
        self.bar = ShareBar(say("gui.check-heading"))
        self._list = Column()
        self.data = Text(muted=True, size=0.95)
        self.data.hide()
        self.entrances = self._entrances()
        self.content.addWidget(self.bar)
        # The ways in are above the rows: an open one is taller than many a window.
        self.content.addWidget(self.entrances)
        self.content.addLayout(self._list)
        self.content.addWidget(self.data)
        self._done: set[str] = set()
        self._later: dict[str, Row] = {}
        """Rows that aren't there yet, by their subject."""
        self._filled: dict[str, SubjectCard] = {}
        """Those that have filled while the check ran, and wait to get what is behind them."""
        self._opened: set[str] = set()
        self._turn = QTimer(self)
        self._turn.timeout.connect(self._fill)
        self._slow = QTimer(self, singleShot=True)
        self._slow.timeout.connect(self._say_slow)
        self._slow.start(SLOW)
        self.buttons.add(say("gui.cancel"), self._wish("stop"))

    def _entrances(self) -> QWidget:
        """The other ways in: a message that a program gave, or a program that stops."""
        entrances = QWidget()
        message = Link(say("gui.have-a-message"), self._wish("explain"))
        program = Link(say("gui.which-program"), self._wish("watch"))
        Line(message, program, inside=entrances, gap=3 * SPACE)
        return entrances

    def _wish(self, wish: Wish) -> Callable[[], object]:
        return partial(self.wished.emit, wish)

    # --- While the check runs ---------------------------------------------------------------------

    def show_data(self, text: str) -> None:
        """Say where the compatibility data is from."""
        self.data.setText(say("gui.data", source=text))
        self.data.show()

    def hear(self, looked: PartLooked) -> None:
        """A part of the look began, or is done: the rows know more."""
        if looked.done:
            self._done.add(looked.part)
        self.bar.show_share(len(self._done) / len(PARTS))
        self._slow.start(SLOW)
        for row in filling(looked.machine, self._done, looked.part):
            if row.subject in self.cards:
                self.cards[row.subject].show_row(row)
            else:
                self._later[row.subject] = row
            if not looked.done and row.subject == SYSTEM:
                # The same is said of every row.
                announce(self, row.state)
        self._fill()

    def _fill(self, most: int = AT_ONCE) -> None:
        """Put in the rows that come next; the window answers before those that follow."""
        # Each would lay out the whole page.
        self.rows.setEnabled(False)
        for subject in list(self._later)[:most]:
            self._put(self._later.pop(subject))
        self.rows.setEnabled(True)
        self._turn.start() if self._later else self._turn.stop()

    def _put(self, row: Row) -> None:
        card = self._filled.pop(row.subject, None) or SubjectCard(row)
        if self.shown is not None:
            card.show_row(row, said=self.title.text())
            opener = card.can_open(partial(self._body, row, self.shown))
            opener.set_open(row.subject in self._opened)
        if row.subject == self.testing:
            card.show_busy()
        # Before those of the check that are still to be renewed.
        self._list.insertWidget(len(self.cards), card)
        self.cards[card.subject] = card
        # A screen reader reads in the order of a widget's children, not of the layout.
        card.raise_()
        if self.isVisible():
            # The layout would show it later, and until then Tab passes it by.
            card.show()

    def _say_slow(self) -> None:
        self.lead.setText(say("gui.check-slow"))
        announce(self, self.lead.text())

    def show_stopped(self, title: str, lead: str, *, report: bool) -> None:
        """The check was cancelled, or could not be made at all; what is known stays in sight."""
        self._end_check()
        self._fill(len(self._later))
        self._say_answer(title, lead, "unknown" if report else "wait")
        for card in self.cards.values():
            # What is under way is so no more; what was tested has its answer.
            card.state.setVisible(card.mark.look == "ok")
        self.buttons.clear()
        if report:
            self.buttons.rare(say("gui.save-report-button"), self._wish("save"))
        label = say("gui.try-again") if report else say("gui.check-again-button")
        self.buttons.add(label, self._wish("check"), default=True)
        self.settle()

    def _end_check(self) -> None:
        self._slow.stop()
        self.bar.hide()

    def escape(self) -> None:
        """Stop the check; afterwards there is nothing to lose, and nothing to do."""
        if self.bar.isVisibleTo(self):
            self.wished.emit("stop")

    # --- Afterwards -------------------------------------------------------------------------------

    def show_answer(self, shown: Shown) -> None:
        """The answer, and every row with what is behind it."""
        self.shown = shown
        cards = self.cards.items()
        self._opened = {name for name, card in cards if card.opener and card.opener.open}
        self._end_check()
        title, lead = answer(shown)
        self._say_answer(title, lead, look_of_answer(shown))
        self.become("result" if shown.ended else "problems")
        self._filled, self.cards = self.cards, {}
        self._show_news(shown)
        checkup = shown.checkup
        found = rows(checkup.machine, checkup.findings, own=not shown.foreign)
        worst = next((one for one in found if one.mark == "bad"), None)
        if worst and checkup.verdict != "impossible":
            # What is impossible the answer has told whole.
            self._opened.add(worst.subject)
        self._later = {row.subject: row for row in found}
        for subject, past in list(self._filled.items()):
            if subject not in self._later or past.opener:
                discard(self._filled.pop(subject))
        self._fill()
        self._fill_buttons(shown)
        self.settle()

    def _body(self, row: Row, shown: Shown) -> SubjectBody:
        do = self.leave.emit, self.link.emit, self.test.emit, self.trust.emit
        body = SubjectBody(row, shown, *do)
        body.allow_test(not self.testing)
        return body

    def _say_answer(self, title: str, lead: str, look: Look) -> None:
        self.title.setText(title)
        self.lead.setText(lead)
        self.lead.setVisible(bool(lead))
        self.show_look(look)

    def _show_news(self, shown: Shown) -> None:
        empty(self.news)
        for look, text in shown.news:
            self.news.addWidget(Notice(look, text))
        if shown.undo_offered:
            label = say("gui.undo-heading", count=shown.undo_offered)
            self.news.addWidget(Notice("note", say("gui.ask-undo"), label, self._wish("undo")))
        task = shown.task
        if task is not None and isinstance(task.remedy, Manual):
            self._show_task(task, task.remedy, shown)
        if shown.start_again is not None:
            self.box = QCheckBox(say("gui.start-after-restart"))
            self.box.setChecked(shown.start_again)
            self.box.toggled.connect(self.after_restart)
            self.news.addWidget(self.box)

    def _show_task(self, task: Finding, remedy: Manual, shown: Shown) -> None:
        said = words(task, shown.checkup.machine)
        then = say("summary.then-start-again") if remedy.restart else say("gui.checks-by-itself")
        self.news.addWidget(Notice("next", prose((said.fix, then))))
        if remedy.commands:
            self.news.addWidget(by_hand(remedy))

    def open_row(self, subject: str) -> None:
        """Show what is behind a row, and give it the focus."""
        self._fill(len(self._later))
        card = self.cards.get(subject)
        if card is not None and card.opener is not None:
            card.opener.set_open(True)
            card.opener.setFocus(Qt.FocusReason.OtherFocusReason)
            QTimer.singleShot(0, card, lambda: self._scroll.ensureWidgetVisible(card))

    def show_testing(self, one: PythonEnvironment) -> None:
        """Its own framework runs a convolution just now."""
        self.testing = one.id
        self.cards[one.id].show_busy()
        # One at a time: two would compete for the GPU's memory.
        for body in self.findChildren(SubjectBody):
            body.allow_test(False)
        announce(self, say("gui.testing-environment"))

    def _fill_buttons(self, shown: Shown) -> None:
        buttons, machine = self.buttons, shown.checkup.machine
        buttons.clear()
        # Only the report leads on from here.
        stuck = look_of_answer(shown) == "unknown" and not shown.can_make
        out = lead_out(shown)
        if shown.undoable:
            buttons.rare(say("gui.undo-open-button"), self._wish("history"))
        if not stuck:
            buttons.rare(say("gui.save-report-button"), self._wish("save"))
        by_hand = not (stuck or out or shown.can_make or shown.ended)
        buttons.add(say("gui.check-again-button"), self._wish("check"), default=by_hand)
        if stuck:
            buttons.add(say("gui.save-report-button"), self._wish("save"), default=True)
        elif shown.can_make and not shown.works:
            buttons.add(say("gui.make-it-work"), self._wish("review"), default=True)
        elif out is not None:
            label = words(out, machine).label_of_way_out
            buttons.add(label, lambda: self.leave.emit(out), default=True)
        elif shown.ended:
            if shown.can_make:
                count = len(shown.checkup.plan.steps)
                buttons.add(say("gui.review-button", count=count), self._wish("review"))
            buttons.add(say("gui.close"), self._wish("close"), default=True)
