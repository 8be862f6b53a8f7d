"""The one answer: works, needs you, not possible here, we don't know."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from cudnn_assistant.finding import Finding, Impossible, Manual, Unknown, Verdict
from cudnn_assistant.machine import SYSTEM, Machine
from cudnn_assistant.summary.line import card
from cudnn_assistant.versions import short
from cudnn_assistant.wording import number, prose, say, told, words


def headline(
    verdict: Verdict,
    machine: Machine,
    findings: Iterable[Finding],
    *,
    when: Callable[[str], str] | None = None,
) -> tuple[str, str]:
    """Title and sentence of the outcome: works, needs you, not possible here, we don't know.

    ``when`` writes the time of the test, where this is read later than now.
    """
    known = tuple(findings)
    errors = [f for f in known if f.severity == "error"]
    if verdict == "works":
        return _works(machine, when)
    if verdict == "impossible":
        blocked = next((f for f in errors if isinstance(f.remedy, Impossible)), errors[0])
        said = words(blocked, machine)
        return said.title, prose((said.why, said.fix))
    if not errors:
        return _unknown(machine)
    first = words(errors[0], machine)
    if isinstance(errors[0].remedy, Unknown):
        return first.title, say("summary.why-everything-we-saw-report", why=first.why)
    if isinstance(errors[0].remedy, Manual):
        return first.title, prose((first.fix, say("summary.then-start-again")))
    fixable = sum(not isinstance(f.remedy, Manual | Impossible | Unknown) for f in errors)
    return first.title, say("summary.these-count-problems-can-fixed-here", count=fixable)


def _works(machine: Machine, when: Callable[[str], str] | None) -> tuple[str, str]:
    tests = [t for t in machine.trials if t.status == "ok" and not t.library]
    test = next((t for t in tests if t.subject == SYSTEM), tests[0] if tests else None)
    if test is None:
        return say("summary.cudnn-works"), ""
    facts = {"gpu": card(test.gpu_name), "seconds": number(test.milliseconds / 1000, 1)}
    if when:
        sentence = say(
            "summary.tested-at", when=when(test.tested_at or machine.taken_at) or "?", **facts
        )
    else:
        sentence = say("summary.tested-now-loaded-handle-created-convolution", **facts)
    return say("summary.cudnn-version-works", version=short(test.version)), sentence


def _unknown(machine: Machine) -> tuple[str, str]:
    if unread := machine.unread:
        return say("summary.we-cant-tell-whether-cudnn-works"), say(
            "summary.something-could-not-read-why", why=told(unread[0].why)
        )
    known = [f for e in machine.in_use().pythons for f in e.frameworks if f.expected_on_gpu]
    if known and not machine.cudnns and not any(f.uses_cudnn for f in known):
        return say("summary.nothing-uses-cudnn"), say("summary.no-problem-without-cudnn")
    return say("summary.cudnn-not-tested"), say("summary.no-problem-found-but-only-test")
