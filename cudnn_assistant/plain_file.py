"""Files that somebody may have put something else in the place of: no pipe keeps us waiting."""

from __future__ import annotations

import errno
import os
import stat
from io import BufferedReader

NOT_PLAIN = "not-a-plain-file"
ELSEWHERE = errno.EREMOTE
_WITH_ANOTHER = 0x1000 | 0x40000 | 0x400000
"""Windows' FILE_ATTRIBUTE_OFFLINE, _RECALL_ON_OPEN and _RECALL_ON_DATA_ACCESS."""
_WITHOUT_WAITING = (
    os.O_RDONLY
    | getattr(os, "O_NONBLOCK", 0)
    | getattr(os, "O_CLOEXEC", 0)
    | getattr(os, "O_BINARY", 0)
)


def plain(path: str | os.PathLike[str]) -> BufferedReader:
    """The file at ``path``, open for reading; links are followed.

    Raises :class:`OSError`, also for a folder, a pipe and a device, which might never end, and for
    a name that no file can have.
    """
    try:
        handle = os.open(path, _WITHOUT_WAITING)
    except ValueError as trouble:
        raise FileNotFoundError(
            errno.ENOENT, os.strerror(errno.ENOENT), os.fspath(path)
        ) from trouble
    kind = os.fstat(handle).st_mode
    if not stat.S_ISREG(kind):
        os.close(handle)
        number = errno.EISDIR if stat.S_ISDIR(kind) else errno.EINVAL
        raise OSError(number, NOT_PLAIN, os.fspath(path))
    return os.fdopen(handle, "rb")


def local(path: str | os.PathLike[str]) -> BufferedReader:
    """As :func:`plain`, for files that nobody asked us to read: those that are really here.

    Raises OSError with :data:`ELSEWHERE` for the others: to look at a library of a gigabyte that
    OneDrive only shows would fetch all of it.
    """
    if getattr(os.stat(path), "st_file_attributes", 0) & _WITH_ANOTHER:
        raise OSError(ELSEWHERE, "not on this computer", os.fspath(path))
    return plain(path)


def content(path: str | os.PathLike[str]) -> bytes:
    """All that the file holds. Raises :class:`OSError` as :func:`plain` does."""
    with plain(path) as file:
        return file.read()
