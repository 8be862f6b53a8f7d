"""Review and change: what is proposed, the one yes, carrying out, and taking back."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

from cudnn_assistant.apply import NotApplied
from cudnn_assistant.checkup import Checkup
from cudnn_assistant.gui.doing import Doing
from cudnn_assistant.gui.making import MakingPage, long
from cudnn_assistant.gui.review import Proposal, ReviewPage
from cudnn_assistant.plan import Entry, Plan, SetVariable
from cudnn_assistant.wording import _, ngettext, words

if TYPE_CHECKING:
    from cudnn_assistant.gui.way import Way
    from cudnn_assistant.gui.window import Window


def can_wait(checkup: Checkup) -> frozenset[str]:
    """Codes of what keeps nothing from working, but would need an administrator to change."""
    serious = {finding.code for finding in checkup.findings if finding.severity == "error"}
    steps = [step for step in checkup.plan.steps if isinstance(step, SetVariable)]
    whole = [step for step in steps if step.scope == "machine" and not serious & {*step.why}]
    return frozenset(code for step in whole for code in step.why)


class Changing:
    """From the proposal to the change that is made, or is put back. Then ``way`` goes on."""

    def __init__(self, window: Window, doing: Doing, way: Way) -> None:
        self._window = window
        self._doing = doing
        self._way = way
        self.under_way = False
        """A change is being made: nothing else may begin."""
        self.made: Entry | None = None
        """What was changed in this sitting, last."""
        self.cancel = threading.Event()
        """Set, it stops the change that is being made and takes it back."""
        self._long = False

    def hurry(self) -> None:
        """The person wants to leave: what takes long is taken back, what is quick is done first."""
        if self._long:
            self.cancel.set()

    def review(self) -> None:
        """Show what would be changed. What can wait is not ticked if it needs an administrator."""
        checkup = self._way.checkup
        assert checkup is not None
        codes = {code for step in checkup.plan.steps for code in step.why} - can_wait(checkup)
        plan = self._doing.plan(checkup, frozenset(codes)) if codes else checkup.plan
        self._propose(plan if plan.steps else checkup.plan)

    def _propose(self, plan: Plan) -> ReviewPage:
        checkup = self._way.checkup
        assert checkup is not None
        leaves = {f.code: words(f, checkup.machine).title for f in checkup.findings}
        whole, now = (self._doing.preview(p, checkup.machine) for p in (checkup.plan, plan))
        family = self._doing.family
        waits = can_wait(checkup)
        return self._show_review(Proposal(plan, now, family, checkup.plan, whole, leaves, waits))

    def _pick(self, codes: frozenset[str]) -> None:
        assert self._way.checkup is not None
        old = self._window.page
        assert isinstance(old, ReviewPage)
        at = old.focused_box()
        self._propose(self._doing.plan(self._way.checkup, codes)).focus_box(at)

    def _show_review(self, proposal: Proposal, trouble: str = "") -> ReviewPage:
        page = ReviewPage(proposal, trouble)
        page.back.connect(self._way.back)
        page.cancelled.connect(self._cancel)
        page.again.connect(self._way.check)
        page.pick.connect(self._pick)
        page.licence.connect(self._window.open_link)
        page.make.connect(lambda plan: self._make(plan, proposal))
        self._window.go(page)
        return page

    def _cancel(self) -> None:
        self._way.back()
        self._window.page.tell("info", _("Nothing was changed."))

    def _make(self, plan: Plan, proposal: Proposal) -> None:
        page = MakingPage(plan, [change.title for change in proposal.changes])
        self.cancel = cancel = threading.Event()
        page.cancelled.connect(cancel.set)
        self._window.go(page)
        self.under_way = True
        self._long = long(plan)
        self._window.work(
            lambda tell: self._doing.apply(plan, tell, cancel),
            self._change_done,
            page.hear,
            lambda trouble: self._not_changed(trouble, proposal),
        )

    def _change_done(self, entry: Entry) -> None:
        self.under_way = False
        self.made = None if entry.plan.undoes else entry
        if self._window.closing:
            self._window.close()
            return
        undone = _("It is put back. Checking again…")
        made = _("The change is made. Checking again…")
        self._way.check(undone if entry.plan.undoes else made)

    def _not_changed(self, trouble: BaseException, proposal: Proposal) -> None:
        self.under_way = False
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

    def undo_made(self) -> None:
        """Show how the last change of this sitting is put back."""
        if self.made is not None:
            self.undo(self.made)

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
        self.show_way_back(plan, title, lead)

    def show_way_back(self, plan: Plan, title: str, lead: str) -> None:
        """Propose a plan that takes something back."""
        changes = self._doing.preview(plan, self._way.machine())
        self._show_review(Proposal(plan, changes, self._doing.family, title=title, lead=lead))
