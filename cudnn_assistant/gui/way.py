"""The way from looking to the result: which page follows which. The pages know nothing of it."""

from __future__ import annotations

import contextlib
import threading
import traceback
from typing import TYPE_CHECKING

from PySide6.QtGui import QGuiApplication

from cudnn_assistant.apply import NotApplied
from cudnn_assistant.checkup import Checkup
from cudnn_assistant.finding import Automatic, Finding, Manual
from cudnn_assistant.gui.check import CheckPage, StoppedPage
from cudnn_assistant.gui.doing import Doing
from cudnn_assistant.gui.job import Job, Tell
from cudnn_assistant.gui.making import MakingPage
from cudnn_assistant.gui.problems import ProblemsPage
from cudnn_assistant.gui.result import Ending, Outcome, ResultPage
from cudnn_assistant.gui.review import Proposal, ReviewPage
from cudnn_assistant.machine import Machine, OperatingSystem
from cudnn_assistant.plan import Entry, Plan
from cudnn_assistant.wording import _, ngettext, words

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
        self.changing = False
        self.cancel = threading.Event()
        """Set, it stops the change that is being made and takes it back."""
        self._made: Entry | None = None
        self._entries: tuple[Entry, ...] = ()
        self._glance: object = None

    # --- Start and check ------------------------------------------------------------------------

    def begin(self) -> None:
        """Offer the way back from an interrupted change, else check."""
        # A journal that can't be read keeps nobody from checking; a change will say it.
        recover = self._doing.recover
        self._window.work(lambda _tell: recover(), self._recovered, broke=lambda _x: self.check())

    def _recovered(self, plan: Plan | None) -> None:
        if plan is None:
            self.check()
            return
        title = _("The last change was interrupted")
        lead = _("This puts back what it had changed by then. Nothing else is touched.")
        self._show_way_back(plan, title, lead)

    def check(self, title: str = "") -> None:
        """Look and think, from the first page on."""
        if self.changing:
            return
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
            job = Job(lambda _tell: self._doing.glance(), self._window)
            job.done.connect(self._glanced)
            job.done.connect(job.deleteLater)
            job.start()

    def _waiting(self) -> bool:
        return isinstance(self._window.page, ProblemsPage | ResultPage)

    def _glanced(self, glance: object) -> None:
        if glance != self._glance and self._waiting():
            self._made = None
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
        self.checkup, self._made, self._entries = found, None, ()
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
        elif self._made is not None:
            self._after_change(self._made, errors)
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
        page = ProblemsPage(self.checkup, undoable=self._undoable(), foreign=bool(self.foreign))
        page.review.connect(self._review)
        self._connect(page)
        self._window.go(page)

    def _show_result(self, outcome: Outcome, task: Finding | None = None) -> None:
        assert self.checkup is not None
        made = len(self._made.plan.steps) if self._made is not None else 0
        page = ResultPage(Ending(self.checkup, outcome, made, self._undoable(), task))
        page.undo.connect(self._undo_made)
        page.notes.connect(self._show_problems)
        page.back.connect(self._show_problems)
        page.closed.connect(self._window.close)
        self._connect(page)
        self._window.go(page)

    def _connect(self, page: ProblemsPage | ResultPage) -> None:
        aside = self._window.aside
        page.again.connect(self.check)
        page.leave.connect(self._leave)
        page.save.connect(aside.save)
        page.explain.connect(aside.show_explain)
        page.history.connect(aside.show_history)

    def _leave(self, finding: Finding) -> None:
        if isinstance(finding.remedy, Manual) and finding.remedy.link:
            self._window.open_link(finding.remedy.link)
        elif isinstance(finding.remedy, Manual):
            QGuiApplication.clipboard().setText("\n".join(finding.remedy.commands))
        self._show_result("needs you", task=finding)

    # --- Review and change ----------------------------------------------------------------------

    def _review(self) -> None:
        assert self.checkup is not None
        self._propose(self.checkup.plan)

    def _propose(self, plan: Plan) -> ReviewPage:
        checkup = self.checkup
        assert checkup is not None
        leaves = {f.code: words(f, checkup.machine).title for f in checkup.findings}
        whole, now = (self._doing.preview(p, checkup.machine) for p in (checkup.plan, plan))
        family = self._doing.family
        return self._show_review(Proposal(plan, now, family, checkup.plan, whole, leaves))

    def _pick(self, codes: frozenset[str]) -> None:
        assert self.checkup is not None
        old = self._window.page
        assert isinstance(old, ReviewPage)
        at = old.focused_box()
        self._propose(self._doing.plan(self.checkup, codes)).focus_box(at)

    def _show_review(self, proposal: Proposal, trouble: str = "") -> ReviewPage:
        page = ReviewPage(proposal, trouble)
        page.back.connect(self.back)
        page.cancelled.connect(self._cancel)
        page.again.connect(self.check)
        page.pick.connect(self._pick)
        page.licence.connect(self._window.open_link)
        page.make.connect(lambda plan: self._make(plan, proposal))
        self._window.go(page)
        return page

    def _cancel(self) -> None:
        self.back()
        self._window.page.tell("info", _("Nothing was changed."))

    def _make(self, plan: Plan, proposal: Proposal) -> None:
        page = MakingPage(plan, [change.title for change in proposal.changes])
        self.cancel = cancel = threading.Event()
        page.cancelled.connect(cancel.set)
        self._window.go(page)
        self.changing = True
        self._window.work(
            lambda tell: self._doing.apply(plan, tell, cancel),
            self._change_done,
            page.hear,
            lambda trouble: self._not_changed(trouble, proposal),
        )

    def _change_done(self, entry: Entry) -> None:
        self.changing = False
        self._made = None if entry.plan.undoes else entry
        if self._window.closing:
            self._window.close()
            return
        undone = _("It is put back. Checking again…")
        made = _("The change is made. Checking again…")
        self.check(undone if entry.plan.undoes else made)

    def _not_changed(self, trouble: BaseException, proposal: Proposal) -> None:
        self.changing = False
        if not isinstance(trouble, NotApplied):
            raise trouble
        if self._window.closing and trouble.as_before:
            self._window.close()
            return
        if trouble.as_before:
            text = _("{reason} Nothing is different from before.").format(reason=trouble.message)
        else:
            text = _("{reason} The next start offers the way back.").format(reason=trouble.message)
        self._show_review(proposal, text)

    def _undo_made(self) -> None:
        if self._made is not None:
            self.undo(self._made)

    def undo(self, entry: Entry) -> None:
        """Show how a change is put back."""
        self._window.work(lambda _tell: self._doing.undo(entry), self._show_undo)

    def _show_undo(self, plan: Plan) -> None:
        count = len(plan.steps)
        title = ngettext("Undo {count} change", "Undo {count} changes", count).format(count=count)
        lead = _(
            "What was there before is put back; what other programs changed since stays. "
            "Open programs keep their settings until you restart them."
        )
        if not count:
            title = _("There is nothing left to undo")
            lead = _("What this change had set is not there any more.")
        self._show_way_back(plan, title, lead)

    def _show_way_back(self, plan: Plan, title: str, lead: str) -> None:
        changes = self._doing.preview(plan, self.machine())
        self._show_review(Proposal(plan, changes, self._doing.family, title=title, lead=lead))
