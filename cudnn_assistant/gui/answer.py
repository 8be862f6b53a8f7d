"""The answer of a check in one sentence, by what was found and what was done since."""

from __future__ import annotations

from dataclasses import dataclass

from cudnn_assistant.finding import Automatic, Finding, Impossible, Manual, Unknown
from cudnn_assistant.gui.dialogs import local_time
from cudnn_assistant.gui.finding_body import leads_out
from cudnn_assistant.gui.recommendation_card import Recommend
from cudnn_assistant.gui.theme import Look
from cudnn_assistant.plan import settings_only
from cudnn_assistant.session import Checkup
from cudnn_assistant.summary import headline
from cudnn_assistant.wording import prose, say, words


@dataclass(frozen=True)
class Shown:
    """What the overview shows after a check."""

    checkup: Checkup
    changed: bool = False
    """Something was changed since the window opened."""
    news: tuple[tuple[Look, str], ...] = ()
    """What happened, and what still must happen."""
    undo_offered: int = 0
    """How many changes did not help and can be put back."""
    undoable: bool = False
    task: Finding | None = None
    """What the person was sent to do."""
    start_again: bool | None = None
    """Whether the window starts by itself after the restart; None: not asked."""
    recommend: Recommend | None = None

    @property
    def foreign(self) -> bool:
        """Of another computer, by its report: nothing of it can be tested or changed."""
        return self.checkup.reported

    @property
    def works(self) -> bool:
        """A convolution ran for all who need it."""
        return self.checkup.verdict == "works"

    @property
    def can_make(self) -> bool:
        """Whether there is something that we can do."""
        return bool(self.checkup.plan.steps)

    @property
    def ended(self) -> bool:
        """Whether this is the last page: it works, it can't, or nobody knows."""
        return self.works or self.checkup.verdict == "impossible" or self.checkup.main is None


def lead_out(shown: Shown) -> Finding | None:
    """The finding whose way out is the page's one button; ``None`` where we can act, or nobody."""
    main = shown.checkup.main
    if main is None or shown.can_make or shown.works or not leads_out(main):
        return None
    return main


def look_of_answer(shown: Shown) -> Look:
    """The large icon beside the answer."""
    if shown.works:
        return "ok"
    main = shown.checkup.main
    if shown.checkup.verdict == "impossible":
        return "none"
    if main is None or (isinstance(main.remedy, Unknown) and not shown.can_make):
        return "unknown"
    return "bad" if shown.can_make or shown.foreign else "next"


def answer(shown: Shown) -> tuple[str, str]:
    """Title and sentence."""
    checkup, main = shown.checkup, shown.checkup.main
    if shown.works or checkup.verdict == "impossible" or main is None:
        told = checkup.verdict, checkup.machine, checkup.findings
        return headline(*told, when=local_time)
    title = words(main, checkup.machine).title
    if shown.foreign:
        return title, say("gui.lead-report")
    untouched = "" if shown.changed else say("gui.nothing-changed-yet")
    return title, prose((_lead(shown, main), untouched))


def _lead(shown: Shown, main: Finding) -> str:
    plan = shown.checkup.plan
    if isinstance(main.remedy, Automatic) and settings_only(plan):
        return say("gui.lead-fixed-without-installing")
    if isinstance(main.remedy, Automatic):
        return say("gui.lead-fixed-here")
    if main.code in plan.codes:
        return say("gui.lead-started-here")
    if isinstance(main.remedy, Manual):
        return say("gui.lead-part-here" if plan.codes else "gui.lead-needs-you")
    if isinstance(main.remedy, Impossible):
        return say("gui.lead-impossible")
    return say("gui.lead-unknown")
