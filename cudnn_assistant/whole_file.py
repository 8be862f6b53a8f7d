"""Putting a file in the place of another: whole, or not at all, also through a power cut."""

from __future__ import annotations

import atexit
import contextlib
import os
import time

SCANNERS = (0.1, 0.2, 0.4, 0.8, 1.6, 3.2) if os.name == "nt" else ()
"""Seconds between the tries to rename what another program may hold open."""
_begun: set[str] = set()
"""Files that would stay if this program ended now."""


@atexit.register
def _clear() -> None:
    for beside in tuple(_begun):
        with contextlib.suppress(OSError):
            os.unlink(beside)


def put(path: str | os.PathLike[str], content: bytes, *, mode: int = 0o600) -> None:
    """Make ``content`` that of a file, by default the person's alone; a link makes way for it.

    Raises :class:`OSError`; then the file is as it was.
    """
    import tempfile

    folder, name = os.path.split(os.path.abspath(path))
    handle, beside = tempfile.mkstemp(dir=folder, prefix=f"{name[:50]}-", suffix=".new")
    _begun.add(beside)
    try:
        with open(handle, "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(handle)
        os.chmod(beside, mode)
        rename(beside, path)
    except OSError:
        with contextlib.suppress(OSError):
            os.unlink(beside)
        raise
    finally:
        _begun.discard(beside)
    flush_folder(folder)


def rename(old: str | os.PathLike[str], new: str | os.PathLike[str]) -> None:
    """Give a file, in the place of another, or a folder its name; where virus scanners hold new
    files for some seconds, try for that long. Raises :class:`OSError`."""
    for wait in SCANNERS:
        with contextlib.suppress(PermissionError):
            os.replace(old, new)
            return
        time.sleep(wait)
    os.replace(old, new)


def make_folder(folder: str) -> None:
    """Make a folder and those on the way to it, in which nobody else may write, whatever the
    umask says: a library in a folder that is open to others isn't loaded. Raises OSError."""
    if not os.path.isdir(folder):
        if (parent := os.path.dirname(folder)) not in ("", folder):
            make_folder(parent)
        with contextlib.suppress(FileExistsError):
            os.mkdir(folder, 0o755)


def flush_folder(folder: str) -> None:
    """Make a rename in ``folder`` last through a power cut; some file systems can't, and say so."""
    if os.name == "nt":
        return
    with contextlib.suppress(OSError):
        handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)
