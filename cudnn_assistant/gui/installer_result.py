"""What is said of an installer once it has ended; what it brought about, the check has seen."""

from __future__ import annotations

from functools import partial

from cudnn_assistant.gui.disclosure import add_details
from cudnn_assistant.gui.overview import OverviewPage
from cudnn_assistant.gui.text_widgets import Listing
from cudnn_assistant.gui.widgets import Notice
from cudnn_assistant.plan import Entry, Outcome, outcomes
from cudnn_assistant.wording import say


def installers(entry: Entry | None) -> tuple[Outcome, ...]:
    """How those ended that a change has started."""
    return outcomes(entry.plan) if entry is not None else ()


def show_installer_results(entry: Entry, page: OverviewPage) -> None:
    """Put on the page how the installers ended, with their last lines under Details."""
    for outcome in installers(entry):
        notice = Notice("ok" if outcome.well else "note", outcome.text)
        page.put(notice)
        if outcome.output:
            name = say("gui.details-of", title=outcome.name)
            make = partial(Listing, outcome.output, name)
            add_details(notice.below(), say("gui.details"), name, make)
