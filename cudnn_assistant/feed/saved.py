"""The last good copy: one file that holds the data and the signatures that prove it.

It is verified whenever it is read, with expiry left aside: what was valid once is still the best
answer offline. A damaged or foreign file is no copy, and the built-in data answers.
"""

from __future__ import annotations

import contextlib
from datetime import datetime, timedelta

import msgspec
from tuf.api.exceptions import RepositoryError
from tuf.api.metadata import Metadata, Root, Targets

from cudnn_assistant.compat import Compat
from cudnn_assistant.compat.facts import SCHEMA
from cudnn_assistant.compat.strict import decode_strictly
from cudnn_assistant.feed.additions import folder, merge, read
from cudnn_assistant.feed.address import Address
from cudnn_assistant.plain_file import content
from cudnn_assistant.whole_file import put

TARGET = f"compat.v{SCHEMA}.json"
"""Name of the data in the feed; a later shape gets another name beside it."""
ADDED = "auto.v1.json"
"""Name of what machines announce."""


class Proof(msgspec.Struct, frozen=True):
    """Signed metadata that vouches for data, from the first new root down."""

    roots: tuple[bytes, ...]
    targets: bytes
    reviewed: bytes
    auto: bytes = b""


class _File(Proof, frozen=True, kw_only=True):
    """The file on disk: what is proven, too."""

    checked: str
    data: bytes
    added: bytes = b""


class Kept(msgspec.Struct, frozen=True):
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


def load(where: Address, root: bytes = b"", targets: bytes = b"") -> Kept | None:
    """The last good copy if its proof holds for this feed's trust; else None.

    With the newest ``root`` and ``targets`` it must hold for those as well: what a key signed
    that was revoked since is no copy.
    """
    try:
        file = msgspec.msgpack.decode(content(folder() / "good"), type=_File)
        prove(where.root, file, file.data, file.added)
        if root:
            prove(root, Proof((), targets, file.reviewed), file.data)
        return Kept(compat=usable(file.data, file.added), checked=file.checked)
    except (OSError, msgspec.MsgspecError, RepositoryError, ValueError):
        return None


def usable(data: bytes, added: bytes = b"") -> Compat:
    """Proven data as this program can read it, with the proven announcements that fit in.

    Raises :class:`msgspec.MsgspecError` for data; announcements that can't be used are left out.
    """
    compat = decode_strictly(data)
    if compat.schema != SCHEMA:
        raise msgspec.ValidationError(f"schema {compat.schema}, not {SCHEMA}")
    if added:
        with contextlib.suppress(msgspec.MsgspecError):
            compat = merge(compat, read(added))
    return compat


def prove(root: bytes, proof: Proof, data: bytes, added: bytes = b"") -> None:
    """Check data against a trusted root and the roots that follow it.

    Raises :class:`RepositoryError` (or ValueError for text that is no metadata).
    """
    trusted = Metadata[Root].from_bytes(root)
    trusted.verify_delegate(Root.type, trusted)
    for text in proof.roots:
        newer = Metadata[Root].from_bytes(text)
        if newer.signed.version != trusted.signed.version + 1:
            continue
        trusted.verify_delegate(Root.type, newer)
        newer.verify_delegate(Root.type, newer)
        trusted = newer
    targets = Metadata[Targets].from_bytes(proof.targets)
    trusted.verify_delegate(Targets.type, targets)
    _prove_target(targets, "reviewed", proof.reviewed, TARGET, data)
    if added:
        _prove_target(targets, "auto", proof.auto, ADDED, added)


def _prove_target(
    targets: Metadata[Targets], role: str, delegated: bytes, name: str, data: bytes
) -> None:
    """Check one file against the role that signs it."""
    signed = Metadata[Targets].from_bytes(delegated)
    targets.verify_delegate(role, signed)
    found = signed.signed.targets.get(name)
    if found is None:
        raise RepositoryError(f"{name} is not in the feed")
    found.verify_length_and_hashes(data)


def store(checked: str, proof: Proof, data: bytes, added: bytes = b"") -> None:
    """Put a copy in place, whole or not at all. Raises OSError."""
    file = _File(**msgspec.structs.asdict(proof), checked=checked, data=data, added=added)
    folder().mkdir(parents=True, exist_ok=True)
    put(folder() / "good", msgspec.msgpack.encode(file))
