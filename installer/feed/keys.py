"""The private keys of the feed: which role's key lies where, made once and never overwritten.

``offline/`` holds the root's keys (taken away after each use), ``person/`` those of a reviewer,
``online/`` those of the scheduled workflow.
"""

from __future__ import annotations

import os
from pathlib import Path

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import load_pem_private_key
from securesystemslib.signer import CryptoSigner

PLACES = {
    "root": "offline", "targets": "person", "reviewed": "person",
    "auto": "online", "snapshot": "online", "timestamp": "online",
}  # fmt: skip
"""Each role and the folder of its keys."""
DELEGATED = {"reviewed": "compat.*.json", "auto": "auto.*.json"}
"""The roles to which targets delegates, and the names they may sign."""


class FeedError(Exception):
    """The repository or its keys can't be used; the text says why."""


class Keys:
    """A folder of private keys, of which only some may be at hand."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def path(self, role: str, number: int = 0) -> Path:
        """Where a role's key lies."""
        return self._folder / PLACES[role] / (f"{role}-{number}.pem" if number else f"{role}.pem")

    def signers(self, role: str) -> list[CryptoSigner]:
        """Everybody at hand who signs for a role. Raises :class:`FeedError` for nobody."""
        if files := self.at_hand(role):
            return [_signer(file) for file in files]
        raise FeedError(f"no key {role}*.pem in {self._folder / PLACES[role]}")

    def at_hand(self, role: str) -> list[Path]:
        """The files of a role's keys; none where it can't be signed for now."""
        return sorted((self._folder / PLACES[role]).glob(f"{role}*.pem"))

    def make(self, role: str, number: int = 0) -> CryptoSigner:
        """A new key on disk. Raises :class:`FeedError` where one lies already."""
        path = self.path(role, number)
        if path.exists():
            raise FeedError(f"{path} exists; keys are never overwritten")
        path.parent.mkdir(parents=True, exist_ok=True)
        signer = CryptoSigner.generate_ed25519()
        handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(handle, "wb") as file:
            file.write(signer.private_bytes)
        return signer

    def replace(self, role: str, version: int) -> CryptoSigner:
        """A new key in place of the present one, which stays beside it as ``.VERSION.old``."""
        path = self.path(role)
        if path.exists():
            path.replace(path.with_suffix(f".{version}.old"))
        return self.make(role)


def _signer(file: Path) -> CryptoSigner:
    key = load_pem_private_key(file.read_bytes(), password=None)
    if not isinstance(key, Ed25519PrivateKey):
        raise FeedError(f"{file} isn't an Ed25519 key")
    return CryptoSigner(key)
