"""Families of Linux distributions, by the names of os-release.

Each takes its packages and their commands from the one that it descends from.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TypeVar

_T = TypeVar("_T")

_PARENTS = {
    "ubuntu": "debian", "linuxmint": "ubuntu", "pop": "ubuntu",
    "rocky": "rhel", "almalinux": "rhel", "centos": "rhel", "ol": "rhel",
    "manjaro": "arch", "endeavouros": "arch", "cachyos": "arch",
    "opensuse": "suse", "opensuse-leap": "suse", "opensuse-tumbleweed": "suse", "sles": "suse",
}  # fmt: skip


def for_distribution(names: Sequence[str], table: Mapping[str, _T]) -> _T | None:
    """The entry of a distribution or of its nearest ancestor; None when there is none.

    ``names`` are ID and ID_LIKE of os-release, most specific first.
    """
    return next((table[one] for name in names for one in _line(name) if one in table), None)


def _line(name: str) -> list[str]:
    """A distribution and its ancestors."""
    found = [name]
    while found[-1] in _PARENTS:
        found.append(_PARENTS[found[-1]])
    return found
