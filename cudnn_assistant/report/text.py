"""What a report says: what is wrong on top, then the facts, then the snapshot itself."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

import msgspec

from cudnn_assistant.codes import cudnn_status
from cudnn_assistant.finding import Finding, Manual, Severity, Verdict
from cudnn_assistant.machine import SYSTEM, Machine, Trial
from cudnn_assistant.plan import Entry
from cudnn_assistant.report import facts
from cudnn_assistant.report.document import (
    Block,
    Bullets,
    Code,
    Heading,
    Item,
    Paragraph,
    Part,
    Pieces,
    Strong,
)
from cudnn_assistant.report.markdown import markdown
from cudnn_assistant.report.newer import Unknown, dump_with
from cudnn_assistant.report.page import page
from cudnn_assistant.report.reading import MARK
from cudnn_assistant.summary import headline, lines
from cudnn_assistant.visible import visible_json
from cudnn_assistant.wording import words

MARKS = {"ok": "✓", "note": "!", "bad": "✗", "unknown": "?", "wait": "…"}
SHORT = 60
"""Lines of a short report at the most."""


def file_name(machine: Machine) -> str:
    """A name for a report's file; a day that no clock gave is not in it."""
    day = machine.taken_at[:10]
    known = re.fullmatch(r"\d{4}-\d\d-\d\d", day, re.ASCII)
    return f"cudnn-report-{day}.md" if known else "cudnn-report.md"


def write_report(
    machine: Machine,
    findings: Sequence[Finding],
    verdict: Verdict,
    *,
    entries: Sequence[Entry] = (),
    data: str = "",
    note: str = "",
    text: str = "",
    unknown: Sequence[Unknown] = (),
    html: bool = False,
) -> str:
    """The whole report as Markdown, or as one HTML page without scripts and without anything from
    outside. The snapshot is written as given: redact it before.

    ``data`` says which compatibility data was used; ``note`` is text of a crash and ``text`` the
    message that the person pasted, both kept verbatim; ``unknown`` is what a newer program wrote
    into the snapshot. Pure: the same facts give the same bytes.
    """
    title, sentence = headline(verdict, machine, findings)
    parts: tuple[Part, ...] = (
        Heading(1, (title,)),
        Paragraph((f"cuDNN Assistant report, {_taken(machine)}",)),
        *_top(machine, findings, sentence),
        *_problems(machine, findings),
        *_verbatim("The message", text),
        *_tests(machine.trials),
        *facts.gpus(machine),
        *facts.copies(machine.cudnns),
        *facts.second_opinion(machine),
        *facts.environments(machine.pythons),
        *facts.settings(machine),
        *facts.history(entries, machine),
        *facts.gaps(machine),
        *_verbatim("This program stopped unexpectedly", note),
        *facts.about(machine, data),
        Heading(2, ("Machine data",)),
        Paragraph(("To open it elsewhere: ", Code("cudnn-assistant check --machine FILE"))),
        Block(_snapshot(machine, unknown), f"json {MARK}"),
    )
    return page(parts, "cuDNN Assistant report") if html else markdown(parts)


def write_short(machine: Machine, findings: Sequence[Finding], verdict: Verdict) -> str:
    """A form for chats: at most :data:`SHORT` lines of Markdown, without the snapshot."""
    title, sentence = headline(verdict, machine, findings)
    parts: list[Part] = [Paragraph((Strong(title),)), *_top(machine, findings, sentence)]
    for finding in findings[:4]:
        told = words(finding, machine)
        named: Pieces = () if told.title == title else (Strong(told.title), " ")
        parts.append(Paragraph((*named, Code(finding.code), f" {told.why}")))
    parts.extend(_tests(machine.trials[:3]))
    rows = markdown([*parts, Paragraph((f"{_taken(machine)}, {machine.tool}",))]).splitlines()
    return "\n".join(rows if len(rows) <= SHORT else [*rows[: SHORT - 2], "…", rows[-1]]) + "\n"


def _snapshot(machine: Machine, unknown: Sequence[Unknown]) -> str:
    """The JSON with characters that can't be seen spelled out, as JSON itself spells them."""
    return visible_json(msgspec.json.format(dump_with(machine, unknown), indent=1).decode())


def _taken(machine: Machine) -> str:
    system = f"{machine.os.name or machine.os.family} {machine.os.version}".strip()
    return f"{facts.moment(machine.taken_at)}, {system}"


def _top(machine: Machine, findings: Sequence[Finding], sentence: str) -> Iterator[Part]:
    if sentence:
        yield Paragraph((sentence,))
    rows = lines(machine, findings)
    yield Bullets(tuple(Item((f"{MARKS[row.mark]} {row.label}: {row.text}",)) for row in rows))


def _problems(machine: Machine, findings: Sequence[Finding]) -> Iterator[Part]:
    if findings:
        yield Heading(2, ("What we found",))
    for finding in findings:
        told = words(finding, machine)
        unsure = "" if finding.sure else ", suspected"
        yield Heading(3, (told.title,))
        yield Paragraph(
            (Code(finding.code), f", {_WEIGHT[finding.severity]}{unsure}, for ",
             *_subject(finding.subject))
        )  # fmt: skip
        yield from (Paragraph((sentence,)) for sentence in (told.why, told.fix) if sentence)
        if isinstance(finding.remedy, Manual) and finding.remedy.commands:
            yield Block("\n".join(finding.remedy.commands))
        if told.details:
            yield Bullets(tuple(Item((detail,)) for detail in told.details))


_WEIGHT: dict[Severity, str]
_WEIGHT = {"error": "stops cuDNN", "warning": "not urgent", "info": "good to know"}


def _subject(subject: str) -> Pieces:
    return ("programs that use the system's cuDNN",) if subject == SYSTEM else (Code(subject),)


def _verbatim(title: str, text: str) -> Iterator[Part]:
    if text:
        yield Heading(2, (title,))
        yield Block(text)


def _tests(trials: Iterable[Trial]) -> Iterator[Part]:
    yield from facts.section(
        "Tests", (Item(_trial(trial), _trial_facts(trial)) for trial in trials)
    )


def _trial(trial: Trial) -> Pieces:
    about: Pieces = (" with the copy in ", Code(trial.library)) if trial.library else ()
    where = f" on {trial.gpu_name}" if trial.gpu_name else ""
    ended: Pieces = (Strong("ran to its end"),)
    if trial.status == "not-run":
        ended = (Strong("not run"),)
    elif trial.status != "ok":
        ended = (Strong(f"stopped at {trial.stage}"), ", ", Code(trial.status))
    return ("Test for ", *_subject(trial.subject), *about, f"{where}: ", *ended)


def _trial_facts(trial: Trial) -> tuple[Pieces, ...]:
    name = trial.code_name
    if trial.code is not None and not name and trial.status == "status-code":
        name = cudnn_status(trial.code, int(trial.version.split(".")[0] or 9))
    known = (
        ("code", "" if trial.code is None else f"{trial.code} {name}".rstrip()),
        ("cuDNN", trial.version),
        ("loaded", trial.loaded),
        ("missing", trial.missing),
        ("said", trial.detail),
        ("agreed with the CPU", ", ".join(trial.checks)),
        ("times", ", ".join(f"{t.stage} {t.milliseconds:.0f} ms" for t in trial.times)),
        ("printed", trial.output[-400:]),
    )
    return tuple((f"{label}: ", Code(text)) for label, text in known if text)
