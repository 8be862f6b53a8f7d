"""Unpacking NVIDIA's archives so that nothing can leave the folder, nor fill the disk.

Archives are proven before, so what is refused here is not expected; it is refused all the same,
because an archive that isn't as expected must never reach further than a message.
"""

from __future__ import annotations

import errno
import os
import re
import secrets
import shutil
import stat
import threading
from collections import deque
from collections.abc import Callable
from contextlib import closing, suppress
from dataclasses import dataclass, field
from typing import IO

from cudnn_assistant import places
from cudnn_assistant.trouble import Cancelled, Refused
from cudnn_assistant.unpack.members import DAMAGE, Member, members
from cudnn_assistant.whole_file import flush_folder, make_folder, rename

_MOST_FILES = 20_000
_DEEPEST = 64
"""Folders in folders; NVIDIA's have at most ten."""
_BLOCK = 1 << 20
_UNSETTLED = 32
"""Files that may be on their way to the disk at once."""
_RESERVED = re.compile(r"(con|prn|aux|nul|com[0-9]|lpt[0-9])(\..*)?", re.IGNORECASE)

Progress = Callable[[int], None]
"""Called with the bytes unpacked so far."""
Place = Callable[[str, str], str]
"""Where a file goes, by its name below the top folder and, of a link, its target; "": nowhere."""


def unpack(
    archive: str,
    folder: str,
    *,
    opened: IO[bytes] | None = None,
    place: Place | None = None,
    limit: int = 8 << 30,
    progress: Progress | None = None,
    cancel: threading.Event | None = None,
) -> None:
    """Unpack ``archive`` (zip, tar.xz, tgz, or makeself's .run) into ``folder``, a new one.

    ``opened`` is its content where the file is open already; the name then says only its kind.
    The one top folder of the archive is left out. Of a .run nothing is run. Everything is on the
    disk when this returns. Raises :class:`Refused`, :class:`Cancelled` or :class:`OSError`; the
    folder then holds a part and is the caller's to remove.
    """
    os.mkdir(folder, 0o755)
    into = _Into(folder, limit, progress or (lambda _size: None), cancel)
    try:
        with members(archive, opened, into.hear) as found:
            for member in found:
                path = _below_top(member.name)
                if path and place is not None:
                    path = "" if member.kind == "folder" else place(path, member.target)
                if path:
                    into.put(path, member)
        into.finish()
    except DAMAGE as trouble:
        raise Refused("archive-damaged", why=trouble) from trouble
    finally:
        into.close()


@dataclass
class _Into:
    """The folder that is being filled."""

    folder: str
    limit: int
    progress: Progress
    cancel: threading.Event | None
    size: int = 0
    count: int = 0
    seen: set[str] = field(default_factory=set)
    links: list[tuple[str, str]] = field(default_factory=list)
    unsettled: deque[IO[bytes]] = field(default_factory=deque)
    """Files that are written, but perhaps not on the disk yet."""

    def put(self, path: str, member: Member) -> None:
        self.count += 1
        if self.count > _MOST_FILES:
            raise Refused("archive-of-too-many")
        target = self.below(path)
        if member.kind == "folder":
            make_folder(target)
            return
        # Names that differ in case alone are one file on Windows.
        if path.lower() in self.seen:
            raise Refused("archive-names-twice", name=path)
        self.seen.add(path.lower())
        make_folder(os.path.dirname(target))
        if member.kind == "link":
            self.links.append((_inside(path, member.target), path))
        elif member.kind == "file":
            self.write(target, member)
        else:
            raise Refused("archive-odd-file", name=path)

    def below(self, path: str) -> str:
        return os.path.join(self.folder, *path.split("/"))

    def write(self, target: str, member: Member) -> None:
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL
        flags |= getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_BINARY", 0)
        handle = os.open(target, flags, 0o755 if member.executable else 0o644)
        written = 0
        file = open(handle, "wb")  # noqa: SIM115  (settled later: the disk writes meanwhile)
        self.unsettled.append(file)
        with closing(member.open()) as source:
            while block := source.read(_BLOCK):
                written += file.write(block)
        if written != member.size:
            raise Refused("archive-ends-early")
        file.flush()
        if len(self.unsettled) > _UNSETTLED:
            self.settle()

    def hear(self, count: int) -> None:
        """So many bytes more are unpacked, for a file or to be passed over."""
        if self.cancel is not None and self.cancel.is_set():
            raise Cancelled
        self.size += count
        if self.size > self.limit:
            raise Refused("archive-too-large")
        self.progress(self.size)

    def settle(self) -> None:
        """The file that has waited longest is on the disk when this returns."""
        with self.unsettled.popleft() as file:
            os.fsync(file.fileno())

    def close(self) -> None:
        """Nothing is held open, however it ended."""
        while self.unsettled:
            self.unsettled.popleft().close()

    def finish(self) -> None:
        """Everything is on the disk. Links come last: no file is ever written through one."""
        while self.unsettled:
            self.settle()
        for target, path in self.links:
            if os.path.lexists(self.below(path)):
                raise Refused("archive-names-twice", name=path)
            os.symlink(target, self.below(path))
        # Only all of them together show where each leads: one may go through another.
        whole = os.path.realpath(self.folder)
        for _target, path in self.links:
            if os.path.commonpath((whole, os.path.realpath(self.below(path)))) != whole:
                raise Refused("archive-link-leads-out", name=path)
        for folder, _folders, _files in os.walk(self.folder):
            flush_folder(folder)


def _below_top(name: str) -> str:
    """The name without the archive's top folder; "" for that folder itself."""
    plain = name.removeprefix("./").rstrip("/")
    if name and plain in ("", "."):
        return ""
    parts = plain.split("/")
    strange = any(
        part in ("", ".", "..") or part.endswith((" ", ".")) or _RESERVED.fullmatch(part)
        for part in parts
    )
    if (
        strange
        or len(parts) > _DEEPEST
        or name.startswith("/")
        or re.search(r'[\\:*?"<>|\x00-\x1f\ud800-\udfff]', plain)
    ):
        raise Refused("archive-leads-out", name=name)
    return "/".join(parts[1:])


def _inside(path: str, target: str) -> str:
    """The target of a link that stays inside the folder; relative, without any detour."""
    parts = os.path.dirname(path).split("/") if "/" in path else []
    for part in target.split("/"):
        if part == "..":
            if not parts:
                raise Refused("archive-link-leads-out", name=path)
            parts.pop()
        elif part not in ("", "."):
            parts.append(part)
    if not target or target.startswith("/") or "\\" in target or ":" in target:
        raise Refused("archive-link-leads-out", name=path)
    return target


def put_aside(folder: str) -> str:
    """Take a folder of ours out of sight by one rename; the new name, "" where none was there.

    :func:`clear_unfinished` removes what has such a name, also after a kill, or once a program
    that has it loaded has ended. Raises :class:`OSError`.
    """
    if not os.path.lexists(folder):
        return ""
    aside = f"{folder}-{secrets.token_hex(4)}{places.REMOVED}"
    try:
        rename(folder, aside)
    except OSError as trouble:
        if trouble.errno != errno.EXDEV:
            raise
        # What a layer below has in a container can't be renamed there.
        shutil.move(folder, aside)
    return aside


def clear_unfinished(parent: str) -> None:
    """Clear what lies half made, or aside, among the folders of ours in ``parent``; that goes as
    well, with the one above, when it holds nothing more."""
    with suppress(OSError):
        for name in os.listdir(parent):
            if name.endswith(places.UNFINISHED):
                _clear(os.path.join(parent, name))
        os.rmdir(parent)
        os.rmdir(os.path.dirname(parent))


def _clear(folder: str) -> None:
    # On Windows a file's own mode can forbid to remove it.
    for above, _folders, files in os.walk(folder) if os.name == "nt" else ():
        for name in files:
            with suppress(OSError):
                os.chmod(os.path.join(above, name), stat.S_IWRITE)
    shutil.rmtree(folder, ignore_errors=True)
