"""Where the loader looks for a library's bare name, in its order, for programs started afresh.

Folders are given canonical (no links), so that they can be compared with the folders of copies
without the disk at hand; ``text`` keeps what is stored.
"""

from __future__ import annotations

import fnmatch
import platform
import posixpath
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice

import msgspec

from cudnn_assistant import envpath
from cudnn_assistant.envpath import value_of
from cudnn_assistant.machine import PathEntry, Scope, Variable, readable
from cudnn_assistant.probe.files.catalogue import FOLDER_VARIABLES, libraries
from cudnn_assistant.probe.files.disk import Disk

_MOST_ENTRIES = 2000
_MOST_FILES = 500
_DEEPEST = 8
_MULTIARCH = {"x86_64": "x86_64-linux-gnu", "aarch64": "aarch64-linux-gnu"}


def order(
    disk: Disk, environment: Mapping[str, str], variables: Sequence[Variable]
) -> tuple[PathEntry, ...]:
    """The search list of the system's family."""
    if disk.family == "windows":
        root = value_of(environment, "SYSTEMROOT", disk.family) or "C:\\Windows"
        own = [_entry(disk, "default", "machine", f) for f in (disk.join(root, "System32"), root)]
        return (*own, *_listed(disk, "PATH", environment, variables))
    listed = _listed(disk, "LD_LIBRARY_PATH", environment, variables)
    # Debian names the loader's own folders in ld.so.conf as well, from where nobody may take them.
    trusted = {entry.folder: entry for entry in _trusted(disk)}
    once: dict[str, PathEntry] = {}
    for entry in (*ld_so_conf(disk), *trusted.values()):
        once.setdefault(entry.folder or entry.text, trusted.get(entry.folder, entry))
    return (*listed, *once.values())


def _listed(
    disk: Disk, name: str, environment: Mapping[str, str], variables: Sequence[Variable]
) -> list[PathEntry]:
    _name, entries = envpath.search_list(environment, disk.family)
    scopes = _scopes(disk, name, environment, variables)
    found = []
    for entry in entries[:_MOST_ENTRIES]:
        key = envpath.key(entry, disk.family)
        scope, source = scopes.get(key, ("user" if disk.family == "linux" else "process", ""))
        found.append(_entry(disk, name, scope, entry, source))
    return found


def _scopes(
    disk: Disk, name: str, environment: Mapping[str, str], variables: Sequence[Variable]
) -> dict[str, tuple[Scope, str]]:
    """Which layer names a folder. Where several do, the one that stands first in the result:
    Windows puts the machine's entries before the user's."""
    first: tuple[Scope, ...] = ("machine", "user") if disk.family == "windows" else (
        "user", "machine",
    )  # fmt: skip
    found: dict[str, tuple[Scope, str]] = {}
    layers = [v for scope in (*first, "process") for v in variables if v.scope == scope]
    for variable in layers:
        if variable.name.upper() != name:
            continue
        for entry in envpath.searched(variable.value.text, disk.family):
            # Windows replaced %NAME% where the value's kind says so; what is left stays as it is.
            text = entry
            if variable.value.expand or disk.family == "linux":
                text = envpath.expand(entry, _lookup(environment, disk), disk.family)
            found.setdefault(envpath.key(text, disk.family), (variable.scope, variable.source))
    return found


def _lookup(environment: Mapping[str, str], disk: Disk) -> envpath.Lookup:
    def value(name: str) -> str | None:
        if disk.family == "windows":
            return value_of(environment, name.upper(), disk.family) or None
        # The lists stand as the shell wrote them: "$LD_LIBRARY_PATH" is the rest, no folder.
        return None if name in ("LD_LIBRARY_PATH", "PATH") else environment.get(name) or None

    return value


def _entry(disk: Disk, variable: str, scope: Scope, text: str, source: str = "") -> PathEntry:
    # Linux takes every character for a part of the name, blanks at its ends too.
    folder = text.strip().strip('"').strip() if disk.family == "windows" else text
    # Windows' hidden shares have a "$" in their names.
    odd = "\0$" if disk.family == "linux" else "\0"
    plain = disk.paths.isabs(folder) and not set(odd) & set(folder)
    known = plain and disk.answers(folder)
    canonical = disk.canonical(folder) if known else ""
    return PathEntry(
        variable=variable,
        scope=scope,
        text=readable(text),
        folder=readable(canonical),
        exists=disk.is_folder(canonical) if known else None,
        closed=known and bool(disk.closed(canonical)),
        source=source,
    )


def with_existence(disk: Disk, variables: Iterable[Variable]) -> tuple[Variable, ...]:
    """The variables; of those that name one folder it is told whether that is there.

    A text that refers to other variables, or is no absolute path, leaves it unknown.
    """

    def told(one: Variable) -> Variable:
        text = one.value.text.strip().strip('"')
        named = FOLDER_VARIABLES.fullmatch(one.name.upper()) and one.exists is None
        plain = disk.paths.isabs(text) and not re.search(r"[$%\0]", text) and disk.answers(text)
        return msgspec.structs.replace(one, exists=disk.exists(text)) if named and plain else one

    return tuple(map(told, variables))


def ld_so_conf(disk: Disk) -> list[PathEntry]:
    """Folders of /etc/ld.so.conf and what it includes, in order (ldconfig(8))."""
    return [*islice(_conf(disk, "/etc/ld.so.conf", [], _DEEPEST), _MOST_ENTRIES)]


def _conf(disk: Disk, path: str, done: list[str], deeper: int) -> Iterator[PathEntry]:
    if path in done or len(done) >= _MOST_FILES or not deeper:
        return
    done.append(path)
    for raw in disk.text(path).splitlines():
        line = raw.split("#", 1)[0].strip()
        if match := re.match(r"include\s+(.+)", line):
            for pattern in match[1].split():
                for file in _matching(disk, posixpath.join(posixpath.dirname(path), pattern)):
                    yield from _conf(disk, file, done, deeper - 1)
        elif line.startswith("/"):
            folder = line.split("=", 1)[0].rstrip().rstrip("/") or "/"
            yield _entry(disk, "ld.so.conf", "machine", folder, path)


def _matching(disk: Disk, pattern: str) -> list[str]:
    folder, name = posixpath.split(pattern)
    names = disk.names(folder)
    return [posixpath.join(folder, one) for one in names if fnmatch.fnmatchcase(one, name)]


def _trusted(disk: Disk) -> list[PathEntry]:
    multiarch = _MULTIARCH.get(platform.machine(), "x86_64-linux-gnu")
    own = ["/" + pattern.format(multiarch=multiarch) for pattern in libraries().trusted]
    return [_entry(disk, "default", "machine", f) for f in own if disk.is_folder(f)]
