"""Reads a Windows shortcut as [MS-SHLLINK] describes it; the standard library is enough."""

from __future__ import annotations

import struct
import uuid
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

NAME = (uuid.UUID("9f4c2855-9f79-4b39-a8d0-e1d42de1d5f3"), 5)
"""System.AppUserModel.ID."""
_HEADER, _STORE = 0x4C, 0xA0000009
_UNICODE, _NO_INFO = 0x80, 0x100
_A_TEXT = 0x1F


class Shortcut(NamedTuple):
    """What Windows' menu and taskbar make of it."""

    target: str
    texts: dict[str, str]
    """Of "name", "relative", "folder", "arguments", "icon" those that are there."""
    properties: dict[tuple[uuid.UUID, int], str]


def read(path: Path) -> Shortcut:
    """Raises struct.error for what is no shortcut."""
    data = path.read_bytes()
    size, flags = struct.unpack_from("<I16xI", data)
    if size != _HEADER:
        raise struct.error("no shortcut")
    at, target, texts = size, "", {}
    if flags & 1:
        at += 2 + struct.unpack_from("<H", data, at)[0]
    if flags & 2 and not flags & _NO_INFO:
        target = _target(data[at:])
        at += struct.unpack_from("<I", data, at)[0]
    for bit, name in enumerate(("name", "relative", "folder", "arguments", "icon"), start=2):
        if flags >> bit & 1:
            (count,) = struct.unpack_from("<H", data, at)
            wide = 2 if flags & _UNICODE else 1
            text = data[at + 2 : at + 2 + count * wide]
            decoded = text.decode("utf-16-le" if wide == 2 else "cp1252")
            # Wine counts the end of a text as well.
            texts[name] = decoded.rstrip("\0")
            at += 2 + count * wide
    return Shortcut(target, texts, dict(_properties(data, at)))


def _target(info: bytes) -> str:
    """LinkInfo's path: in Unicode where it has that."""
    header, local, wide = (*struct.unpack_from("<4xI8xI", info), 0)
    if header >= 0x24:
        (wide,) = struct.unpack_from("<I", info, 28)
    if wide:
        return info[wide:].decode("utf-16-le", "replace").partition("\0")[0]
    return info[local:].partition(b"\0")[0].decode("cp1252")


def _properties(data: bytes, at: int) -> Iterator[tuple[tuple[uuid.UUID, int], str]]:
    while (size := struct.unpack_from("<I", data, at)[0]) >= 4:
        if struct.unpack_from("<I", data, at + 4)[0] == _STORE:
            yield from _stored(data[at + 8 : at + size])
        at += size


def _stored(store: bytes) -> Iterator[tuple[tuple[uuid.UUID, int], str]]:
    at = 0
    while size := struct.unpack_from("<I", store, at)[0]:
        kind = uuid.UUID(bytes_le=store[at + 8 : at + 24])
        value = at + 24
        while length := struct.unpack_from("<I", store, value)[0]:
            number, type_of = struct.unpack_from("<I1xH", store, value + 4)
            if type_of == _A_TEXT:
                (letters,) = struct.unpack_from("<I", store, value + 13)
                text = store[value + 17 : value + 17 + 2 * letters].decode("utf-16-le")
                yield (kind, number), text.rstrip("\0")
            value += length
        at += size
