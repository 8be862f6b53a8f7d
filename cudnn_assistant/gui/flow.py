"""The flow from looking to the answer and back: which page follows, and what a change has done."""

from __future__ import annotations

import contextlib
import traceback
from collections.abc import Iterator, Sequence
from functools import partial

from msgspec.structs import replace
from PySide6.QtCore import QObject, QSignalBlocker
from PySide6.QtWidgets import QApplication, QWidget

from cudnn_assistant import places
from cudnn_assistant.compat import recommend
from cudnn_assistant.finding import Automatic, Finding, Manual
from cudnn_assistant.gui.answer import Shown
from cudnn_assistant.gui.change_flow import ChangeFlow
from cudnn_assistant.gui.dialogs import Dialog
from cudnn_assistant.gui.disclosure import add_details
from cudnn_assistant.gui.job import Job
from cudnn_assistant.gui.overview import OverviewPage
from cudnn_assistant.gui.page_host import PageHost
from cudnn_assistant.gui.session_state import SessionState
from cudnn_assistant.gui.text_widgets import Listing
from cudnn_assistant.gui.theme import Look
from cudnn_assistant.gui.widgets import Button
from cudnn_assistant.machine import SCHEMA, Machine, PythonEnvironment, Trial
from cudnn_assistant.plan import Change, Entry, Plan, demands, outcomes, settings_of
from cudnn_assistant.session import Checkup, LookRequest, Refused, Session, describe, news
from cudnn_assistant.session.checkup import judged_anew, with_tests
from cudnn_assistant.session.past import in_place
from cudnn_assistant.session.trials import run_in_frameworks
from cudnn_assistant.wording import moment, prose, say, together
from cudnn_assistant.wording.refusals import why


class Flow(QObject):
    """What comes next, by what was found and done in this session."""

    def __init__(self, host: PageHost, session: Session) -> None:
        super().__init__(host)
        self._host = host
        self._session = session
        self.state = SessionState(session.unseen)
        self.request = LookRequest()
        """How to look, as the person has settled it."""
        self.change = ChangeFlow(host, session, self.state)
        self.change.again.connect(self.check)
        self._entries: tuple[Entry, ...] = ()
        self._install_mark: object = None
        """As it was when the last look began."""
        self._poll: Job | None = None
        self._seen: object = None
        """As it was when last polled."""
        self._task: Finding | None = None
        """What the person was sent to do after the last check."""

    # --- Start and check --------------------------------------------------------------------------

    def begin(self) -> None:
        """Offer the way back from an interrupted change, else check."""
        with contextlib.suppress(Refused):
            # We are here now, however that came: an entry that is left would start us once more.
            self._session.autostart.take()
        # A journal that can't be read keeps nobody from checking; a change will say it.
        self._host.work(lambda _job: self._left(), self._recovered, broke=lambda _x: self.check())

    def _left(self) -> Plan | None:
        """The way back; an interrupted change of which nothing is left is over by that."""
        past = self._session.past
        plan = past.recover()
        if plan is None or plan.steps:
            return plan
        past.close(plan)
        return None

    def _recovered(self, plan: Plan | None) -> None:
        if plan is None:
            self.check()
        else:
            self.change.show_interrupted(plan)

    def check(self, title: str = "") -> None:
        """Look and think, from the first page on; with a title as the end of a flow."""
        if not title:
            self._host.passed.clear()
        self._task, self.state.outdated = None, True
        page = self.open_overview()
        if title:
            page.title.setText(title)
        self._host.work(self._look, self._checked, self._unchecked, page.hear)

    def open_overview(self) -> OverviewPage:
        """Show an overview that nothing is known for yet."""
        page = OverviewPage()
        page.leave.connect(self._leave)
        page.test.connect(partial(self._test, page))
        page.trust.connect(self._ask_trust)
        page.after_restart.connect(partial(self._start_again, page))
        self._host.go(page)
        return page

    def _look(self, job: Job) -> object:
        # Before the look: what is installed during it was perhaps not seen by it.
        install_mark = self._session.install_mark()
        checkup = self._session.check(request=self.request, hear=job.tell, stop=job.stop)
        entries: tuple[Entry, ...] = ()
        with contextlib.suppress(OSError):
            entries = self._session.journal.entries()
        return checkup, entries, install_mark

    def _overview(self) -> OverviewPage | None:
        page = self._host.page
        return page if isinstance(page, OverviewPage) else None

    @property
    def answer_shown(self) -> bool:
        """Whether the answer of a check is what is shown."""
        page = self._overview()
        return page is not None and page.shown is not None

    def stop(self) -> None:
        """Of the check that is under way nothing is wanted any more."""
        self._host.cancel_all()
        if (page := self._overview()) is not None:
            untouched = "" if self.state.done else say("gui.nothing-changed")
            page.show_stopped(say("gui.check-stopped"), untouched, report=False)

    def _unchecked(self, trouble: BaseException) -> None:
        self.state.trouble = "".join(traceback.format_exception(trouble))
        if (page := self._overview()) is not None:
            page.show_stopped(say("gui.check-broke"), say("gui.check-broke-lead"), report=True)
        self._host.notifier.tell(say("gui.check-broke"))

    def _checked(self, result: tuple[Checkup, tuple[Entry, ...], object]) -> None:
        checkup, self._entries, self._install_mark = result
        self._seen = self._install_mark
        self.state.answer(checkup)
        known = {entry.id: entry for entry in self._entries}
        now = known.get(self.state.made.id) if self.state.made is not None else None
        if now is not None and now.undone_by:
            # Taken back meanwhile, perhaps on the command line.
            self.state.made, self.state.done = None, (*self.state.done, known[now.undone_by])
        self.show_answer()
        self._host.notifier.tell(self._host.page.title.text())

    @property
    def looking(self) -> bool:
        """Whether a check is under way."""
        page = self._overview()
        return page is not None and self.state.outdated and page.bar.isVisibleTo(page)

    def look_around(self, *, slept: bool = False) -> None:
        """Poll whether something was installed meanwhile; once that is done, check again.

        After the computer ``slept`` a GPU may have to start anew, and a test is none of just now.
        """
        if not self.answer_shown or self.state.foreign:
            return
        if slept:
            self.check()
        elif self._install_mark is not None and not (self._poll and self._poll.busy):
            # One at a time: a folder of a network that is gone answers late, or never.
            poll = self._session.install_mark
            self._poll = self._host.work(lambda _job: poll(), self._install_mark_read)

    def _install_mark_read(self, install_mark: object) -> None:
        at_rest, self._seen = install_mark == self._seen, install_mark
        # While it still changes, an installer is at work.
        if at_rest and install_mark != self._install_mark and self.answer_shown:
            self.state.made = None
            self.check(say("gui.something-installed"))

    def tell(self, text: str) -> None:
        """Say what came of something else, and stay; what goes on says it with its answer."""
        if self.looking or self.state.changing:
            self.state.notice = text
        else:
            self._host.page.tell("note", text)

    # --- What was found ---------------------------------------------------------------------------

    def show_foreign(self, found: Checkup) -> None:
        """Show another computer by its report."""
        self.state.answer(found)
        self.state.made, self._entries, self._task = None, (), None
        self.open_overview()
        self.show_answer()

    def back(self) -> None:
        """To the answer of the last check, as long as it holds; else to a check."""
        if self.state.checkup is None or self.state.outdated:
            self.check()
            return
        self.open_overview()
        self.show_answer()

    def renew(self) -> None:
        """Check again where the answer that is shown may be true no more."""
        if self.answer_shown and self.state.outdated:
            self.check()

    def judge_anew(self) -> None:
        """By other compatibility data; what was seen and tested stays."""
        if self.answer_shown:
            self.state.checkup = judged_anew(self.state.found, self._session.compat)
            self.show_answer()

    def show_answer(self) -> None:
        """The answer of the last check, on the overview that is shown."""
        page, checkup = self._overview(), self.state.found
        assert page is not None
        made = self.state.made
        helped = self._helped(checkup)
        remedy = checkup.main and checkup.main.remedy
        by_hand = isinstance(remedy, Manual) and remedy.restart
        ended = outcomes(made.plan) if made is not None else ()
        restart = not self.state.foreign and (by_hand or any(one.restart for one in ended))
        source = self._session.source
        page.show_data(prose((describe(source), *news(source))))
        page.show_answer(
            Shown(
                checkup,
                changed=bool(self.state.done),
                news=tuple(self._news()),
                undo_offered=0 if helped or made is None else len(made.plan.steps),
                undoable=any(in_place(self._entries)),
                task=self._task,
                start_again=self._session.autostart.there() if restart else None,
                recommend=partial(recommend, checkup.machine, self._session.compat),
            )
        )
        self._host.step(page)
        if made is not None:
            show_installer_results(made, page)

    def _news(self) -> list[tuple[Look, str]]:
        """What happened since the window opened, the newest first, as long as it is true."""
        if self.state.foreign:
            return [("info", _whose(self.state.found.machine))]
        found: list[tuple[Look, str]] = []
        if self.state.notice:
            found.append(("note", self.state.notice))
            self.state.notice = ""
        if self.state.done:
            last, machine = self.state.done[-1], self.state.own
            if len(outcomes(last.plan)) < len(last.plan.steps):
                found.append(("ok", told(last, self._session.preview(last.plan, machine))))
            left = prose(still_to_do(self.state.done, machine, self.state.made))
            if left:
                found.append(("info", left))
        return found

    def _helped(self, checkup: Checkup) -> bool:
        """Whether nothing is wrong any more that the last change was meant for."""
        if self.state.made is None or outcomes(self.state.made.plan):
            return True
        served = self.state.made.plan.codes
        errors = [finding for finding in checkup.findings if finding.severity == "error"]
        stuck = not any(isinstance(one.remedy, Automatic | Manual) for one in errors)
        return not errors or not (stuck or any(one.code in served for one in errors))

    def _start_again(self, page: OverviewPage, wanted: bool) -> None:
        try:
            if wanted:
                self._session.autostart.put(places.window_command())
            else:
                self._session.autostart.take()
        except Refused as trouble:
            with QSignalBlocker(page.box):
                page.box.setChecked(False)
            page.tell("note", why(trouble))

    def _test(self, page: OverviewPage, one: PythonEnvironment) -> None:
        page.show_testing(one)
        self._host.work(
            lambda job: run_in_frameworks(one, self._session.system, self.request, job.stop),
            partial(self._tested, page, one),
        )

    def _tested(
        self, page: OverviewPage, one: PythonEnvironment, trials: tuple[Trial, ...]
    ) -> None:
        page.testing = ""
        self.state.checkup = with_tests(self.state.found, trials, self._session.compat)
        self.show_answer()
        page.open_row(one.id)

    def _ask_trust(self, folder: str) -> None:
        """One clear question before what is in doubt is run; a yes holds for this window."""
        ask = Dialog(say("gui.trust-heading"), say("gui.trust-lead", folder=folder), self._host)
        ask.accepted.connect(partial(self._trust, folder))
        yes, no = Button(say("gui.trust-yes"), ask.accept), Button(say("gui.cancel"), ask.reject)
        ask.finish(QWidget(), yes, no)
        self._host.open(ask)

    def _trust(self, folder: str) -> None:
        self.request = replace(self.request, trusted=(*self.request.trusted, folder))
        self.check()

    def _leave(self, finding: Finding) -> None:
        assert isinstance(finding.remedy, Manual)
        self._task = finding
        self.show_answer()
        if finding.remedy.link:
            self._host.open_link(finding.remedy.link)
        else:
            QApplication.clipboard().setText("\n".join(finding.remedy.commands))


def _whose(machine: Machine) -> str:
    """Says whose report is looked at."""
    said = [say("gui.report-of-another-computer", when=moment(machine.taken_at) or "?")]
    if machine.schema > SCHEMA:
        said.append(say("report.newer"))
    return prose(said)


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
