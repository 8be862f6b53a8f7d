"""The copies of NVIDIA's libraries that lie in our own folder."""

from __future__ import annotations

import os
from collections.abc import Iterable
from typing import NamedTuple

from cudnn_assistant.plan import Entry, InstallArchive, kind_of

_IN_THE_MAKING = (".making", ".removed")


class Copy(NamedTuple):
    """One folder of ours."""

    folder: str
    size: int
    """Bytes of the files in it; a link counts nothing."""
    archive: InstallArchive | None
    """How it came; ``None``: the journal doesn't know."""


def copies(root: str, entries: Iterable[Entry]) -> tuple[Copy, ...]:
    """What lies in ``root``, by name. Raises :class:`OSError` when it is there but unreadable."""
    known = {os.path.normpath(step.folder): step for step in _archives(entries)}
    try:
        names = sorted(os.listdir(root))
    except FileNotFoundError:
        return ()
    folders = [os.path.join(root, name) for name in names if not name.endswith(_IN_THE_MAKING)]
    return tuple(
        Copy(folder, _size(folder), known.get(os.path.normpath(folder)))
        for folder in folders
        if os.path.isdir(folder)
    )


def _archives(entries: Iterable[Entry]) -> list[InstallArchive]:
    """Of all entries, the newest last."""
    found = (kind_of(step).archive(step) for entry in entries for step in entry.plan.steps)
    return [archive for archive in found if archive is not None]


def _size(folder: str) -> int:
    paths = (os.path.join(top, name) for top, _dirs, names in os.walk(folder) for name in names)
    return sum(os.lstat(path).st_size for path in paths if not os.path.islink(path))
