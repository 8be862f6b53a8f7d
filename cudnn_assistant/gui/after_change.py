"""What is said of what was changed: what it did, and what still must happen for it to count.

What an installer brought about, the check has seen.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial

from cudnn_assistant.gui.disclosure import add_details
from cudnn_assistant.gui.overview import OverviewPage
from cudnn_assistant.gui.text_widgets import Listing
from cudnn_assistant.machine import Machine
from cudnn_assistant.plan import Change, Entry, demands, outcomes, settings_of
from cudnn_assistant.wording import say, together


def told(entry: Entry, changes: Sequence[Change]) -> str:
    """What the last change did, or put back, in a sentence."""
    done = together(change.plain for change in changes)
    return say("gui.put-back-done" if entry.plan.undoes else "gui.change-done", changes=done)


def still_to_do(
    entries: Sequence[Entry], machine: Machine, last: Entry | None = None
) -> Iterator[str]:
    """What is left to the person after these changes; true until the computer is restarted.

    ``last``: how its installers ended is told by itself, with the restart that they need.
    """
    asked = [demands(entry.plan, machine) for entry in entries]
    if any(settings_of(entry.plan) for entry in entries):
        yield say("gui.reopen-programs")
    if any(one.sign_out for one in asked):
        yield say("gui.sign-out")
    ended = (one for entry in entries if entry is not last for one in outcomes(entry.plan))
    if any(one.restart for one in ended):
        yield say("gui.restart-computer")


def show_installer_results(entry: Entry, page: OverviewPage) -> None:
    """Put on the page how the installers ended, with their last lines under Details."""
    for outcome in outcomes(entry.plan):
        notice = page.tell("ok" if outcome.well else "note", outcome.text)
        if outcome.output:
            name = say("gui.details-of", title=outcome.name)
            make = partial(Listing, outcome.output, name)
            add_details(notice.below(), say("gui.details"), name, make)
