"""The way from looking to the result: which page follows which. The pages know nothing of it."""

from __future__ import annotations

import contextlib
import traceback
from functools import partial

from PySide6.QtCore import QObject, Signal
from PySide6.QtGui import QGuiApplication

from cudnn_assistant import places
from cudnn_assistant.finding import Automatic, Finding, Manual
from cudnn_assistant.gui.changing import Changing
from cudnn_assistant.gui.check import CheckPage, StoppedPage
from cudnn_assistant.gui.ended import installers, restart_needed, tell_of
from cudnn_assistant.gui.job import Tell
from cudnn_assistant.gui.problems import ProblemsPage
from cudnn_assistant.gui.result import Ending, Outcome, ResultPage
from cudnn_assistant.gui.sitting import Sitting
from cudnn_assistant.gui.stage import Stage
from cudnn_assistant.machine import SCHEMA, PythonEnvironment, Trial
from cudnn_assistant.plan import Entry, Plan
from cudnn_assistant.report import newer_report
from cudnn_assistant.session import Checkup, Refused, Session
from cudnn_assistant.wording import say
from cudnn_assistant.wording.refusals import why


class Way(QObject):
    """What comes next, by what was found and done in this sitting."""

    save = Signal()
    """The report is asked for; so is explaining a message, and what was changed in the past."""
    explain = Signal()
    history = Signal()

    def __init__(self, stage: Stage, session: Session) -> None:
        super().__init__(stage)
        self._stage = stage
        self._session = session
        self.sitting = Sitting(session.family)
        self.change = Changing(stage, session, self.sitting)
        self.change.back.connect(self.back)
        self.change.again.connect(self.check)
        self._entries: tuple[Entry, ...] = ()
        self._glance: object = None
        """As it was when the last look began."""
        self._seen: object = None
        """As it was at the last glance."""

    # --- Start and check ------------------------------------------------------------------------

    def begin(self) -> None:
        """Offer the way back from an interrupted change, else check."""
        with contextlib.suppress(Refused):
            # We are here now, however that came: an entry that is left would start us once more.
            self._session.autostart.take()
        # A journal that can't be read keeps nobody from checking; a change will say it.
        recover = self._session.recover
        self._stage.work(lambda _tell: recover(), self._recovered, broke=lambda _x: self.check())

    def _recovered(self, plan: Plan | None) -> None:
        if plan is None:
            self.check()
            return
        title = say("gui.interrupted-heading")
        lead = say("gui.interrupted-lead")
        self.change.show_way_back(plan, title, lead)

    def check(self, title: str = "") -> None:
        """Look and think, from the first page on; with a title as the end of a way."""
        if self.sitting.changing:
            return
        if not title:
            self._stage.passed.clear()
        page = CheckPage(title)
        page.cancelled.connect(self._stop)
        self._stage.go(page)
        self._stage.work(self._look, self._checked, page.hear, self._unchecked)

    def _look(self, tell: Tell) -> object:
        # Before the look: what is installed during it was perhaps not seen by it.
        glance = self._session.install_mark()
        checkup = self._session.check(hear=tell, stop=tell.stop)
        entries: tuple[Entry, ...] = ()
        with contextlib.suppress(OSError):
            entries = self._session.history()
        return checkup, entries, glance

    def _stop(self) -> None:
        title, lead = say("gui.check-stopped"), say("gui.nothing-changed")
        self._show_stopped(StoppedPage(title, lead, report=False))

    def _unchecked(self, trouble: BaseException) -> None:
        self.sitting.trouble = "".join(traceback.format_exception(trouble))
        title = say("gui.check-broke")
        lead = say("gui.check-broke-lead")
        self._show_stopped(StoppedPage(title, lead, report=True))

    def _show_stopped(self, page: StoppedPage) -> None:
        page.again.connect(self.check)
        page.save.connect(self.save)
        self._stage.go(page)

    def _checked(self, result: tuple[Checkup, tuple[Entry, ...], object]) -> None:
        self.sitting.checkup, self._entries, self._glance = result
        self._seen = self._glance
        self.sitting.trouble = self.sitting.foreign = ""
        self.show_answer()

    def look_around(self) -> None:
        """A glance whether something was installed meanwhile; once that is done, check again."""
        if self._waiting() and self._glance is not None and not self.sitting.foreign:
            # Not the window's one piece of work: a look aside must not end what was asked for.
            self._stage.work_beside(lambda _tell: self._session.install_mark(), self._glanced)

    def _waiting(self) -> bool:
        return isinstance(self._stage.page, ProblemsPage | ResultPage)

    def _glanced(self, glance: object) -> None:
        at_rest, self._seen = glance == self._seen, glance
        # While it still changes, an installer is at work.
        if at_rest and glance != self._glance and self._waiting():
            self.sitting.made = None
            self.check(say("gui.something-installed"))

    def give_up(self, text: str) -> None:
        """What was begun can't be done: back to the answer, which says why."""
        self.back()
        self._stage.page.tell("note", text)

    # --- What was found -------------------------------------------------------------------------

    def show_foreign(self, found: Checkup) -> None:
        """Show another computer by its report."""
        when = found.machine.taken_at.replace("T", " ").rstrip("Z")
        said = [say("gui.report-of-another-computer", when=when or "?")]
        if found.machine.schema > SCHEMA:
            said.append(newer_report())
        self.sitting.foreign = " ".join(said)
        self.sitting.checkup, self.sitting.made, self._entries = found, None, ()
        self.show_answer()

    def back(self) -> None:
        """To the answer of the last check, or to a check."""
        if self.sitting.checkup is None:
            self.check()
        else:
            self.show_answer()

    def show_answer(self) -> None:
        """Problems or Result, as the last check has it."""
        assert self.sitting.checkup is not None
        errors = [
            finding for finding in self.sitting.checkup.findings if finding.severity == "error"
        ]
        if self.sitting.checkup.verdict in ("works", "impossible"):
            self._show_result("works" if self.sitting.checkup.verdict == "works" else "impossible")
        elif self.sitting.made is not None:
            self._after_change(self.sitting.made, errors)
        elif errors:
            self._show_problems()
        else:
            self._show_result("unknown")
        if self.sitting.foreign:
            self._stage.page.tell("info", self.sitting.foreign)

    def _after_change(self, made: Entry, errors: list[Finding]) -> None:
        served = {code for step in made.plan.steps for code in step.why}
        helped = not any(finding.code in served for finding in errors)
        can_go_on = any(isinstance(f.remedy, Automatic | Manual) for f in errors)
        if installers(made) and can_go_on:
            self._show_problems()
            tell_of(made, self._stage.page)
            return
        if not (helped and can_go_on):
            self._show_result("unknown")
            return
        count = len(made.plan.steps)
        text = say("gui.changes-made-remaining", count=count)
        self._show_problems()
        self._stage.page.tell("ok", text)

    def _undoable(self) -> bool:
        return any(not entry.undone_by and not entry.plan.undoes for entry in self._entries)

    def _show_problems(self) -> None:
        assert self.sitting.checkup is not None
        page = ProblemsPage(
            self.sitting.checkup,
            undoable=self._undoable(),
            foreign=bool(self.sitting.foreign),
            recommend=partial(self._session.recommend, self.sitting.checkup),
            again=None if self.sitting.foreign else self._session.autostart.there(),
            restart=restart_needed(self.sitting.made),
        )
        page.review.connect(self.change.review)
        page.after_restart.connect(partial(self._start_again, page))
        self._connect(page)
        self._stage.go(page)

    def _show_result(self, outcome: Outcome, task: Finding | None = None) -> None:
        assert self.sitting.checkup is not None
        made = len(self.sitting.made.plan.steps) if self.sitting.made is not None else 0
        made -= len(installers(self.sitting.made))
        own = not self.sitting.foreign
        again = self._session.autostart.there() if own and task is not None else None
        ending = Ending(
            self.sitting.checkup,
            outcome,
            made,
            self._undoable(),
            task,
            again=again,
            foreign=not own,
        )
        page = ResultPage(ending)
        page.after_restart.connect(partial(self._start_again, page))
        page.test.connect(partial(self._test, page))
        page.undo.connect(self.change.undo_made)
        page.notes.connect(self._show_problems)
        page.back.connect(self._show_problems)
        page.closed.connect(self._stage.close)
        self._connect(page)
        self._stage.go(page)

    def _start_again(self, page: ResultPage | ProblemsPage, wanted: bool) -> None:
        try:
            if wanted:
                self._session.autostart.put(places.window_command())
            else:
                self._session.autostart.take()
        except Refused as trouble:
            page.box.untick()
            page.tell("note", why(trouble))

    def _test(self, page: ResultPage, one: PythonEnvironment) -> None:
        page.pythons.begin(one.id)
        done = partial(self._tested, page, one)
        self._stage.work_beside(lambda tell: self._session.test_frameworks(one, tell.stop), done)

    def _tested(self, page: ResultPage, one: PythonEnvironment, trials: tuple[Trial, ...]) -> None:
        assert self.sitting.checkup is not None
        page.pythons.finish(one.id, trials)
        known = {(finding.code, finding.subject) for finding in self.sitting.checkup.findings}
        self.sitting.checkup = self._session.with_tests(self.sitting.checkup, trials)
        new = [f for f in self.sitting.checkup.findings if (f.code, f.subject) not in known]
        if any(finding.severity == "error" for finding in new):
            page.offer_problems()

    def _connect(self, page: ProblemsPage | ResultPage) -> None:
        page.again.connect(self.check)
        page.leave.connect(self._leave)
        page.save.connect(self.save)
        page.explain.connect(self.explain)
        page.history.connect(self.history)

    def _leave(self, finding: Finding) -> None:
        assert isinstance(finding.remedy, Manual)
        link = finding.remedy.link
        opened = not link or self._stage.open_link(link)
        if not link:
            QGuiApplication.clipboard().setText("\n".join(finding.remedy.commands))
        self._show_result("needs you", task=finding)
        if not opened:
            # The address is copied by the menu of the text.
            self._stage.page.tell("note", say("gui.no-browser", link=link))
