"""What a Linux library asks of the loader: names it needs and where it says to look."""

from __future__ import annotations

import posixpath
import struct

import msgspec

from cudnn_assistant.probe.files.binary import elf_text

_NEEDED, _RPATH, _RUNPATH = 1, 15, 29
_MOST = 1 << 20
"""Bytes of a table that are read; libtorch_cuda.so's names take some 100 kB."""


class Dynamic(msgspec.Struct, frozen=True):
    """The dynamic section of a library."""

    needed: tuple[str, ...] = ()
    rpath: str = ""
    """Searched before LD_LIBRARY_PATH, and for all that is needed further down."""
    runpath: str = ""
    """Searched after LD_LIBRARY_PATH. Where a library has one, its RPATH doesn't count."""


def dynamic(path: str) -> Dynamic | None:
    """What the library at ``path`` asks for, $ORIGIN spelled out; ``None``: unknown."""
    entries, texts = (elf_text(path, name, _MOST) for name in (b".dynamic", b".dynstr"))
    if not entries or not texts:
        return None
    found: dict[int, list[str]] = {_NEEDED: [], _RPATH: [], _RUNPATH: []}
    for tag, value in struct.iter_unpack("<QQ", entries[: len(entries) // 16 * 16]):
        if tag in found and value < len(texts):
            text = texts[value : texts.find(b"\0", value)]
            found[tag].append(text.decode("utf-8", "surrogateescape"))
    folder = posixpath.dirname(path)
    rpath, runpath = (_expanded(":".join(found[tag]), folder) for tag in (_RPATH, _RUNPATH))
    return Dynamic(tuple(found[_NEEDED]), "" if runpath else rpath, runpath)


def _expanded(folders: str, origin: str) -> str:
    # "../.." stays: the kernel resolves it behind links, and so must whoever opens the path.
    return folders.replace("${ORIGIN}", origin).replace("$ORIGIN", origin)
