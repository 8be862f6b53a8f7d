"""What fits this computer, where a problem sends the person to a download."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QWidget

from cudnn_assistant.compat import Recommendation
from cudnn_assistant.diagnose.remedies import (
    CUDA_ARCHIVE,
    CUDA_PAGE,
    CUDNN_ARCHIVE,
    CUDNN_WINDOWS_PAGE,
    DRIVER_PAGE,
)
from cudnn_assistant.finding import Finding, Manual
from cudnn_assistant.gui.disclosure import Link, add_details
from cudnn_assistant.gui.layouts import TOP, Column, Grid
from cudnn_assistant.gui.text_widgets import Text
from cudnn_assistant.gui.theme import SPACE
from cudnn_assistant.gui.widgets import Card
from cudnn_assistant.plan.installer_table import FRAMEWORK_PAGES
from cudnn_assistant.wording import say
from cudnn_assistant.wording.recommendation import AdviceRow, headline, lines

Recommend = Callable[[str], Recommendation]
"""What fits a subject."""

_OF_CUDA = {CUDA_PAGE, CUDA_ARCHIVE, CUDNN_ARCHIVE, CUDNN_WINDOWS_PAGE}
_OF_FRAMEWORKS = set(FRAMEWORK_PAGES.values())


def recommended_set(finding: Finding, recommend: Recommend) -> Recommendation | None:
    """What to take from the page that this finding leads to; ``None`` where nothing is asked for.

    Where the driver is to be mended, not to be replaced, no set of versions helps.
    """
    link = finding.remedy.link if isinstance(finding.remedy, Manual) else ""
    if link not in {DRIVER_PAGE, *_OF_CUDA, *_OF_FRAMEWORKS}:
        return None
    found = recommend(finding.subject)
    driver, too_old = found.driver, finding.code.startswith("driver-too-old")
    wanted = {DRIVER_PAGE: driver is not None and (too_old or not driver.enough)}
    wanted |= dict.fromkeys(_OF_FRAMEWORKS, found.framework is not None)
    return found if found.possible is not False and wanted.get(link, True) else None


def title(finding: Finding, found: Recommendation) -> str:
    """What the set is: the way itself, or another one that needs no new driver."""
    asks_driver = isinstance(finding.remedy, Manual) and finding.remedy.link == DRIVER_PAGE
    if asks_driver and found.driver is not None and found.driver.enough:
        return say("gui.advice-keep-driver")
    return say("gui.advice")


class RecommendationCard(Card):
    """A set of versions that fits, a line for each part; why it is that one can be opened.

    No marks: green is for what was tested, and some of this is still to be got.
    """

    def __init__(
        self, finding: Finding, found: Recommendation, open_link: Callable[[str], object]
    ) -> None:
        super().__init__()
        table = partial(_table, open_link)
        heading = title(finding, found)
        self.setAccessibleName(heading)
        self.rows.addWidget(Text(heading, size=1.05, bold=True))
        if found.possible is None:
            self.rows.addWidget(Text(headline(found), muted=True))
        said = list(lines(found))
        self.rows.addSpacing(SPACE // 2)
        self.rows.addWidget(table(one for one in said if not one.reason))
        why = [one for one in said if one.reason]
        if why:
            name = say("gui.advice-why-this", title=heading)
            add_details(self.rows, say("gui.advice-why-button"), name, lambda: table(why))


def _table(open_link: Callable[[str], object], rows: Iterable[AdviceRow]) -> QWidget:
    table = QWidget()
    grid = Grid(1, 5, inside=table, across=SPACE + 4)
    for number, one in enumerate(rows):
        grid.addWidget(Text(one.label), number, 0, TOP)
        file = one.link.rpartition("/")[2]
        said = Column(Text(one.text.replace(one.link, file) if file else one.text, muted=True))
        if file:
            link = Link(say("remedies.open-archive"), partial(open_link, one.link))
            link.setAccessibleName(f"{link.text()}: {file}")
            said.addWidget(link, 0, Qt.AlignmentFlag.AlignLeft)
        said.addStretch()
        # Not aligned: a layout that is gets its least height, whatever its text needs.
        grid.addLayout(said, number, 1)
    return table
