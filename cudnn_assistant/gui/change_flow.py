"""Review and change: what is proposed, the one yes, carrying out, and taking back."""

from __future__ import annotations

import threading
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from functools import partial

import msgspec
from PySide6.QtCore import QObject, Signal

from cudnn_assistant.gui.page_host import PageHost, sentence_of
from cudnn_assistant.gui.progress_page import ProgressPage
from cudnn_assistant.gui.review import Proposal, ReviewPage
from cudnn_assistant.gui.session_state import SessionState
from cudnn_assistant.plan import (
    Entry,
    Plan,
    Step,
    consents,
    demanded,
    kind_of,
    outcomes,
    settings_of,
    stays,
    takes_long,
    tried,
    unrehearsed,
)
from cudnn_assistant.session import Checkup, Refused, Session
from cudnn_assistant.session.events import Hear
from cudnn_assistant.wording import prose, say, words
from cudnn_assistant.wording.refusals import why


def can_wait(checkup: Checkup) -> frozenset[str]:
    """Codes of what keeps nothing from working, but would need an administrator to change."""
    serious = {finding.code for finding in checkup.findings if finding.severity == "error"}
    whole = (step for step in settings_of(checkup.plan) if step.scope == "machine")
    return frozenset(code for one in whole if not serious & {*one.why} for code in one.why)


def to_be_ticked(plan: Plan) -> frozenset[str]:
    """Codes of installers that stand beside other changes: each needs a yes of its own."""
    steps = [step for step in plan.steps if kind_of(step).consent(step)]
    return frozenset(code for step in steps for code in step.why)


class ChangeFlow(QObject):
    """From the proposal to the change that is made, or is put back. Then the flow goes on."""

    again = Signal(str)
    """Something was changed, or may be different: check again, under this title."""

    def __init__(self, host: PageHost, session: Session, state: SessionState) -> None:
        super().__init__(host)
        self._host = host
        self._session = session
        self._state = state
        self._long = False
        self._tried: Plan | None = None
        """The larger plan that the last one needs to be, as its rehearsal has shown."""
        self._rehearsed: dict[Step, Step] = {}
        """Steps with what pip said that they would change."""

    def hurry(self) -> None:
        """The person wants to leave: what takes long is taken back, what is quick is done first."""
        page = self._host.page
        assert isinstance(page, ProgressPage)
        if self._long:
            page.cancel.set()
        page.show_closing(stops=self._long)

    # --- Review -----------------------------------------------------------------------------------

    def review(self) -> None:
        """Show what would be changed. What can wait is not ticked if it needs an administrator."""
        checkup = self._state.found
        self._rehearsed.clear()
        codes = checkup.plan.codes - can_wait(checkup) - to_be_ticked(checkup.plan)
        plan = self._session.plan(checkup, codes) if codes else checkup.plan
        self._propose(plan if plan.steps else checkup.plan)

    def _propose(self, plan: Plan, at: int = -1) -> None:
        """Show the plan, and ask pip about what only pip knows. ``at``: the box with the focus."""
        checkup, anew = self._state.found, partial(self._propose, plan)
        steps = [self._rehearsed.get(step, step) for step in plan.steps]
        plan = msgspec.structs.replace(plan, steps=tuple(steps))
        leaves = {f.code: words(f, checkup.machine).title for f in checkup.findings}
        whole, now = (self._session.preview(p, checkup.machine) for p in (checkup.plan, plan))
        proposal = Proposal(
            plan, now, self._session.system.family, checkup.plan, whole, leaves, can_wait(checkup)
        )
        self._show_review(proposal, anew).focus_box(at)
        if unrehearsed(plan) or plan.rehearsal is None:
            self._ask_pip(plan)

    def _ask_pip(self, plan: Plan) -> None:
        page = self._review_page()
        page.ask_pip()
        page.pip.connect(lambda: self._propose(plan))
        self._host.work(
            lambda job: self._session.rehearse(plan, job.stop, self._state.checkup),
            lambda rehearsed: self._pip_answered(plan, rehearsed),
            lambda trouble: self._review_page().show_pip_refused(sentence_of(trouble)),
        )

    def _pip_answered(self, plan: Plan, rehearsed: Plan) -> None:
        if len(rehearsed.steps) != len(plan.steps):
            # The try has shown more that stands in the way, and that is mended with the rest.
            self._propose(rehearsed)
            return
        self._rehearsed.update(zip(plan.steps, rehearsed.steps, strict=True))
        page = self._review_page()
        page.anew = partial(self._propose, rehearsed)
        machine = self._state.own
        changes = self._session.preview(rehearsed, machine)
        page.show_pip(rehearsed, changes, tried(rehearsed.rehearsal, machine))

    def _review_page(self) -> ReviewPage:
        page = self._host.page
        assert isinstance(page, ReviewPage)
        return page

    def _pick(self, codes: frozenset[str]) -> None:
        at = self._review_page().focused_box()
        self._propose(self._session.plan(self._state.found, codes), at)

    def _show_review(
        self, proposal: Proposal, anew: Callable[[], object], trouble: str = ""
    ) -> ReviewPage:
        machine, plan = self._state.own, proposal.plan
        whole = (*demanded(plan, machine), *tried(plan.rehearsal, machine))
        forbidden = self._session.forbidden(plan)
        proposal = replace(proposal, demanded=whole, forbidden=why(forbidden) if forbidden else "")
        page = ReviewPage(proposal, trouble)
        page.anew = anew
        page.cancelled.connect(self._cancel)
        page.pick.connect(self._pick)
        page.make.connect(lambda: self._make(page.proposal))
        self._host.go(page)
        return page

    def _cancel(self) -> None:
        self._host.wished.emit("back")
        if not self._state.done:
            self._host.page.tell("info", say("gui.nothing-changed"))

    # --- Carry out --------------------------------------------------------------------------------

    def _make(self, proposal: Proposal) -> None:
        plan, anew = proposal.plan, self._host.page.anew
        page = ProgressPage(plan, [change.plain for change in proposal.changes])
        self._tried = None
        self._host.go(page)
        self._state.changing = True
        self._long = takes_long(plan)
        self._host.work(
            lambda job: self._apply(plan, job.tell, page.cancel, page.hold),
            self._change_done,
            lambda trouble: self._not_changed(trouble, proposal, anew),
            page.hear,
        )

    def _apply(
        self, plan: Plan, hear: Hear, cancel: threading.Event, hold: threading.Event
    ) -> Entry:
        """Carry a plan out; the button says yes to the licences that it names."""
        # Late: what carries out is loaded when something is.
        from cudnn_assistant.session.changing import Change

        change = Change(hear, cancel, hold)
        read = self._session.licences(plan, change.stop)
        before = None if plan.undoes else self._state.checkup
        try:
            return self._session.apply(plan, change, read, "window", before)
        finally:
            self._tried = change.tried if change.grew else None

    def _change_done(self, entry: Entry) -> None:
        self._state.changing = False
        self._state.made = None if entry.plan.undoes else entry
        self._state.done = (*self._state.done, entry)
        if self._host.closing:
            self._host.close()
            return
        made = say("gui.installer-ended" if outcomes(entry.plan) else "gui.change-made-checking")
        self.again.emit(say("gui.put-back-checking") if entry.plan.undoes else made)

    def _not_changed(
        self, trouble: BaseException, proposal: Proposal, anew: Callable[[], object]
    ) -> None:
        self._state.changing = False
        if not isinstance(trouble, Refused):
            raise trouble
        if self._host.closing and trouble.as_before:
            self._host.close()
            return
        self._host.notifier.tell(why(trouble))
        if self._tried is not None:
            # The try has shown more that stands in the way: that needs another yes.
            self._propose(self._tried)
            return
        key = "gui.stopped-unchanged" if trouble.as_before else "gui.stopped-interrupted"
        self._show_review(proposal, anew, say(key, reason=why(trouble)))

    # --- Take back --------------------------------------------------------------------------------

    def undo_made(self) -> None:
        """Show how the last change of this session is put back."""
        if self._state.made is not None:
            self.undo(self._state.made)

    def undo(self, entry: Entry) -> None:
        """Show how a change is put back; one of which nothing is left is over by that."""
        self._host.work(
            lambda _job: self._way_back(entry), lambda plan: self._show_undo(entry, plan)
        )

    def _way_back(self, entry: Entry) -> Plan:
        past = self._session.past
        plan = past.way_back(entry)
        if not plan.steps and not past.stays_whole(entry):
            with suppress(Refused):
                past.close(plan)
        return plan

    def _show_undo(self, entry: Entry, plan: Plan) -> None:
        kept, count = stays(entry.plan), len(plan.steps)
        title, lead = say("gui.undo-heading", count=count), say("gui.undo-lead")
        if not count and kept:
            only = consents(entry.plan)
            title, lead = say("gui.undo-only-system" if only else "gui.undo-nothing"), ""
        elif not count:
            if self._state.made is not None and self._state.made.id == entry.id:
                self._state.made = None
            title, lead = say("gui.undo-nothing-left"), say("gui.undo-nothing-left-why")
        anew = partial(self._show_undo, entry, plan)
        self._show_way_back(plan, title, prose((lead, *kept)), anew)

    def show_interrupted(self, plan: Plan) -> None:
        """Propose to take back what was left half done."""
        title, lead = say("gui.interrupted-heading"), say("gui.interrupted-lead")
        self._show_way_back(plan, title, lead, partial(self.show_interrupted, plan))

    def _show_way_back(self, plan: Plan, title: str, lead: str, anew: Callable[[], object]) -> None:
        changes = self._session.preview(plan, self._state.own)
        family = self._session.system.family
        self._show_review(Proposal(plan, changes, family, title=title, lead=lead), anew)
