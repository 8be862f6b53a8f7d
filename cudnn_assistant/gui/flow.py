"""The flow from looking to the result: which page follows which. The pages know nothing of it."""

from __future__ import annotations

import contextlib
import traceback
from functools import partial

from PySide6.QtCore import QObject, Signal
from PySide6.QtGui import QGuiApplication

from cudnn_assistant import places
from cudnn_assistant.finding import Automatic, Finding, Manual
from cudnn_assistant.gui.change_flow import ChangeFlow
from cudnn_assistant.gui.check import CheckPage, StoppedPage
from cudnn_assistant.gui.installer_result import installers, restart_needed, show_installer_results
from cudnn_assistant.gui.job import Tell
from cudnn_assistant.gui.page_host import PageHost
from cudnn_assistant.gui.problems import ProblemsPage
from cudnn_assistant.gui.result import Ending, Outcome, ResultPage
from cudnn_assistant.gui.session_state import SessionState
from cudnn_assistant.machine import SCHEMA, PythonEnvironment, Trial
from cudnn_assistant.plan import Entry, Plan
from cudnn_assistant.report import newer_report
from cudnn_assistant.session import Checkup, Refused, Session
from cudnn_assistant.wording import say
from cudnn_assistant.wording.refusals import why


class Flow(QObject):
    """What comes next, by what was found and done in this session."""

    save = Signal()
    """The report is asked for; so is explaining a message, and what was changed in the past."""
    explain = Signal()
    history = Signal()

    def __init__(self, host: PageHost, session: Session) -> None:
        super().__init__(host)
        self._host = host
        self._session = session
        self.state = SessionState(session.family)
        self.change = ChangeFlow(host, session, self.state)
        self.change.back.connect(self.back)
        self.change.again.connect(self.check)
        self._entries: tuple[Entry, ...] = ()
        self._install_mark: object = None
        """As it was when the last look began."""
        self._seen: object = None
        """As it was when last polled."""

    # --- Start and check ------------------------------------------------------------------------

    def begin(self) -> None:
        """Offer the way back from an interrupted change, else check."""
        with contextlib.suppress(Refused):
            # We are here now, however that came: an entry that is left would start us once more.
            self._session.autostart.take()
        # A journal that can't be read keeps nobody from checking; a change will say it.
        recover = self._session.recover
        self._host.work(lambda _tell: recover(), self._recovered, broke=lambda _x: self.check())

    def _recovered(self, plan: Plan | None) -> None:
        if plan is None:
            self.check()
            return
        title = say("gui.interrupted-heading")
        lead = say("gui.interrupted-lead")
        self.change.show_way_back(plan, title, lead)

    def check(self, title: str = "") -> None:
        """Look and think, from the first page on; with a title as the end of a flow."""
        if self.state.changing:
            return
        if not title:
            self._host.passed.clear()
        page = CheckPage(title)
        page.cancelled.connect(self._stop)
        self._host.go(page)
        self._host.work(self._look, self._checked, page.hear, self._unchecked)

    def _look(self, tell: Tell) -> object:
        # Before the look: what is installed during it was perhaps not seen by it.
        install_mark = self._session.install_mark()
        checkup = self._session.check(hear=tell, stop=tell.stop)
        entries: tuple[Entry, ...] = ()
        with contextlib.suppress(OSError):
            entries = self._session.history()
        return checkup, entries, install_mark

    def _stop(self) -> None:
        title, lead = say("gui.check-stopped"), say("gui.nothing-changed")
        self._show_stopped(StoppedPage(title, lead, report=False))

    def _unchecked(self, trouble: BaseException) -> None:
        self.state.trouble = "".join(traceback.format_exception(trouble))
        title = say("gui.check-broke")
        lead = say("gui.check-broke-lead")
        self._show_stopped(StoppedPage(title, lead, report=True))

    def _show_stopped(self, page: StoppedPage) -> None:
        page.again.connect(self.check)
        page.save.connect(self.save)
        self._host.go(page)

    def _checked(self, result: tuple[Checkup, tuple[Entry, ...], object]) -> None:
        self.state.checkup, self._entries, self._install_mark = result
        self._seen = self._install_mark
        made = self.state.made
        if made is not None and any(e.id == made.id and e.undone_by for e in self._entries):
            # Taken back meanwhile, perhaps on the command line.
            self.state.made = None
        self.state.trouble = self.state.foreign = ""
        self.show_answer()

    def look_around(self) -> None:
        """Poll whether something was installed meanwhile; once that is done, check again."""
        if self._waiting() and self._install_mark is not None and not self.state.foreign:
            # Not the window's one piece of work: a poll must not end what was asked for.
            self._host.work_beside(
                lambda _tell: self._session.install_mark(), self._install_mark_read
            )

    def _waiting(self) -> bool:
        return isinstance(self._host.page, ProblemsPage | ResultPage)

    def _install_mark_read(self, install_mark: object) -> None:
        at_rest, self._seen = install_mark == self._seen, install_mark
        # While it still changes, an installer is at work.
        if at_rest and install_mark != self._install_mark and self._waiting():
            self.state.made = None
            self.check(say("gui.something-installed"))

    def give_up(self, text: str) -> None:
        """What was begun can't be done: back to the answer, which says why."""
        self.back()
        self._host.page.tell("note", text)

    # --- What was found -------------------------------------------------------------------------

    def show_foreign(self, found: Checkup) -> None:
        """Show another computer by its report."""
        when = found.machine.taken_at.replace("T", " ").rstrip("Z")
        said = [say("gui.report-of-another-computer", when=when or "?")]
        if found.machine.schema > SCHEMA:
            said.append(newer_report())
        self.state.foreign = " ".join(said)
        self.state.checkup, self.state.made, self._entries = found, None, ()
        self.show_answer()

    def back(self) -> None:
        """To the answer of the last check, or to a check."""
        if self.state.checkup is None:
            self.check()
        else:
            self.show_answer()

    def show_answer(self) -> None:
        """Problems or Result, as the last check has it."""
        assert self.state.checkup is not None
        errors = [finding for finding in self.state.checkup.findings if finding.severity == "error"]
        if self.state.checkup.verdict in ("works", "impossible"):
            self._show_result("works" if self.state.checkup.verdict == "works" else "impossible")
        elif self.state.made is not None:
            self._after_change(self.state.made, errors)
        elif errors:
            self._show_problems()
        else:
            self._show_result("unknown")
        if self.state.foreign:
            self._host.page.tell("info", self.state.foreign)

    def _after_change(self, made: Entry, errors: list[Finding]) -> None:
        served = {code for step in made.plan.steps for code in step.why}
        helped = not any(finding.code in served for finding in errors)
        can_go_on = any(isinstance(f.remedy, Automatic | Manual) for f in errors)
        if installers(made) and can_go_on:
            self._show_problems()
            show_installer_results(made, self._host.page)
            return
        if not (helped and can_go_on):
            self._show_result("unknown")
            return
        count = len(made.plan.steps)
        text = say("gui.changes-made-remaining", count=count)
        self._show_problems()
        self._host.page.tell("ok", text)

    def _undoable(self) -> bool:
        return any(
            not entry.undone_by and not entry.plan.undoes and "done" in entry.states
            for entry in self._entries
        )

    def _show_problems(self) -> None:
        assert self.state.checkup is not None
        page = ProblemsPage(
            self.state.checkup,
            undoable=self._undoable(),
            foreign=bool(self.state.foreign),
            recommend=partial(self._session.recommend, self.state.checkup),
            again=None if self.state.foreign else self._session.autostart.there(),
            restart=restart_needed(self.state.made),
        )
        page.review.connect(self.change.review)
        page.after_restart.connect(partial(self._start_again, page))
        self._connect(page)
        self._host.go(page)

    def _show_result(self, outcome: Outcome, task: Finding | None = None) -> None:
        assert self.state.checkup is not None
        made = len(self.state.made.plan.steps) if self.state.made is not None else 0
        made -= len(installers(self.state.made))
        own = not self.state.foreign
        again = self._session.autostart.there() if own and task is not None else None
        ending = Ending(
            self.state.checkup,
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
        page.closed.connect(self._host.close)
        self._connect(page)
        self._host.go(page)

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
        self._host.work_beside(lambda tell: self._session.test_frameworks(one, tell.stop), done)

    def _tested(self, page: ResultPage, one: PythonEnvironment, trials: tuple[Trial, ...]) -> None:
        assert self.state.checkup is not None
        page.pythons.finish(one.id, trials)
        known = {(finding.code, finding.subject) for finding in self.state.checkup.findings}
        self.state.checkup = self._session.with_tests(self.state.checkup, trials)
        new = [f for f in self.state.checkup.findings if (f.code, f.subject) not in known]
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
        opened = not link or self._host.open_link(link)
        if not link:
            QGuiApplication.clipboard().setText("\n".join(finding.remedy.commands))
        self._show_result("needs you", task=finding)
        if not opened:
            # The address is copied by the menu of the text.
            self._host.page.tell("note", say("gui.no-browser", link=link))
