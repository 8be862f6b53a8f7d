"""What a report says: what is wrong on top, then the facts, then the snapshot itself."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

import msgspec

from cudnn_assistant import wording
from cudnn_assistant.codes import cudnn_status
from cudnn_assistant.finding import Finding, Manual, Verdict
from cudnn_assistant.machine import SYSTEM, DifferenceKind, Machine, Outcome, Trial
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
    say,
)
from cudnn_assistant.report.markdown import markdown
from cudnn_assistant.report.newer import Unknown, dump_with
from cudnn_assistant.report.page import page
from cudnn_assistant.report.reading import MARK, REPORT
from cudnn_assistant.summary import headline, lines
from cudnn_assistant.visible import visible_json
from cudnn_assistant.wording import convolution, in_words, listed, moment, stage, told

SHORT = 60
"""Lines of a short report at the most."""
TRIED = 8
"""Experiments that are told; all of them stand in the machine data."""
_TRIED_OTHERWISE: dict[DifferenceKind, str] = {
    "search-order": "behind",
    "limit": "raised",
    "working-folder": "elsewhere",
    "program-folder": "elsewhere",
}
"""What was done instead of leaving something out."""


def file_name(machine: Machine) -> str:
    """A name for a report's file; a day that no clock gave is not in it."""
    day = machine.taken_at[:10]
    known = re.fullmatch(r"\d{4}-\d\d-\d\d", day, re.ASCII)
    return f"cudnn-report-{day}.md" if known else REPORT


class Extra(msgspec.Struct, frozen=True):
    """What goes into a report beside the checkup."""

    entries: Sequence[Entry] = ()
    """Changes made on this computer."""
    data: str = ""
    """Which compatibility data was used."""
    note: str = ""
    """Text of a crash, kept verbatim."""
    text: str = ""
    """The message that the person pasted, likewise."""
    unknown: Sequence[Unknown] = ()
    """What a newer program wrote into the snapshot."""


NOTHING = Extra()


def write_report(
    machine: Machine,
    findings: Sequence[Finding],
    verdict: Verdict,
    extra: Extra = NOTHING,
    *,
    html: bool = False,
) -> str:
    """The whole report as Markdown, or as one HTML page without scripts and without anything from
    outside. All is written as given: redact it before.

    Pure: the same facts give the same bytes.
    """
    title, sentence = headline(verdict, machine, findings, when=moment)
    snapshot = msgspec.json.format(dump_with(machine, extra.unknown), indent=1).decode()
    parts: tuple[Part, ...] = (
        Heading(1, (title,)),
        Paragraph(say("report.taken", when=moment(machine.taken_at), system=_system(machine))),
        *_top(machine, findings, sentence),
        *_problems(machine, findings),
        *_verbatim("message", extra.text),
        *facts.section("tests", (Item(_trial(one), _trial_facts(one)) for one in machine.trials)),
        *facts.section("tried", _tried(machine)),
        *facts.gpus(machine),
        *facts.copies(machine.cudnns),
        *facts.second_opinion(machine),
        *facts.environments(machine.pythons),
        *facts.settings(machine),
        *facts.history(extra.entries, machine),
        *facts.gaps(machine),
        *_verbatim("stopped", extra.note),
        *facts.about(machine, extra.data),
        Heading(2, say("report.snapshot")),
        Paragraph(
            say("report.open-elsewhere", command=Code("cudnn-assistant check --machine FILE"))
        ),
        Block(visible_json(snapshot), f"json {MARK}"),
    )
    return page(parts, wording.say("report.title")) if html else markdown(parts)


def write_short(machine: Machine, findings: Sequence[Finding], verdict: Verdict) -> str:
    """A form for chats: at most :data:`SHORT` lines of Markdown, without the snapshot."""
    title, sentence = headline(verdict, machine, findings, when=moment)
    parts: list[Part] = [Paragraph((Strong(title),)), *_top(machine, findings, sentence)]
    for finding in findings[:4]:
        told = wording.words(finding, machine)
        named: Pieces = () if told.title == title else (Strong(told.title), " ")
        parts.append(Paragraph((*named, Code(finding.code), f" {told.why}")))
    tests = (Item(_trial(one), _trial_facts(one)) for one in machine.trials[:3])
    end = say("report.short-end", when=moment(machine.taken_at), system=_system(machine),
              tool=machine.tool)  # fmt: skip
    rows = markdown([*parts, *facts.section("tests", tests), Paragraph(end)]).splitlines()
    return "\n".join(rows if len(rows) <= SHORT else [*rows[: SHORT - 2], "…", rows[-1]]) + "\n"


def _system(machine: Machine) -> str:
    return f"{machine.os.name or machine.os.family} {machine.os.version}".strip()


def _top(machine: Machine, findings: Sequence[Finding], sentence: str) -> Iterator[Part]:
    if sentence:
        yield Paragraph((sentence,))
    yield Bullets(tuple(Item((str(row),)) for row in lines(machine, findings)))


def _problems(machine: Machine, findings: Sequence[Finding]) -> Iterator[Part]:
    if findings:
        yield Heading(2, say("report.findings"))
    for finding in findings:
        told = wording.words(finding, machine)
        yield Heading(3, (told.title,))
        key = "report.about" if finding.sure else "report.about-suspected"
        weight = wording.say(f"report.weight-{finding.severity}")
        whom = _subject(finding.subject)
        yield Paragraph(say(key, code=Code(finding.code), weight=weight, whom=whom))
        yield from (Paragraph((sentence,)) for sentence in (told.why, told.fix) if sentence)
        if isinstance(finding.remedy, Manual):
            if finding.remedy.commands:
                yield Block("\n".join(finding.remedy.commands))
            if finding.remedy.link:
                yield Paragraph((Code(finding.remedy.link),))
        if told.details:
            yield Bullets(tuple(Item((detail,)) for detail in told.details))


def _subject(subject: str) -> str | Code:
    return wording.say("report.whom-system") if subject == SYSTEM else Code(subject)


def _verbatim(title: str, text: str) -> Iterator[Part]:
    if text:
        yield Heading(2, say(f"report.{title}"))
        yield Block(text)


def _trial(trial: Trial) -> Pieces:
    return say("report.test", whom=_subject(trial.subject), ended=_ended(trial))


def _ended(one: Trial | Outcome) -> Strong:
    if one.status in ("ok", "not-run"):
        return Strong(wording.say("report.test-ended" if one.status == "ok" else "summary.not-run"))
    return Strong(wording.say("summary.stopped-while-doing", doing=stage(one.stage)))


def _tried(machine: Machine) -> Iterator[Item]:
    """The tests that were repeated with one difference, what was proven first."""
    ordered = sorted(machine.experiments, key=lambda one: not one.proven)
    for one in ordered[:TRIED]:
        kind, name, without = one.difference.kind, one.difference.name, one.difference.without
        named = tuple(f"{name}={text}" if name else text for text in without) or (name,)
        what = Code(listed(named)) if any(named) else wording.say("report.several-settings")
        key = f"report.tried-{_TRIED_OTHERWISE.get(kind, 'without')}"
        below = [say("report.test-framework", value=Code(one.framework))] if one.framework else []
        below += [say("report.proven")] if one.proven else []
        whom, ended = _subject(one.subject), _ended(one.after)
        yield Item(say(key, whom=whom, what=what, ended=ended), tuple(below))
    if more := len(ordered[TRIED:]):
        yield Item((wording.say("summary.count-more", count=more),))
    yield from (facts.gap_told(gap) for gap in machine.gaps if gap not in machine.unread)


def _trial_facts(trial: Trial) -> tuple[Pieces, ...]:
    name = trial.code_name
    if trial.code is not None and not name and trial.status == "status-code":
        name = cudnn_status(trial.code, int(trial.version.split(".")[0] or 9))
    known = {
        "status": "" if trial.status in ("ok", "not-run") else in_words(trial.status),
        "copy": trial.library,
        "framework": trial.framework,
        "gpu": trial.gpu_name,
        "code": "" if trial.code is None else f"{trial.code} {name}".rstrip(),
        "version": trial.version,
        "loaded": trial.loaded,
        "missing": trial.missing,
        "detail": told(trial.detail),
        "checks": listed(map(convolution, trial.checks)),
        "times": facts.times((stage(one.stage), one.milliseconds) for one in trial.times),
        "output": trial.output[-400:],
    }
    return tuple(say(f"report.test-{label}", value=Code(text)) for label, text in known.items()
                 if text)  # fmt: skip
