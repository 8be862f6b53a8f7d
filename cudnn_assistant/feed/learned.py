"""What was learned directly, kept for a day: light to load, because every start looks here."""

from __future__ import annotations

import contextlib
from datetime import UTC, datetime, timedelta
from pathlib import Path

import msgspec

from cudnn_assistant import places
from cudnn_assistant.feed.additions import Additions, read
from cudnn_assistant.plain_file import content
from cudnn_assistant.whole_file import put

EVERY = timedelta(days=1)
"""How often NVIDIA and PyPI are asked."""


def folder() -> Path:
    """Where the saved copy and the working files of the feed lie."""
    return places.saved() / "feed"


def kept(now: datetime) -> tuple[Additions | None, bool]:
    """What was learned last, and whether it is young enough not to ask again."""
    with contextlib.suppress(OSError, ValueError, msgspec.MsgspecError):
        path = folder() / "direct"
        age = now - datetime.fromtimestamp(path.stat().st_mtime, UTC)
        return read(content(path)), timedelta(0) <= age < EVERY
    return None, False


def keep(found: Additions) -> None:
    """Keep what was learned, whole or not at all; where nothing can be written it is forgotten."""
    with contextlib.suppress(OSError):
        folder().mkdir(parents=True, exist_ok=True)
        put(folder() / "direct", msgspec.json.encode(found))
