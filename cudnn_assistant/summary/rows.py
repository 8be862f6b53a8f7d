"""The overview: a row for the system and each Python environment, worst first. Pure."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from functools import partial

import msgspec

from cudnn_assistant.causes import cause
from cudnn_assistant.finding import Finding
from cudnn_assistant.machine import SYSTEM, Machine, OperatingSystem, PythonEnvironment, Trial
from cudnn_assistant.summary.chain import Chain, Part, Station, chain, system_needed, test_of
from cudnn_assistant.summary.line import Line, Mark
from cudnn_assistant.summary.outcome import doubted, in_doubt, trial_text, yes_counts
from cudnn_assistant.summary.part_lines import environments, lines
from cudnn_assistant.versions import short
from cudnn_assistant.wording import listed, say, words
from cudnn_assistant.wording.sentences import capitalized


class Row(msgspec.Struct, frozen=True):
    """One subject: its name and place, how it stands, its chain, and what is wrong with it."""

    subject: str
    mark: Mark
    name: str
    place: str
    """The folder of an environment; "" for the system."""
    state: str
    chain: Chain
    findings: tuple[Finding, ...]


_WORST: dict[Mark, int] = {"bad": 0, "unknown": 1, "note": 2, "ok": 3, "wait": 4}


def rows(
    machine: Machine, findings: Sequence[Finding] = (), *, own: bool = True
) -> tuple[Row, ...]:
    """Every subject, worst first, and of those that stand alike the one first that a finding is
    about: else they stay in the order they were found. ``own``: what was not tried can be, here."""
    known = tuple(findings)
    found = [_system(machine, known, own=own)]
    with_frameworks = [one for one in machine.pythons if one.frameworks]
    told = environments(machine, known, partial(_untried, machine.os, own=own))
    for environment, line in zip(with_frameworks, told, strict=True):
        found.append(_environment(machine, environment, line, known))
    calm = {row.subject: not any(f.severity == "error" for f in row.findings) for row in found}
    return tuple(sorted(found, key=lambda row: (_WORST[row.mark], calm[row.subject])))


def _system(machine: Machine, findings: tuple[Finding, ...], *, own: bool) -> Row:
    known = {one.id for one in machine.pythons if one.frameworks}
    mine = tuple(one for one in findings if one.subject not in known)
    worst = next((one for one in mine if one.severity != "info"), None)
    test = test_of(machine, SYSTEM)
    works = test is not None and test.status == "ok"
    wrong = worst is not None and worst.severity == "error"
    # Nobody misses what the system's programs don't find.
    idle = not (wrong or works or system_needed(machine, findings))
    mark: Mark = "note" if worst is not None else "ok"
    if worst is not None and wrong:
        mark, state = "bad", words(worst, machine).title
    elif idle:
        state = say("summary.row-idle")
    elif test is not None and works:
        state = trial_text(test)[1]
    elif test is not None and test.doubt:
        mark, state = "unknown", _untried(machine.os, test, own=own)
    else:
        told = next(line for line in lines(machine, findings) if line.part == "trial")
        # Another subject's test may be what that line tells of; the system's is not known then.
        mark = told.mark if test is not None and told.mark != "ok" else "unknown"
        state = told.text
    whole = chain(machine, SYSTEM, mine, idle=idle)
    return Row(SYSTEM, mark, say("summary.row-system"), "", _begun(state), whole, mine)


def _environment(
    machine: Machine, one: PythonEnvironment, line: Line, findings: tuple[Finding, ...]
) -> Row:
    mine = tuple(f for f in findings if f.subject == one.id)
    test = test_of(machine, one.id)
    state = words(mine[0], machine).title if mine and line.mark in ("bad", "note") else line.text
    if line.mark == "ok" and test is not None and test.status == "ok":
        version = f"cuDNN {short(test.version)}" if test.version else ""
        state = listed(filter(None, (version, trial_text(test)[1])))
    else:
        state = state.removesuffix(f", {say('summary.place', place=one.id)}")
    blocking = mine
    if test is None or test.status != "ok":
        blocking = (*mine, *(f for f in findings if _for_all(f, mine)))
    told = chain(machine, one.id, blocking)
    return Row(one.id, line.mark, line.label, one.id, _begun(state), told, mine)


def _untried(system: OperatingSystem, test: Trial, *, own: bool) -> str:
    """Why it was not tried, and which button does it."""
    if not own:
        return doubted(test)
    how = say("summary.try-without-root")
    if yes_counts(test, system):
        button = "test-environment-button" if in_doubt(test) == test.subject else "trust-button"
        how = say("summary.try-by-button", button=say(f"gui.{button}"), details=say("gui.details"))
    return say("summary.not-tried-and-how", why=doubted(test), how=how)


def _begun(state: str) -> str:
    """A state as it begins a line; one that begins with a file or a product keeps its letters."""
    first = state.partition(" ")[0].strip(",.;:").replace("'", "")
    return capitalized(state) if first.isalpha() and first.islower() else state


def _for_all(finding: Finding, mine: Sequence[Finding]) -> bool:
    """Whether the system's trouble with GPU or driver is what an environment's chain breaks at."""
    ground = finding.subject == SYSTEM and finding.severity == "error"
    return (
        ground
        and cause(finding.code).about == "gpu"
        and not any(one.severity == "error" for one in mine)
    )


_KNOWN_BY: dict[Part, str] = {"driver": "gpu", "cuda": "cuda", "cudnn": "cudnn"}


def filling(machine: Machine, done: Collection[str], now: str) -> Iterator[Row]:
    """Every subject that is known, the system first, judged by nothing yet."""
    found = sorted(rows(machine), key=lambda row: row.subject != SYSTEM)
    for row in found:
        test = test_of(machine, row.subject)
        tested = test is not None and test.status == "ok"
        whole = chain(machine, row.subject, ())
        stations = tuple(_station(one, done, tested=tested) for one in whole.stations)
        told = Chain(stations, whole.joints if tested else ("unknown", "unknown", "unknown"))
        state = _begun(trial_text(test)[1]) if test and tested else say(f"looking.{now}")
        yield msgspec.structs.replace(row, mark="ok" if tested else "wait", state=state, chain=told)


def _station(one: Station, done: Collection[str], *, tested: bool) -> Station:
    if one.part == "program":
        return msgspec.structs.replace(one, mark="ok" if tested else "wait")
    if _KNOWN_BY[one.part] in done:
        return msgspec.structs.replace(one, mark="ok" if one.mark == "ok" else "wait")
    return msgspec.structs.replace(one, text="…", mark="wait")
