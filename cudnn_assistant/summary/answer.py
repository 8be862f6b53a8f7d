"""The one answer: works, needs you, not possible here, we don't know."""

from __future__ import annotations

from collections.abc import Iterable

from cudnn_assistant.finding import Finding, Impossible, Manual, Unknown, Verdict
from cudnn_assistant.machine import SYSTEM, Machine
from cudnn_assistant.summary.names import card
from cudnn_assistant.versions import short
from cudnn_assistant.wording import _, ngettext, words


def headline(verdict: Verdict, machine: Machine, findings: Iterable[Finding]) -> tuple[str, str]:
    """Title and sentence of the outcome: works, needs you, not possible here, we don't know."""
    known = tuple(findings)
    errors = [f for f in known if f.severity == "error"]
    if verdict == "works":
        return _works(machine)
    if verdict == "impossible":
        blocked = next((f for f in errors if isinstance(f.remedy, Impossible)), errors[0])
        said = words(blocked, machine)
        return said.title, f"{said.why} {said.fix}".strip()
    if not errors:
        return _unknown(machine)
    first = words(errors[0], machine)
    if isinstance(errors[0].remedy, Unknown):
        return first.title, _("{why} Everything we saw is in the report.").format(why=first.why)
    if isinstance(errors[0].remedy, Manual):
        return first.title, f"{first.fix} {_('Then start this again.')}".strip()
    fixable = sum(not isinstance(f.remedy, Manual | Impossible | Unknown) for f in errors)
    return first.title, ngettext(
        "This can be fixed here. Nothing has been changed yet.",
        "These {count} problems can be fixed here. Nothing has been changed yet.",
        fixable,
    ).format(count=fixable)


def _works(machine: Machine) -> tuple[str, str]:
    tests = [t for t in machine.trials if t.status == "ok" and not t.library]
    test = next((t for t in tests if t.subject == SYSTEM), tests[0] if tests else None)
    if test is None:
        return _("cuDNN works"), ""
    sentence = _(
        "Tested now: loaded, handle created, convolution run on {gpu}, {seconds} s."
    ).format(gpu=card(test.gpu_name), seconds=f"{test.milliseconds / 1000:.1f}")
    return _("cuDNN {version} works").format(version=short(test.version)), sentence


def _unknown(machine: Machine) -> tuple[str, str]:
    if any(t.status not in ("ok", "not-run") for t in machine.trials):
        return _("cuDNN still doesn't start"), _(
            "We couldn't find out why. Everything we saw is in the report."
        )
    if machine.gaps:
        gap = machine.gaps[0]
        return _("We can't tell whether cuDNN works"), _(
            "Something could not be read: {why}"
        ).format(why=gap.why)
    return _("cuDNN was not tested"), _(
        "No problem was found, but only a test on the GPU shows that cuDNN works."
    )
