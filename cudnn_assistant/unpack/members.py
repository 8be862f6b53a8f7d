"""What an archive holds, of whatever kind it is, one file after the other."""

from __future__ import annotations

import bz2
import gzip
import lzma
import re
import stat
import struct
import tarfile
import zipfile
import zlib
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, nullcontext
from types import SimpleNamespace
from typing import IO, Any, NamedTuple, cast

from cudnn_assistant.trouble import Refused

DAMAGE = (
    tarfile.TarError, zipfile.BadZipFile, gzip.BadGzipFile, lzma.LZMAError, zlib.error,
    EOFError, ValueError, IndexError, OverflowError, struct.error, NotImplementedError,
    RecursionError,
)  # fmt: skip
"""What readers raise on an archive that isn't whole."""
_BLOCK = 1 << 20


class Member(NamedTuple):
    """One entry; ``open`` may be called as long as the next one isn't asked for."""

    name: str
    kind: str
    """"file", "folder", "link" or "other"."""
    size: int
    executable: bool
    target: str
    open: Callable[[], IO[bytes]]


def _heard(source: IO[bytes], hear: Callable[[int], object]) -> IO[bytes]:
    """The stream; each reading is told."""

    def read(size: int = -1) -> bytes:
        block = source.read(size)
        hear(len(block))
        return block

    return cast("IO[bytes]", SimpleNamespace(read=read, close=source.close))


@contextmanager
def members(
    archive: str, opened: IO[bytes] | None, hear: Callable[[int], object]
) -> Iterator[Iterator[Member]]:
    """The entries of zip, tar.xz, tgz or makeself's .run, in their order.

    ``opened`` is the content where it is open already. ``hear`` gets the number of all bytes that
    are unpacked on the way, also of entries that are passed over. Raises what it raises,
    :class:`Refused`, one of ``DAMAGE`` or :class:`OSError`.
    """
    with nullcontext(opened) if opened else open(archive, "rb") as file:
        if archive.endswith(".run"):
            _seek_payload(file)
        elif zipfile.is_zipfile(file):
            with zipfile.ZipFile(file) as whole:
                yield _from_zip(whole, hear)
            return
        else:
            file.seek(0)
        plain = _heard(_plain(file), hear)
        with closing(plain), tarfile.open(fileobj=plain, mode="r|", bufsize=_BLOCK) as found:
            yield _from_tar(found)
            while plain.read(_BLOCK):
                # The checksum of the whole comes at the very end.
                continue


_PACKED: tuple[tuple[bytes, Callable[[IO[bytes]], Any]], ...] = (
    (b"\x1f\x8b", lambda file: gzip.GzipFile(fileobj=file)),
    (b"\xfd7zXZ", lzma.LZMAFile),
    (b"BZh", bz2.BZ2File),
)
_HEADER = 1 << 18
"""Bytes within which the script of a .run ends; those of CUDA's have about 20,000."""


def _plain(file: IO[bytes]) -> IO[bytes]:
    """The tar in it, from where the file stands."""
    here = file.tell()
    start = file.read(262)
    file.seek(here)
    for mark, opened in _PACKED:
        if start.startswith(mark):
            return cast("IO[bytes]", opened(file))
    if start[257:] == b"ustar":
        return file
    raise Refused("not-an-archive")


def _seek_payload(file: IO[bytes]) -> None:
    """Go to where the archive begins behind makeself's script, which says its number of lines."""
    script = file.read(_HEADER)
    ends = [0, *(match.end() for match in re.finditer(rb"\n", script))]
    for match in re.finditer(rb'(?:head -n |skip=")([0-9]{1,5})', script):
        lines = int(match[1])
        if lines < len(ends):
            file.seek(ends[lines])
            return
    raise Refused("not-an-archive")


def _from_zip(archive: zipfile.ZipFile, hear: Callable[[int], object]) -> Iterator[Member]:
    for info in archive.infolist():
        kind = "folder" if info.orig_filename.endswith("/") else "file"
        made = stat.S_IFMT(info.external_attr >> 16)
        if info.flag_bits & 1 or made not in (0, stat.S_IFREG, stat.S_IFDIR):
            # Encrypted, or a link: NVIDIA's have neither.
            kind = "other"
        yield Member(
            info.orig_filename, kind, info.file_size, False, "",
            lambda info=info: _heard(archive.open(info), hear),  # type: ignore[misc]
        )  # fmt: skip


def _from_tar(archive: tarfile.TarFile) -> Iterator[Member]:
    for info in archive:
        kind = (
            "folder" if info.isdir()
            else "link" if info.issym()
            else "file" if info.isreg() and not info.issparse()
            else "other"
        )  # fmt: skip

        def opened(info: tarfile.TarInfo = info) -> IO[bytes]:
            file = archive.extractfile(info)
            assert file is not None
            return file

        yield Member(info.name, kind, info.size, bool(info.mode & 0o100), info.linkname, opened)
