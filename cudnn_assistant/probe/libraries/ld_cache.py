"""The Linux loader's cache: which library names it would find without any variable set."""

from __future__ import annotations

import os
import struct

from cudnn_assistant.probe.files.disk import Disk

_MAGIC = b"glibc-ld.so.cache1.1"
_OLD = b"ld.so-1.7.0"
_MOST_BYTES = 32 << 20
_HEADER = 48
_ENTRY = struct.Struct("<iIIIQ")


def libraries(disk: Disk, *starts: str) -> dict[str, str]:
    """Paths by name of the cached libraries whose name begins with one of ``starts``.

    Where a name stands several times the first path is kept, as the loader does. A cache in
    another format, or a damaged one, is as good as empty.
    """
    data = disk.data("/etc/ld.so.cache", _MOST_BYTES)
    begin = _begin(data)
    if begin < 0:
        return {}
    wanted = tuple(start.encode() for start in starts)
    found: dict[str, str] = {}
    try:
        (count,) = struct.unpack_from("<I", data, begin + len(_MAGIC))
        end = min(begin + _HEADER + count * _ENTRY.size, len(data))
        rows = data[begin + _HEADER : end - (end - begin - _HEADER) % _ENTRY.size]
        for _flags, key, value, _os, _hardware in _ENTRY.iter_unpack(rows):
            name = _text(data, begin + key)
            if name.startswith(wanted):
                found.setdefault(os.fsdecode(name), os.fsdecode(_text(data, begin + value)))
    except struct.error:
        return found
    return found


def _begin(data: bytes) -> int:
    """Where the present format starts: at 0, or behind a cache of the old format."""
    if data.startswith(_MAGIC):
        return 0
    if not data.startswith(_OLD) or len(data) < 16:
        return -1
    (count,) = struct.unpack_from("<I", data, 12)
    old_end = 16 + 12 * int(count)
    return data.find(_MAGIC, old_end, old_end + 64)


def _text(data: bytes, at: int) -> bytes:
    end = data.find(b"\0", at, at + 4096)
    return data[at:end] if end >= 0 else b""
