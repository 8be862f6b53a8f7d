"""What is said of an installer once it has ended; what it brought about, the check has seen."""

from __future__ import annotations

from PySide6.QtCore import Qt

from cudnn_assistant.apply import how_it_ended, went_well
from cudnn_assistant.gui.links import Opener
from cudnn_assistant.gui.page import Page
from cudnn_assistant.gui.parts import Card
from cudnn_assistant.gui.text import Listing
from cudnn_assistant.plan import Entry, RunInstaller
from cudnn_assistant.wording import _


def installers(entry: Entry | None) -> tuple[RunInstaller, ...]:
    """Those that a change has started."""
    steps = entry.plan.steps if entry is not None else ()
    return tuple(step for step in steps if isinstance(step, RunInstaller))


def restart_needed(entry: Entry | None) -> bool:
    """Whether what was installed takes effect after a restart only."""
    return any(step.restart and went_well(step) for step in installers(entry))


def while_checking(entry: Entry) -> str:
    """The title of the check that follows; "" where no installer was started."""
    if not installers(entry):
        return ""
    return _("The installer has ended. Checking again…")


def tell_of(entry: Entry | None, page: Page) -> None:
    """Put on the page how the installers ended, with their last lines under Details."""
    for step in installers(entry):
        page.tell("ok" if went_well(step) else "note", how_it_ended(step))
        if step.said:
            page.content.insertWidget(1, _Said(step))


class _Said(Card):
    """The last lines of an installer, behind Details."""

    def __init__(self, step: RunInstaller) -> None:
        super().__init__()
        name = _("Details: {title}").format(title=step.name)
        opener = Opener(_("Details"), name, self.rows, lambda: Listing(step.said, name))
        self.rows.addWidget(opener, 0, Qt.AlignmentFlag.AlignLeft)
