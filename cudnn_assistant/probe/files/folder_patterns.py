"""Folders by pattern ("opt/*/lib"), bounded, without following a mount onto the network."""

from __future__ import annotations

from collections.abc import Iterable

from cudnn_assistant.probe.files.disk import Disk

_MOST_PER_PATTERN = 1000


def matching(disk: Disk, base: str, patterns: Iterable[str], *, network: bool = False) -> list[str]:
    """Existing folders below ``base`` that match one of ``patterns``, each once, in order.

    A pattern's depth is fixed, so that no loop of links can be followed; a folder on the network
    is only entered when the pattern names it without a wildcard, or ``network`` wants it.
    """
    listings: dict[str, list[str]] = {}

    def below(folder: str, part: str) -> list[str]:
        if "*" not in part:
            return [disk.join(folder, part) if part else folder]
        if folder not in listings:
            closed = not network and disk.remote(folder)
            names = [] if closed else [one.name for one in disk.entries(folder) if one.folder]
            listings[folder] = names
        fitting = (name for name in listings[folder] if _fits(name, part, disk))
        return [disk.join(folder, name) for name in fitting]

    found: dict[str, None] = {}
    for pattern in patterns:
        folders = [base]
        for part in pattern.split("/"):
            folders = [one for folder in folders for one in below(folder, part)][:_MOST_PER_PATTERN]
        found |= dict.fromkeys(filter(disk.is_folder, folders))
    return list(found)


def _fits(name: str, pattern: str, disk: Disk) -> bool:
    """By hand, since fifty patterns take longer to compile than to look for. Windows doesn't tell
    small letters from capitals."""
    if disk.family == "windows":
        name, pattern = name.casefold(), pattern.casefold()
    start, _star, end = pattern.partition("*")
    whole = name.startswith(start) and name.endswith(end)
    return whole and len(name) >= len(start) + len(end)
