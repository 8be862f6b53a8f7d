"""Reads library files (ELF or PE) without loading them: whole? for which processor? of which
version? what do they ask of the loader?

Only the head and the named sections are read, whatever the size of the file, and no exception
leaves: what can't be parsed is "not-a-library".
"""

from __future__ import annotations

import errno
import os
import posixpath
import struct
from contextlib import suppress
from itertools import islice
from typing import BinaryIO, Literal

import msgspec

from cudnn_assistant.machine import PartState
from cudnn_assistant.plain_file import ELSEWHERE, NOT_PLAIN, local

_ELF_MACHINES = {3: "x86", 62: "x86_64", 183: "aarch64", 21: "ppc64le", 40: "arm", 243: "riscv64"}
_PE_MACHINES = {0x14C: "x86", 0x8664: "x86_64", 0xAA64: "aarch64", 0xA641: "aarch64"}
_NEEDED, _RPATH, _RUNPATH = 1, 15, 29
_MOST = 1 << 20
"""Bytes of a table that are read."""
_LONGEST_NAME = 1 << 14
"""Bytes of a library's name, or of a list of folders, that are read."""
_VERSION_TYPE = 16
_RESOURCES = 2
"""Number of the resource table among the data directories."""
_SUBFOLDER = 0x8000_0000
_FIXED_INFO = struct.pack("<I", 0xFEEF04BD)
_MOST_ENTRIES, _MOST_VERSION = 4096, 4096
_DAMAGE = (OSError, struct.error, IndexError, OverflowError, ValueError)
"""What reading of a file raises that is closed, cut short or of another kind."""


class Binary(msgspec.Struct, frozen=True):
    """What the head of a file tells."""

    state: PartState
    architecture: str = ""
    kind: Literal["", "elf", "pe"] = ""
    """Linux' or Windows' kind of file; "" for neither."""


def look_at(path: str) -> Binary:
    """State and processor of one library file; links are followed."""
    try:
        with local(path) as file:
            return _read(file, os.fstat(file.fileno()).st_size)
    except OSError as trouble:
        return Binary(_state_of(path, trouble))


def _state_of(path: str, trouble: OSError) -> PartState:
    if trouble.errno == ELSEWHERE:
        return "ok"  # Windows fetches it once a program loads it
    if trouble.errno == errno.ELOOP:
        return "damaged-link"
    if os.path.isdir(path) or trouble.strerror == NOT_PLAIN:
        return "not-a-library"  # Windows refuses a folder as if it were closed
    if trouble.errno in (errno.ENOENT, errno.ENOTDIR):
        return "damaged-link" if os.path.islink(path) else "missing"
    return "unreadable"


def _read(file: BinaryIO, size: int) -> Binary:
    if size == 0:
        return Binary("empty")
    head = file.read(64)
    try:
        if head[:4] == b"\x7fELF":
            return _elf(head, size)
        if head[:2] == b"MZ":
            return _pe(file, size)
    except (struct.error, IndexError, ValueError):
        return Binary("truncated")
    return Binary("not-a-library")


def _elf(head: bytes, size: int) -> Binary:
    order = ">" if head[5] == 2 else "<"
    machine = _ELF_MACHINES.get(struct.unpack_from(order + "H", head, 18)[0], "unknown")
    if head[4] == 2:
        (sections,) = struct.unpack_from(order + "Q", head, 40)
        entry, count = struct.unpack_from(order + "HH", head, 58)
    else:
        (sections,) = struct.unpack_from(order + "I", head, 32)
        entry, count = struct.unpack_from(order + "HH", head, 46)
    # The table of sections stands at the very end of what linkers write, so a file that stops
    # before its end has been cut short. (A stripped table, offset 0, tells nothing.)
    cut = bool(sections) and sections + entry * count > size
    return Binary("truncated" if cut else "ok", machine, "elf")


class PeSection(msgspec.Struct, frozen=True):
    """A row of the table of sections."""

    name: bytes
    memory: int
    address: int
    size: int
    offset: int


class PeHead(msgspec.Struct, frozen=True):
    """The tables at the start of a DLL."""

    machine: int
    sections: list[PeSection]
    optional: bytes
    """The header that Microsoft calls optional, with its directories."""


def pe_head(file: BinaryIO) -> PeHead | None:
    """What Windows reads first of a DLL; ``None`` where it is none. Raises struct.error."""
    (start,) = struct.unpack_from("<2x58xI", _at(file, 0, 64))
    header = _at(file, start, 24)
    if header and header[:4] != b"PE\0\0":
        return None
    machine, count, size = struct.unpack_from("<4xHH12xH", header)
    optional = _at(file, start + 24, size)
    table = _at(file, start + 24 + size, 40 * count)
    rows = (struct.unpack_from("<8s4I", table, 40 * number) for number in range(count))
    sections = [PeSection(name.rstrip(b"\0"), *fields) for name, *fields in rows]
    return PeHead(machine, sections, optional)


def _at(file: BinaryIO, offset: int, size: int) -> bytes:
    file.seek(offset)
    return file.read(size)


def _pe(file: BinaryIO, size: int) -> Binary:
    head = pe_head(file)
    if head is None:
        return Binary("not-a-library")
    cut = max((one.offset + one.size for one in head.sections), default=0) > size
    machine = _PE_MACHINES.get(head.machine, "unknown")
    return Binary("truncated" if cut else "ok", machine, "pe")


def elf_section(path: str, name: bytes) -> tuple[int, int] | None:
    """Offset and size of a section of a 64-bit little-endian ELF file, ``None`` without it."""
    with suppress(*_DAMAGE), local(path) as file:
        head = file.read(64)
        if head[:6] != b"\x7fELF\x02\x01":
            return None
        (table,) = struct.unpack_from("<Q", head, 40)
        entry, count, names = struct.unpack_from("<HHH", head, 58)
        rows = _at(file, table, entry * count)
        at = [struct.unpack_from("<I12xQQ4x", rows, entry * n)[0] for n in range(count)]
        places = [struct.unpack_from("<24xQQ", rows, entry * n) for n in range(count)]
        text = _at(file, places[names][0], min(places[names][1], 1 << 16))
        wanted = (n for n in range(count) if text[at[n] :].startswith(name + b"\0"))
        return next((places[n] for n in wanted), None)
    return None


def elf_text(path: str, name: bytes, limit: int) -> bytes:
    """The start of a section of such a file; b"" without it."""
    if place := elf_section(path, name):
        with suppress(*_DAMAGE), local(path) as file:
            return _at(file, place[0], min(place[1], limit))
    return b""


class Dynamic(msgspec.Struct, frozen=True):
    """The dynamic section of a library."""

    needed: tuple[str, ...] = ()
    rpath: str = ""
    """Searched before LD_LIBRARY_PATH, and for all that is needed further down."""
    runpath: str = ""
    """Searched after LD_LIBRARY_PATH. Where a library has one, its RPATH doesn't count."""


def dynamic(path: str) -> Dynamic | None:
    """What the library at ``path`` asks for, $ORIGIN spelled out; ``None``: unknown."""
    entries, names = elf_text(path, b".dynamic", _MOST), elf_section(path, b".dynstr")
    if not entries or not names or not names[1]:
        return None
    found: dict[int, list[str]] = {_NEEDED: [], _RPATH: [], _RUNPATH: []}
    rows = struct.iter_unpack("<QQ", entries[: len(entries) // 16 * 16])
    asked = ((tag, value) for tag, value in rows if tag in found and value < names[1])
    with suppress(*_DAMAGE), local(path) as file:
        # Each by itself: the symbols of a framework have megabytes of names in the same section.
        for tag, value in islice(asked, _MOST_ENTRIES):
            text = _at(file, names[0] + value, min(names[1] - value, _LONGEST_NAME))
            found[tag].append(text.partition(b"\0")[0].decode("utf-8", "surrogateescape"))
        folder = posixpath.dirname(path)
        rpath, runpath = (_expanded(":".join(found[tag]), folder) for tag in (_RPATH, _RUNPATH))
        return Dynamic(tuple(found[_NEEDED]), "" if runpath else rpath, runpath)
    return None


def _expanded(folders: str, origin: str) -> str:
    # "../.." stays: the kernel resolves it behind links, and so must whoever opens the path.
    return folders.replace("${ORIGIN}", origin).replace("$ORIGIN", origin)


def pe_section(path: str, name: bytes) -> tuple[int, int] | None:
    """Offset and size of a section of a PE file, ``None`` without it."""
    with suppress(*_DAMAGE), local(path) as file:
        head = pe_head(file) if file.read(2) == b"MZ" else None
        sections = head.sections if head else []
        return next(((one.offset, one.size) for one in sections if one.name == name), None)
    return None


def dll_version(path: str) -> str:
    """``FileVersion`` as four numbers ("9.28.0.42"); "" when the file states none or is no DLL.

    A hundred environments have a thousand DLLs, so only the tables on the way to the one resource
    are read. Layout: Microsoft's PE format, sections 3.4 (directories), 4 (sections), 6.9 (.rsrc).
    """
    with suppress(*_DAMAGE), local(path) as file:
        return _version(file)
    return ""


def cudnn_dll_version(path: str) -> str:
    """The same of a DLL of cuDNN's: up to 8.8 they all state 6.14.11.6050, which is none of it."""
    version = dll_version(path)
    return "" if version.startswith("6.14.11.") else version


def _version(file: BinaryIO) -> str:
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
    address, size = struct.unpack("<II", _at(file, start + at, 8))
    place = _place(head.sections, address)
    text = _at(file, place, min(size, _MOST_VERSION)) if place else b""
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


def _entry(file: BinaryIO, at: int, wanted: int | None = None) -> int:
    """What the entry of that id leads to, or the first one without an id; 0 when there is none."""
    named, numbered = struct.unpack("<12xHH", _at(file, at, 16))
    rows = _at(file, at + 16, 8 * min(named + numbered, _MOST_ENTRIES))
    for key, target in struct.iter_unpack("<II", rows[: len(rows) // 8 * 8]):
        if wanted in (None, key):
            return int(target)
    return 0
