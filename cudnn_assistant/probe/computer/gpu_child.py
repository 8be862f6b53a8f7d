"""Asks the child that asks NVML and the driver API, and puts its answers together."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import msgspec
from msgspec.structs import replace

from cudnn_assistant import codes
from cudnn_assistant.machine import Gap, PathEntry, readable
from cudnn_assistant.probe.computer import pci
from cudnn_assistant.probe.computer.kernel import KernelFacts
from cudnn_assistant.probe.files.disk import Disk
from cudnn_assistant.probe.running.children import Cancel, never, run_child
from cudnn_assistant.wording import met

DEADLINE = 20.0
"""Seconds for the child. Without persistence the first start of a large machine takes ten."""


class GpuAnswers(msgspec.Struct, frozen=True):
    """What the child could tell, put together."""

    nvml: dict[str, Any] = {}
    driver: dict[str, Any] = {}
    gpus: dict[int, dict[str, Any]] = {}
    cuda: dict[str, Any] = {}
    gaps: tuple[Gap, ...] = ()


NO_DRIVER = GpuAnswers(nvml={"nvml": 12, "file": ""}, cuda={"cuda": None, "file": ""})
"""What the child says where the loader finds neither library; 12 is NVML's code for that."""
_LIBRARIES = ("libnvidia-ml.so.1", "libcuda.so.1")
_BRINGING = frozenset({"LD_LIBRARY_PATH", "LD_PRELOAD", "LD_AUDIT"})
_MOST_BYTES = 32 << 20


def no_driver(
    disk: Disk, kernel: KernelFacts, search: Sequence[PathEntry], environment: Mapping[str, str]
) -> bool:
    """Whether the child could only say :data:`NO_DRIVER`: a start of Python for nothing.

    The kernel knows nothing of NVIDIA, and nothing that the loader would look through has one of
    the libraries. Where a variable brings others along, or in doubt, only the child can tell.
    """
    known = kernel.kernel_version or kernel.modules or kernel.nodes or kernel.gaps
    nvidia = any(one.vendor == pci.NVIDIA for one in kernel.adapters)
    if disk.family == "windows" or known or nvidia or not search:
        return False
    if _BRINGING & environment.keys():
        return False
    cache = disk.data("/etc/ld.so.cache", _MOST_BYTES)
    paths = (disk.join(one.folder, name) for one in search for name in _LIBRARIES)
    return not any(name.encode() in cache for name in _LIBRARIES) and not any(
        map(disk.exists, paths)
    )


def ask(
    environment: Mapping[str, str], deadline: float = DEADLINE, *, cancel: Cancel = never
) -> GpuAnswers:
    """Run the child in ``environment``; whatever it could not tell leaves a gap."""
    try:
        ended = run_child("gpu", {}, environment, deadline, cancel=cancel)
    except (OSError, ValueError) as trouble:
        return GpuAnswers(gaps=_gaps(str(trouble), "driver", "gpu"))
    answers = put_together(ended.lines)
    answers = replace(answers, gaps=tuple(_lost(answers)))
    if any(line.get("status") == "ok" for line in ended.lines):
        return answers
    if ended.timed_out:
        why = met("no-answer-within", seconds=round(deadline))
    else:
        said = next((line["detail"] for line in ended.lines if "detail" in line), ended.output)
        why = met("process-ended-saying", code=ended.exit_code, said=said.strip()[-300:]).strip()
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
