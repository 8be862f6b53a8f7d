"""What was learned directly, kept for a day: light to load, because every start looks here."""

from __future__ import annotations

import contextlib
import os
import stat
from datetime import UTC, datetime, timedelta
from pathlib import Path

import msgspec

from cudnn_assistant import places
from cudnn_assistant.feed.additions import Additions, read

EVERY = timedelta(days=1)
"""How often NVIDIA and PyPI are asked."""


def folder() -> Path:
    """Where the saved copy and the working files of the feed lie."""
    return places.saved() / "feed"


def regular(path: Path) -> bytes:
    """A file's content. Raises OSError for a pipe or a device, which might never end."""
    with os.fdopen(os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0)), "rb") as file:
        if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
            raise OSError(f"{path} is no file")
        return file.read()


def kept(now: datetime) -> tuple[Additions | None, bool]:
    """What was learned last, and whether it is young enough not to ask again."""
    with contextlib.suppress(OSError, ValueError, msgspec.MsgspecError):
        path = folder() / "direct"
        age = now - datetime.fromtimestamp(path.stat().st_mtime, UTC)
        return read(regular(path)), timedelta(0) <= age < EVERY
    return None, False


def keep(found: Additions) -> None:
    """Keep what was learned, whole or not at all; where nothing can be written it is forgotten."""
    with contextlib.suppress(OSError):
        folder().mkdir(parents=True, exist_ok=True)
        fresh = folder() / f"direct-{os.getpid()}"
        fresh.write_bytes(msgspec.json.encode(found))
        fresh.replace(folder() / "direct")
