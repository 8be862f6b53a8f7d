"""Many computers put together: counted, compared, and said in sentences that hold for all.

Every computer was judged by itself before. ``report --many --json`` prints a :class:`Fleet`. Pure
and linear in the computers.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from operator import itemgetter
from typing import TypeVar, cast

import msgspec
from msgspec import field

from cudnn_assistant import __version__
from cudnn_assistant.finding import Facts, Finding, Manual, Severity, Verdict
from cudnn_assistant.machine import Family, Machine, OperatingSystem, Struct
from cudnn_assistant.summary import headline
from cudnn_assistant.summary.line import card
from cudnn_assistant.versions import numbers, short
from cudnn_assistant.wording import words
from cudnn_assistant.wording.products import called


class Computer(Struct, kw_only=True, omit_defaults=False):
    """One computer as its report shows it."""

    name: str
    """By its report's file, since no report names a computer."""
    file: str
    taken_at: str
    verdict: Verdict
    title: str
    """The answer in words, as the window says it."""
    causes: tuple[str, ...]
    """Codes, most serious first; what is only good to know isn't among them."""
    system: str
    gpus: tuple[str, ...]
    facts: dict[str, str]
    """What computers with the same GPUs should share: "driver", "CUDA", "cuDNN", frameworks.
    "": known to be absent; what couldn't be read is left out."""
    gaps: tuple[str, ...]
    """Parts that couldn't be read."""


class Remedy(Struct, kw_only=True, omit_defaults=False):
    """One way to help, and the computers that it helps."""

    kind: str
    why: str
    fix: str
    commands: tuple[str, ...]
    computers: tuple[str, ...]


class FleetCause(Struct, kw_only=True, omit_defaults=False):
    """One cause and all computers that have it."""

    code: str
    severity: Severity
    title: str
    computers: tuple[str, ...]
    suspected: tuple[str, ...]
    """Those of them where it is likely, but not proven."""
    remedies: tuple[Remedy, ...]


class Value(Struct, kw_only=True, omit_defaults=False):
    """What one fact is on some computers."""

    value: str
    computers: tuple[str, ...]


class Unlike(Struct, kw_only=True, omit_defaults=False):
    """A fact that is not the same on all computers with the same GPUs and kind of system."""

    gpus: tuple[str, ...]
    family: Family
    fact: str
    values: tuple[Value, ...]
    """The commonest first."""


class Changed(Struct, kw_only=True, omit_defaults=False):
    """What is not as it was at an earlier time."""

    name: str
    before: Verdict | None
    """``None``: no earlier report of it."""
    after: Verdict | None
    """``None``: no report of it now."""
    gone: tuple[str, ...] = ()
    new: tuple[str, ...] = ()
    """Codes of causes."""
    facts: dict[str, tuple[str | None, str | None]] = field(default_factory=dict)


class PassedOver(Struct, kw_only=True, omit_defaults=False):
    """A file that is no report that can be read."""

    file: str
    why: str


class Fleet(Struct, kw_only=True, omit_defaults=False):
    """The answer about many computers; ``report --many --json`` prints it."""

    schema: int = 1
    tool: str = f"cudnn-assistant {__version__}"
    data: str
    """Which compatibility data all of them were judged by."""
    verdicts: dict[Verdict, int]
    computers: tuple[Computer, ...]
    causes: tuple[FleetCause, ...]
    """The most serious first, and of those the commonest."""
    unlike: tuple[Unlike, ...]
    changed: tuple[Changed, ...] | None
    """Since an earlier time; ``None``: none was named."""
    passed_over: tuple[PassedOver, ...]


# --- One computer -------------------------------------------------------------------------------


class Judged(msgspec.Struct, frozen=True):
    """A computer and what was found on it."""

    computer: Computer
    findings: tuple[Finding, ...]
    family: Family


VERDICTS: tuple[Verdict, ...] = ("broken", "impossible", "unknown", "works")
ALWAYS = ("driver", "CUDA", "cuDNN")
"""Facts that stand in the table wherever they could be read; a framework only where it is."""


def judged(
    name: str, file: str, machine: Machine, findings: tuple[Finding, ...], verdict: Verdict
) -> Judged:
    """One computer for :func:`fleet`, with what is needed of its snapshot and no more."""
    told = tuple(finding for finding in findings if finding.severity != "info")
    computer = Computer(
        name=name,
        file=file,
        taken_at=machine.taken_at,
        verdict=verdict,
        title=headline(verdict, machine, findings)[0],
        causes=tuple(dict.fromkeys(finding.code for finding in told)),
        system=machine.os.name or machine.os.family,
        gpus=tuple(sorted(card(gpu.name) for gpu in machine.gpus)),
        facts=dict(facts_to_share(machine)),
        gaps=tuple(dict.fromkeys(gap.what for gap in machine.gaps)),
    )
    return Judged(computer, told, machine.os.family)


def facts_to_share(machine: Machine) -> Iterator[tuple[str, str]]:
    """What computers with the same GPUs should share; what couldn't be read is left out."""
    if not machine.unknown("driver"):
        yield "driver", machine.driver.version if machine.driver else ""
    if not machine.unknown("toolkits"):
        yield "CUDA", _versions(toolkit.version for toolkit in machine.toolkits)
    if not machine.unknown("cudnn"):
        copies = (copy for copy in machine.cudnns if not copy.environment)
        yield "cuDNN", _versions(short(copy.version) for copy in copies)
    named: dict[str, list[str]] = {}
    for framework in (one for python in machine.pythons for one in python.frameworks):
        product, _blank, version = called(framework).rpartition(" ")
        named.setdefault(product, []).append(version)
    yield from ((product, _versions(found)) for product, found in sorted(named.items()))


def _versions(found: Iterable[str]) -> str:
    return ", ".join(sorted({version or "?" for version in found}, key=numbers))


def fleet(
    seen: Sequence[Judged],
    *,
    data: str,
    earlier: Sequence[Judged] | None = None,
    passed_over: Sequence[PassedOver] = (),
) -> Fleet:
    """All computers together, compared with those of an earlier time where there are some."""
    computers = tuple(one.computer for one in seen)
    counted = Counter(computer.verdict for computer in computers)
    return Fleet(
        data=data,
        verdicts={verdict: counted[verdict] for verdict in VERDICTS},
        computers=computers,
        causes=tuple(_causes(seen)),
        unlike=tuple(_unlike(seen)),
        changed=None if earlier is None else tuple(_changed(earlier, seen)),
        passed_over=tuple(passed_over),
    )


# --- Causes -------------------------------------------------------------------------------------

_Found = list[tuple[str, Finding, Family]]
_WEIGHT: dict[Severity, int] = {"error": 0, "warning": 1, "info": 2}


def _causes(seen: Sequence[Judged]) -> list[FleetCause]:
    found = ((one.computer.name, finding, one.family) for one in seen for finding in one.findings)
    by_code = _grouped(found, lambda one: one[1].code)
    causes = (_cause(code, some) for code, some in by_code.items())
    return sorted(causes, key=lambda c: (_WEIGHT[c.severity], -len(c.computers), c.code))


def _cause(code: str, found: _Found) -> FleetCause:
    names = _names(found)
    proven = {name for name, finding, _family in found if finding.sure}
    severity: Severity = min((f.severity for _n, f, _family in found), key=_WEIGHT.__getitem__)
    ways = _grouped(found, lambda one: (one[1].remedy.__struct_config__.tag, one[2]))
    return FleetCause(
        code=code,
        severity=severity,
        title=_common(found)[0],
        computers=names,
        suspected=tuple(name for name in names if name not in proven),
        remedies=tuple(_remedy(str(key[0]), way) for key, way in ways.items()),
    )


def _remedy(kind: str, found: _Found) -> Remedy:
    _title, why, fix = _common(found)
    first = found[0][1].remedy
    same = isinstance(first, Manual) and all(finding.remedy == first for _n, finding, _f in found)
    commands = first.commands if isinstance(first, Manual) and same else ()
    return Remedy(kind=kind, why=why, fix=fix, commands=commands, computers=_names(found))


def _common(found: _Found) -> tuple[str, str, str]:
    """Title, why and fix with the facts that all computers share.

    A sentence that names what differs is left out; a title is never, and is then the commonest.
    """
    _name, first, family = found[0]
    shared = {
        name: value
        for name, value in first.facts.items()
        if all(finding.facts.get(name) == value for _n, finding, _f in found)
    }
    here = Machine(os=OperatingSystem(family=family))
    said = words(msgspec.structs.replace(first, facts=cast(Facts, shared)), here)
    if said.title != first.code:
        return said.title, said.why, said.fix
    titles = Counter(words(finding, here).title for _n, finding, _f in found)
    return titles.most_common(1)[0][0], said.why, said.fix


def _names(found: _Found) -> tuple[str, ...]:
    return tuple(dict.fromkeys(name for name, _finding, _family in found))


T = TypeVar("T")
K = TypeVar("K")


def _grouped(items: Iterable[T], key: Callable[[T], K]) -> dict[K, list[T]]:
    groups: dict[K, list[T]] = {}
    for item in items:
        groups.setdefault(key(item), []).append(item)
    return groups


# --- What differs -------------------------------------------------------------------------------


def _unlike(seen: Sequence[Judged]) -> Iterator[Unlike]:
    with_gpus = (one for one in seen if one.computer.gpus)
    groups = _grouped(with_gpus, lambda one: (one.computer.gpus, one.family))
    for (gpus, family), group in sorted(groups.items(), key=lambda pair: -len(pair[1])):
        for fact in dict.fromkeys(name for one in group for name in one.computer.facts):
            values = _values(fact, group)
            if len(values) > 1:
                yield Unlike(gpus=gpus, family=family, fact=fact, values=values)


def _value(fact: str, computer: Computer) -> str | None:
    """``None``: it couldn't be read, which is no difference."""
    hidden = fact in ALWAYS or "pythons" in computer.gaps
    return computer.facts.get(fact, None if hidden else "")


def _values(fact: str, group: Sequence[Judged]) -> tuple[Value, ...]:
    known = ((_value(fact, one.computer), one.computer.name) for one in group)
    values = _grouped((pair for pair in known if pair[0] is not None), itemgetter(0))
    found = (
        Value(value=value, computers=tuple(name for _value, name in rows))
        for value, rows in values.items()
    )
    return tuple(sorted(found, key=lambda one: (-len(one.computers), one.value)))


# --- What changed -------------------------------------------------------------------------------


def _changed(earlier: Sequence[Judged], seen: Sequence[Judged]) -> Iterator[Changed]:
    before = {one.computer.name: one.computer for one in earlier}
    after = {one.computer.name: one.computer for one in seen}
    for name in dict.fromkeys([*after, *before]):
        old, new = before.get(name), after.get(name)
        change = Changed(
            name=name, before=old.verdict if old else None, after=new.verdict if new else None
        )
        if old and new:
            facts = ((f, _value(f, old), _value(f, new)) for f in {**old.facts, **new.facts})
            change = msgspec.structs.replace(
                change,
                gone=tuple(code for code in old.causes if code not in new.causes),
                new=tuple(code for code in new.causes if code not in old.causes),
                facts={fact: (was, now) for fact, was, now in facts if was != now},
            )
        if change.facts or change.gone or change.new or change.before != change.after:
            yield change
