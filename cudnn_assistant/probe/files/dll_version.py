"""The version that a DLL states in its resources, read without the rest of the file.

A hundred environments have a thousand DLLs, so only the tables on the way to the one resource are
read. Layout: Microsoft's PE format, sections 3.4 (directories), 4 (sections) and 6.9 (.rsrc).
"""

from __future__ import annotations

import struct
from io import BufferedReader

from cudnn_assistant.plain_file import local
from cudnn_assistant.probe.files.binary import PeSection, pe_head

_VERSION_TYPE = 16
_RESOURCES = 2
"""Number of the resource table among the data directories."""
_SUBFOLDER = 0x8000_0000
_FIXED_INFO = struct.pack("<I", 0xFEEF04BD)
_MOST_ENTRIES, _MOST_TEXT = 4096, 4096


def dll_version(path: str) -> str:
    """``FileVersion`` as four numbers ("9.28.0.42"); "" when the file states none or is no DLL."""
    try:
        with local(path) as file:
            return _version(file)
    except (OSError, struct.error, OverflowError, ValueError):
        return ""


def _version(file: BufferedReader) -> str:
    head = pe_head(file) if file.read(2) == b"MZ" else None
    if head is None:
        return ""
    # The directories stand behind the fields of a 32-bit (0x10B) or a 64-bit image (0x20B).
    directories = 96 if head.optional[:2] == b"\x0b\x01" else 112
    (table,) = struct.unpack_from("<I", head.optional, directories + 8 * _RESOURCES)
    start = _place(head.sections, table)
    if not start:
        return ""
    at = _entry(file, start, _VERSION_TYPE)
    for _name_then_language in range(2):
        at = _entry(file, start + (at & ~_SUBFOLDER)) if at & _SUBFOLDER else 0
    if not at:
        return ""
    address, size = struct.unpack("<II", _read(file, start + at, 8))
    place = _place(head.sections, address)
    text = _read(file, place, min(size, _MOST_TEXT)) if place else b""
    found = text.find(_FIXED_INFO)
    if found < 0:
        return ""
    high, low = struct.unpack_from("<II", text, found + 8)
    return f"{high >> 16}.{high & 0xFFFF}.{low >> 16}.{low & 0xFFFF}"


def _place(sections: list[PeSection], address: int) -> int:
    """Where an address of the loaded image lies in the file; 0 when nowhere."""
    for one in sections:
        if address and one.address <= address < one.address + max(one.memory, one.size):
            return one.offset + address - one.address
    return 0


def _entry(file: BufferedReader, at: int, wanted: int | None = None) -> int:
    """What the entry of that id leads to, or the first one without an id; 0 when there is none."""
    named, numbered = struct.unpack("<12xHH", _read(file, at, 16))
    rows = _read(file, at + 16, 8 * min(named + numbered, _MOST_ENTRIES))
    for key, target in struct.iter_unpack("<II", rows[: len(rows) // 8 * 8]):
        if wanted in (None, key):
            return int(target)
    return 0


def _read(file: BufferedReader, at: int, size: int) -> bytes:
    file.seek(at)
    return file.read(size)
