"""Page 3: show exactly what will change, and get the one yes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout

from cudnn_assistant.gui import theme
from cudnn_assistant.gui.changes import ChangeList
from cudnn_assistant.gui.commands import commands
from cudnn_assistant.gui.links import Arrow, Link, Opener
from cudnn_assistant.gui.page import Page
from cudnn_assistant.gui.parts import Card, CopyButton, Notice
from cudnn_assistant.gui.text import Listing, Text
from cudnn_assistant.gui.theme import SPACE
from cudnn_assistant.gui.ticks import Tick
from cudnn_assistant.machine import Family
from cudnn_assistant.plan import InstallArchive, Plan, SetVariable, Step
from cudnn_assistant.preview import Change
from cudnn_assistant.wording import _, ngettext


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


def same_place(one: Step, other: Step) -> bool:
    """Whether two steps are about the same thing, whatever they make of it."""
    keys = ("scope", "name", "product", "python", "archive")
    return type(one) is type(other) and all(
        getattr(one, key, None) == getattr(other, key, None) for key in keys
    )


def make_label(count: int, *, administrator: bool, undoes: bool, licence: bool = False) -> str:
    """What the button says it will do."""
    if undoes:
        label = ngettext("&Undo {count} change", "&Undo {count} changes", count)
    elif licence and administrator:
        label = ngettext(
            "Accept the licence, &make {count} change (administrator)",
            "Accept the licence, &make {count} changes (administrator)",
            count,
        )
    elif licence:
        label = ngettext(
            "Accept the licence, &make {count} change",
            "Accept the licence, &make {count} changes",
            count,
        )
    elif administrator:
        label = ngettext(
            "&Make {count} change (administrator)", "&Make {count} changes (administrator)", count
        )
    else:
        label = ngettext("&Make {count} change", "&Make {count} changes", count)
    return label.format(count=count)


class StepCard(Card):
    """One step: what and where, its lines, its notes; perhaps a box to untick."""

    ticked = Signal(bool)

    def __init__(self, change: Change, *, box: bool, on: bool, leaves: Sequence[str]) -> None:
        super().__init__()
        self.box: Tick | None = None
        self.list: ChangeList | None = None
        row = QHBoxLayout()
        row.setSpacing(SPACE)
        if box:
            self.box = self._tick_box(change, on)
            row.addWidget(self.box, 0, Qt.AlignmentFlag.AlignTop)
        self._column = QVBoxLayout()
        self._column.setSpacing(SPACE // 2)
        row.addLayout(self._column, 1)
        self.rows.addLayout(row)
        self._column.addWidget(Text(change.title, size=1.05, bold=on, muted=not on))
        if on:
            self._fill(change)
        for title in leaves:
            self._column.addWidget(Text(_("Stays as it is: {title}").format(title=title)))

    def _fill(self, change: Change) -> None:
        if change.place and all(line.text != change.place for line in change.lines):
            self._column.addWidget(Text(change.place, muted=True))
        if change.lines:
            self._column.addSpacing(SPACE)
            self._show_lines(change)
        if change.notes:
            self._column.addSpacing(SPACE // 2)
        for note in change.notes:
            self._column.addWidget(Text(note, muted=True))

    def add_note(self, text: str) -> None:
        """Why it is as it is, in a sentence."""
        self._column.addWidget(Text(text, muted=True))

    def add_link(self, label: str, do: Callable[[], object]) -> None:
        """A way to read more before saying yes."""
        self._column.addWidget(Link(label, do), 0, Qt.AlignmentFlag.AlignLeft)

    def _tick_box(self, change: Change, on: bool) -> Tick:
        box = Tick()
        box.setChecked(on)
        box.setAccessibleName(_("Make this change: {title}").format(title=change.title))
        box.toggled.connect(self.ticked)
        return box

    def _show_lines(self, change: Change) -> None:
        self.list = ChangeList(change.lines, change.title)
        self._column.addWidget(self.list)
        if self.list.folded:
            more = Arrow(_("Show all"), _("Show all: {title}").format(title=change.title))
            more.toggled.connect(self.list.show_all)
            self._column.addWidget(more, 0, Qt.AlignmentFlag.AlignLeft)


class ReviewPage(Page):
    """Every change, old and new; nothing has happened yet. Enter presses no button by itself."""

    back = Signal()
    cancelled = Signal()
    again = Signal()
    make = Signal(object)
    """Carry out; the Plan as it is ticked."""
    licence = Signal(str)
    """Show the licence at this address."""
    pick = Signal(object)
    """Other boxes are ticked: the frozenset of the codes that stay in."""

    def __init__(self, proposal: Proposal, trouble: str = "") -> None:
        self._proposal = proposal
        self.cards: list[StepCard] = []
        changes = proposal.changes
        super().__init__("review", self._title(len(changes)), self._lead())
        if trouble:
            self.content.addWidget(Notice("bad", trouble, _("Check again"), self.again.emit))
        self._show_steps()
        self._show_commands()
        self._fill_buttons(changes)

    def _title(self, count: int) -> str:
        if self._proposal.title:
            return self._proposal.title
        settings = all(isinstance(step, SetVariable) for step in self._proposal.plan.steps)
        if settings:
            title = ngettext(
                "{count} change to your settings", "{count} changes to your settings", count
            )
        else:
            title = ngettext(
                "{count} change to this computer", "{count} changes to this computer", count
            )
        return title.format(count=count)

    def _lead(self) -> str:
        return self._proposal.lead or _(
            "It takes effect for programs you start afterwards. "
            "Open programs keep the old settings until you restart them."
        )

    def _show_steps(self) -> None:
        plan, whole = self._proposal.plan, self._proposal.whole or self._proposal.plan
        made = self._proposal.changes
        planned = self._proposal.whole_changes or made
        boxes = self._boxes(whole)
        for number, step in enumerate(whole.steps):
            at = next((i for i, s in enumerate(plan.steps) if same_place(s, step)), None)
            change = planned[number] if at is None else made[at]
            box, leaves = number in boxes, []
            if box and at is None:
                leaves = [self._proposal.leaves.get(code, code) for code in step.why]
            card = StepCard(change, box=box, on=at is not None, leaves=leaves)
            if leaves and self._proposal.waits.issuperset(step.why):
                card.add_note(
                    _("This can wait, and needs an administrator. Tick it to change it as well.")
                )
            card.ticked.connect(self._picked)
            if isinstance(step, InstallArchive) and step.licence:
                show = partial(self.licence.emit, step.licence)
                card.add_link(_("Read NVIDIA's licence"), show)
            self.cards.append(card)
            self.content.addWidget(card)

    def _boxes(self, whole: Plan) -> set[int]:
        """Steps that get a box: the first of those that serve the same problems.

        What only helps together is ticked together; with one group there is nothing to choose.
        """
        first: dict[tuple[str, ...], int] = {}
        for number, step in enumerate(whole.steps):
            first.setdefault(step.why, number)
        return set(first.values()) if self._proposal.whole and len(first) > 1 else set()

    def _picked(self) -> None:
        whole = self._proposal.whole or self._proposal.plan
        pairs = list(zip(whole.steps, self.cards, strict=True))
        off = {code for step, card in pairs if not _is_on(card) for code in step.why}
        self.pick.emit(frozenset(code for step, _card in pairs for code in step.why) - off)

    def _show_commands(self) -> None:
        plan, family = self._proposal.plan, self._proposal.family
        if not plan.steps:
            return
        name = _("Copy as commands")
        self.opener = Opener(name, name, self.content, lambda: Commands(commands(plan, family)))
        self.content.addWidget(self.opener, 0, Qt.AlignmentFlag.AlignLeft)

    def _fill_buttons(self, changes: Sequence[Change]) -> None:
        self.buttons.rare(_("&Back"), self.back.emit)
        self.buttons.add(_("&Cancel"), self.cancelled.emit)
        administrator = any(change.administrator for change in changes)
        plan = self._proposal.plan
        licence = any(isinstance(step, InstallArchive) and step.licence for step in plan.steps)
        label = make_label(
            len(changes),
            administrator=administrator,
            undoes=bool(plan.undoes),
            licence=licence,
        )
        icon = theme.shield(self.palette()) if administrator else None
        self.maker = self.buttons.add(label, lambda: self.make.emit(plan), icon=icon)
        self.maker.setEnabled(bool(changes))

    def settle(self) -> None:
        """The focus goes to the changes: neither yes nor no is one careless Enter away."""
        super().settle()
        first = next((card.list for card in self.cards if card.list), None)
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


def _is_on(card: StepCard) -> bool:
    return card.box is None or card.box.isChecked()


class Commands(Card):
    """The plan as commands, with a button that copies them."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.rows.addWidget(Listing(text, _("Commands")))
        self.rows.addWidget(CopyButton(text), 0, Qt.AlignmentFlag.AlignLeft)
