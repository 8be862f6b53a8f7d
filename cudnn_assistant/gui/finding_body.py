"""One problem told whole: why, what helps, how to go back, commands to copy, the way out."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QWidget

from cudnn_assistant.finding import Automatic, Finding, Impossible, Manual, Unknown
from cudnn_assistant.gui.disclosure import add_details
from cudnn_assistant.gui.layouts import TOP, Column, Line
from cudnn_assistant.gui.text_widgets import Listing, Text
from cudnn_assistant.gui.theme import Look
from cudnn_assistant.gui.widgets import Button, CopyButton
from cudnn_assistant.machine import Machine
from cudnn_assistant.wording import Words, say, words

LOOKS: dict[str, Look] = {"error": "bad", "warning": "note", "info": "info"}
Leave = Callable[[Finding], object]
"""The person takes the way out of a finding: a page, or commands to copy."""


def look_of(finding: Finding) -> Look:
    """The icon of a finding: its severity, unless nothing or nobody can help."""
    if isinstance(finding.remedy, Impossible):
        return "none"
    if isinstance(finding.remedy, Unknown) and finding.severity == "error":
        return "unknown"
    return LOOKS[finding.severity]


def leads_out(finding: Finding) -> bool:
    """Whether there is a page to open or a command to copy."""
    remedy = finding.remedy
    return isinstance(remedy, Manual) and bool(remedy.link or remedy.commands)


def sentences(finding: Finding, said: Words, *, ours: bool = True, told: bool = False) -> list[str]:
    """Why, what happens now, and how to go back: one paragraph each.

    ``ours``: it is this computer, where we may do what helps. ``told``: what helps is said already.
    """
    result = [said.why]
    automatic = isinstance(finding.remedy, Automatic)
    if said.fix and not told:
        key = "gui.what-we-do" if automatic and ours else "gui.what-you-can-do"
        result.append(say(key, text=said.fix))
    starts = isinstance(finding.remedy, Manual) and finding.remedy.installer is not None
    if said.undo and ours and (starts or automatic):
        result.append(say("gui.to-go-back", text=said.undo))
    return [text for text in result if text]


class Commands(QWidget):
    """Commands to copy; we never run them."""

    def __init__(self, text: str, name: str) -> None:
        super().__init__()
        Line(Listing(text, name), CopyButton(text), inside=self, wide=0, at=TOP)


def by_hand(remedy: Manual) -> Commands:
    """What the person can type themselves."""
    return Commands("\n".join(remedy.commands), say("gui.commands-copy"))


class FindingBody(QWidget):
    """The sentences of a finding, commands to copy, the way out, Details."""

    def __init__(
        self,
        finding: Finding,
        machine: Machine,
        leave: Leave | None,
        *,
        ours: bool = True,
        told: bool = False,
    ) -> None:
        """``leave`` is ``None`` where the page's own button takes the way out."""
        super().__init__()
        said = words(finding, machine)
        rows = Column(*map(Text, sentences(finding, said, ours=ours, told=told)), inside=self)
        if isinstance(finding.remedy, Manual) and finding.remedy.commands and not told:
            rows.addWidget(by_hand(finding.remedy))
        if leave is not None and leads_out(finding):
            name = f"{said.label_of_way_out}: {said.title}"
            button = Button(said.label_of_way_out, lambda: leave(finding), name=name)
            rows.addWidget(button, 0, Qt.AlignmentFlag.AlignLeft)
        if said.details:
            name, text = say("gui.why-we-think-so-of", title=said.title), "\n".join(said.details)
            add_details(rows, say("gui.why-we-think-so"), name, lambda: Listing(text, name))
