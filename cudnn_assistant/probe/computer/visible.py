"""Which GPUs a CUDA program under some environment gets, for testing each of them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from cudnn_assistant.probe.computer.gpu import dashed, plain_uuid
from cudnn_assistant.probe.computer.gpu_child import GpuAnswers, ask

MOST = 16
"""GPUs and slices that are given; each is tested by a process of its own."""


def visible_gpus(environment: Mapping[str, str]) -> tuple[str, ...]:
    """UUIDs of the GPUs that CUDA shows under ``environment``, in CUDA's order.

    A GPU that is divided (MIG) is given by its slices. CUDA shows a program one slice alone; the
    others are there for who names them, unless CUDA_VISIBLE_DEVICES has chosen already. Empty
    when there is no GPU, or nobody could say.
    """
    answers = ask(environment)
    slices = [*_slices(answers)]
    of_slices = {plain_uuid(one) for one in slices}
    found = [_uuid(device, of_slices) for device in _devices(answers)]
    if found and not environment.get("CUDA_VISIBLE_DEVICES"):
        found += slices
    known = {plain_uuid(one): one for one in reversed(found) if one}
    return tuple(dict.fromkeys(known[plain_uuid(one)] for one in found if one))[:MOST]


def _devices(answers: GpuAnswers) -> list[Mapping[str, Any]]:
    devices = answers.cuda.get("devices")
    known = devices if isinstance(devices, list) else []
    return [device for device in known if isinstance(device, dict)]


def _slices(answers: GpuAnswers) -> Iterator[str]:
    for _, facts in sorted(answers.gpus.items()):
        instances = facts.get("mig_instances")
        if facts.get("mig") and isinstance(instances, list):
            yield from (one for one in instances if isinstance(one, str))


def _uuid(device: Mapping[str, Any], slices: set[str]) -> str:
    """ "GPU-…" of the 16 bytes that CUDA gives; "MIG-…" for a slice."""
    digits = plain_uuid(str(device.get("uuid", "")))
    slice_of = digits in slices or " MIG " in str(device.get("name", ""))
    return dashed(digits, "MIG" if slice_of else "GPU")
