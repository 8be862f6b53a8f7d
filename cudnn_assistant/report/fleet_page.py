"""The answer about many computers as one page, and as a table for a spreadsheet."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Iterator, Sequence

from cudnn_assistant.finding import Verdict
from cudnn_assistant.report.document import (
    Bar,
    Bullets,
    Chart,
    Code,
    Folded,
    Heading,
    Item,
    PagePart,
    Paragraph,
    Strong,
    Table,
)
from cudnn_assistant.report.fleet import (
    ALWAYS,
    Changed,
    Computer,
    Fleet,
    FleetCause,
    Remedy,
    Unlike,
)
from cudnn_assistant.report.page import page
from cudnn_assistant.visible import visible
from cudnn_assistant.wording import listed, moment, say

_FEW = 12
"""Computers that are named where they stand; more of them are folded away."""
_MARKS: dict[Verdict, str] = {"works": "✓", "broken": "✗", "impossible": "✗", "unknown": "?"}


def write_fleet_page(fleet: Fleet) -> str:
    """One HTML file, without anything from outside; whole without scripts."""
    return page(_parts(fleet), say("fleet.title"))


def state(verdict: Verdict | None) -> str:
    """A verdict in words, with its mark."""
    if verdict is None:
        return say("fleet.state-none")
    return f"{_MARKS[verdict]} {say(f'fleet.state-{verdict}')}"


def headline(fleet: Fleet) -> str:
    """How many of the computers work."""
    return say("fleet.working", works=fleet.verdicts["works"], count=len(fleet.computers))


def states(fleet: Fleet) -> str:
    """Computers by verdict, those without any left out."""
    return " · ".join(f"{state(verdict)}: {n}" for verdict, n in fleet.verdicts.items() if n)


def _parts(fleet: Fleet) -> Iterator[PagePart]:
    yield Heading(1, (headline(fleet),))
    latest = max((computer.taken_at for computer in fleet.computers), default="")
    yield Paragraph((say("fleet.made", when=moment(latest) or "?", data=fleet.data),))
    yield Paragraph((states(fleet),))
    yield from _changes(fleet)
    if fleet.causes:
        yield Heading(2, (say("fleet.causes"),))
        yield Chart(tuple(Bar((cause.title,), len(cause.computers)) for cause in fleet.causes))
        for cause in fleet.causes:
            yield from _cause(cause)
    yield Heading(2, (say("fleet.computers"),))
    yield _table(fleet.computers)
    yield from _differences(fleet.unlike)
    if fleet.passed_over:
        yield Heading(2, (say("fleet.passed-over"),))
        yield Bullets(tuple(Item((Code(one.file), f" {one.why}")) for one in fleet.passed_over))


def _cause(cause: FleetCause) -> Iterator[PagePart]:
    yield Heading(3, (cause.title,))
    yield Paragraph((Code(cause.code), f" {say('fleet.on', count=len(cause.computers))}"))
    for remedy in cause.remedies:
        yield from _remedy(remedy)
    if cause.suspected:
        yield Paragraph((say("fleet.suspected-on", names=listed(cause.suspected)),))


def _remedy(remedy: Remedy) -> Iterator[PagePart]:
    yield from (Paragraph((sentence,)) for sentence in (remedy.why, remedy.fix) if sentence)
    if remedy.commands:
        yield Bullets(tuple(Item((Code(command),)) for command in remedy.commands))
    names = listed(remedy.computers)
    if len(remedy.computers) <= _FEW:
        yield Paragraph((names,))
    else:
        yield Folded((say("fleet.on", count=len(remedy.computers)),), (names,))


def _changes(fleet: Fleet) -> Iterator[PagePart]:
    if fleet.changed is None:
        return
    yield Heading(2, (say("fleet.changed"),))
    if fleet.changed:
        yield Bullets(
            tuple(
                Item((Strong(listed(names)),), tuple((line,) for line in told))
                for told, names in changes(fleet.changed)
            )
        )
    else:
        yield Paragraph((say("fleet.nothing-changed"),))


def changes(changed: Sequence[Changed]) -> list[tuple[tuple[str, ...], list[str]]]:
    """What changed, a line each, and the computers on which it is just that."""
    found: dict[tuple[str, ...], list[str]] = {}
    for one in changed:
        found.setdefault(tuple(_change(one)), []).append(one.name)
    return list(found.items())


def _change(one: Changed) -> Iterator[str]:
    if one.before != one.after:
        yield say("fleet.state-changed", before=state(one.before), after=state(one.after))
    if one.gone:
        yield say("fleet.cause-gone", codes=listed(one.gone))
    if one.new:
        yield say("fleet.cause-new", codes=listed(one.new))
    for fact, (before, after) in one.facts.items():
        yield say("fleet.fact-changed", fact=fact, before=_shown(before), after=_shown(after))


def _shown(value: str | None) -> str:
    return say("fleet.not-known") if value is None else _each(value) or say("fleet.no-value")


def _each(value: str) -> str:
    """Several versions of one thing, which stand in the facts as in every language."""
    return listed(value.split(", "))


def _differences(unlike: Sequence[Unlike]) -> Iterator[PagePart]:
    if unlike:
        yield Heading(2, (say("fleet.unlike"),))
        yield Bullets(
            tuple(
                Item((f"{alike(one)} · {one.fact}",), tuple((line,) for line in value_lines(one)))
                for one in unlike
            )
        )


def alike(one: Unlike) -> str:
    """Which computers should be the same."""
    names = [f"{one.gpus.count(gpu)} × {gpu}" if one.gpus.count(gpu) > 1 else gpu
             for gpu in dict.fromkeys(one.gpus)]  # fmt: skip
    count = sum(len(value.computers) for value in one.values)
    return say("fleet.alike", gpus=listed(names), system=one.family.title(), count=count)


def value_lines(one: Unlike) -> Iterator[str]:
    """Each value of a fact, and where it is; the computers of the commonest are counted alone."""
    for number, value in enumerate(one.values):
        shown, count = _shown(value.value), len(value.computers)
        if number == 0 or count > _FEW:
            yield say("fleet.value-on-most", value=shown, count=count)
        else:
            yield say("fleet.value-on", value=shown, names=listed(value.computers))


_COLUMNS = (
    "computer", "state", "problem", "gpu", "driver", "cuda", "cudnn", "frameworks", "system",
    "taken",
)  # fmt: skip


def _table(computers: Sequence[Computer]) -> Table:
    return Table(
        head=tuple(say(f"fleet.head-{column}") for column in _COLUMNS),
        rows=tuple(tuple((cell,) for cell in _row(one)) for one in computers),
        sortable=True,
    )


def _row(one: Computer) -> tuple[str, ...]:
    frameworks = (f"{name} {_each(one.facts[name])}" for name in one.facts if name not in ALWAYS)
    return (
        one.name,
        state(one.verdict),
        "" if one.verdict == "works" else one.title,
        listed(one.gpus),
        *(_each(one.facts.get(name, "?")) or "–" for name in ALWAYS),
        listed(frameworks),
        one.system,
        moment(one.taken_at),
    )


def write_fleet_csv(fleet: Fleet) -> str:
    """A row for each computer. No cell can become a formula where it is opened.

    Several GPUs and frameworks of one stand behind each other with "; ", in every language. What
    isn't there is an empty cell, and "?" what couldn't be read.
    """
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(
        ["name", "verdict", "title", "causes", "gpus", "driver", "cuda", "cudnn", "frameworks",
         "system", "taken_at", "file"]
    )  # fmt: skip
    for one in fleet.computers:
        facts, frameworks = one.facts, (name for name in one.facts if name not in ALWAYS)
        cells = (
            one.name, one.verdict, one.title, " ".join(one.causes), _separated(one.gpus),
            *(facts.get(name, "?") for name in ALWAYS),
            _separated(f"{name} {facts[name]}" for name in frameworks),
            one.system, one.taken_at, one.file,
        )  # fmt: skip
        writer.writerow(map(_cell, cells))
    return out.getvalue()


def _separated(names: Iterable[str]) -> str:
    return "; ".join(name.replace(";", ",") for name in names)


def _cell(text: str) -> str:
    """Spreadsheets run what begins like a formula, wherever it came from."""
    shown = visible(text)
    return f"'{shown}" if shown.startswith(tuple("=+-@＝＋－＠")) else shown
