"""Files that the person names: a message, a log, a list of packages."""

from __future__ import annotations

import os

LARGEST_LOG = 64 * 1024 * 1024
"""Bytes of a log that are read."""


def beginning(path: str, limit: int) -> bytes:
    """At most ``limit`` bytes. A pipe is read to its end; one that nobody writes to is empty.

    Raises :class:`OSError`.
    """
    flags = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
    handle = os.open(path, flags)
    if hasattr(os, "O_NONBLOCK"):
        os.set_blocking(handle, True)
    with os.fdopen(handle, "rb") as file:
        return file.read(limit)
