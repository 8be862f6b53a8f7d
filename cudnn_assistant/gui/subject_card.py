"""A row of the overview: who uses cuDNN, how it stands, its chain; opened, all that is known."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QWidget

from cudnn_assistant.compat import Recommendation
from cudnn_assistant.gui.answer import Shown, lead_out
from cudnn_assistant.gui.chain_picture import ChainPicture
from cudnn_assistant.gui.disclosure import Disclosure, Link, OpeningLine
from cudnn_assistant.gui.finding_body import FindingBody, Leave, look_of
from cudnn_assistant.gui.layouts import TOP, Column, Line
from cudnn_assistant.gui.recommendation_card import RecommendationCard, recommended_set
from cudnn_assistant.gui.snapshot_pictures import LadderPicture, MemoryPicture, PartsPicture
from cudnn_assistant.gui.text_widgets import Text
from cudnn_assistant.gui.theme import SPACE
from cudnn_assistant.gui.widgets import Card, Mark
from cudnn_assistant.machine import SYSTEM, Machine, PythonEnvironment
from cudnn_assistant.session.trials import frameworks_of
from cudnn_assistant.summary.chain import copy_of, test_of
from cudnn_assistant.summary.outcome import in_doubt, yes_counts
from cudnn_assistant.summary.rows import Row
from cudnn_assistant.summary.search_ladder import ladder, parts
from cudnn_assistant.wording import say, words


class SubjectCard(Card):
    """One subject. What is in it is made when it is opened first."""

    def __init__(self, row: Row) -> None:
        super().__init__()
        self.subject = row.subject
        self._shown: tuple[Row, str] | None = None
        self.opener: Disclosure | None = None
        self.mark = Mark(row.mark, 1.4)
        self.name = Text(size=1.05, bold=True)
        self.place = Text(row.place, muted=True)
        self.state = Text()
        self.picture = ChainPicture(row.chain)
        words = Column(self.name, self.place, self.state, gap=SPACE // 2)
        self._head = Line(self.mark, words, wide=1, at=TOP, gap=SPACE + 4)
        self.rows.addLayout(self._head)
        # Only now: showing a widget that has no parent yet opens a window.
        self.place.setVisible(bool(row.place))
        # In line with the name, which stands after the icon.
        left = self.mark.width() + SPACE + 4
        self._below = Column(self.picture, margin=(left, 0, 0, 0))
        self.rows.addLayout(self._below)
        self.show_row(row)

    def show_row(self, row: Row, said: str = "") -> None:
        """How it stands now. ``said`` stands above already, and isn't said twice."""
        if self._shown == (row, said):
            return
        self._shown = row, said
        self.mark.show_look(row.mark)
        self.name.setText(row.name)
        self.state.setText(row.state)
        self.state.setVisible(bool(row.state) and row.state != said)
        self.picture.show_chain(row.chain)
        self.setAccessibleName(f"{row.name}: {row.state}")

    def show_busy(self) -> None:
        """Something is tried in it just now."""
        self.mark.show_look("busy")
        self.state.setText(say("gui.testing-environment"))
        self.state.show()

    def can_open(self, make: Callable[[], QWidget]) -> Disclosure:
        """Offer what is behind the row."""
        name = say("gui.details-of", title=" ".join((self.name.text(), self.place.text())).strip())
        self.opener = Disclosure(say("gui.details"), name, self._below, make)
        self._head.addWidget(self.opener, 0, TOP)
        if self.isVisible():
            # The layout would show it later, and until then Tab passes it by.
            self.opener.show()
        return self.opener


class SubjectBody(QWidget):
    """The inside of a row: problems, then pictures where looking beats reading."""

    def __init__(
        self,
        row: Row,
        shown: Shown,
        leave: Leave,
        open_link: Callable[[str], object],
        test: Callable[[PythonEnvironment], object],
        trust: Callable[[str], object],
    ) -> None:
        super().__init__()
        machine, own = shown.checkup.machine, not shown.foreign
        self._test: Link | None = None
        self._rows = Column(inside=self, gap=2 * SPACE, margin=(0, SPACE // 2, 0, 0))
        given: list[Recommendation] = []
        for number, finding in enumerate(row.findings):
            way = None if finding is lead_out(shown) else leave
            said = finding == shown.task
            make = partial(FindingBody, finding, machine, way, ours=own, told=said)
            urgent = finding.severity == "error"
            if urgent and not number:
                self._rows.addWidget(make())
            else:
                title = words(finding, machine).title
                quiet = "" if urgent else say("gui.not-urgent")
                self._rows.addWidget(OpeningLine(look_of(finding), title, quiet, make))
            found = recommended_set(finding, shown.recommend) if shown.recommend else None
            if found is not None and found not in given:
                given.append(found)
                self._rows.addWidget(RecommendationCard(finding, found, open_link))
        self._add_pictures(row, machine)
        if own:
            self._add_test(row, machine, test, trust)

    def _add_pictures(self, row: Row, machine: Machine) -> None:
        rungs = ladder(machine, row.subject)
        if rungs:
            self._add(say("gui.search-order"), partial(LadderPicture, rungs))
        codes = {finding.code for finding in row.findings}
        copy = copy_of(machine, row.subject)
        if copy is not None and (found := parts(machine, row.subject, copy)):
            title = say("gui.parts-of-copy", folder=copy.folder)
            whole = not codes or any(part.state != "present" for part in found)
            self._add(title, partial(PartsPicture, found), whole=whole)
        shown = [gpu for gpu in machine.gpus if gpu.memory_total] if row.subject == SYSTEM else []
        for gpu in shown:
            whole = not codes or any("memory" in code for code in codes)
            self._add(say("gui.memory"), partial(MemoryPicture, gpu), whole=whole)

    def _add(self, title: str, make: Callable[[], QWidget], *, whole: bool = True) -> None:
        """A picture; beside a problem that it has no part in, it is opened on demand."""
        if whole:
            self._rows.addLayout(Column(Text(title, bold=True), make(), gap=SPACE // 2))
        else:
            self._rows.addWidget(OpeningLine("info", title, "", make))

    def _add_test(
        self,
        row: Row,
        machine: Machine,
        test: Callable[[PythonEnvironment], object],
        trust: Callable[[str], object],
    ) -> None:
        one, tried = machine.environment(row.subject), test_of(machine, row.subject)
        if tried is not None and tried.doubt and not yes_counts(tried, machine.os):
            return
        folder = in_doubt(tried) if tried is not None and tried.doubt else row.subject
        if folder != row.subject:
            link = Link(say("gui.trust-button"), partial(trust, folder))
            link.setAccessibleName(f"{say('gui.trust-button')} {folder}")
        elif one is not None and frameworks_of(one):
            link = Link(say("gui.test-environment-button"), partial(test, one))
            link.setAccessibleName(say("gui.test-environment-name", name=row.name, place=one.id))
        else:
            return
        self._rows.addWidget(link, 0, Qt.AlignmentFlag.AlignLeft)
        self._test = link

    def allow_test(self, on: bool) -> None:
        """Not while another one is under way."""
        if self._test is not None:
            self._test.setEnabled(on)
