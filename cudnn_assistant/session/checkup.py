"""One thought about one computer: what is wrong there, and what we would do about it."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING

import msgspec

from cudnn_assistant.compat import Compat
from cudnn_assistant.diagnose import diagnose, verdict
from cudnn_assistant.finding import Finding, Verdict
from cudnn_assistant.machine import Machine, Struct, Trial
from cudnn_assistant.plan import Plan, make_plan

if TYPE_CHECKING:
    from cudnn_assistant.report.newer import Unknown


class Checkup(Struct, kw_only=True):
    """Everything that window, command line and report show about one computer."""

    machine: Machine
    findings: tuple[Finding, ...] = ()
    """Most serious first, from the ground up."""
    verdict: Verdict
    plan: Plan
    """All that we can do ourselves; empty when nothing is automatic."""
    only: frozenset[str] | None = None
    """The codes that its plan, and whatever that grows by, may serve; ``None``: all."""
    unknown: tuple[Unknown, ...] = ()
    """What a newer program wrote into the report that this was opened from."""
    reported: bool = False
    """Read out of a report: of another computer, and of another time."""

    @property
    def main(self) -> Finding | None:
        """What is wrong first of all."""
        return next((one for one in self.findings if one.severity == "error"), None)


def think(
    machine: Machine,
    compat: Compat,
    unknown: tuple[Unknown, ...] = (),
    only: frozenset[str] | None = None,
) -> Checkup:
    """Judge a snapshot of this or another computer, and plan for the codes in ``only`` (or all).

    Pure: the same facts give the same answer.
    """
    findings = diagnose(machine, compat)
    return Checkup(
        machine=machine,
        findings=findings,
        verdict=verdict(machine, findings),
        plan=make_plan(findings, machine, compat, only=only),
        only=only,
        unknown=unknown,
    )


def works_for(checkup: Checkup, subject: str) -> bool:
    """Whether cuDNN starts for one of a computer's users."""
    return verdict(checkup.machine, checkup.findings, subject) == "works"


def without_plan(checkup: Checkup) -> Checkup:
    """Of another computer: nothing of it can be changed here, and a plan would name our folders."""
    return msgspec.structs.replace(checkup, plan=Plan(), reported=True)


def with_tests(checkup: Checkup, tests: tuple[Trial, ...], compat: Compat) -> Checkup:
    """The same computer with more tests, which have just ended, judged anew."""
    machine, now = checkup.machine, datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    later = (msgspec.structs.replace(one, tested_at=now) for one in tests)
    more = msgspec.structs.replace(machine, trials=(*machine.trials, *later))
    return judged_anew(msgspec.structs.replace(checkup, machine=more), compat)


def judged_anew(checkup: Checkup, compat: Compat) -> Checkup:
    """The same computer, this one or another, by this data."""
    found = think(checkup.machine, compat, checkup.unknown, only=checkup.only)
    return without_plan(found) if checkup.reported else found
