"""Families of Linux distributions, by the names of os-release.

Each takes its packages and their commands from the one that it descends from.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TypeVar

_T = TypeVar("_T")

_PARENTS = {
    "ubuntu": "debian", "linuxmint": "ubuntu", "pop": "ubuntu",
    "rocky": "rhel", "almalinux": "rhel", "centos": "rhel", "ol": "rhel",
    "manjaro": "arch", "endeavouros": "arch", "cachyos": "arch",
    "opensuse": "suse", "opensuse-leap": "suse", "opensuse-tumbleweed": "suse", "sles": "suse",
    "aeon": "opensuse-microos", "kalpa": "opensuse-microos", "opensuse-aeon": "opensuse-microos",
    "bazzite-ostree": "ublue", "bluefin-ostree": "ublue", "aurora-ostree": "ublue",
}  # fmt: skip


def for_distribution(names: Sequence[str], table: Mapping[str, _T]) -> _T | None:
    """The entry of a distribution or of its nearest ancestor; None when there is none.

    ``names`` are ID and ID_LIKE of os-release, most specific first.
    """
    return next((table[one] for one in families(names) if one in table), None)


def families(names: Sequence[str]) -> Iterator[str]:
    """Each distribution, followed by its ancestors."""
    for name in names:
        yield name
        yield from families((_PARENTS[name],) if name in _PARENTS else ())
