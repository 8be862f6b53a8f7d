"""A checkup as metrics: the file that Prometheus' node exporter reads (its "textfile collector").

No path and no name of a person is in it: environments are counted, not named.
"""

from __future__ import annotations

import datetime
from collections.abc import Iterable, Iterator
from typing import get_args

from cudnn_assistant.finding import Finding, Verdict
from cudnn_assistant.machine import SYSTEM, Machine
from cudnn_assistant.report.fleet import ALWAYS, facts_to_share
from cudnn_assistant.summary.line import card
from cudnn_assistant.visible import visible
from cudnn_assistant.wording import say, words


def write_metrics(machine: Machine, findings: Iterable[Finding], verdict: Verdict) -> str:
    """The text format of Prometheus, version 0.0.4; every series stands in it once."""
    rows: list[str] = []
    for name, series in _metrics(machine, tuple(findings), verdict):
        rows.append(f"# HELP cudnn_assistant_{name} {say(f'prometheus.{name}')}")
        rows.append(f"# TYPE cudnn_assistant_{name} gauge")
        rows += dict.fromkeys(f"cudnn_assistant_{name}{text}" for text in series)
    return "\n".join(rows) + "\n"


def _metrics(
    machine: Machine, findings: tuple[Finding, ...], verdict: Verdict
) -> Iterator[tuple[str, list[str]]]:
    verdicts = get_args(Verdict)
    yield "verdict", [f"{_labels(verdict=one)} {int(one == verdict)}" for one in verdicts]
    told = [finding for finding in findings if finding.severity != "info"]
    yield "cause", [f"{_cause(finding, machine)} 1" for finding in told]
    facts = dict(facts_to_share(machine))
    gpus = ", ".join(card(gpu.name) for gpu in machine.gpus)
    versions = {name.lower(): facts.pop(name, "?") for name in ALWAYS}
    yield "info", [f"{_labels(tool=machine.tool, gpus=gpus, **versions)} 1"]
    yield "framework", [f"{_labels(name=n, version=version)} 1" for n, version in facts.items()]
    yield "looked_at_seconds", [f" {_seconds(machine.taken_at)}"]


def _cause(finding: Finding, machine: Machine) -> str:
    return _labels(
        code=finding.code,
        severity=finding.severity,
        sure=str(finding.sure).lower(),
        subject=SYSTEM if finding.subject == SYSTEM else "environment",
        title=words(finding, machine).title,
    )


def _labels(**labels: str) -> str:
    spelled = {n: visible(v).replace("\\", "\\\\").replace('"', '\\"') for n, v in labels.items()}
    return "{" + ",".join(f'{name}="{value}"' for name, value in spelled.items()) + "}"


def _seconds(moment: str) -> int:
    """Since 1970; 0 for a moment that isn't known."""
    try:
        return int(datetime.datetime.fromisoformat(moment).timestamp())
    except ValueError:
        return 0
