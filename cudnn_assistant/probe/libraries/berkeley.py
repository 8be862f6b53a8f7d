"""rpm's database of RHEL 8, CentOS 7 and Amazon Linux 2: a hash file of Berkeley DB, read only.

Layout: db_page.h of Berkeley DB 5.3. The values are rpm headers; of most only the first page is
read, which holds the package's name. A damaged file yields what could be read before the damage.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Iterator
from typing import BinaryIO

from cudnn_assistant.plain_file import plain

_MAGIC = 0x061561
_MOST_PAGES = 1 << 19
_MOST_BLOB = 16 << 20
_HEAD = 26
"""Bytes of every page's head: next page at 16, entries at 20, free area or length at 22, type."""
_HASH_PAGES = (2, 13)
_KEY_DATA, _OFF_PAGE = 1, 3

Wanted = Callable[[bytes], bool]


def values(path: str, wanted: Wanted) -> Iterator[bytes]:
    """The values whose first page pleases ``wanted``; none of a file that is no such database."""
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

    def values(self, wanted: Wanted) -> Iterator[bytes]:
        for number in range(1, _MOST_PAGES):
            head = self._read(number, _HEAD)
            if len(head) < _HEAD:
                return
            if head[25] in _HASH_PAGES:
                yield from self._on_page(self._read(number, self._size), wanted)

    def _read(self, page: int, size: int) -> bytes:
        self._file.seek(page * self._size)
        return self._file.read(size)

    def _on_page(self, page: bytes, wanted: Wanted) -> Iterator[bytes]:
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
