"""The copies in our own folder: what they are, who uses them, and how to be rid of one."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator

from cudnn_assistant import places
from cudnn_assistant.machine import SYSTEM, Machine, Struct
from cudnn_assistant.plan import Entry, InstallArchive, Plan, kind_of, naming, removal_plan


class OwnCopy(Struct, kw_only=True):
    """One folder of ours."""

    folder: str
    size: int
    """Bytes of the files in it; a link counts nothing."""
    archive: InstallArchive | None = None
    """How it came; ``None``: the journal doesn't know, and it is not removed by us."""
    variables: tuple[str, ...] = ()
    """"user PATH": the stored variables that name it."""
    subjects: tuple[str, ...] = ()
    """Who gets their cuDNN from there by that: "system", and environments by their folder."""


class OwnCopies(Struct, kw_only=True):
    """All of them, on the computer as it was seen."""

    root: str
    machine: Machine
    copies: tuple[OwnCopy, ...]

    def named(self, name: str) -> OwnCopy | None:
        """By path, or by the name of the folder alone."""
        paths = (os.path.abspath(name), os.path.join(self.root, name))
        wanted = {os.path.normcase(path) for path in paths}
        found = (copy for copy in self.copies if os.path.normcase(copy.folder) in wanted)
        return next(found, None)

    def removal(self, archive: InstallArchive) -> Plan:
        """The plan that removes one and what names it."""
        return removal_plan(archive, self.machine)


def own_copies(entries: Iterable[Entry], machine: Machine) -> OwnCopies:
    """What lies in our folder. Raises :class:`OSError` when it is there but unreadable."""
    root = str(places.own_libraries())
    return OwnCopies(root=root, machine=machine, copies=tuple(copies(root, entries, machine)))


def copies(root: str, entries: Iterable[Entry], machine: Machine) -> Iterator[OwnCopy]:
    """What lies in ``root``, by name. Raises :class:`OSError` when it is there but unreadable."""
    known = {os.path.normpath(archive.folder): archive for archive in _archives(entries)}
    try:
        present = sorted(os.listdir(root))
    except FileNotFoundError:
        return
    for name in present:
        folder = os.path.join(root, name)
        if os.path.isdir(folder) and not name.endswith((places.MAKING, places.REMOVED)):
            names = tuple(dict.fromkeys(f"{v.scope} {v.name}" for v in naming(folder, machine)))
            yield OwnCopy(
                folder=folder,
                size=_size(folder),
                archive=known.get(os.path.normpath(folder)),
                variables=names,
                subjects=_subjects(machine) if names else (),
            )


def _archives(entries: Iterable[Entry]) -> list[InstallArchive]:
    """Of all entries, the newest last."""
    found = (kind_of(step).archive(step) for entry in entries for step in entry.plan.steps)
    return [archive for archive in found if archive is not None]


def _size(folder: str) -> int:
    paths = (os.path.join(top, name) for top, _dirs, names in os.walk(folder) for name in names)
    return sum(os.lstat(path).st_size for path in paths if not os.path.islink(path))


def _subjects(machine: Machine) -> tuple[str, ...]:
    """Programs of the system, and the environments whose framework takes cuDNN from there."""
    pythons = (e.id for e in machine.pythons if any(f.uses_system_cudnn for f in e.frameworks))
    return (SYSTEM, *pythons)
