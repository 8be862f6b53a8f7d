"""Reading the files of the computer that is looked at, without ever raising.

Paths are in the spelling of that computer (its family decides between "\\" and "/"); with another
``root`` than "/" they are looked up below it, so that a forged or mounted tree of either family can
be read anywhere. What can't be read is as good as empty: whoever asks just lacks the fact.
"""

from __future__ import annotations

import json
import ntpath
import os
import posixpath
import stat
import sys
import threading
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from functools import cache, cached_property, partial
from types import ModuleType
from typing import Any

import msgspec

from cudnn_assistant.child.mapped import unescaped
from cudnn_assistant.machine import Family
from cudnn_assistant.plain_file import local
from cudnn_assistant.regex import regex

_MOST_ENTRIES = 50_000
"""Entries of one folder that are looked at; the largest site-packages have a few thousand."""
_MOST_PER_PATTERN = 1000

_NETWORK_TYPES = regex(
    r"nfs\d*|cifs|smb\w*|ncpfs|9p|drvfs|afs|autofs|ceph|glusterfs|lustre|beegfs\w*|gpfs|davfs\d*"
    r"|virtiofs|prl_fs|vboxsf|fuse\.(?!portal|gvfsd|snapfuse|squashfuse|AppImage|overlay).*"
)
_DRIVE_REMOTE = 4
_PATIENCE = 2.0
"""Seconds for the first answer of a server; one that is there needs some milliseconds."""
_MOST_LINKS = 40
_NOWHERE = os.path.join(os.devnull, "nowhere")


class Entry(msgspec.Struct, frozen=True):
    """One name in a folder."""

    name: str
    folder: bool
    link: bool


class Disk:
    """The disk of one computer; every method answers emptily instead of raising."""

    def __init__(self, family: Family, root: str = "/") -> None:
        self.family = family
        self.paths: ModuleType = ntpath if family == "windows" else posixpath
        self.root = "" if root in ("", "/") else os.path.realpath(root)
        # Asking Windows takes its time, and a look comes by every folder.
        self._is_remote = cache(partial(_remote_drive, self.root))
        self._answered: dict[str, bool] = {}
        self._ways: dict[str, bool] = {}

    def join(self, *parts: str) -> str:
        """The parts as one path of that computer."""
        return str(self.paths.join(*parts))

    def parent(self, path: str) -> str:
        """The folder that holds ``path``."""
        return str(self.paths.dirname(path))

    def name(self, path: str) -> str:
        """The last part of ``path``."""
        return str(self.paths.basename(path))

    def real(self, path: str) -> str:
        """Where ``path`` of that computer lies on this one; nowhere if no server answers for it."""
        return self._located(path) if self.answers(path) else _NOWHERE

    def _located(self, path: str) -> str:
        if not self.root:
            return path
        if self.family == "windows":
            drive, rest = ntpath.splitdrive(path)
            inside = posixpath.join(drive.rstrip(":").upper(), *rest.replace("/", "\\").split("\\"))
            return os.path.join(self.root, inside)
        return os.path.join(self.root, path.lstrip("/"))

    def canonical(self, path: str) -> str:
        """``path`` without links; links that lead out of the root are left as they are."""
        if not self.answers(path):
            return path
        try:
            real = os.path.realpath(self.real(path))
        except (OSError, ValueError):
            return path
        if not self.root:
            return real
        if not real.startswith(self.root + os.sep):
            return path
        inside = real[len(self.root) + 1 :]
        if self.family == "windows":
            drive, _, rest = inside.partition(os.sep)
            return f"{drive}:\\" + rest.replace(os.sep, "\\")
        return "/" + inside

    def key(self, path: str) -> str:
        """The same text for every spelling of one file."""
        return os.path.normcase(self.canonical(path)) if not self.root else self.canonical(path)

    def link(self, path: str) -> str:
        """What the link at ``path`` points to, absolute; "" when it is no link."""
        try:
            target = os.readlink(self.real(path))
        except (OSError, ValueError, NotImplementedError):
            return ""
        return str(self.paths.normpath(self.join(self.parent(path), target)))

    def is_file(self, path: str) -> bool:
        """Whether a file of some content type is there (links are followed)."""
        return stat.S_ISREG(self._mode(path))

    def is_folder(self, path: str) -> bool:
        """Whether a folder is there (links are followed)."""
        return stat.S_ISDIR(self._mode(path))

    def closed(self, folder: str) -> str:
        """The folder, this one or one above it, that this person may not open; "" for none."""
        try:
            with os.scandir(self.real(folder)):
                return ""
        except PermissionError:
            above = [folder]
            while (parent := self.parent(above[-1])) != above[-1]:
                above.append(parent)
            barred = (one for one in reversed(above) if not os.access(self.real(one), os.X_OK))
            return next(barred, folder)
        except (OSError, ValueError):
            return ""

    def exists(self, path: str) -> bool:
        """Whether anything is there (links are followed)."""
        return self._mode(path) != 0

    def size(self, path: str) -> int:
        """Bytes of a file, 0 when there is none."""
        status = self._status(path)
        return status.st_size if status else 0

    def _mode(self, path: str) -> int:
        status = self._status(path)
        return status.st_mode if status else 0

    def _status(self, path: str) -> os.stat_result | None:
        try:
            return os.stat(self.real(path))
        except (OSError, ValueError):
            return None

    def names(self, folder: str) -> list[str]:
        """Names in a folder in alphabetical order: a fraction of the cost of :meth:`entries`."""
        return names_in(self.real(folder), _MOST_ENTRIES)

    def entries(self, folder: str) -> list[Entry]:
        """Names in a folder in alphabetical order; links count as what they point to."""
        return sorted(self._scan(folder), key=lambda entry: entry.name)

    def _scan(self, folder: str) -> Iterator[Entry]:
        try:
            with os.scandir(self.real(folder)) as scan:
                for count, entry in enumerate(scan):
                    if count >= _MOST_ENTRIES:
                        return
                    link = entry.is_symlink()
                    yield Entry(entry.name, self._leads_to_folder(folder, entry, link), link)
        except (OSError, ValueError):
            return

    def _leads_to_folder(self, folder: str, entry: os.DirEntry[str], link: bool) -> bool:
        # Asking about a link asks its target's server, which may be gone.
        if link and self._has_network and self.remote(self.link(self.join(folder, entry.name))):
            return False
        with suppress(OSError):
            return entry.is_dir()
        return False

    def matching(self, base: str, patterns: Iterable[str], *, network: bool = False) -> list[str]:
        """Existing folders below ``base`` that match a pattern ("opt/*/lib"), each once, in order.

        A pattern's depth is fixed, so that no loop of links can be followed; a folder on the
        network is only entered when the pattern names it without a wildcard, or ``network`` wants.
        """
        listings: dict[str, list[str]] = {}

        def below(folder: str, part: str) -> list[str]:
            if "*" not in part:
                return [self.join(folder, part) if part else folder]
            if folder not in listings:
                closed = not network and self.remote(folder)
                names = [] if closed else [one.name for one in self.entries(folder) if one.folder]
                listings[folder] = names
            return [self.join(folder, name) for name in listings[folder] if self._fits(name, part)]

        found: dict[str, None] = {}
        for pattern in patterns:
            level = [base]
            for part in pattern.split("/"):
                level = [one for folder in level for one in below(folder, part)][:_MOST_PER_PATTERN]
            found |= dict.fromkeys(filter(self.is_folder, level))
        return list(found)

    def _fits(self, name: str, pattern: str) -> bool:
        """By hand, since fifty patterns take longer to compile than to look for. Windows doesn't
        tell small letters from capitals."""
        if self.family == "windows":
            name, pattern = name.casefold(), pattern.casefold()
        start, _star, end = pattern.partition("*")
        whole = name.startswith(start) and name.endswith(end)
        return whole and len(name) >= len(start) + len(end)

    def data(self, path: str, limit: int, offset: int = 0) -> bytes:
        """At most ``limit`` bytes of a regular file that is really here.

        Never waits on a pipe or device, nor for what OneDrive would have to fetch.
        """
        return _data(self.real(path), limit, offset)

    def text(self, path: str, limit: int = 1 << 16) -> str:
        """The start of a text file as UTF-8; other bytes become U+FFFD, a byte order mark goes."""
        return self.data(path, limit).decode("utf-8-sig", "replace")

    def remote(self, path: str) -> bool:
        """Whether ``path`` lies on a network mount, where a look can take for ever."""
        return bool(self._server(path))

    def _server(self, path: str) -> str:
        """The network mount on which ``path`` lies; "" for none."""
        if self.family == "windows":
            if path.startswith(("\\\\", "//")):
                return "\\".join(path.replace("/", "\\").split("\\")[:4])
            return path[:2] + "\\" if self._is_remote(path[:2]) else ""
        mounts = self._mounts
        while path not in mounts and path not in ("", "/"):
            path = posixpath.dirname(path)
        return path if mounts.get(path) else ""

    def drives(self) -> list[str]:
        """Windows: the roots of this computer's own drives."""
        letters = map(chr, range(ord("C"), ord("Z") + 1) if self.family == "windows" else ())
        roots = (f"{letter}:\\" for letter in letters)
        return [one for one in roots if not self.remote(one) and self.is_folder(one)]

    @property
    def silent(self) -> list[str]:
        """Network mounts that were met and gave no answer."""
        return [server for server, answered in self._answered.items() if not answered]

    def answers(self, path: str, links: int = _MOST_LINKS) -> bool:
        """Whether every server answers that is on the way to ``path``, so many links followed."""
        if self.family == "windows":
            return self._asked(self._server(path))
        if not self._has_network:
            return True
        if path not in self._ways:
            self._ways[path] = self._leads_to_answer(path, links)
        return self._ways[path]

    def _leads_to_answer(self, path: str, links: int) -> bool:
        above = self.parent(path)
        if not self._asked(self._server(path)):
            return False
        if above != path and not self.answers(above, links):
            return False
        try:
            target = os.readlink(self._located(path))
        except (OSError, ValueError):
            return True
        meant = posixpath.normpath(posixpath.join(above, target))
        return not links or self.answers(meant, links - 1)

    def _asked(self, server: str) -> bool:
        """Whether a server answers; each is asked once, since it can take for ever."""
        if server and server not in self._answered:
            answered = threading.Event()

            def ask() -> None:
                with suppress(OSError, ValueError):
                    os.stat(self._located(server))
                answered.set()

            threading.Thread(target=ask, daemon=True).start()
            self._answered[server] = answered.wait(_PATIENCE)
        return self._answered.get(server, True)

    @cached_property
    def _has_network(self) -> bool:
        return self.family == "linux" and any(self._mounts.values())

    @cached_property
    def _mounts(self) -> dict[str, bool]:
        """Folders at which something is mounted, and whether that is on the network."""
        # Not by text(), which asks this one.
        text = _data(self._located("/proc/mounts"), 1 << 20).decode("utf-8", "replace")
        lines = map(str.split, text.splitlines())
        return {
            unescaped(line[1]): bool(_NETWORK_TYPES.fullmatch(line[2]))
            for line in lines
            if len(line) > 2
        }


def _data(path: str, limit: int, offset: int = 0) -> bytes:
    try:
        with local(path) as file:
            file.seek(offset)
            return file.read(limit)
    except (OSError, ValueError, OverflowError):
        return b""


def names_in(folder: str, most: int | None = None) -> list[str]:
    """Names in a folder of this computer in alphabetical order, all or so many; [] where it can't
    be read."""
    try:
        return sorted(os.listdir(folder)[:most])
    except (OSError, ValueError):
        return []


def json_object(text: str | bytes) -> dict[str, Any]:
    """The object that a text is in JSON; {} of anything else."""
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}


def text_in(facts: object, name: str) -> str:
    """A text of such an object; "" where there is none, or another thing."""
    found = facts.get(name) if isinstance(facts, Mapping) else None
    return found if isinstance(found, str) else ""


def _remote_drive(root: str, drive: str) -> bool:
    if sys.platform != "win32" or root or len(drive) < 2 or drive[1] != ":":
        return False
    import ctypes

    return int(ctypes.windll.kernel32.GetDriveTypeW(drive + "\\")) == _DRIVE_REMOTE
