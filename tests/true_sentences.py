"""Whether what is said of a computer follows from what was mapped and measured there."""

from __future__ import annotations

import re
from collections.abc import Iterator

from cudnn_assistant.diagnose import diagnose, verdict
from cudnn_assistant.envpath import inside
from cudnn_assistant.feed import load_builtin
from cudnn_assistant.finding import Finding
from cudnn_assistant.machine import SYSTEM, Machine, Trial, dump
from cudnn_assistant.summary import Line, headline, lines
from cudnn_assistant.versions import short
from cudnn_assistant.wording import words

_VERSION = re.compile(r"cuDNN (\d+(?:\.\d+)+)")
_PATH = re.compile(r"(?<![\w.:/])(/[\w.+-]+(?:/[\w.+-]+)+)")


_ADVISED = "/etc/security/limits.conf"
"""Where a person is told to look for what we can't see."""


def untrue(machine: Machine, findings: tuple[Finding, ...] | None = None) -> list[str]:
    """The sentences of summary, findings and last line that nothing in the snapshot bears out."""
    if findings is None:
        findings = diagnose(machine, load_builtin())
    answer = verdict(machine, findings)
    title, sentence = headline(answer, machine, findings)
    rows = lines(machine, findings)
    said = [title, sentence, *(row.text for row in rows)]
    return [
        *_unknown_versions(machine, [title, *(row.text for row in rows)]),
        *_unknown_paths(machine, said),
        *(last_line(machine, title, sentence) if answer == "works" else ()),
        *(text for row in rows for text in of_line(machine, row, findings)),
        *(text for finding in findings for text in _of_finding(machine, finding)),
    ]


def _passed(machine: Machine, subject: str, *, itself: bool) -> list[Trial]:
    mine = (t for t in machine.trials if t.subject == subject and not t.library)
    return [t for t in mine if t.status == "ok" and bool(t.framework) is itself]


def _unknown_versions(machine: Machine, said: list[str]) -> Iterator[str]:
    known = {c.version for c in machine.cudnns} | {t.version for t in machine.trials}
    known |= {v for c in machine.cudnns for v in (c.file_version, c.package_version)}
    known |= {f.cudnn for e in machine.pythons for f in e.frameworks}
    known |= {p.version for e in machine.pythons for p in e.packages if "cudnn" in p.name}
    shown = {short(version) for version in known} | known
    for text in said:
        for version in _VERSION.findall(text):
            if not any(one.startswith(version) for one in shown):
                yield f"no such cuDNN was seen: {text}"


def _unknown_paths(machine: Machine, said: list[str]) -> Iterator[str]:
    facts = dump(machine).decode() + _ADVISED
    for text in said:
        paths = (path.rstrip(".") for path in _PATH.findall(text))
        yield from (f"nobody has seen {path}: {text}" for path in paths if path not in facts)


def last_line(machine: Machine, title: str, sentence: str) -> Iterator[str]:
    version = _VERSION.search(title)
    passed = [t for t in machine.trials if t.status == "ok" and not t.library]
    fitting = [t for t in passed if not version or short(t.version) == version[1]]
    spent = {f"{t.milliseconds / 1000:.1f} s" for t in fitting}
    if not fitting or not any(seconds in sentence for seconds in spent):
        yield f"no test ended so: {title}. {sentence}"


def of_line(machine: Machine, row: Line, findings: tuple[Finding, ...]) -> Iterator[str]:
    named = (e for e in machine.pythons if row.part == "python" and row.text.find(f" {e.id}") >= 0)
    environment = max(named, key=lambda e: len(e.id), default=None)
    version = _VERSION.search(row.text)
    if environment is not None and version:
        itself = "it ran a convolution" in row.text
        tests = _passed(machine, environment.id, itself=itself)
        mapped = [c.version for c in machine.cudnns if environment.id in c.wins_for]
        right = [t for t in tests if short(t.version or "".join(mapped[:1])) == version[1]]
        if itself and not right:
            yield f"the framework didn't run one: {row.text}"
        if "its own cuDNN" in row.text and not any(_own(machine, environment, t) for t in right):
            yield f"it isn't its own: {row.text}"
    if row.part == "trial" and row.mark == "ok" and all(t.status != "ok" for t in machine.trials):
        yield f"no test passed: {row.text}"
    proven = (e for e in machine.experiments if e.proven and e.subject == SYSTEM)
    if row.part == "settings" and row.text == "nothing in the way" and any(proven):
        told = {f.code for f in findings if f.severity == "error"}
        if not told:
            yield f"an experiment has proven that something is: {row.text}"


def _own(machine: Machine, environment, trial: Trial) -> bool:
    folders = (environment.id, *environment.sites)
    return any(inside(trial.loaded, folder, machine.os.family) for folder in folders)


def _of_finding(machine: Machine, finding: Finding) -> Iterator[str]:
    said = words(finding, machine)
    text = f"{said.title}. {said.why} {said.fix}"
    mine = [e for e in machine.experiments if e.subject == finding.subject]
    tried = any(said in text for said in ("tried twice", "that was tried", "as was tried"))
    if tried and not any(e.proven and e.after.status == "ok" for e in mine):
        yield f"nothing of that kind was tried: {text}"
    if "it didn't help" in text and all(e.proven for e in mine):
        yield f"nothing was tried in vain: {text}"
    if "passed its test" in text and not _passed(machine, finding.subject, itself=False):
        yield f"cuDNN's test didn't pass: {text}"
    if "itself ran a convolution" in text and not _passed(machine, finding.subject, itself=True):
        yield f"it didn't: {text}"
    if "look right" in text:
        yield f"nobody knows that: {text}"
