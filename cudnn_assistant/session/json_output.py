"""The answer of a check for programs: what ``--json`` prints, and what a notebook shows.

Fields are only ever added within one schema. A notebook's colours and fonts are its own, in light
and in dark; there is no script, and the same as text for where pages aren't shown.
"""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

from cudnn_assistant import __version__
from cudnn_assistant.diagnose import subjects, verdict
from cudnn_assistant.feed import Source
from cudnn_assistant.finding import Finding, Manual, Severity, Verdict, texts
from cudnn_assistant.machine import Machine, Value
from cudnn_assistant.plan import Step, kind_of
from cudnn_assistant.report.document import Block, Bullets, Code, Heading, Item, Paragraph, Part
from cudnn_assistant.report.page import fragment
from cudnn_assistant.session.checkup import Checkup
from cudnn_assistant.summary import Line, headline, lines
from cudnn_assistant.visible import visible
from cudnn_assistant.wording import moment, words


class Data(msgspec.Struct, frozen=True, kw_only=True):
    """Which compatibility data was used."""

    version: int
    published: str
    source: str = msgspec.field(name="from")


class Subject(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One user of cuDNN on this computer and whether it works."""

    id: str
    verdict: Verdict
    framework: str = ""


class Change(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What would be changed for a finding."""

    kind: str
    scope: str = ""
    name: str = ""
    before: Value | None = None
    after: Value | None = None
    what: str = ""


class FindingWords(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A finding with its words."""

    code: str
    severity: Severity
    subject: str
    sure: bool
    remedy: str
    title: str
    why: str
    fix: str
    commands: tuple[str, ...] = ()
    """What the person can type."""
    link: str = ""
    facts: dict[str, str] = {}
    evidence: tuple[str, ...] = ()
    changes: tuple[Change, ...] = ()


class Answer(msgspec.Struct, frozen=True, kw_only=True):
    """The whole answer of ``check --json``."""

    schema: int = 1
    tool: str = f"cudnn-assistant {__version__}"
    verdict: Verdict
    title: str = ""
    sentence: str = ""
    """The answer in words."""
    lines: tuple[Line, ...] = ()
    compat: Data
    subjects: tuple[Subject, ...]
    """The system's programs first, then each environment that uses cuDNN."""
    findings: tuple[FindingWords, ...]
    """Most serious first, from the ground up."""
    machine: Machine

    def to_json(self) -> str:
        """As ``check --json`` prints it."""
        return msgspec.json.encode(self).decode()

    def _repr_mimebundle_(self, **_asked: object) -> dict[str, str]:
        """What Jupyter, Colab and VS Code show."""
        return {"text/plain": self._text(), "text/html": fragment(self._parts())}

    def _told(self) -> list[FindingWords]:
        return [finding for finding in self.findings if finding.severity != "info"]

    def _text(self) -> str:
        rows = [self.title, *filter(None, [self.sentence]), *map(str, self.lines)]
        for finding in self._told():
            rows += ["", f"{finding.title}  [{finding.code}]"]
            said = (finding.why, finding.fix, *finding.commands, finding.link)
            rows += [f"  {line}" for line in said if line]
        return "\n".join(map(visible, rows))

    def _parts(self) -> Iterator[Part]:
        yield Heading(3, (self.title,))
        if self.sentence:
            yield Paragraph((self.sentence,))
        yield Bullets(tuple(Item((str(line),)) for line in self.lines))
        for finding in self._told():
            yield Heading(4, (f"{finding.title} ", Code(finding.code)))
            yield from (Paragraph((said,)) for said in (finding.why, finding.fix) if said)
            if finding.commands or finding.link:
                yield Block("\n".join((*finding.commands, *filter(None, [finding.link]))))


def answer(checkup: Checkup, source: Source) -> Answer:
    """A checkup with its words."""
    machine = checkup.machine
    names = {env.id: env.frameworks for env in machine.pythons}
    told = checkup.verdict, machine, checkup.findings
    title, sentence = headline(*told, when=moment)
    return Answer(
        verdict=checkup.verdict,
        title=title,
        sentence=sentence,
        lines=lines(machine, checkup.findings),
        compat=Data(version=source.version, published=source.published, source=source.kind),
        subjects=tuple(
            Subject(
                id=subject,
                verdict=verdict(machine, checkup.findings, subject),
                framework=", ".join(f"{f.name} {f.version}" for f in names.get(subject, ())),
            )
            for subject in subjects(machine)
        ),
        findings=tuple(_with_words(finding, checkup) for finding in checkup.findings),
        machine=machine,
    )


def encoded(checkup: Checkup, source: Source) -> bytes:
    """A checkup as JSON; what a newer program wrote into its report stays in it."""
    whole = msgspec.json.encode(answer(checkup, source))
    if not checkup.unknown:
        return whole
    from cudnn_assistant.report.newer import dump_with

    fields = msgspec.json.decode(whole)
    fields["machine"] = msgspec.Raw(dump_with(checkup.machine, checkup.unknown))
    return msgspec.json.encode(fields)


def _with_words(finding: Finding, checkup: Checkup) -> FindingWords:
    said = words(finding, checkup.machine)
    return FindingWords(
        code=finding.code,
        severity=finding.severity,
        subject=finding.subject,
        sure=finding.sure,
        remedy=str(finding.remedy.__struct_config__.tag),
        title=said.title,
        why=said.why,
        fix=said.fix,
        commands=finding.remedy.commands if isinstance(finding.remedy, Manual) else (),
        link=finding.remedy.link if isinstance(finding.remedy, Manual) else "",
        facts=texts(finding.facts),
        evidence=tuple(map(str, finding.evidence)),
        changes=tuple(_change(step) for step in checkup.plan.steps if finding.code in step.why),
    )


def _change(step: Step) -> Change:
    kind, one = str(step.__struct_config__.tag), kind_of(step).setting(step)
    if one is None:
        return Change(kind=kind, what=kind_of(step).what(step))
    return Change(kind=kind, scope=one.scope, name=one.name, before=one.before, after=one.after)
