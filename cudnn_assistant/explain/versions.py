"""Versions and generations: how they are spelled, and the table of what belongs together."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any

import msgspec

from cudnn_assistant import places

Version = tuple[int, ...]

_CAPABILITY = re.compile(
    r"(?:capability|compute|\bcc) ?(?:is |of |: ?)?(\d{1,2}\.\d)\b|\bsm_?(\d{2,3})\b", re.IGNORECASE
)


class Known(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The table ``resources/errors/versions.toml``."""

    framework_names: Mapping[str, Sequence[str]]
    gpus: Sequence[tuple[str, float]]
    cuda_gpus: Sequence[tuple[float, float, float]]
    cuda_drivers: Sequence[tuple[float, str, str]]
    driver_gpus: Sequence[tuple[int, float]]
    gpu_drivers: Sequence[tuple[float, int]]
    driver_cudas: Sequence[tuple[int, float]]
    needs: Sequence[Mapping[str, Any]]


@cache
def known() -> Known:
    """The table of versions, read once."""
    text = places.resource("errors/versions.toml").read_text(encoding="utf-8")
    return msgspec.convert(tomllib.loads(text), Known)


def version(text: str) -> Version:
    """The first dotted number in ``text`` as integers; () when there is none."""
    found = re.search(r"(?<![\d.])\d{1,5}(?:\.\d{1,6}){0,4}", text)
    return tuple(int(part) for part in found.group().split(".")) if found else ()


def versions(text: str) -> set[str]:
    """All numbers in ``text`` that look like versions, as they stand there."""
    return set(re.findall(r"(?<![\d.])v?(\d{1,3}(?:\.\d{1,6}){0,4})(?![\d.]*[ -]?bit)", text))


def cudnn_number(text: str) -> Version:
    """A cuDNN version in any of its spellings: 8.3.2, "(8, 3, 2)", 7301, 8904, 90100."""
    numbers = [int(part) for part in re.findall(r"\d{1,6}", text)[:4]]
    if len(numbers) != 1 or numbers[0] < 1000:
        return tuple(numbers)
    whole = numbers[0]
    scale = 10000 if whole >= 90000 else 1000
    return (whole // scale, whole % scale // 100, whole % 100)


def compute_of(name: str) -> float:
    """Compute capability by a product's name, 0.0 when it is not known.

    A capability that stands beside the name wins: "RTX 5000 series (compute capability 12.0)".
    """
    if said := _CAPABILITY.search(name):
        return float(said.group(1)) if said.group(1) else int(said.group(2)) / 10
    for pattern, capability in known().gpus:
        if re.search(pattern, name, re.IGNORECASE):
            return capability
    return 0.0
