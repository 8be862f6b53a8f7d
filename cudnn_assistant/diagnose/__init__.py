"""From facts to findings: layers of rules from the ground up, and the verdict.

A layer with an error for a subject ends the walk for that subject: what lies above it can't be
judged before. Errors about the GPU and the driver concern every subject.
"""

from __future__ import annotations

from collections.abc import Iterable, Set

import msgspec

from cudnn_assistant.compat import Compat
from cudnn_assistant.diagnose.context import Context
from cudnn_assistant.diagnose.layers import EVERYBODY, RULES
from cudnn_assistant.diagnose.needs import meets, need_of, passed, with_known_cudnn
from cudnn_assistant.diagnose.programs.packages import reserved
from cudnn_assistant.diagnose.rule import Layer, Rule
from cudnn_assistant.diagnose.trial.experiments import blamed, names, with_experiments
from cudnn_assistant.finding import Finding, Impossible, Severity, Verdict
from cudnn_assistant.machine import SYSTEM, Machine

__all__ = ["EVERYBODY", "RULES", "diagnose", "subjects", "verdict"]

_GROUND = tuple(rule for rule in RULES if rule.layer.ground)
_SETTINGS = tuple(rule for rule in RULES if rule.layer is Layer.SETTINGS)
_PROVEN = tuple(rule for rule in RULES if rule.layer is Layer.PROVEN)
_ABOVE = tuple(rule for rule in RULES if Layer.PROVEN < rule.layer < Layer.UNEXPLAINED)
_UNEXPLAINED = tuple(rule for rule in RULES if rule.layer is Layer.UNEXPLAINED)

_ORDER: dict[Severity, int] = {"error": 0, "warning": 1, "info": 2}


def subjects(machine: Machine) -> tuple[str, ...]:
    """The system, then every Python environment whose frameworks a person expects on the GPU."""
    expecting = (
        e.id
        for e in machine.in_use().pythons
        if any(f.expected_on_gpu and f.cudnn_from != "none" for f in e.frameworks)
    )
    return (SYSTEM, *dict.fromkeys(expecting))


def diagnose(machine: Machine, compat: Compat) -> tuple[Finding, ...]:
    """What is wrong, most serious first and from the ground up; () on a healthy computer.

    The same snapshot and data always give the same findings; no snapshot makes it raise.
    """
    machine = with_known_cudnn(machine.in_use(), compat)
    whole = Context(machine, compat)
    tried = any(e.after.status == "ok" for e in machine.experiments)
    anywhere = tried or any(passed(t) for t in machine.trials)
    found = _asked(_GROUND, whole, proven=anywhere, blamed=blamed(machine))
    if _blocked(found):
        return _sorted(found)
    found += _asked(_SETTINGS, whole, proven=False)
    system = _walk(whole)
    environments = [
        finding
        for e in machine.pythons
        if e.frameworks or any(map(reserved, e.packages))
        for finding in _walk(Context(machine, compat, e.id), _blocked(system))
    ]
    # A cuDNN of the system that no program asks for is nobody's first trouble.
    found += (
        [*system, *environments]
        if whole.wanted
        else [*environments, *_not_repeated(system, environments)]
    )
    return _sorted(found)


def _not_repeated(system: list[Finding], environments: list[Finding]) -> list[Finding]:
    """The system's findings without those that name a folder of which environments tell alike."""
    known = {(f.code, folder) for f in environments if (folder := f.facts.get("folder"))}
    return [f for f in system if (f.code, f.facts.get("folder")) not in known]


def _walk(ctx: Context, system_blocked: bool = False) -> list[Finding]:
    tried = [] if ctx.works else _asked(_PROVEN, ctx, proven=False)
    found = with_experiments(ctx, tried, _asked(_ABOVE, ctx, proven=ctx.works))
    if _blocked(found):
        return found
    harms = ("cudnn-damaged", "cudnn-part-missing")
    suspect = next((f for f in found if f.severity == "warning" and f.code in harms), None)
    if suspect and ctx.stopped and not ctx.framework_passed:
        # A file that most programs do without is the best answer where nothing else is one.
        likely = msgspec.structs.replace(suspect, severity="error", sure=False)
        return [likely if f is suspect else f for f in found]
    # An environment that takes cuDNN from the system stops where the system's does.
    if not (system_blocked and any(f.uses_system_cudnn for f in ctx.frameworks)):
        found += _asked(_UNEXPLAINED, ctx, proven=ctx.works)
    return found


def _asked(
    rules: Iterable[Rule], ctx: Context, *, proven: bool, blamed: Set[str] = frozenset()
) -> list[Finding]:
    """Findings of these rules in their order, up to and with the first that found an error.

    What a passed test disproves (``proven``) is no error, unless it names what experiments blame.
    """
    found: list[Finding] = []
    for rule in rules:
        for finding in rule.findings(ctx):
            disproved = proven and rule.provable and not names(finding) & blamed
            if finding.severity == "error" and disproved:
                continue
            found.append(finding)
        if _blocked(found):
            break
    return found


def _blocked(found: Iterable[Finding]) -> bool:
    return any(f.severity == "error" for f in found)


def _sorted(found: list[Finding]) -> tuple[Finding, ...]:
    """By severity; the walk's own order (ground up, who needs cuDNN first) is kept within one."""
    unique = {(f.code, f.subject, f.evidence): f for f in found}
    return tuple(sorted(unique.values(), key=lambda f: _ORDER[f.severity]))


def verdict(machine: Machine, findings: Iterable[Finding], subject: str = "") -> Verdict:
    """Whether cuDNN works for a subject, or (subject "") for all subjects that need it.

    works: the subject's test passed a moment ago and nothing else keeps its programs from it.
    """
    known, machine = tuple(findings), machine.in_use()
    if subject:
        return _one(machine, known, subject)
    wrong = {f.subject for f in known if f.severity == "error"}
    doubted = {t.subject: t.doubt for t in machine.trials if t.doubt}
    # What is wrong in one of many is so without a test.
    untried = {s for s, doubt in doubted.items() if doubt != "many" or s not in wrong}
    needing = _needing(machine, known)
    # Nobody's answer depends on what only lies about and isn't tried without a yes.
    tried = [s for s in needing if s not in untried] or [SYSTEM]
    each = [_one(machine, known, s) for s in tried]
    if all(v == "works" for v in each):
        # Who else is there that needs cuDNN isn't known.
        return "unknown" if machine.unknown("pythons") else "works"
    if "broken" in each or ("impossible" in each and "works" in each):
        return "broken"
    return "impossible" if all(v == "impossible" for v in each) else "unknown"


def _needing(machine: Machine, findings: tuple[Finding, ...]) -> list[str]:
    """Subjects that need cuDNN: environments that bring or pin it, the system if it is asked."""
    troubled = {f.subject for f in findings if f.severity == "error"}
    asking = [
        e.id
        for e in machine.pythons
        if e.id in troubled or any(f.brings_cudnn or f.uses_system_cudnn for f in e.frameworks)
    ]
    system = (
        SYSTEM in troubled
        or not asking
        or any(f.uses_system_cudnn for e in machine.pythons for f in e.frameworks)
    )
    return ([SYSTEM] if system else []) + asking


def _one(machine: Machine, findings: tuple[Finding, ...], subject: str) -> Verdict:
    environment = machine.environment(subject)
    on_system = environment is not None and any(f.uses_system_cudnn for f in environment.frameworks)
    errors = [
        f
        for f in findings
        if f.severity == "error"
        and (f.subject == subject or f.code in EVERYBODY or (on_system and f.subject == SYSTEM))
    ]
    if any(isinstance(f.remedy, Impossible) for f in errors):
        return "impossible"
    if errors:
        return "broken"
    return "works" if _tested(machine, subject) else "unknown"


def _tested(machine: Machine, subject: str) -> bool:
    """A test of the subject passed; what leans on the system may take that one's test."""
    tests = machine.trials_of(subject)
    asked = [t for t in tests if t.asked]
    if asked and subject != SYSTEM:
        return all(map(passed, asked))
    own_test = next((t for t in tests if not t.framework), None)
    if own_test is not None:
        return passed(own_test)
    environment = machine.environment(subject)
    users = [f for f in environment.frameworks if f.uses_system_cudnn] if environment else []
    system = machine.trial(SYSTEM)
    return bool(users) and all(meets(system, need_of(f, subject)) for f in users)
