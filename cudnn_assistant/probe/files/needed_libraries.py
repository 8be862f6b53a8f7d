"""Which libraries a framework's own library asks for, read from its file; nothing is loaded.

Names the loader must find stand in the import table; names opened at run time stand as plain text
in the read-only data. Both are small parts of files that can have a gigabyte.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from cudnn_assistant.probe.files.binary import elf_section
from cudnn_assistant.probe.files.disk import Disk

_MOST_TEXT = 64 << 20
_PIECE = 1 << 20
_OVERLAP = 512
_CUDNN = re.compile(rb"libcudnn\.so\.(\d+)|cudnn64_(\d+)\.dll")
_CUBLAS = re.compile(rb"libcublas(?:Lt)?\.so\.(\d+)|cublas(?:Lt)?64_(\d+)\.dll")
_ARCHITECTURES = re.compile(rb"sm_\d+[af]?(?: (?:sm|compute)_\d+[af]?){0,40}(?=\0)")


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
    else:
        yield _of_dll(disk, path)[0]


def _constants(disk: Disk, path: str) -> Iterator[bytes]:
    """The read-only data."""
    section = elf_section(disk.real(path), b".rodata") or _of_dll(disk, path)[1]
    yield from _pieces(disk, path, *section)


def _pieces(disk: Disk, path: str, offset: int, size: int) -> Iterator[bytes]:
    """A range in pieces that overlap by more than the longest text that is looked for."""
    end = offset + min(size, _MOST_TEXT)
    while offset < end:
        yield disk.data(path, min(_PIECE, end - offset), offset)
        offset += _PIECE - _OVERLAP


def _of_dll(disk: Disk, path: str) -> tuple[bytes, tuple[int, int]]:
    """Imported names, and offset and size of the read-only data, of a DLL."""
    if disk.data(path, 2) != b"MZ":
        return b"", (0, 0)
    try:
        import pefile

        with pefile.PE(disk.real(path), fast_load=True) as image:
            kinds = ("IMAGE_DIRECTORY_ENTRY_IMPORT", "IMAGE_DIRECTORY_ENTRY_DELAY_IMPORT")
            image.parse_data_directories(
                [pefile.DIRECTORY_ENTRY[kind] for kind in kinds], import_dllnames_only=True
            )
            names = b"\0".join(
                entry.dll
                for kind in ("DIRECTORY_ENTRY_IMPORT", "DIRECTORY_ENTRY_DELAY_IMPORT")
                for entry in getattr(image, kind, ())
            )
            constants = [s for s in image.sections if s.Name.startswith(b".rdata")]
            places = [(s.PointerToRawData, s.SizeOfRawData) for s in constants]
            return names, (places or [(0, 0)])[0]
    except Exception:  # noqa: BLE001  (pefile raises whatever a forged file leads it to)
        return b"", (0, 0)
