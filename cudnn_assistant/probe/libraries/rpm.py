"""Files of cuDNN's and CUDA's packages in rpm's database: SQLite, or Berkeley DB as it was before.

Read only, and without rpm. SUSE's own form (ndb) is left alone: a copy there has no known owner.
"""

from __future__ import annotations

import struct
from collections.abc import Iterable

from cudnn_assistant.probe.files.disk import Disk
from cudnn_assistant.probe.libraries import berkeley
from cudnn_assistant.probe.libraries.owner import Owner
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


def files(disk: Disk) -> dict[str, Owner]:
    """Owner by path of every file of a package with cuDNN or a library beside it."""
    place = next((place for place in (*_PLACES, _OLD_PLACE) if disk.is_file(place)), "")
    found: dict[str, Owner] = {}
    blobs: Iterable[bytes] = ()
    if place == _OLD_PLACE:
        blobs = berkeley.values(disk.real(place), _wanted)
    elif place:
        blobs = _blobs(disk.real(place))
    for blob in blobs:
        try:
            found |= files_of(blob)
        except (struct.error, IndexError, ValueError):
            continue
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


def files_of(header: bytes) -> dict[str, Owner]:
    """Owner by path from one rpm header. Raises struct.error, IndexError or ValueError."""
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
    owner = Owner(texts(_NAME)[0], f"{texts(_VERSION)[0]}-{texts(_RELEASE)[0]}")
    folders, names = texts(_FOLDERS), texts(_BASENAMES)
    return {folders[index] + name: owner for index, name in zip(indexes, names, strict=False)}
