"""The copies in our own folder: what they are, who uses them, and how to be rid of one."""

from __future__ import annotations

import os
from collections.abc import Sequence

from cudnn_assistant import places
from cudnn_assistant.apply.own_copies import copies
from cudnn_assistant.machine import SYSTEM, Machine, Struct
from cudnn_assistant.plan import Entry, InstallArchive, Plan, naming, removal_plan


class OwnCopy(Struct, kw_only=True):
    """One folder of ours."""

    folder: str
    size: int
    """Bytes."""
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


def own_copies(entries: Sequence[Entry], machine: Machine) -> OwnCopies:
    """What lies in our folder. Raises :class:`OSError` when it is there but unreadable."""
    root = str(places.own_libraries())
    listed = []
    for folder, size, archive in copies(root, entries):
        names = tuple(dict.fromkeys(f"{v.scope} {v.name}" for v in naming(folder, machine)))
        subjects = _subjects(machine) if names else ()
        listed.append(
            OwnCopy(folder=folder, size=size, archive=archive, variables=names, subjects=subjects)
        )
    return OwnCopies(root=root, machine=machine, copies=tuple(listed))


def _subjects(machine: Machine) -> tuple[str, ...]:
    """Programs of the system, and the environments whose framework takes cuDNN from there."""
    pythons = (e.id for e in machine.pythons if any(f.uses_system_cudnn for f in e.frameworks))
    return (SYSTEM, *pythons)
