"""Asks the child that asks NVML and the driver API, and puts its answers together."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from cudnn_assistant import codes
from cudnn_assistant.machine import Gap, readable
from cudnn_assistant.probe.running.children import Cancel, never, run_child

DEADLINE = 20.0
"""Seconds for the child. Without persistence the first start of a large machine takes ten."""


@dataclass(frozen=True)
class GpuAnswers:
    """What the child could tell, put together."""

    nvml: dict[str, Any] = field(default_factory=dict)
    driver: dict[str, Any] = field(default_factory=dict)
    gpus: dict[int, dict[str, Any]] = field(default_factory=dict)
    cuda: dict[str, Any] = field(default_factory=dict)
    gaps: tuple[Gap, ...] = ()


def ask(
    environment: Mapping[str, str], deadline: float = DEADLINE, *, cancel: Cancel = never
) -> GpuAnswers:
    """Run the child in ``environment``; whatever it could not tell leaves a gap.

    Raises :class:`~cudnn_assistant.probe.running.children.Cancelled` when ``cancel`` says so.
    """
    try:
        ended = run_child("gpu", {}, environment, deadline, cancel=cancel)
    except (OSError, ValueError) as trouble:
        return GpuAnswers(gaps=_gaps(str(trouble), "driver", "gpu"))
    answers = put_together(ended.lines)
    answers = replace(answers, gaps=tuple(_lost(answers)))
    if any(line.get("status") == "ok" for line in ended.lines):
        return answers
    if ended.timed_out:
        why = f"no answer within {deadline:.0f} s"
    else:
        said = next((line["detail"] for line in ended.lines if "detail" in line), ended.output)
        why = f"the process ended with code {ended.exit_code} {said.strip()[-300:]}".strip()
    missing = [] if "cuda" in answers.cuda else ["driver"]
    whole = [bool({"processes", "trouble"} & facts.keys()) for facts in answers.gpus.values()]
    missing += [] if whole and all(whole) else ["gpu"]
    return replace(answers, gaps=answers.gaps + _gaps(why, *missing))


def _lost(answers: GpuAnswers) -> Iterator[Gap]:
    """GPUs that NVML counts but can't reach: they fell off the bus, or are closed to us."""
    for index, facts in sorted(answers.gpus.items()):
        if isinstance(code := facts.get("trouble"), int):
            yield Gap(what=f"gpu-{index}", why=codes.nvml_return(code))


def _gaps(why: str, *parts: str) -> tuple[Gap, ...]:
    return tuple(Gap(what=part, why=readable(why)) for part in parts)


def put_together(lines: tuple[dict[str, Any], ...]) -> GpuAnswers:
    """The child's lines as one; later lines about the same thing add to earlier ones."""
    answers = GpuAnswers()
    for line in lines:
        if "nvml" in line:
            answers.nvml.update(line)
        elif "driver" in line and isinstance(line["driver"], dict):
            answers.driver.update(line["driver"])
        elif isinstance(line.get("index"), int) and isinstance(line.get("gpu"), dict):
            answers.gpus.setdefault(line["index"], {}).update(line["gpu"])
        elif "file" in line:
            answers.cuda.update(line)
    return answers
