"""Versions as numbers: what is older, and how people say them."""

from __future__ import annotations

import re


def numbers(version: str) -> tuple[int, ...]:
    """The leading dotted numbers of a version: "9.10.2+x" is (9, 10, 2); () when there are none."""
    match = re.match(r"\d{1,9}(?:\.\d{1,9}){0,7}", version.strip())
    return tuple(int(part) for part in match[0].split(".")) if match else ()


def older(one: str, other: str) -> bool:
    """Whether both versions are known and the first is lower, to the precision of the second."""
    left, right = numbers(one), numbers(other)
    return bool(left and right) and left[: len(right)] < right


def major(version: str) -> int:
    """The first number of a version, 0 when it has none."""
    return (numbers(version) or (0,))[0]


def short(version: str) -> str:
    """A version as people say it: "9.10.2", and "9.8" for 9.8.0."""
    parts = numbers(version)[:3]
    return ".".join(str(part) for part in (parts[:2] if parts[2:] == (0,) else parts))
