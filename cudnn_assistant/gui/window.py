"""The window: which page follows which. The pages themselves know nothing of each other."""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from typing import Any

from PySide6.QtCore import QEvent, Qt, QTimer, QUrl
from PySide6.QtGui import (
    QCloseEvent,
    QDesktopServices,
    QDragEnterEvent,
    QDropEvent,
    QGuiApplication,
    QKeyEvent,
    QKeySequence,
    QPaintEvent,
    QShortcut,
)
from PySide6.QtWidgets import QApplication, QStackedWidget, QVBoxLayout, QWidget

from cudnn_assistant.apply import NotApplied
from cudnn_assistant.checkup import Checkup
from cudnn_assistant.finding import Automatic, Finding, Manual
from cudnn_assistant.gui.check import CheckPage, StoppedPage
from cudnn_assistant.gui.dialogs import HistoryDialog, Past, ReportDialog
from cudnn_assistant.gui.doing import Doing
from cudnn_assistant.gui.explain import ExplainPage
from cudnn_assistant.gui.job import Job, Tell
from cudnn_assistant.gui.page import Page
from cudnn_assistant.gui.problems import ProblemsPage
from cudnn_assistant.gui.result import Ending, Outcome, ResultPage
from cudnn_assistant.gui.review import MakingPage, Proposal, ReviewPage
from cudnn_assistant.gui.theme import app_icon
from cudnn_assistant.machine import Machine, OperatingSystem
from cudnn_assistant.plan import Entry, Plan
from cudnn_assistant.report import NotAReport
from cudnn_assistant.system import Refused
from cudnn_assistant.wording import _, ngettext, words

LARGEST_LOG = 64 * 1024 * 1024
"""Bytes of a dropped log that are read."""


class Window(QWidget):
    """Looks by itself as soon as it is on the screen; everything slow happens in a Job."""

    def __init__(self, doing: Doing, open_link: Callable[[str], object] | None = None) -> None:
        super().__init__()
        self._doing = doing
        self._open_link = open_link or (lambda link: QDesktopServices.openUrl(QUrl(link)))
        self._job: Job | None = None
        self._checkup: Checkup | None = None
        self._made: Entry | None = None
        self._entries: tuple[Entry, ...] = ()
        self._glance: object = None
        self._begun = self._changing = self._closing = False
        self._trouble = self._foreign = ""
        self.dialog: HistoryDialog | ReportDialog | None = None
        self.setWindowTitle(QApplication.applicationDisplayName() or "cuDNN Assistant")
        self.setWindowIcon(app_icon())
        self.pages = QStackedWidget()
        rows = QVBoxLayout(self)
        rows.setContentsMargins(0, 0, 0, 0)
        rows.addWidget(self.pages)
        self.setAcceptDrops(True)
        self.setMinimumSize(640, 480)
        self.resize(780, 560)
        self._add_shortcuts()
        self._go(CheckPage())

    def _add_shortcuts(self) -> None:
        keys = (
            (QKeySequence("F5"), self.check),
            (QKeySequence(QKeySequence.StandardKey.Save), self.save),
            (QKeySequence("Ctrl+E"), self.show_explain),
            (QKeySequence("Esc"), self._escape),
        )
        for key, do in keys:
            QShortcut(key, self).activated.connect(do)

    @property
    def page(self) -> Page:
        """The page that is shown."""
        page = self.pages.currentWidget()
        assert isinstance(page, Page)
        return page

    def _escape(self) -> None:
        self.page.escape()

    def keyPressEvent(self, event: QKeyEvent) -> None:  # noqa: N802
        """Enter that nothing with the focus has taken presses the default button."""
        primary = self.page.buttons.primary
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and primary is not None:
            primary.click()
        else:
            super().keyPressEvent(event)

    # --- Pages ----------------------------------------------------------------------------------

    def _go(self, page: Page) -> None:
        # Work that was begun for the old page must not report to the new one.
        if self._job is not None:
            self._job.cancel()
        old = self.pages.currentWidget()
        self.pages.addWidget(page)
        self.pages.setCurrentWidget(page)
        page.settle()
        if old is not None:
            self.pages.removeWidget(old)
            old.deleteLater()

    def _work(
        self,
        work: Callable[[Tell], object],
        done: Callable[[Any], object],
        told: Callable[[Any], object] | None = None,
        broke: Callable[[Any], object] | None = None,
    ) -> None:
        if self._job is not None:
            self._job.cancel()
        job = Job(work, self)
        job.done.connect(done)
        job.broke.connect(broke or self._trouble_met)
        if told is not None:
            job.told.connect(told)
        self._job = job
        job.start()

    def _trouble_met(self, trouble: BaseException) -> None:
        """Trouble in the world is told where one was; a bug is a bug, the excepthook shows it."""
        if isinstance(trouble, OSError):
            reason = trouble.strerror or str(trouble)
            text = _("That could not be read: {reason}.").format(reason=reason)
        elif isinstance(trouble, Refused):
            text = str(trouble)
        else:
            raise trouble
        self._back()
        self.page.tell("note", text)

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: N802
        """The first picture is on the screen before the first look begins."""
        super().paintEvent(event)
        if not self._begun:
            self._begun = True
            QTimer.singleShot(0, self.begin)

    def begin(self) -> None:
        """Offer the way back from an interrupted change, else check."""
        self._work(lambda _tell: self._doing.recover(), self._recovered, broke=self._no_journal)

    def _no_journal(self, _trouble: BaseException) -> None:
        # A journal that can't be read keeps nobody from checking; a change will say it.
        self.check()

    def _recovered(self, plan: Plan | None) -> None:
        if plan is None:
            self.check()
            return
        title = _("The last change was interrupted")
        lead = _("This puts back what it had changed by then. Nothing else is touched.")
        self._show_back(plan, title, lead)

    def _machine(self) -> Machine:
        """The last snapshot; before the first one, a computer of which nothing is known."""
        if self._checkup is not None:
            return self._checkup.machine
        return Machine(os=OperatingSystem(family=self._doing.family))

    def _show_back(self, plan: Plan, title: str, lead: str) -> None:
        changes = self._doing.preview(plan, self._machine())
        self._show_review(Proposal(plan, changes, self._doing.family, title=title, lead=lead))

    # --- Check ----------------------------------------------------------------------------------

    def check(self, title: str = "") -> None:
        """Look and think, from the first page on."""
        if self._changing:
            return
        page = CheckPage(title)
        page.cancelled.connect(self.stop)
        self._go(page)
        self._work(self._look, self._checked, self._told, self._unchecked)

    def _look(self, tell: Tell) -> object:
        checkup = self._doing.check(tell)
        entries: tuple[Entry, ...] = ()
        with contextlib.suppress(OSError):
            entries = self._doing.entries()
        return checkup, entries, self._doing.glance()

    def _told(self, news: tuple[Any, bool, Any]) -> None:
        page = self.page
        if not isinstance(page, CheckPage):
            return
        part, done, what = news
        if part == "data":
            page.show_data(what)
        else:
            page.show_part(part, done, what)

    def stop(self) -> None:
        """Cancel the check; nothing is closed."""
        if self._job is not None:
            self._job.cancel()
        title, lead = _("The check was stopped"), _("Nothing was changed.")
        self._show_stopped(StoppedPage(title, lead, report=False))

    def _unchecked(self, trouble: BaseException) -> None:
        self._trouble = "".join(_traceback(trouble))
        title = _("We couldn't check this computer")
        lead = _("Something unexpected stopped the check. The report tells what it was.")
        self._show_stopped(StoppedPage(title, lead, report=True))

    def _show_stopped(self, page: StoppedPage) -> None:
        page.again.connect(self.check)
        page.save.connect(self.save)
        self._go(page)

    def _checked(self, result: tuple[Checkup, tuple[Entry, ...], object]) -> None:
        self._checkup, self._entries, self._glance = result
        self._trouble = self._foreign = ""
        self._show_answer(self._checkup)

    def _show_answer(self, checkup: Checkup) -> None:
        if self._made is not None:
            self._after_change(checkup, self._made)
        else:
            self._show_found(checkup)
        if self._foreign:
            self.page.tell("info", self._foreign)

    def _show_found(self, checkup: Checkup) -> None:
        broken = any(finding.severity == "error" for finding in checkup.findings)
        if checkup.verdict == "impossible":
            self._show_result("impossible")
        elif checkup.verdict == "works":
            self._show_result("works")
        elif broken:
            self.show_problems()
        else:
            self._show_result("unknown")

    def _after_change(self, checkup: Checkup, made: Entry) -> None:
        served = {code for step in made.plan.steps for code in step.why}
        left = [finding for finding in checkup.findings if finding.severity == "error"]
        helped = not any(finding.code in served for finding in left)
        if checkup.verdict == "works":
            self._show_result("works")
        elif helped and any(isinstance(f.remedy, Automatic | Manual) for f in left):
            count = len(made.plan.steps)
            text = ngettext(
                "{count} change is made and did its part. This is what remains.",
                "{count} changes are made and did their part. This is what remains.",
                count,
            )
            self.show_problems()
            self.page.tell("ok", text.format(count=count))
        else:
            self._show_result("unknown")

    # --- Problems -------------------------------------------------------------------------------

    def show_problems(self) -> None:
        """The cards of the last check."""
        assert self._checkup is not None
        page = ProblemsPage(self._checkup, undoable=self._undoable(), foreign=bool(self._foreign))
        page.again.connect(self.check)
        page.save.connect(self.save)
        page.review.connect(self.review)
        page.leave.connect(self._leave)
        page.explain.connect(self.show_explain)
        page.history.connect(self.show_history)
        self._go(page)

    def _leave(self, finding: Finding) -> None:
        if isinstance(finding.remedy, Manual):
            if finding.remedy.link:
                self._open_link(finding.remedy.link)
            else:
                QGuiApplication.clipboard().setText("\n".join(finding.remedy.commands))
        self._show_result("needs you", task=finding)

    # --- Review ---------------------------------------------------------------------------------

    def review(self) -> None:
        """Show what would change."""
        assert self._checkup is not None
        self._propose(self._checkup.plan)

    def _propose(self, plan: Plan) -> ReviewPage:
        checkup = self._checkup
        assert checkup is not None
        leaves = {f.code: words(f, checkup.machine).title for f in checkup.findings}
        whole, now = (self._doing.preview(p, checkup.machine) for p in (checkup.plan, plan))
        family = self._doing.family
        return self._show_review(Proposal(plan, now, family, checkup.plan, whole, leaves))

    def _pick(self, codes: frozenset[str]) -> None:
        assert self._checkup is not None
        old = self.page
        assert isinstance(old, ReviewPage)
        at = old.focused_box()
        self._propose(self._doing.plan(self._checkup, codes)).focus_box(at)

    def _show_review(self, proposal: Proposal, trouble: str = "") -> ReviewPage:
        page = ReviewPage(proposal, trouble)
        page.back.connect(self._back)
        page.cancelled.connect(self._cancel)
        page.again.connect(self.check)
        page.pick.connect(self._pick)
        page.make.connect(lambda plan: self._make(plan, proposal))
        self._go(page)
        return page

    def _back(self) -> None:
        if self._checkup is None:
            self.check()
        else:
            self._show_answer(self._checkup)

    def _cancel(self) -> None:
        self._back()
        self.page.tell("info", _("Nothing was changed."))

    def _make(self, plan: Plan, proposal: Proposal) -> None:
        page = MakingPage([change.title for change in proposal.changes])
        self._go(page)
        self._changing = True
        self._work(
            lambda tell: self._doing.apply(plan, tell),
            self._change_done,
            lambda news: page.show_step(*news),
            lambda trouble: self._not_changed(trouble, proposal),
        )

    def _change_done(self, entry: Entry) -> None:
        self._changing = False
        self._made = None if entry.plan.undoes else entry
        if self._closing:
            self.close()
            return
        undone = _("It is put back. Checking again…")
        made = _("The change is made. Checking again…")
        self.check(undone if entry.plan.undoes else made)

    def _not_changed(self, trouble: BaseException, proposal: Proposal) -> None:
        self._changing = False
        if not isinstance(trouble, NotApplied):
            raise trouble
        if trouble.as_before:
            text = _("{reason} Nothing is different from before.").format(reason=trouble.message)
        else:
            text = _("{reason} The next start offers the way back.").format(reason=trouble.message)
        self._show_review(proposal, text)

    # --- Result ---------------------------------------------------------------------------------

    def _undoable(self) -> bool:
        return any(not e.undone_by and not e.plan.undoes for e in self._entries)

    def _show_result(self, outcome: Outcome, task: Finding | None = None) -> None:
        assert self._checkup is not None
        made = len(self._made.plan.steps) if self._made is not None else 0
        undoable = self._undoable()
        page = ResultPage(Ending(self._checkup, outcome, made, undoable, task))
        page.explain.connect(self.show_explain)
        page.again.connect(self.check)
        page.save.connect(self.save)
        page.history.connect(self.show_history)
        page.undo.connect(self._undo_made)
        page.notes.connect(self.show_problems)
        page.leave.connect(self._leave)
        page.back.connect(self.show_problems)
        page.closed.connect(self.close)
        self._go(page)

    def _undo_made(self) -> None:
        if self._made is not None:
            self._undo(self._made)

    def _undo(self, entry: Entry) -> None:
        self._work(lambda _tell: self._doing.undo(entry), self._show_undo)

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
        self._show_back(plan, title, lead)

    # --- Explain, and reports of other computers ------------------------------------------------

    def show_explain(self) -> None:
        """The page that says what a message means."""
        if self._changing or isinstance(self.page, CheckPage | ExplainPage):
            return
        page = ExplainPage()
        page.back.connect(self._back)
        page.ask.connect(self._explain)
        page.dropped.connect(self.take_file)
        self._go(page)

    def _explain(self, text: str | bytes) -> None:
        page, checkup = self.page, self._checkup
        assert isinstance(page, ExplainPage)
        page.wait()
        self._work(lambda _tell: self._doing.explain(text, checkup), page.show_answer)

    def take_file(self, path: str) -> None:
        """A file was dropped: a report is shown, anything else is explained."""
        if self._changing or isinstance(self.page, CheckPage):
            return
        self._work(lambda _tell: self._read(path), self._show_file)

    def _read(self, path: str) -> Checkup | bytes:
        with contextlib.suppress(NotAReport):
            return self._doing.judge(path)
        with open(path, "rb") as file:
            return file.read(LARGEST_LOG)

    def _show_file(self, found: Checkup | bytes) -> None:
        if isinstance(found, bytes):
            self.show_explain()
            self._explain(found)
            return
        when = found.machine.taken_at.replace("T", " ").rstrip("Z")
        text = _("A report of {when}, of another computer. Check again looks at this one.")
        self._foreign = text.format(when=when or "?")
        self._checkup, self._made, self._entries = found, None, ()
        self._show_answer(found)

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:  # noqa: N802
        """Files may be dropped anywhere on the window."""
        if any(url.isLocalFile() for url in event.mimeData().urls()):
            event.acceptProposedAction()

    def dropEvent(self, event: QDropEvent) -> None:  # noqa: N802
        """Take the first file."""
        files = [url.toLocalFile() for url in event.mimeData().urls() if url.isLocalFile()]
        if files:
            event.acceptProposedAction()
            self.take_file(files[0])

    # --- Dialogs --------------------------------------------------------------------------------

    def show_history(self) -> None:
        """What this program changed; one of it may be undone."""
        self._work(lambda _tell: self._past(), self._open_history)

    def _past(self) -> list[Past]:
        machine, show = self._machine(), self._doing.preview
        return [
            Past(entry, ", ".join(c.title for c in show(entry.plan, machine)), standing)
            for entry in self._doing.entries()
            if not entry.plan.undoes
            for standing in (self._doing.standing(entry),)
        ]

    def _open_history(self, past: list[Past]) -> None:
        dialog = HistoryDialog(past, self)
        dialog.undo.connect(self._undo)
        self._open(dialog)

    def report_of(self, note: str) -> str:
        """The report with a note, after a bug of our own; the note alone if all else goes wrong."""
        try:
            return self._doing.report(self._checkup, note)
        except Exception:  # noqa: BLE001  (said after a bug: nothing here may add another)
            return note

    def save(self) -> None:
        """Show the report, to be saved or copied."""
        if self._changing or isinstance(self.page, CheckPage):
            return
        checkup, note = self._checkup, self._trouble
        self._work(lambda _tell: self._doing.report(checkup, note), self._open_report)

    def _open_report(self, text: str) -> None:
        self._open(ReportDialog(text, self))

    def _open(self, dialog: HistoryDialog | ReportDialog) -> None:
        self.dialog = dialog
        dialog.finished.connect(self._dialog_closed)
        dialog.open()

    def _dialog_closed(self) -> None:
        if self.dialog is not None:
            self.dialog.deleteLater()
            self.dialog = None

    # --- The outside ----------------------------------------------------------------------------

    def event(self, event: QEvent) -> bool:
        """Coming back to the window, perhaps from an installer: a cheap look."""
        if event.type() == QEvent.Type.WindowActivate:
            self._look_around()
        return super().event(event)

    def _look_around(self) -> None:
        waiting = isinstance(self.page, ProblemsPage | ResultPage) and not self._foreign
        if not waiting or self._glance is None or self.dialog is not None:
            return
        # Not through _work: a look aside must not end what the person has asked for.
        job = Job(lambda _tell: self._doing.glance(), self)
        job.done.connect(self._glanced)
        job.done.connect(job.deleteLater)
        job.start()

    def _glanced(self, glance: object) -> None:
        if glance != self._glance and isinstance(self.page, ProblemsPage | ResultPage):
            self._made = None
            self.check(_("Something was installed. Checking again…"))

    def closeEvent(self, event: QCloseEvent) -> None:  # noqa: N802
        """Closing waits for a change that is being made, and for nothing else."""
        if self._changing:
            self._closing = True
            event.ignore()
            return
        if self._job is not None:
            self._job.cancel()
        super().closeEvent(event)


def _traceback(trouble: BaseException) -> list[str]:
    from traceback import format_exception

    return format_exception(trouble)
