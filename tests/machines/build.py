"""Builds the golden machines: variants of a few healthy computers, each with one fault or none.

    PYTHONPATH=tests python -m machines.build      writes NAME.txt beside this file

A user's report becomes a test by copying it to ``reports/NAME.md`` and building again.

The words in NAME.txt are to be read aloud before they are committed; what each machine has to
be told stands in ``computers.py`` and is checked apart from the texts.
"""

from __future__ import annotations

from pathlib import Path

import msgspec

from cudnn_assistant.diagnose import diagnose, subjects, verdict
from cudnn_assistant.feed import load_builtin
from cudnn_assistant.finding import Automatic, Finding, Manual
from cudnn_assistant.machine import Machine
from cudnn_assistant.report.reading import read_report
from cudnn_assistant.summary import headline, lines
from cudnn_assistant.wording import words

HERE = Path(__file__).parent
REPORTS = HERE / "reports"
"""Reports of real computers; one more file here is one more test."""
_MARKS = {"ok": "✓", "note": "!", "bad": "✗", "unknown": "?", "wait": "…"}


def tell(machine: Machine, findings: tuple[Finding, ...] | None = None) -> str:
    """Everything that is said about a machine, as NAME.txt holds it; what was found is looked for
    where it isn't given."""
    if findings is None:
        findings = diagnose(machine, load_builtin())
    answer = verdict(machine, findings)
    title, sentence = headline(answer, machine, findings)
    told = [f"{answer}: {title}", sentence, ""]
    told += [f"{_MARKS[r.mark]} {r.label:<18} {r.text}".rstrip() for r in lines(machine, findings)]
    told += [""] + [f"{s}: {verdict(machine, findings, s)}" for s in subjects(machine)]
    for finding in findings:
        told += ["", *_finding(finding, machine)]
    return "\n".join(told) + "\n"


def _finding(finding: Finding, machine: Machine) -> list[str]:
    said = words(finding, machine)
    told = [f"[{finding.severity}] {said.title}  [{finding.code}]"]
    told += [f"  Why: {said.why}", f"  What to do: {said.fix}"]
    told += [f"  To go back: {said.undo}"] if said.undo else []
    told += [f"  ({said.label_of_way_out})"] if said.label_of_way_out else []
    return told + _remedy(finding) + [f"  · {line}" for line in said.details]


def _remedy(finding: Finding) -> list[str]:
    remedy = finding.remedy
    if isinstance(remedy, Automatic):
        return [f"  + {msgspec.json.encode(edit).decode()}" for edit in remedy.edits]
    if isinstance(remedy, Manual):
        link = [f"  → {remedy.link}"] if remedy.link else []
        return link + [f"  $ {command}" for command in remedy.commands]
    return []


def main() -> None:
    from machines.computers import COMPUTERS

    for name, computer in sorted(COMPUTERS.items()):
        (HERE / f"{name}.txt").write_text(tell(computer.machine), encoding="utf-8")
    for report in sorted(REPORTS.glob("*.md")):
        machine = read_report(report.read_text(encoding="utf-8")).machine
        report.with_suffix(".txt").write_text(tell(machine), encoding="utf-8")
    for old in HERE.glob("*.txt"):
        if old.stem not in COMPUTERS:
            old.unlink()


if __name__ == "__main__":
    main()
