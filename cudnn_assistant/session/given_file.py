"""Files that the person names: a message, a log, a list of packages, a report to be saved."""

from __future__ import annotations

import errno
import os
import stat
import sys

from cudnn_assistant.trouble import Misuse
from cudnn_assistant.whole_file import put

LARGEST_LOG = 64 * 1024 * 1024
"""Bytes of a log that are read."""
LARGEST_MESSAGE = 200_000
"""Bytes of a message that goes into a report."""


def beginning(path: str, limit: int) -> bytes:
    """At most ``limit`` bytes of a file, or all of a pipe; "-" is what we are given to read.

    A pipe that nobody writes to is empty. Raises :class:`OSError`, and :class:`Misuse` for a pipe
    or a device that goes on after the limit: it may have no end.
    """
    if path == "-":
        if sys.stdin is None:
            raise Misuse("no-input")
        handle = os.dup(sys.stdin.fileno())
    else:
        flags = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
        handle = os.open(path, flags)
        if hasattr(os, "O_NONBLOCK"):
            os.set_blocking(handle, True)
    with os.fdopen(handle, "rb") as file:
        content = file.read(limit + 1)
        if len(content) > limit and not stat.S_ISREG(os.fstat(handle).st_mode):
            raise Misuse("input-without-end", size=limit // 1000)
    return content[:limit]


def write(path: str, content: bytes) -> None:
    """Whole or not at all where a file is or will be; all else stays what it is. Raises
    :class:`OSError`."""
    mine = True
    try:
        mode = os.lstat(path).st_mode
        # What nobody may write into isn't replaced either.
        mine = os.access(path, os.W_OK)
    except FileNotFoundError:
        mode = stat.S_IFREG | (0o666 & ~_umask())
    try:
        if stat.S_ISREG(mode) and mine:
            put(path, content, mode=stat.S_IMODE(mode))
            return
    except OSError as trouble:
        # A file may be ours to write in a folder that isn't.
        if trouble.errno not in (errno.EACCES, errno.EPERM, errno.EBUSY):
            raise
    with open(path, "wb") as file:
        file.write(content)


def _umask() -> int:
    present = os.umask(0o077)
    os.umask(present)
    return present
