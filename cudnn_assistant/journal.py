"""The journal of changes: what was planned, and how far it came. Survives a kill at any instant.

One line per state of an entry, ``LENGTH CRC32 JSON``; the last line of an entry counts. A line
that is torn or damaged is passed over, and nothing is ever written over: a thousand changes are a
megabyte. The file is the person's alone (mode 0600), because values of variables can hold secrets.
"""

from __future__ import annotations

import os
import zlib

import msgspec

from cudnn_assistant.plain_file import content
from cudnn_assistant.plan import Entry
from cudnn_assistant.whole_file import flush_folder

_PRIVATE = 0o600
_WRITING = os.O_CREAT | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_BINARY", 0)


class Journal:
    """The entries in one file. Nothing is read or created before a method is called."""

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.path = os.fspath(path)

    def entries(self) -> tuple[Entry, ...]:
        """All entries, oldest first, each with ``undone_by`` where a later one took it back.

        Raises :class:`OSError` when the file is there but can't be read.
        """
        latest: dict[str, Entry] = {}
        try:
            lines = content(self.path).split(b"\n")
        except FileNotFoundError:
            lines = []
        for line in lines:
            if entry := _entry(line):
                latest[entry.id] = entry
        return _with_undone(latest)

    def unfinished(self) -> tuple[Entry, ...]:
        """Entries that were interrupted and have not been taken back since, oldest first."""
        entries = {entry.id: entry for entry in self.entries()}
        return tuple(e for e in entries.values() if not _closed(e, entries))

    def record(self, entry: Entry) -> None:
        """Write the new state of an entry; on disk when this returns. Raises :class:`OSError`."""
        body = msgspec.json.encode(entry)
        line = b"%d %08x %s\n" % (len(body), zlib.crc32(body), body)
        new = not os.path.exists(self.path)
        if new:
            os.makedirs(os.path.dirname(self.path), mode=0o700, exist_ok=True)
        handle = os.open(self.path, os.O_RDWR | _WRITING, _PRIVATE)
        try:
            _append(handle, line)
        finally:
            os.close(handle)
        if new:
            flush_folder(os.path.dirname(self.path))

    def finish(self, entry: Entry) -> Entry:
        """Write that nothing of the entry is left to do, and return it so."""
        finished = msgspec.structs.replace(entry, finished=True)
        self.record(finished)
        return finished


def _append(handle: int, line: bytes) -> None:
    end = os.lseek(handle, 0, os.SEEK_END)
    if end:
        os.lseek(handle, end - 1, os.SEEK_SET)
        if os.read(handle, 1) != b"\n":
            # An earlier run was killed in the middle of a line; ours must start a new one.
            line = b"\n" + line
    rest = memoryview(line)
    try:
        while rest:
            rest = rest[os.write(handle, rest) :]
        os.fsync(handle)
    except OSError:
        os.ftruncate(handle, end)
        raise


def _entry(line: bytes) -> Entry | None:
    length, _, rest = line.partition(b" ")
    check, _, body = rest.partition(b" ")
    if length != b"%d" % len(body) or check != b"%08x" % zlib.crc32(body):
        return None
    try:
        entry = msgspec.json.decode(body, type=Entry)
    except msgspec.MsgspecError:
        return None
    return entry if len(entry.states) == len(entry.plan.steps) else None


def _with_undone(latest: dict[str, Entry]) -> tuple[Entry, ...]:
    # Newest first: an undo that was itself taken back has undone nothing.
    for name in reversed(list(latest)):
        entry = latest[name]
        target = latest.get(entry.plan.undoes)
        if target and entry.finished and not entry.undone_by and _did_its_job(entry):
            latest[target.id] = msgspec.structs.replace(target, undone_by=entry.id)
    return tuple(latest.values())


def _did_its_job(entry: Entry) -> bool:
    # An undo that found nothing left of the change has no step and has undone it all the same.
    return "done" in entry.states or not entry.plan.steps


def _closed(entry: Entry, entries: dict[str, Entry]) -> bool:
    """Finished, taken back, or itself the way back of an entry that is closed."""
    if entry.finished or entry.undone_by:
        return True
    target = entries.get(entry.plan.undoes)
    return target is not None and bool(target.undone_by)
