"""The last good copy: one file that holds the data and the signatures that prove it.

It is verified whenever it is read, with expiry left aside: what was valid once is still the best
answer offline. A damaged or foreign file is no copy, and the built-in data answers.
"""

from __future__ import annotations

import contextlib
import os
import tempfile
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path

import msgspec
from tuf.api.exceptions import RepositoryError
from tuf.api.metadata import Metadata, Root, Targets

from cudnn_assistant import places
from cudnn_assistant.compat import Compat
from cudnn_assistant.compat.facts import SCHEMA
from cudnn_assistant.compat.strict import decode_strictly
from cudnn_assistant.feed.address import Address

TARGET = f"compat.v{SCHEMA}.json"
"""Name of the data in the feed; a later shape gets another name beside it."""


class _File(msgspec.Struct, frozen=True):
    """The file on disk."""

    checked: str
    roots: tuple[bytes, ...]
    targets: bytes
    data: bytes


@dataclass(frozen=True)
class Kept:
    """A verified copy."""

    compat: Compat
    checked: str
    """When the server last confirmed it, UTC, ISO 8601."""

    def is_fresh(self, now: datetime, limit: timedelta) -> bool:
        """Whether it was confirmed within ``limit``; a day in the future doesn't count."""
        try:
            age = now - datetime.fromisoformat(self.checked)
        except (ValueError, TypeError):
            return False
        return timedelta(0) <= age < limit


def folder() -> Path:
    """Where the copy and the working files of the feed lie."""
    return places.saved() / "feed"


def load(where: Address) -> Kept | None:
    """The last good copy if its proof holds for this feed's trust; else None."""
    try:
        file = msgspec.msgpack.decode((folder() / "good").read_bytes(), type=_File)
        prove(where.root, file.roots, file.targets, file.data)
        return Kept(compat=usable(file.data), checked=file.checked)
    except (OSError, msgspec.MsgspecError, RepositoryError, ValueError):
        return None


def usable(data: bytes) -> Compat:
    """Proven data as this program can read it. Raises :class:`msgspec.MsgspecError`."""
    compat = decode_strictly(data)
    if compat.schema != SCHEMA:
        raise msgspec.ValidationError(f"schema {compat.schema}, not {SCHEMA}")
    return compat


def prove(root: bytes, roots: tuple[bytes, ...], targets: bytes, data: bytes) -> None:
    """Check data against a trusted root and the roots that follow it.

    Raises :class:`RepositoryError` (or ValueError for text that is no metadata).
    """
    trusted = Metadata[Root].from_bytes(root)
    trusted.verify_delegate(Root.type, trusted)
    for text in roots:
        newer = Metadata[Root].from_bytes(text)
        if newer.signed.version != trusted.signed.version + 1:
            continue
        trusted.verify_delegate(Root.type, newer)
        newer.verify_delegate(Root.type, newer)
        trusted = newer
    signed = Metadata[Targets].from_bytes(targets)
    trusted.verify_delegate(Targets.type, signed)
    found = signed.signed.targets.get(TARGET)
    if found is None:
        raise RepositoryError(f"{TARGET} is not in the feed")
    found.verify_length_and_hashes(data)


def store(checked: str, roots: tuple[bytes, ...], targets: bytes, data: bytes) -> None:
    """Put a copy in place, whole or not at all. Raises OSError."""
    file = msgspec.msgpack.encode(_File(checked, roots, targets, data))
    folder().mkdir(parents=True, exist_ok=True)
    handle, name = tempfile.mkstemp(dir=folder(), prefix="good-")
    try:
        with os.fdopen(handle, "wb") as out:
            out.write(file)
            out.flush()
            os.fsync(out.fileno())
        os.replace(name, folder() / "good")
    except OSError:
        with contextlib.suppress(OSError):
            os.unlink(name)
        raise
