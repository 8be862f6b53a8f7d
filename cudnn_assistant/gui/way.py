"""The way from looking to the result: which page follows which. The pages know nothing of it."""

from __future__ import annotations

import contextlib
import traceback
from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtGui import QGuiApplication

from cudnn_assistant import places
from cudnn_assistant.checkup import Checkup
from cudnn_assistant.finding import Automatic, Finding, Manual
from cudnn_assistant.gui.changing import Changing
from cudnn_assistant.gui.check import CheckPage, StoppedPage
from cudnn_assistant.gui.doing import Doing
from cudnn_assistant.gui.job import Tell
from cudnn_assistant.gui.problems import ProblemsPage
from cudnn_assistant.gui.result import Ending, Outcome, ResultPage
from cudnn_assistant.machine import Machine, OperatingSystem, PythonEnvironment, Trial
from cudnn_assistant.plan import Entry, Plan
from cudnn_assistant.system import Refused
from cudnn_assistant.wording import _, ngettext

if TYPE_CHECKING:
    from cudnn_assistant.gui.window import Window


class Way:
    """What was found and done in this sitting, and so what comes next."""

    def __init__(self, window: Window, doing: Doing) -> None:
        self._window = window
        self._doing = doing
        self.checkup: Checkup | None = None
        """The last finished one: of this computer, or of a report's."""
        self.foreign = ""
        """Says whose report is looked at; "" for this computer."""
        self.trouble = ""
        """The traceback of a look that broke, for the report."""
        self.change = Changing(window, doing, self)
        self._entries: tuple[Entry, ...] = ()
        self._glance: object = None

    # --- Start and check ------------------------------------------------------------------------

    def begin(self) -> None:
        """Offer the way back from an interrupted change, else check."""
        with contextlib.suppress(Refused):
            # We are here now, however that came: an entry that is left would start us once more.
            self._doing.again.take()
        # A journal that can't be read keeps nobody from checking; a change will say it.
        recover = self._doing.recover
        self._window.work(lambda _tell: recover(), self._recovered, broke=lambda _x: self.check())

    def _recovered(self, plan: Plan | None) -> None:
        if plan is None:
            self.check()
            return
        title = _("The last change was interrupted")
        lead = _("This puts back what it had changed by then. Nothing else is touched.")
        self.change.show_way_back(plan, title, lead)

    def check(self, title: str = "") -> None:
        """Look and think, from the first page on; with a title as the end of a way."""
        if self.change.under_way:
            return
        if not title:
            self._window.passed.clear()
        page = CheckPage(title)
        page.cancelled.connect(self._stop)
        self._window.go(page)
        self._window.work(self._look, self._checked, page.hear, self._unchecked)

    def _look(self, tell: Tell) -> object:
        checkup = self._doing.check(tell)
        entries: tuple[Entry, ...] = ()
        with contextlib.suppress(OSError):
            entries = self._doing.entries()
        return checkup, entries, self._doing.glance()

    def _stop(self) -> None:
        title, lead = _("The check was stopped"), _("Nothing was changed.")
        self._show_stopped(StoppedPage(title, lead, report=False))

    def _unchecked(self, trouble: BaseException) -> None:
        self.trouble = "".join(traceback.format_exception(trouble))
        title = _("We couldn't check this computer")
        lead = _("Something unexpected stopped the check. The report tells what it was.")
        self._show_stopped(StoppedPage(title, lead, report=True))

    def _show_stopped(self, page: StoppedPage) -> None:
        page.again.connect(self.check)
        page.save.connect(self._window.aside.save)
        self._window.go(page)

    def _checked(self, result: tuple[Checkup, tuple[Entry, ...], object]) -> None:
        self.checkup, self._entries, self._glance = result
        self.trouble = self.foreign = ""
        self.show_answer()

    def look_around(self) -> None:
        """A cheap look whether something was installed meanwhile; then check again."""
        if self._waiting() and self._glance is not None and not self.foreign:
            # Not the window's one piece of work: a look aside must not end what was asked for.
            self._window.work_beside(lambda _tell: self._doing.glance(), self._glanced)

    def _waiting(self) -> bool:
        return isinstance(self._window.page, ProblemsPage | ResultPage)

    def _glanced(self, glance: object) -> None:
        if glance != self._glance and self._waiting():
            self.change.made = None
            self.check(_("Something was installed. Checking again…"))

    # --- What was found -------------------------------------------------------------------------

    def machine(self) -> Machine:
        """The last snapshot; before the first one, a computer of which nothing is known."""
        if self.checkup is not None:
            return self.checkup.machine
        return Machine(os=OperatingSystem(family=self._doing.family))

    def show_foreign(self, found: Checkup) -> None:
        """Show another computer by its report."""
        when = found.machine.taken_at.replace("T", " ").rstrip("Z")
        text = _("A report of {when}, of another computer. Check again looks at this one.")
        self.foreign = text.format(when=when or "?")
        self.checkup, self.change.made, self._entries = found, None, ()
        self.show_answer()

    def back(self) -> None:
        """To the answer of the last check, or to a check."""
        if self.checkup is None:
            self.check()
        else:
            self.show_answer()

    def show_answer(self) -> None:
        """Problems or Result, as the last check has it."""
        assert self.checkup is not None
        errors = [finding for finding in self.checkup.findings if finding.severity == "error"]
        if self.checkup.verdict in ("works", "impossible"):
            self._show_result("works" if self.checkup.verdict == "works" else "impossible")
        elif self.change.made is not None:
            self._after_change(self.change.made, errors)
        elif errors:
            self._show_problems()
        else:
            self._show_result("unknown")
        if self.foreign:
            self._window.page.tell("info", self.foreign)

    def _after_change(self, made: Entry, errors: list[Finding]) -> None:
        served = {code for step in made.plan.steps for code in step.why}
        helped = not any(finding.code in served for finding in errors)
        if not (helped and any(isinstance(f.remedy, Automatic | Manual) for f in errors)):
            self._show_result("unknown")
            return
        count = len(made.plan.steps)
        text = ngettext(
            "{count} change is made and did its part. This is what remains.",
            "{count} changes are made and did their part. This is what remains.",
            count,
        )
        self._show_problems()
        self._window.page.tell("ok", text.format(count=count))

    def _undoable(self) -> bool:
        return any(not entry.undone_by and not entry.plan.undoes for entry in self._entries)

    def _show_problems(self) -> None:
        assert self.checkup is not None
        page = ProblemsPage(
            self.checkup,
            undoable=self._undoable(),
            foreign=bool(self.foreign),
            recommend=partial(self._doing.recommend, self.checkup),
            again=None if self.foreign else self._doing.again.there(),
        )
        page.review.connect(self.change.review)
        page.after_restart.connect(partial(self._start_again, page))
        self._connect(page)
        self._window.go(page)

    def _show_result(self, outcome: Outcome, task: Finding | None = None) -> None:
        assert self.checkup is not None
        made = len(self.change.made.plan.steps) if self.change.made is not None else 0
        own = not self.foreign
        again = self._doing.again.there() if own and task is not None else None
        ending = Ending(
            self.checkup, outcome, made, self._undoable(), task, again=again, foreign=not own
        )
        page = ResultPage(ending)
        page.after_restart.connect(partial(self._start_again, page))
        page.test.connect(partial(self._test, page))
        page.undo.connect(self.change.undo_made)
        page.notes.connect(self._show_problems)
        page.back.connect(self._show_problems)
        page.closed.connect(self._window.close)
        self._connect(page)
        self._window.go(page)

    def _start_again(self, page: ResultPage | ProblemsPage, wanted: bool) -> None:
        try:
            if wanted:
                self._doing.again.put(places.window_command())
            else:
                self._doing.again.take()
        except Refused as trouble:
            page.box.untick()
            page.tell("note", str(trouble))

    def _test(self, page: ResultPage, one: PythonEnvironment) -> None:
        page.pythons.begin(one.id)
        done = partial(self._tested, page, one)
        self._window.work_beside(lambda tell: self._doing.test(one, tell), done)

    def _tested(self, page: ResultPage, one: PythonEnvironment, trials: tuple[Trial, ...]) -> None:
        assert self.checkup is not None
        page.pythons.finish(one.id, trials)
        known = {(finding.code, finding.subject) for finding in self.checkup.findings}
        self.checkup = self._doing.with_tests(self.checkup, trials)
        new = [f for f in self.checkup.findings if (f.code, f.subject) not in known]
        if any(finding.severity == "error" for finding in new):
            page.offer_problems()

    def _connect(self, page: ProblemsPage | ResultPage) -> None:
        aside = self._window.aside
        page.again.connect(self.check)
        page.leave.connect(self._leave)
        page.save.connect(aside.save)
        page.explain.connect(aside.show_explain)
        page.history.connect(aside.show_history)

    def _leave(self, finding: Finding) -> None:
        assert isinstance(finding.remedy, Manual)
        link = finding.remedy.link
        opened = not link or self._window.open_link(link)
        if not link:
            QGuiApplication.clipboard().setText("\n".join(finding.remedy.commands))
        self._show_result("needs you", task=finding)
        if not opened:
            # The address is copied by the menu of the text.
            text = _("No browser could be opened. The address is {link}")
            self._window.page.tell("note", text.format(link=link))
