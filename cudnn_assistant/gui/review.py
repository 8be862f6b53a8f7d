"""Page 3: show exactly what will change, and get the one yes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import partial

from PySide6.QtCore import QEvent, Signal
from PySide6.QtWidgets import QWidget

from cudnn_assistant.gui import theme
from cudnn_assistant.gui.disclosure import add_details
from cudnn_assistant.gui.finding_body import Commands
from cudnn_assistant.gui.layouts import Column
from cudnn_assistant.gui.page import Page
from cudnn_assistant.gui.step_card import StepCard
from cudnn_assistant.gui.text_widgets import Text, announce
from cudnn_assistant.gui.theme import SPACE
from cudnn_assistant.gui.widgets import Card, Notice, ShareBar, discard
from cudnn_assistant.machine import Family
from cudnn_assistant.plan import (
    Change,
    Plan,
    Step,
    kind_of,
    licences,
    settings_only,
    starts_only,
    unrehearsed,
)
from cudnn_assistant.plan.kinds import same_place
from cudnn_assistant.wording import prose, say


@dataclass(frozen=True)
class Proposal:
    """What the Review page shows."""

    plan: Plan
    changes: tuple[Change, ...]
    """The plan in words, step by step."""
    family: Family
    whole: Plan | None = None
    """The plan with nothing unticked, where steps may be unticked; and its words."""
    whole_changes: tuple[Change, ...] = ()
    leaves: dict[str, str] = field(default_factory=dict)
    """Titles of the problems by code, to say what an unticked step leaves."""
    waits: frozenset[str] = frozenset()
    """Codes of what can wait and needs an administrator: not ticked unless the person does."""
    title: str = ""
    lead: str = ""
    demanded: tuple[str, ...] = ()
    """What the plan as a whole asks for."""
    forbidden: str = ""
    """Why nothing of it may be done on this computer."""


class ReviewPage(Page):
    """Every change, old and new; nothing has happened yet. Enter presses no button by itself."""

    cancelled = Signal()
    make = Signal()
    """Carry out what is proposed, as it is ticked."""
    pick = Signal(object)
    """Other boxes are ticked: the frozenset of the codes that stay in."""
    pip = Signal()
    """Ask pip once more."""

    def __init__(self, proposal: Proposal, trouble: str = "") -> None:
        self.proposal = proposal
        self.cards: list[StepCard] = []
        self.asking: QWidget | None = None
        """What says that pip is asked, or why it gave no answer."""
        self._steps = Column(gap=SPACE + 4)
        changes = proposal.changes
        super().__init__("review", self._title(len(changes)), self._lead())
        if trouble:
            check = partial(self.wished.emit, "check")
            self.news.addWidget(Notice("bad", trouble, say("gui.check-again"), check))
        if proposal.forbidden:
            self.news.addWidget(Notice("none", proposal.forbidden))
        self._show_steps()
        for sentence in proposal.demanded:
            self.content.addWidget(Text(sentence, muted=True))
        self._show_commands()
        self._fill_buttons(changes)

    def _title(self, count: int) -> str:
        if self.proposal.title:
            return self.proposal.title
        if settings_only(self.proposal.plan):
            return say("gui.review-heading-settings", count=count)
        return say("gui.review-heading", count=count)

    def _lead(self) -> str:
        if starts_only(self.proposal.plan) and not self.proposal.lead:
            return say("gui.review-lead-installers")
        return self.proposal.lead or say("gui.review-lead-settings")

    def _show_steps(self) -> None:
        whole = self.proposal.whole or self.proposal.plan
        self.cards = [self._card(number, step) for number, step in enumerate(whole.steps)]
        for card in self.cards:
            self._steps.addWidget(card)
        if len(self.cards) == 1 and self.cards[0].opener:
            # There is room for all of it.
            self.cards[0].opener.set_open(True)
        self.content.addLayout(self._steps)

    def _card(self, number: int, step: Step) -> StepCard:
        given = self.proposal
        at = next((i for i, s in enumerate(given.plan.steps) if same_place(s, step)), None)
        planned = given.whole_changes or given.changes
        change = planned[number] if at is None else given.changes[at]
        titles = [given.leaves.get(code, code) for code in step.why]
        box = number in self._boxes(given.whole or given.plan)
        waits = given.waits.issuperset(step.why)
        card = StepCard(
            step, change, self.link.emit, titles if box else None, on=at is not None, waits=waits
        )
        if card.box is not None:
            card.box.toggled.connect(self._picked)
        return card

    # --- What pip says ----------------------------------------------------------------------------

    def ask_pip(self) -> None:
        """Nothing can be made until pip has said what it would change; else it is only tried."""
        asks = unrehearsed(self.proposal.plan)
        self.maker.setEnabled(not asks and self.maker.isEnabled())
        text = say("progress.asking-pip" if asks else "progress.of-rehearsal")
        self._show_pip_card(Card(Text(text), ShareBar(text, share=False)))

    def show_pip(self, plan: Plan, changes: tuple[Change, ...], tried: Sequence[str] = ()) -> None:
        """The plan is whole, and can be made; with what came of trying it."""
        asked = self.proposal.plan.steps
        changed = [new for old, new in zip(asked, plan.steps, strict=True) if new != old]
        self.proposal = replace(self.proposal, plan=plan, changes=changes)
        self._show_pip_card(Text(prose(tried)) if tried else None)
        for number, step in enumerate((self.proposal.whole or plan).steps):
            if any(same_place(step, new) for new in changed):
                self._renew(number, step)
        self._allow()
        announce(self, prose(tried) or say("gui.pip-answered"))

    def show_pip_refused(self, why: str) -> None:
        """Without pip's answer nobody knows what would change: it can only be asked again."""
        self._show_pip_card(Notice("bad", why, say("gui.ask-pip-again"), self.pip.emit))

    def _show_pip_card(self, pip_card: QWidget | None) -> None:
        if self.asking is not None:
            discard(self.asking)
        self.asking = pip_card
        if pip_card is not None:
            self.content.insertWidget(self.content.indexOf(self._steps), pip_card)

    def _renew(self, number: int, step: Step) -> None:
        old, new = self.cards[number], self._card(number, step)
        focus = self.focusWidget()
        had_focus = focus is not None and old.isAncestorOf(focus)
        in_box = old.box is not None and focus is old.box
        self.cards[number] = new
        self._steps.replaceWidget(old, new)
        discard(old)
        target = new.box if in_box else new.first
        if had_focus and target is not None:
            target.setFocus()

    def _boxes(self, whole: Plan) -> set[int]:
        """Steps that get a box: the first of those that serve the same problems.

        What only helps together is ticked together; with one group there is nothing to choose.
        """
        first: dict[tuple[str, ...], int] = {}
        for number, step in enumerate(whole.steps):
            first.setdefault(step.why, number)
        return set(first.values()) if self.proposal.whole and len(first) > 1 else set()

    def _picked(self) -> None:
        whole = self.proposal.whole or self.proposal.plan
        boxes = [(step, card.box) for step, card in zip(whole.steps, self.cards, strict=True)]
        off = {code for step, box in boxes if box and not box.isChecked() for code in step.why}
        self.pick.emit(whole.codes - off)

    def _show_commands(self) -> None:
        plan, family = self.proposal.plan, self.proposal.family
        name = say("gui.copy-as-commands")
        if plan.steps:
            make = partial(Commands, commands(plan, family), say("gui.commands"))
            add_details(self.content, name, name, lambda: Card(make()))

    def _fill_buttons(self, changes: Sequence[Change]) -> None:
        self.buttons.rare(say("gui.back"), self.cancelled.emit)
        self._administrator = any(change.administrator for change in changes)
        label = say(_deed(self.proposal.plan, self._administrator), count=len(changes))
        self.maker = self.buttons.add(label, self.make.emit)
        self._show_shield()
        self._allow()

    def _show_shield(self) -> None:
        if self._administrator:
            self.maker.setIcon(theme.shield(self.palette()))

    def changeEvent(self, event: QEvent) -> None:  # noqa: N802
        """The shield is drawn in the colours of the button."""
        super().changeEvent(event)
        if event.type() == QEvent.Type.PaletteChange:
            self._show_shield()

    def _allow(self) -> None:
        possible = not (self.proposal.forbidden or self.proposal.plan.in_vain)
        self.maker.setEnabled(bool(self.proposal.changes) and possible)

    def settle(self) -> None:
        """The focus goes to the changes: neither yes nor no is one careless Enter away."""
        super().settle()
        first = next((card.first for card in self.cards if card.first), None)
        if first is not None and not self.title.hasFocus():
            first.setFocus()

    def focused_box(self) -> int:
        """Number of the step whose box has the focus; -1: none has."""
        boxes = [card.box for card in self.cards]
        return next((i for i, box in enumerate(boxes) if box and box.hasFocus()), -1)

    def focus_box(self, number: int) -> None:
        """Give the focus to that step's box again."""
        box = self.cards[number].box if number >= 0 else None
        if box is not None:
            box.setFocus()

    def escape(self) -> None:
        """Cancel; nothing was changed."""
        self.cancelled.emit()


def _deed(plan: Plan, administrator: bool) -> str:
    """What the button says that it does."""
    if plan.undoes:
        return "gui.undo-button"
    if starts_only(plan):
        plain, accepts = "gui.install-button", "gui.accept-and-install-button"
    elif administrator:
        plain, accepts = "gui.change-admin-button", "gui.accept-and-change-admin-button"
    else:
        plain, accepts = "gui.change-button", "gui.accept-and-change-button"
    return accepts if licences(plan) else plain


def commands(plan: Plan, family: Family) -> str:
    """A plan for those who would rather type: PowerShell on Windows, a POSIX shell on Linux."""
    return "\n".join(line for step in plan.steps for line in kind_of(step).commands(step, family))
