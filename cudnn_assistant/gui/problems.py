"""Page 2: what is wrong, why it matters, what we will do, how to go back."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from cudnn_assistant.compat import Recommendation
from cudnn_assistant.finding import Automatic, Finding, Impossible, Manual, Unknown
from cudnn_assistant.gui.checkbox import RestartBox
from cudnn_assistant.gui.disclosure import Disclosure, Link
from cudnn_assistant.gui.page import Page
from cudnn_assistant.gui.recommendation_card import Recommend, RecommendationCard, recommended_set
from cudnn_assistant.gui.text_widgets import Listing, Text
from cudnn_assistant.gui.theme import SPACE, Look
from cudnn_assistant.gui.widgets import Button, Card, CopyButton, Mark
from cudnn_assistant.machine import SYSTEM, Machine
from cudnn_assistant.plan import settings_only
from cudnn_assistant.session import Checkup
from cudnn_assistant.wording import Words, say, words

LOOKS: dict[str, Look] = {"error": "bad", "warning": "note", "info": "info"}


def look_of(finding: Finding) -> Look:
    """The icon of a finding: its severity, unless nothing or nobody can help."""
    if isinstance(finding.remedy, Impossible):
        return "none"
    if isinstance(finding.remedy, Unknown) and finding.severity == "error":
        return "unknown"
    return LOOKS[finding.severity]


def sentences(finding: Finding, said: Words) -> list[str]:
    """Why, what happens now, and how to go back: one paragraph each."""
    result = [said.why]
    if said.fix:
        ours = isinstance(finding.remedy, Automatic)
        key = "gui.what-we-do" if ours else "gui.what-you-can-do"
        result.append(say(key, text=said.fix))
    starts = isinstance(finding.remedy, Manual) and finding.remedy.installer is not None
    if said.undo and (starts or isinstance(finding.remedy, Automatic)):
        result.append(say("gui.to-go-back", text=said.undo))
    return [text for text in result if text]


def finding_commands(finding: Finding) -> tuple[str, ...]:
    """What the person may type; empty where there is nothing to type."""
    return finding.remedy.commands if isinstance(finding.remedy, Manual) else ()


class Commands(QWidget):
    """Commands to copy; we never run them."""

    def __init__(self, commands: tuple[str, ...]) -> None:
        super().__init__()
        text = "\n".join(commands)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(SPACE)
        row.addWidget(Listing(text, say("gui.commands-copy")), 1)
        row.addWidget(CopyButton(text), 0, Qt.AlignmentFlag.AlignTop)


class Body(QWidget):
    """The inside of a card: the sentences, commands to copy, the way out, Details."""

    def __init__(
        self, finding: Finding, machine: Machine, way_out: Button | None, above: int = 0
    ) -> None:
        super().__init__()
        said = words(finding, machine)
        rows = QVBoxLayout(self)
        rows.setContentsMargins(0, above, 0, 0)
        rows.setSpacing(SPACE)
        for text in sentences(finding, said):
            rows.addWidget(Text(text))
        if finding_commands(finding):
            rows.addWidget(Commands(finding_commands(finding)))
        if way_out is not None:
            rows.addWidget(way_out, 0, Qt.AlignmentFlag.AlignLeft)
        if said.details:
            name = say("gui.details-of", title=said.title)
            text = "\n".join(said.details)
            opener = Disclosure(say("gui.details"), name, rows, lambda: Listing(text, name))
            rows.addWidget(opener, 0, Qt.AlignmentFlag.AlignLeft)


class ProblemCard(Card):
    """A problem told whole."""

    def __init__(self, finding: Finding, machine: Machine, way_out: Button | None) -> None:
        super().__init__()
        said = words(finding, machine)
        column = QVBoxLayout()
        column.setSpacing(SPACE)
        column.addWidget(Text(said.title, size=1.1, bold=True))
        if finding.subject != SYSTEM:
            where = say("gui.environment-in", folder=finding.subject)
            column.addWidget(Text(where, muted=True))
        column.addWidget(Body(finding, machine, way_out))
        row = QHBoxLayout()
        row.setSpacing(SPACE + 4)
        row.addWidget(Mark(look_of(finding), 1.4), 0, Qt.AlignmentFlag.AlignTop)
        row.addLayout(column, 1)
        self.rows.addLayout(row)
        self.setAccessibleName(said.title)


class NoteCard(Card):
    """A problem that can wait: one line that opens."""

    def __init__(self, finding: Finding, machine: Machine, way_out: Button | None) -> None:
        super().__init__()
        said = words(finding, machine)
        self.rows.setContentsMargins(2 * SPACE, SPACE + 4, 2 * SPACE, SPACE + 4)
        self.rows.setSpacing(0)
        middle = Qt.AlignmentFlag.AlignVCenter
        row = QHBoxLayout()
        row.setSpacing(SPACE + 4)
        mark = Mark(look_of(finding), 1.4)
        row.addWidget(mark, 0, middle)
        row.addWidget(Text(said.title), 1, middle)
        row.addWidget(Text(say("gui.not-urgent"), muted=True), 0, middle)
        name = say("gui.show-cause", title=said.title)
        self.rows.addLayout(row)
        below = QVBoxLayout()
        # In line with the title, which stands after the icon.
        below.setContentsMargins(mark.sizeHint().width() + SPACE + 4, 0, 0, 0)
        self.rows.addLayout(below)
        make = partial(Body, finding, machine, way_out, above=SPACE)
        row.addWidget(Disclosure(say("gui.show"), name, below, make), 0, middle)


def explain_link(do: Callable[[], object]) -> Link:
    """The way to the page that explains a message of a program."""
    return Link(say("gui.explain-a-message"), do)


class ProblemsPage(Page):
    """Cards, most serious first, and the one thing to do next."""

    again = Signal()
    save = Signal()
    review = Signal()
    history = Signal()
    explain = Signal()
    after_restart = Signal(bool)
    """Start by itself after the restart, or not after all."""
    leave = Signal(object)
    """The way out of a finding was chosen; carries the Finding."""

    def __init__(
        self,
        checkup: Checkup,
        *,
        undoable: bool = False,
        foreign: bool = False,
        recommend: Recommend | None = None,
        again: bool | None = None,
        restart: bool = False,
    ) -> None:
        """``restart``: what was installed takes effect after a restart only."""
        self._foreign = foreign
        self._undoable = undoable
        self._checkup = checkup
        self._main = checkup.findings[0]
        super().__init__("problems", words(self._main, checkup.machine).title, self._lead())
        given: list[Recommendation] = []
        for finding in checkup.findings:
            self.content.addWidget(self._card(finding))
            found = recommended_set(finding, recommend) if recommend else None
            if found is not None and found not in given:
                given.append(found)
                self.content.addWidget(RecommendationCard(finding, found))
        if again is not None and (restart or self._only_restart()):
            self.box = RestartBox(again)
            self.box.toggled.connect(self.after_restart)
            self.content.addWidget(self.box)
        self.content.addWidget(explain_link(self.explain.emit), 0, Qt.AlignmentFlag.AlignLeft)
        self._fill_buttons()

    def _changes(self) -> int:
        return len(self._checkup.plan.steps)

    def _lead(self) -> str:
        if self._foreign:
            return say("gui.lead-report")
        remedy = self._main.remedy
        plan = self._checkup.plan
        if isinstance(remedy, Automatic) and settings_only(plan):
            return say("gui.lead-fixed-without-installing")
        if isinstance(remedy, Automatic):
            return say("gui.lead-fixed-here")
        if isinstance(remedy, Manual) and remedy.installer is not None and plan.steps:
            return say("gui.lead-started-here")
        if isinstance(remedy, Manual):
            return say("gui.lead-needs-you")
        if isinstance(remedy, Impossible):
            return say("gui.lead-impossible")
        return say("gui.lead-unknown")

    def _only_restart(self) -> bool:
        """The restart is all that helps: nothing else leads on from here."""
        remedy = self._main.remedy
        restart = isinstance(remedy, Manual) and remedy.restart
        return restart and not self._leads_out(self._main)

    def _leads_out(self, finding: Finding) -> bool:
        return isinstance(finding.remedy, Manual) and bool(
            finding.remedy.link or finding.remedy.commands
        )

    def _card(self, finding: Finding) -> Card:
        kind = ProblemCard if finding.severity == "error" else NoteCard
        primary = finding is self._main and not self._changes()
        button = None
        if self._leads_out(finding) and not primary:
            button = self._way_out(finding)
        return kind(finding, self._checkup.machine, button)

    def _way_out(self, finding: Finding) -> Button:
        said = words(finding, self._checkup.machine)
        name = f"{said.label_of_way_out}: {said.title}"
        return Button(said.label_of_way_out, lambda: self.leave.emit(finding), name=name)

    def _fill_buttons(self) -> None:
        buttons, count = self.buttons, self._changes()
        if self._undoable:
            buttons.rare(say("gui.undo-open-button"), self.history.emit)
        if count:
            buttons.rare(say("gui.save-report-button"), self.save.emit)
            buttons.add(say("gui.check-again-button"), self.again.emit)
            buttons.add(say("gui.review-button", count=count), self.review.emit, default=True)
        elif self._leads_out(self._main):
            buttons.rare(say("gui.save-report-button"), self.save.emit)
            buttons.add(say("gui.check-again-button"), self.again.emit)
            label = words(self._main, self._checkup.machine).label_of_way_out
            buttons.add(label, lambda: self.leave.emit(self._main), default=True)
        elif isinstance(self._main.remedy, Manual):
            buttons.rare(say("gui.save-report-button"), self.save.emit)
            buttons.add(say("gui.check-again-button"), self.again.emit, default=True)
        else:
            buttons.add(say("gui.check-again-button"), self.again.emit)
            buttons.add(say("gui.save-report-button"), self.save.emit, default=True)
