"""Folders by pattern ("opt/*/lib"), bounded, without following a mount onto the network."""

from __future__ import annotations

import fnmatch
from collections.abc import Iterable

from cudnn_assistant.probe.files.disk import Disk

_MOST_PER_PATTERN = 400


def matching(disk: Disk, base: str, patterns: Iterable[str]) -> list[str]:
    """Existing folders below ``base`` that match one of ``patterns``, each once, in order.

    A pattern's depth is fixed, so that no loop of links can be followed; a folder on the network
    is only entered when the pattern names it without a wildcard.
    """
    listings: dict[str, list[str]] = {}
    found: dict[str, None] = {}
    for pattern in patterns:
        for folder in _expand(disk, [base], pattern.split("/"), listings)[:_MOST_PER_PATTERN]:
            found[folder] = None
    return list(found)


def _expand(
    disk: Disk, bases: list[str], parts: list[str], listings: dict[str, list[str]]
) -> list[str]:
    for part in parts:
        following: list[str] = []
        for base in bases[:_MOST_PER_PATTERN]:
            if "*" not in part:
                following.append(disk.join(base, part))
                continue
            if base not in listings:
                listings[base] = (
                    []
                    if disk.remote(base)
                    else [disk.name(folder) for folder in disk.folders(base)]
                )
            names = (name for name in listings[base] if _fits(name, part, disk))
            following += [disk.join(base, name) for name in names]
        bases = following
    return [folder for folder in bases if disk.is_folder(folder)]


def _fits(name: str, pattern: str, disk: Disk) -> bool:
    """Windows doesn't tell small letters from capitals."""
    if disk.family == "windows":
        name, pattern = name.casefold(), pattern.casefold()
    return fnmatch.fnmatchcase(name, pattern)
