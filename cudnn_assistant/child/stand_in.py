"""A library of some hundred bytes that asks for others as a framework's own library does.

Which cuDNN a program gets depends on the library that names it: on its DT_NEEDED, its DT_RPATH
(before LD_LIBRARY_PATH, handed down the chain) or DT_RUNPATH (after it). ctypes can't say that, so
a file with just these entries is made in memory and opened. Format: the ELF gABI, chapter 5.
"""

from __future__ import annotations

import ctypes
import os
import platform
import struct

_MACHINES = {"x86_64": 62, "aarch64": 183}
_NEEDED, _HASH, _STRTAB, _SYMTAB, _STRSZ, _SYMENT, _RPATH, _RUNPATH = 1, 4, 5, 6, 10, 11, 15, 29
_HEADERS = 64 + 3 * 56
_LOAD, _DYNAMIC, _STACK = 1, 2, 0x6474E551
_READ_WRITE = 6


def open_like(needed: list[str], rpath: str = "", runpath: str = "") -> None:
    """Have the loader fetch ``needed`` as for a library with this RPATH or RUNPATH.

    What is found stays mapped, and is found by its bare name from then on. ``$ORIGIN`` must be
    spelled out before. Raises OSError with the loader's own words.
    """
    descriptor = os.memfd_create("stand-in")
    try:
        os.write(descriptor, image(needed, rpath, runpath))
        ctypes.CDLL(f"/proc/self/fd/{descriptor}")
    finally:
        os.close(descriptor)


def image(needed: list[str], rpath: str = "", runpath: str = "") -> bytes:
    """The bytes of such a library for this processor."""
    texts = b"\0"
    entries: list[tuple[int, int]] = []
    wishes = [(_NEEDED, name) for name in needed]
    wishes += [(tag, text) for tag, text in ((_RPATH, rpath), (_RUNPATH, runpath)) if text]
    for tag, text in wishes:
        entries.append((tag, len(texts)))
        texts += os.fsencode(text) + b"\0"
    symbol, table = bytes(24), struct.pack("<4I", 1, 1, 0, 0)  # one bucket, one empty symbol
    at_table = _HEADERS + len(symbol)
    at_texts = at_table + len(table)
    entries += [
        (_HASH, at_table), (_STRTAB, at_texts), (_SYMTAB, _HEADERS), (_STRSZ, len(texts)),
        (_SYMENT, 24), (0, 0),
    ]  # fmt: skip
    texts += bytes(-(at_texts + len(texts)) % 8)
    at_dynamic = at_texts + len(texts)
    dynamic = b"".join(struct.pack("<QQ", *entry) for entry in entries)
    whole = at_dynamic + len(dynamic)
    head = struct.pack(
        "<16sHHIQQQIHHHHHH", b"\x7fELF\x02\x01\x01", 3, _MACHINES[platform.machine()], 1, 0, 64, 0,
        0, 64, 56, 3, 0, 0, 0,
    )  # fmt: skip
    segments = ((_LOAD, 0, whole, 4096), (_DYNAMIC, at_dynamic, len(dynamic), 8), (_STACK, 0, 0, 8))
    rows = (
        struct.pack("<IIQQQQQQ", kind, _READ_WRITE, at, at, at, size, size, align)
        for kind, at, size, align in segments
    )
    return head + b"".join(rows) + symbol + table + texts + dynamic
