"""Where Python environments are usually kept: a table of folders, and a bounded look around.

Nothing here judges: it names candidates (an interpreter or a folder) with how they were found.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator, Mapping
from functools import cache

import msgspec

from cudnn_assistant.envpath import is_list, split
from cudnn_assistant.machine import EnvironmentKind, Kernel
from cudnn_assistant.places import resource
from cudnn_assistant.probe.files.disk import Disk


class Candidate(msgspec.Struct, frozen=True):
    """A folder that may be the root of an environment, or an interpreter in one."""

    path: str
    via: str
    kind: EnvironmentKind = ""
    """What it is if its own files don't say: where it was found often does."""
    kernel: Kernel | None = None
    """The one of Jupyter's that names it."""


class Place(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Folders that are environments, as the table describes them."""

    base: tuple[str, ...]
    via: str
    patterns: tuple[str, ...]
    kind: EnvironmentKind = ""


class Table(msgspec.Struct, frozen=True, forbid_unknown_fields=True, rename="kebab"):
    """What resources/environments.toml says."""

    inside_projects: tuple[str, ...]
    passed_over: frozenset[str]
    projects: tuple[str, ...]
    linux: tuple[Place, ...]
    windows: tuple[Place, ...]
    both: tuple[Place, ...]


@cache
def table() -> Table:
    """It, read once."""
    return msgspec.convert(tomllib.loads(resource("environments.toml").read_text("utf-8")), Table)


_XDG = {"XDG_DATA_HOME": ".local/share", "XDG_CACHE_HOME": ".cache"}
"""Linux: where these lie below a person's home as long as no variable says (XDG Base Directory)."""

MOST_FOLDERS = 4_000
"""Folders that one look around lists; a home of usual size has a few hundred."""


def known_places(disk: Disk, variables: Mapping[str, str], *, network: bool) -> Iterator[Candidate]:
    """The candidates of the table that exist; on the ``network`` only where that is wanted."""
    home = variables.get("HOME", "")
    unset = {name: disk.join(home, below) for name, below in _XDG.items() if home}
    places = (*getattr(table(), disk.family), *table().both)
    for place, name in [(one, name) for one in places for name in one.base]:
        named = variables.get(name) or unset.get(name, "")
        text = name if name.startswith("/") else named
        several = is_list(name, disk.family)
        for base in filter(None, split(text, disk.family) if several else [text]):
            root = disk.paths.sep if base.endswith(":") else ""
            for path in disk.matching(base + root, place.patterns, network=network):
                yield Candidate(path, place.via, place.kind)


def is_environment(disk: Disk, folder: str) -> bool:
    """Whether a folder's own files say that it is an environment (not: a whole installation)."""
    return (
        disk.is_file(disk.join(folder, "pyvenv.cfg"))
        or disk.is_folder(disk.join(folder, "conda-meta"))
        or (disk.family == "windows" and disk.is_file(disk.join(folder, "python.exe")))
    )


class LookAround:
    """Environments near people's projects, with one limit for all that it lists."""

    def __init__(self, disk: Disk) -> None:
        self._disk = disk
        self._left = MOST_FOLDERS
        self._stay_out = True
        self._seen: set[str] = set()

    @property
    def cut_short(self) -> bool:
        """The limit was passed: there may be more."""
        return self._left < 0

    def below(self, start: str, depth: int) -> Iterator[str]:
        """Environments at ``start``, in its folders to ``depth`` levels, and one inside each.

        Breadth first; enters no folder twice, no hidden folder, and no network mount unless
        ``start`` is on one.
        """
        self._stay_out = not self._disk.remote(start)
        level = [start]
        for _ in range(depth + 1):
            following: list[str] = []
            for folder in level:
                if is_environment(self._disk, folder):
                    yield folder
                    # A whole conda keeps others.
                    yield from self._disk.matching(folder, ("envs/*",))
                else:
                    yield from self.inside(folder)
                    following.append(folder)
            level = [path for folder in following for path in self._children(folder)]

    def inside(self, project: str) -> Iterator[str]:
        """The environments that a project folder holds under a usual name."""
        # One listing takes less than asking for each of them.
        there = {name.casefold() for name in self._disk.names(project)}
        usual = table().inside_projects
        known = (one for one in usual if one.partition("/")[0].casefold() in there)
        found = self._disk.matching(project, known)
        return (path for path in found if is_environment(self._disk, path))

    def _children(self, folder: str) -> Iterator[str]:
        self._left -= 1
        if self._left < 0:
            return
        # Only what a link leads to can be met twice: a folder has one parent.
        for entry in self._disk.entries(folder):
            name = entry.name.lower()
            if not entry.folder or name.startswith(".") or name in table().passed_over:
                continue
            path = self._disk.join(folder, entry.name)
            if self._stay_out and self._disk.remote(path):
                continue
            key = self._disk.key(path) if entry.link else path
            if key not in self._seen:
                self._seen.add(key)
                yield path


def of_projects(name: str) -> bool:
    """Whether a folder under home that is called so holds projects."""
    return re.fullmatch("|".join(table().projects), name, re.IGNORECASE) is not None
