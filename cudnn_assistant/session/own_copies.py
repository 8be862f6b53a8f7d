"""The copies in our own folder: what they are, who uses them, and how to be rid of one."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping

from cudnn_assistant import places
from cudnn_assistant.machine import SYSTEM, Machine, Struct
from cudnn_assistant.plan import Entry, InstallArchive, Plan, kind_of, naming, removal_plan


class OwnCopy(Struct, kw_only=True, omit_defaults=False):
    """One folder of ours, as ``installed --json`` prints it."""

    folder: str
    size: int
    """Bytes of the files in it; a link counts nothing."""
    product: str = ""
    version: str = ""
    """Both "": the journal doesn't know it, and it is not removed by us."""
    variables: tuple[str, ...] = ()
    """"user PATH": the stored variables that name it."""
    subjects: tuple[str, ...] = ()
    """Who gets their cuDNN from there by that: "system", and environments by their folder."""


class OwnCopies(Struct, kw_only=True):
    """All of them, on the computer as it was seen."""

    root: str
    machine: Machine
    copies: tuple[OwnCopy, ...]
    archives: dict[str, InstallArchive]
    """How they came, by their folders."""

    def named(self, name: str) -> OwnCopy | None:
        """By path, or by the name of the folder alone."""
        paths = (os.path.abspath(name), os.path.join(self.root, name))
        wanted = {os.path.normcase(path) for path in paths}
        found = (copy for copy in self.copies if os.path.normcase(copy.folder) in wanted)
        return next(found, None)

    def removal(self, copy: OwnCopy) -> Plan | None:
        """The plan that removes one and what names it; ``None``: the journal doesn't know it."""
        archive = self.archives.get(os.path.normpath(copy.folder))
        return removal_plan(archive, self.machine) if archive else None


def own_copies(entries: Iterable[Entry], machine: Machine) -> OwnCopies:
    """What lies in our folder. Raises :class:`OSError` when it is there but unreadable."""
    root = str(places.own_libraries())
    # The newest last: it is the one that lies there now.
    made = (kind_of(step).archive(step) for entry in entries for step in entry.plan.steps)
    known = {os.path.normpath(archive.folder): archive for archive in made if archive}
    found = tuple(copies(root, known, machine))
    return OwnCopies(root=root, machine=machine, copies=found, archives=known)


def copies(root: str, known: Mapping[str, InstallArchive], machine: Machine) -> Iterator[OwnCopy]:
    """What lies in ``root``, by name. Raises :class:`OSError` when it is there but unreadable."""
    try:
        present = sorted(os.listdir(root))
    except FileNotFoundError:
        return
    # Programs of the system, and the environments whose framework takes cuDNN from there.
    pythons = (e.id for e in machine.pythons if any(f.uses_system_cudnn for f in e.frameworks))
    subjects = (SYSTEM, *pythons)
    for name in present:
        folder = os.path.join(root, name)
        if os.path.isdir(folder) and not name.endswith(places.UNFINISHED):
            names = tuple(dict.fromkeys(f"{v.scope} {v.name}" for v in naming(folder, machine)))
            archive = known.get(os.path.normpath(folder))
            yield OwnCopy(
                folder=folder,
                size=_size(folder),
                product=archive.product if archive else "",
                version=archive.version if archive else "",
                variables=names,
                subjects=subjects if names else (),
            )


def _size(folder: str) -> int:
    paths = (os.path.join(top, name) for top, _dirs, names in os.walk(folder) for name in names)
    return sum(os.lstat(path).st_size for path in paths if not os.path.islink(path))
