"""Carrying out a plan: what of it may be stopped, and who hears of it."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Mapping, Sequence

from msgspec.structs import replace

from cudnn_assistant.apply import NotApplied, apply
from cudnn_assistant.journal import Journal
from cudnn_assistant.plan import Accepted, Entry, Plan
from cudnn_assistant.session.events import Hear, Progress, StepChanged
from cudnn_assistant.system import System
from cudnn_assistant.trouble import Cancelled, Refused

__all__ = ["Change", "NotApplied"]

_PAUSE = 0.1


class Change:
    """One change: what of it may be stopped, and who hears of it."""

    def __init__(
        self,
        hear: Hear,
        stop: threading.Event | None = None,
        hold: threading.Event | None = None,
    ) -> None:
        self.hear = hear
        self._reported_at = 0.0
        self.stop = stop or threading.Event()
        """Set, it stops the change and takes it back."""
        self.hold = hold or threading.Event()
        """While it is set a download waits."""
        self.rehearse: Callable[[Plan, Mapping[int, str]], Plan] | None = None
        """Tries what is staged."""
        self.tried: Plan | None = None
        """The plan with what came of trying it once it was staged."""
        self.grew = False
        """``tried`` mends more than was asked for: another yes is needed."""

    def carry_out(
        self, plan: Plan, system: System, journal: Journal, accepted: Sequence[Accepted]
    ) -> Entry:
        """See :func:`cudnn_assistant.apply.apply`."""
        return apply(
            for_the_journal(plan),
            system,
            journal,
            lambda number, state: self.hear(StepChanged(number, state)),
            progress=self.tell_progress,
            cancel=self.stop,
            hold=self.hold,
            accepted=accepted,
            rehearse=self._rehearse if self.rehearse else None,
        )

    def _rehearse(self, plan: Plan, staged: Mapping[int, str]) -> Plan:
        assert self.rehearse is not None
        try:
            self.tried = self.rehearse(plan, staged)
        except Cancelled:
            raise Refused("stopped-kept") from None
        self.grew = self.tried.steps != plan.steps
        if self.grew or self.tried.in_vain:
            raise Refused("rehearsal-stopped")
        return for_the_journal(self.tried)

    def tell_progress(self, number: int, what: str, here: int, size: int) -> None:
        """See :class:`Progress`."""
        # A fast download speaks thousands of times a second; nobody reads that fast.
        if time.monotonic() - self._reported_at > _PAUSE or here == size:
            self._reported_at = time.monotonic()
            self.hear(Progress(number, what, here, size))


def for_the_journal(plan: Plan) -> Plan:
    """A plan as it is kept: how its rehearsal ended, without the findings of that day."""
    if plan.rehearsal is None:
        return plan
    return replace(plan, rehearsal=replace(plan.rehearsal, also=(), hindrances=()))
