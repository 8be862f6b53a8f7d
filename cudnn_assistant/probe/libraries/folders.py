"""Which folders may hold cuDNN or its neighbours, and by what way each was found."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain

import msgspec

from cudnn_assistant import envpath, places
from cudnn_assistant.machine import PathEntry, PythonEnvironment, Toolkit, Variable
from cudnn_assistant.probe.files import catalogue
from cudnn_assistant.probe.files.disk import Disk
from cudnn_assistant.probe.libraries.toolkits import program_files

_ARCHIVE = ("", "lib", "lib64", "bin", "bin/x64", "bin/arm64", "lib/x64", "*/lib", "*/bin",
            "*/bin/x64")  # fmt: skip
LIES_THERE = "home"
"""Found by looking around in a person's home: no program is known to load it."""


class Candidate(msgspec.Struct, frozen=True):
    """One folder to look into."""

    folder: str
    via: str
    environment: str = ""
    """Id of the Python environment it belongs to."""
    site: str = ""
    """Its folder of packages."""


def of_system(
    disk: Disk,
    environment: Mapping[str, str],
    variables: Sequence[Variable],
    search: Sequence[PathEntry],
    toolkits: Sequence[Toolkit],
    added: Iterable[str],
) -> Iterator[Candidate]:
    """Folders that don't belong to a Python environment, most important first."""
    unpacked = catalogue.libraries().unpacked[disk.family]
    for entry in search:
        if entry.folder and entry.exists:
            via = "system-folder" if entry.variable == "default" else entry.variable
            yield Candidate(entry.folder, via)
    yield from _listed(disk, environment, variables)
    for root, name in _named(disk, environment, variables):
        yield from _below(disk, root, name)
    for toolkit in toolkits:
        for folder in toolkit.libraries:
            yield Candidate(folder, "toolkit")
        yield from _matching(disk, toolkit.root, unpacked)
    own = str(places.own_libraries())
    for name in disk.names(own):
        if not name.endswith(places.UNFINISHED):
            yield from _matching(disk, disk.join(own, name), _ARCHIVE, "assistant")
    for folder in added:
        yield from _below(disk, folder, "added")
    yield from _usual(disk, environment)
    home = environment.get("USERPROFILE" if disk.family == "windows" else "HOME", "")
    if disk.paths.isabs(home):
        yield from _matching(disk, home, unpacked, LIES_THERE)


def _listed(
    disk: Disk, environment: Mapping[str, str], variables: Sequence[Variable]
) -> Iterator[Candidate]:
    """The folders that fresh programs and the person's terminal are given, and what is meant by
    them: the folder of a library, one below a folder, one by a sign that a shell replaces.

    What is no text stands in the search list only in a form to be shown.
    """
    name = envpath.search_variable(disk.family)
    mine = {v.name: v.value.text for v in variables if v.scope == "process"}
    lists = (envpath.search_list(one, disk.family)[1][:2000] for one in (environment, mine))
    for entry in dict.fromkeys(chain.from_iterable(lists)):
        meant = _meant(entry, environment)
        taken = entry if disk.family == "linux" else meant
        if disk.paths.isabs(taken):
            yield Candidate(taken, name)
        yield from (one for one in _below(disk, meant, "default") if one.folder != taken)


def _usual(disk: Disk, environment: Mapping[str, str]) -> Iterator[Candidate]:
    """Where installers, managers of packages and people put libraries."""
    kept = catalogue.libraries()
    if disk.family == "linux":
        for base, patterns in kept.usual.items():
            folder = base if base.startswith("/") else environment.get(base, "")
            if disk.paths.isabs(folder):
                way = LIES_THERE if base == "HOME" else "default"
                yield from _matching(disk, folder, patterns, way)
        return
    base = program_files(environment)
    yield from _matching(disk, base, kept.cudnn_installer, "installer")
    for drive in disk.drives():
        yield from _matching(disk, drive, kept.drives)


def _matching(
    disk: Disk, root: str, patterns: Sequence[str], via: str = "default"
) -> Iterator[Candidate]:
    return (Candidate(folder, via) for folder in disk.matching(root, patterns))


def _meant(text: str, environment: Mapping[str, str]) -> str:
    """The folder behind an entry that Linux searches as it stands: a ~ in it, a blank after it."""
    home = environment.get("HOME", "")
    text = text.strip().strip('"')
    for sign in ("~/", "$HOME/", "${HOME}/"):
        if text.startswith(sign) and home:
            return f"{home}/{text.removeprefix(sign)}"
    return text


def _below(disk: Disk, root: str, via: str) -> Iterator[Candidate]:
    """A folder and those below it that may hold libraries, by its name or that of a file in it."""
    if not disk.paths.isabs(root):
        return
    root = disk.parent(root) if disk.is_file(root) else root
    for below in catalogue.libraries().below_root[disk.family]:
        yield Candidate(disk.join(root, *below.split("/")) if below else root, via)
    if disk.family == "windows" and "cudnn" in root.casefold():
        yield from _matching(disk, root, catalogue.libraries().below_installed, via)


def _named(
    disk: Disk, environment: Mapping[str, str], variables: Sequence[Variable]
) -> Iterator[tuple[str, str]]:
    """Roots that CUDNN_PATH and its kin name, in any layer."""
    layers = [*environment.items()]
    layers += [(variable.name, variable.value.text) for variable in variables]
    for name, text in dict.fromkeys(layers):
        upper = name.upper() if disk.family == "windows" else name
        if catalogue.FOLDER_VARIABLES.fullmatch(upper):
            yield text.strip().strip('"'), upper


def of_environments(disk: Disk, pythons: Sequence[PythonEnvironment]) -> Iterator[Candidate]:
    """Folders of Python environments: wheels, what frameworks bundle, conda's own."""
    ordered = sorted(pythons, key=lambda one: one.kind in ("user-site", "pythonpath"))
    for one in ordered:
        for site in one.sites:
            for via, folders in catalogue.libraries().in_site.items():
                for below in folders:
                    yield Candidate(disk.join(site, *below.split("/")), via, one.id, site)
        if one.kind == "conda":
            below_root = ("Library", "bin") if disk.family == "windows" else ("lib",)
            yield Candidate(disk.join(one.id, *below_root), "conda", one.id)
