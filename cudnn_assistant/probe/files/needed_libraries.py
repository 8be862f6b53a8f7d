"""Which libraries a framework's own library asks for, read from its file; nothing is loaded.

Names the loader must find stand in the import table; names opened at run time stand as plain text
in the read-only data. Both are small parts of files that can have a gigabyte.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from cudnn_assistant.probe.files.binary import elf_section, pe_section
from cudnn_assistant.probe.files.disk import Disk
from cudnn_assistant.probe.files.imports import imports
from cudnn_assistant.regex import regex

_MOST_TEXT = 64 << 20
_PIECE = 1 << 20
_OVERLAP = 512
_CUDNN = regex(rb"libcudnn\.so\.(\d+)|cudnn64_(\d+)\.dll")
_CUBLAS = regex(rb"libcublas(?:Lt)?\.so\.(\d+)|cublas(?:Lt)?64_(\d+)\.dll")
_ARCHITECTURES = regex(rb"sm_\d+[af]?(?: (?:sm|compute)_\d+[af]?){0,40}(?=\0)")


def cudnn_major(disk: Disk, path: str) -> str:
    """The major of the cuDNN that a library loads; "" when it names none."""
    return _first(_CUDNN, b"cudnn", disk, path)


def cuda_major(disk: Disk, path: str) -> str:
    """The CUDA major of the cuBLAS that a library loads; "" when it names none."""
    return _first(_CUBLAS, b"cublas", disk, path)


def architectures(disk: Disk, path: str) -> tuple[str, ...]:
    """Targets like ``sm_90`` or ``compute_90`` that a build lists about itself as one text."""
    for data in _constants(disk, path):
        for at in _places(data, b"sm_"):
            match = _ARCHITECTURES.match(data, at)
            # Compilers put texts end to end; a list can't be mistaken, one target alone could be.
            if match and (b" " in match[0] or data[at - 1 : at] == b"\0"):
                return tuple(match[0].decode().split())
    return ()


def _first(pattern: re.Pattern[bytes], word: bytes, disk: Disk, path: str) -> str:
    for read in (_imported, _constants):
        for data in read(disk, path):
            for at in _places(data, word):
                if match := pattern.match(data, max(0, at - 3)) or pattern.match(data, at):
                    return (match[1] or match[2]).decode()
    return ""


def _places(data: bytes, word: bytes) -> Iterator[int]:
    # A plain search is some thirty times faster than a pattern over tens of megabytes.
    at = data.find(word)
    while at >= 0:
        yield at
        at = data.find(word, at + 1)


def _imported(disk: Disk, path: str) -> Iterator[bytes]:
    """The names of the import table, on Linux with the names of symbols."""
    if section := elf_section(disk.real(path), b".dynstr"):
        yield from _pieces(disk, path, *section)
    elif disk.data(path, 2) == b"MZ":
        yield "\0".join(imports(disk.real(path), delayed=True)).encode()


def _constants(disk: Disk, path: str) -> Iterator[bytes]:
    """The read-only data."""
    real = disk.real(path)
    section = elf_section(real, b".rodata") or pe_section(real, b".rdata")
    yield from _pieces(disk, path, *section or (0, 0))


def _pieces(disk: Disk, path: str, offset: int, size: int) -> Iterator[bytes]:
    """A range in pieces that overlap by more than the longest text that is looked for."""
    end = offset + min(size, _MOST_TEXT)
    while offset < end:
        yield disk.data(path, min(_PIECE, end - offset), offset)
        offset += _PIECE - _OVERLAP
