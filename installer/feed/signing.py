"""Signs the data into a repository of static files, by the rules of TUF.

Layout, for any web server: ``metadata/`` with the signed roles, ``targets/`` with the data under
its hash. Keys lie in two folders: ``offline/`` (root: needed to begin and to change keys, then
taken away) and ``online/`` (targets, snapshot, timestamp).
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from securesystemslib.signer import CryptoSigner
from tuf.api.metadata import (
    Key,
    Metadata,
    MetaFile,
    Root,
    Snapshot,
    TargetFile,
    Targets,
    Timestamp,
)
from tuf.api.serialization.json import JSONSerializer

from cudnn_assistant.feed.address import FIELD, allowed
from cudnn_assistant.feed.saved import TARGET

Signed = Metadata[Any]

ONLINE = (Targets.type, Snapshot.type, Timestamp.type)
TIMESTAMP = "timestamp.json"
LIFE = {
    Root.type: timedelta(days=3 * 365),
    Targets.type: timedelta(days=400),
    Snapshot.type: timedelta(days=400),
    Timestamp.type: timedelta(days=30),
}
"""How long a signature holds. Expired data stays in use; only its confirmation ends."""


class FeedError(Exception):
    """The repository or its keys can't be used; the text says why."""


class Repository:
    """The published files and the keys that sign them."""

    def __init__(self, keys: Path, folder: Path, now: datetime | None = None) -> None:
        self._keys = keys
        self._metadata = folder / "metadata"
        self._targets = folder / "targets"
        self._now = (now or datetime.now(UTC)).replace(microsecond=0)

    # Keys

    def _signers(self, role: str) -> list[CryptoSigner]:
        folder = self._keys / ("offline" if role == Root.type else "online")
        files = sorted(folder.glob(f"{role}*.pem"))
        if not files:
            raise FeedError(f"no key {role}*.pem in {folder}")
        return [CryptoSigner(_load(file)) for file in files]

    def _make_key(self, path: Path) -> CryptoSigner:
        if path.exists():
            raise FeedError(f"{path} exists; keys are never overwritten")
        path.parent.mkdir(parents=True, exist_ok=True)
        signer = CryptoSigner.generate_ed25519()
        handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(handle, "wb") as file:
            file.write(signer.private_bytes)
        return signer

    # Commands

    def init(self, url: str, root_keys: int = 2, threshold: int = 1) -> Path:
        """Make keys and the first root; returns the root.json to build into the program.

        ``threshold`` of ``root_keys`` keys must sign whatever replaces this root.
        """
        if not allowed(url):
            raise FeedError(f"{url} is no https address")
        if not 0 < threshold <= root_keys:
            raise FeedError("the threshold lies between one and the number of root keys")
        if self._metadata.exists():
            raise FeedError(f"{self._metadata} exists: this feed was begun before")
        root = Root(expires=self._until(Root.type), unrecognized_fields={FIELD: url.rstrip("/")})
        for number in range(1, root_keys + 1):
            self._add(root, Root.type, self._make_key(self._keys / f"offline/root-{number}.pem"))
        root.roles[Root.type].threshold = threshold
        for role in ONLINE:
            self._add(root, role, self._make_key(self._keys / f"online/{role}.pem"))
        return self._sign_root(Metadata(root))

    def publish(self, data: Path) -> bool:
        """Sign the data; False when the same data is published already."""
        target = TargetFile.from_file(TARGET, str(data))
        before = self._current(Targets.type)
        if before is not None and before.signed.targets.get(TARGET) == target:
            return False
        targets = self._next(Targets.type)
        targets.signed.targets = {TARGET: target}
        self._targets.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(data, self._targets / f"{target.hashes['sha256']}.{TARGET}")
        self._seal(targets)
        return True

    def refresh(self) -> None:
        """Renew the timestamp, and what else has less than a quarter of its life left."""
        targets, snapshot = self._current(Targets.type), self._current(Snapshot.type)
        if targets is None or snapshot is None:
            raise FeedError("nothing was published yet")
        if self._is_old(targets) or self._is_old(snapshot):
            self._seal(self._next(Targets.type))
        else:
            self._stamp(snapshot)

    def rotate(self, role: str) -> Path:
        """Replace the keys of an online role, or renew the root itself; needs the offline keys.

        Data of that role must be signed again, which is done where it exists.
        """
        old = self._current(Root.type)
        if old is None:
            raise FeedError("there is no root to rotate")
        root = Metadata.from_bytes(old.to_bytes())
        assert isinstance(root.signed, Root)
        root.signed.version += 1
        root.signed.expires = self._until(Root.type)
        root.signatures.clear()
        if role != Root.type:
            self._replace(root.signed, role)
        made = self._sign_root(root)
        if role != Root.type and self._current(Targets.type) is not None:
            self._seal(self._next(Targets.type))
        return made

    # Steps

    def _until(self, role: str) -> datetime:
        return self._now + LIFE[role]

    def _is_old(self, metadata: Signed) -> bool:
        left: timedelta = metadata.signed.expires - self._now
        return bool(left < LIFE[metadata.signed.type] / 4)

    @staticmethod
    def _add(root: Root, role: str, signer: CryptoSigner) -> None:
        key: Key = signer.public_key
        root.add_key(key, role)

    def _replace(self, root: Root, role: str) -> None:
        path = self._keys / f"online/{role}.pem"
        for keyid in list(root.roles[role].keyids):
            root.revoke_key(keyid, role)
        path.replace(path.with_suffix(f".{root.version - 1}.old"))
        self._add(root, role, self._make_key(path))

    def _sign_root(self, root: Metadata[Root]) -> Path:
        self._sign(root, self._signers(Root.type))
        newest = self._metadata / f"{root.signed.version}.root.json"
        self._write(newest, root)
        shutil.copyfile(newest, self._metadata / "root.json")
        return self._metadata / "root.json"

    @staticmethod
    def _sign(metadata: Signed, signers: Iterable[CryptoSigner]) -> None:
        for number, signer in enumerate(signers):
            metadata.sign(signer, append=number > 0)

    def _seal(self, targets: Signed) -> None:
        """Sign the targets, and the snapshot and timestamp that vouch for them."""
        self._issue(targets)
        snapshot = self._next(Snapshot.type)
        snapshot.signed.meta = {"targets.json": self._proof(targets)}
        self._issue(snapshot)
        self._stamp(snapshot)

    def _stamp(self, snapshot: Signed) -> None:
        stamp = self._next(Timestamp.type)
        stamp.signed.snapshot_meta = self._proof(snapshot)
        self._issue(stamp)

    def _next(self, role: str) -> Signed:
        """A role's next version, with the content of the present one."""
        metadata = self._current(role)
        if metadata is None:
            return Metadata({one.type: one for one in (Targets, Snapshot, Timestamp)}[role]())
        metadata.signed.version += 1
        return metadata

    def _issue(self, metadata: Signed) -> None:
        role = metadata.signed.type
        metadata.signed.expires = self._until(role)
        self._sign(metadata, self._signers(role))
        numbered = f"{metadata.signed.version}.{role}.json"
        self._write(self._metadata / (TIMESTAMP if role == Timestamp.type else numbered), metadata)

    @staticmethod
    def _proof(metadata: Signed) -> MetaFile:
        data = metadata.to_bytes(_SERIALIZER)
        return MetaFile.from_data(metadata.signed.version, data, ["sha256"])

    def _write(self, path: Path, metadata: Signed) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        fresh = path.with_suffix(".new")
        fresh.write_bytes(metadata.to_bytes(_SERIALIZER))
        fresh.replace(path)

    def _current(self, role: str) -> Signed | None:
        """The newest file of a role."""
        if role == Timestamp.type:
            files = [self._metadata / TIMESTAMP]
        else:
            numbered = self._metadata.glob(f"*.{role}.json")
            files = sorted(numbered, key=lambda path: int(path.name.split(".")[0]))
        return Metadata.from_file(str(files[-1])) if files and files[-1].exists() else None


_SERIALIZER = JSONSerializer(compact=False)


def _load(file: Path) -> Any:
    from cryptography.hazmat.primitives.serialization import load_pem_private_key

    return load_pem_private_key(file.read_bytes(), password=None)
