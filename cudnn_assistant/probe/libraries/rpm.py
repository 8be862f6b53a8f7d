"""Files of cuDNN's and CUDA's packages in rpm's database: SQLite, or Berkeley DB as it was before.

Read only, and without rpm. SUSE's own form (ndb) is left alone: a copy there has no known owner.
RHEL 8, CentOS 7 and Amazon Linux 2 keep a hash file of Berkeley DB (layout: db_page.h of 5.3). Its
values are rpm headers; of most only the first page is read, which holds the package's name.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from typing import BinaryIO

from cudnn_assistant.plain_file import plain
from cudnn_assistant.probe.files.disk import Disk
from cudnn_assistant.regex import regex

_PLACES = ("/usr/lib/sysimage/rpm/rpmdb.sqlite", "/var/lib/rpm/rpmdb.sqlite")
_OLD_PLACE = "/var/lib/rpm/Packages"
_NAME, _VERSION, _RELEASE = 1000, 1001, 1002
_INDEXES, _BASENAMES, _FOLDERS = 1116, 1117, 1118
_MOST_ENTRIES = 100_000
_PACKAGES = (
    "SELECT blob FROM Packages WHERE hnum IN (SELECT hnum FROM Name WHERE key LIKE '%cudnn%'"
    " OR key LIKE 'libcublas%' OR key LIKE 'cuda-cudart%' OR key LIKE 'cuda-nvrtc%'"
    " OR key LIKE 'zlib%')"
)
_WANTED = regex("libcublas|cuda-cudart|cuda-nvrtc|zlib|.*cudnn")
_MAGIC = 0x061561
_MOST_PAGES = 1 << 19
_MOST_BLOB = 16 << 20
_HEAD = 26
"""Bytes of every page's head: next page at 16, entries at 20, free area or length at 22, type."""
_HASH_PAGES = (2, 13)
_KEY_DATA, _OFF_PAGE = 1, 3

Named = tuple[str, str]
"""A package's name and version."""


def files(disk: Disk) -> dict[str, Named]:
    """Package by path of every file of one with cuDNN or a library beside it."""
    place = next((place for place in (*_PLACES, _OLD_PLACE) if disk.is_file(place)), "")
    found: dict[str, Named] = {}
    blobs: Iterable[bytes] = ()
    if place == _OLD_PLACE:
        blobs = values(disk.real(place), _wanted)
    elif place:
        blobs = _blobs(disk.real(place))
    for blob in blobs:
        with suppress(struct.error, IndexError, ValueError):
            found |= files_of(blob)
    return found


def _blobs(path: str) -> list[bytes]:
    try:
        import sqlite3
        from urllib.request import pathname2url

        # immutable: no lock and no journal is touched beside a database that isn't ours.
        address = f"file:{pathname2url(path)}?mode=ro&immutable=1"
        connection = sqlite3.connect(address, uri=True, timeout=0.1)
    except (ImportError, OSError, ValueError, sqlite3.Error):
        return []
    try:
        return [row[0] for row in connection.execute(_PACKAGES) if isinstance(row[0], bytes)]
    except sqlite3.Error:
        return []
    finally:
        connection.close()


def _wanted(start: bytes) -> bool:
    """Whether the start of a header, its first page, holds the name of such a package."""
    try:
        count, _size = struct.unpack_from(">II", start)
        for number in range(min(count, len(start) // 16)):
            tag, _kind, offset, _items = struct.unpack_from(">IIII", start, 8 + 16 * number)
            if tag == _NAME:
                at = 8 + 16 * count + offset
                return bool(_WANTED.match(start[at : at + 200].split(b"\0")[0].decode("latin-1")))
    except struct.error:
        return False
    return False


def files_of(header: bytes) -> dict[str, Named]:
    """Package by path from one rpm header. Raises struct.error, IndexError or ValueError."""
    count, size = struct.unpack_from(">II", header)
    if count > _MOST_ENTRIES:
        raise ValueError("no rpm header")
    store = header[8 + 16 * count : 8 + 16 * count + size]
    rows = [struct.unpack_from(">IIII", header, 8 + 16 * number) for number in range(count)]
    tags = {tag: (kind, offset, items) for tag, kind, offset, items in rows}

    def texts(tag: int) -> list[str]:
        _kind, offset, items = tags.get(tag, (0, 0, 0))
        pieces = store[offset:].split(b"\0", items)[:items]
        return [piece.decode("utf-8", "replace") for piece in pieces]

    if _INDEXES not in tags:
        return {}
    _kind, offset, items = tags[_INDEXES]
    indexes = struct.unpack_from(f">{min(items, _MOST_ENTRIES)}I", store, offset)
    package = texts(_NAME)[0], f"{texts(_VERSION)[0]}-{texts(_RELEASE)[0]}"
    folders, names = texts(_FOLDERS), texts(_BASENAMES)
    return {folders[index] + name: package for index, name in zip(indexes, names, strict=False)}


def values(path: str, wanted: Callable[[bytes], bool]) -> Iterator[bytes]:
    """The values of a Berkeley DB whose first page pleases ``wanted``; none of any other file. A
    damaged one yields what could be read before the damage."""
    try:
        with plain(path) as file:
            yield from _Database(file).values(wanted)
    except (OSError, ValueError, struct.error):
        return


class _Database:
    def __init__(self, file: BinaryIO) -> None:
        self._file = file
        head = file.read(72)
        little = struct.unpack_from("<I", head, 12)[0] == _MAGIC
        self._order = "<" if little else ">"
        magic, _version, self._size = struct.unpack_from(self._order + "III", head, 12)
        if magic != _MAGIC or self._size not in (512 << n for n in range(8)):
            raise ValueError("no hash file of Berkeley DB")

    def values(self, wanted: Callable[[bytes], bool]) -> Iterator[bytes]:
        for number in range(1, _MOST_PAGES):
            head = self._read(number, _HEAD)
            if len(head) < _HEAD:
                return
            if head[25] in _HASH_PAGES:
                yield from self._on_page(self._read(number, self._size), wanted)

    def _read(self, page: int, size: int) -> bytes:
        self._file.seek(page * self._size)
        return self._file.read(size)

    def _on_page(self, page: bytes, wanted: Callable[[bytes], bool]) -> Iterator[bytes]:
        (count,) = struct.unpack_from(self._order + "H", page, 20)
        places = struct.unpack_from(f"{self._order}{min(count, 2048)}H", page, _HEAD)
        for place, end in zip(places[1::2], places[::2], strict=False):
            kind = page[place : place + 1]
            if kind == bytes((_KEY_DATA,)) and wanted(page[place + 1 : end]):
                yield page[place + 1 : end]
            elif kind == bytes((_OFF_PAGE,)):
                first, size = struct.unpack_from(self._order + "II", page, place + 4)
                if wanted(self._chain(first, min(size, self._size))):
                    yield self._chain(first, size)

    def _chain(self, page: int, size: int) -> bytes:
        """A value that lies on pages of its own, each naming the next."""
        found = bytearray()
        while page and len(found) < min(size, _MOST_BLOB):
            data = self._read(page, self._size)
            (page,) = struct.unpack_from(self._order + "I", data, 16)
            (length,) = struct.unpack_from(self._order + "H", data, 22)
            if not length:
                break
            found += data[_HEAD : _HEAD + length]
        return bytes(found[:size])
