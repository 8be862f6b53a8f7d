"""Signs the data into a repository of static files, by the rules of TUF.

Layout, for any web server: ``metadata/`` with the signed roles, ``targets/`` with the data under
its hash. The root (2 of 3 keys) vouches for targets, snapshot and timestamp; targets only
delegates: to ``reviewed`` for the compatibility data, to ``auto`` for announcements.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from securesystemslib.signer import CryptoSigner
from tuf.api.metadata import (
    DelegatedRole,
    Delegations,
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
from installer.feed.keys import DELEGATED, FeedError, Keys

Signed = Metadata[Any]

TIMESTAMP = "timestamp.json"
LIFE = {
    "root": timedelta(days=3 * 365),
    "targets": timedelta(days=400),
    "reviewed": timedelta(days=400),
    "auto": timedelta(days=60),
    "snapshot": timedelta(days=60),
    "timestamp": timedelta(days=14),
}
"""How long a signature holds. Expired data stays in use; only its confirmation ends."""


class Repository:
    """The published files and the keys that sign them."""

    def __init__(self, keys: Path, folder: Path, now: datetime | None = None) -> None:
        self._keys = Keys(keys)
        self._metadata = folder / "metadata"
        self._targets = folder / "targets"
        self._now = (now or datetime.now(UTC)).replace(microsecond=0)

    # Commands

    def init(self, url: str, root_keys: int = 3, threshold: int = 2) -> Path:
        """Make keys, the first root and the delegations; returns the root.json to ship.

        ``threshold`` of ``root_keys`` keys must sign whatever replaces this root.
        """
        if not allowed(url):
            raise FeedError(f"{url} is no https address")
        if not 0 < threshold <= root_keys:
            raise FeedError("the threshold lies between one and the number of root keys")
        if self._metadata.exists():
            raise FeedError(f"{self._metadata} exists: this feed was begun before")
        root = Root(expires=self._until("root"), unrecognized_fields={FIELD: url.rstrip("/")})
        for number in range(1, root_keys + 1):
            root.add_key(self._keys.make("root", number).public_key, "root")
        root.roles["root"].threshold = threshold
        for role in ("targets", "snapshot", "timestamp"):
            root.add_key(self._keys.make(role).public_key, role)
        made = self._sign_root(Metadata(root))
        targets = Metadata(Targets(delegations=self._delegations()))
        self._issue("targets", targets)
        return made

    def publish(self, data: Path, name: str = TARGET) -> bool:
        """Sign data as its role's only target; False when the same is published already.

        ``name`` decides the role: compatibility data is signed as reviewed, the rest as auto.
        """
        role = "reviewed" if name == TARGET else "auto"
        target = TargetFile.from_file(name, str(data))
        before = self._current(role)
        if before is not None and before.signed.targets.get(name) == target:
            return False
        targets = self._next(role)
        targets.signed.targets = {name: target}
        self._targets.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(data, self._targets / f"{target.hashes['sha256']}.{name}")
        self._issue(role, targets)
        self._snapshot()
        return True

    def refresh(self) -> None:
        """Renew the timestamp, and whatever else at hand has a quarter of its life left."""
        snapshot = self._current("snapshot")
        if snapshot is None:
            raise FeedError("nothing was published yet")
        renewed = [role for role in ("targets", *DELEGATED) if self._renewed(role)]
        if renewed or self._is_old("snapshot", snapshot):
            self._snapshot()
        else:
            self._stamp(snapshot)

    def rotate(self, role: str) -> Path:
        """Replace the keys of a role, or renew the root itself.

        A delegated role's keys are replaced by targets (a person's key), all others by the root.
        """
        owner = "targets" if role in DELEGATED else "root"
        if self._current(owner) is None:
            raise FeedError(f"there is no {owner} to rotate")
        metadata = self._next(owner)
        if role != "root":
            holds = metadata.signed.delegations if role in DELEGATED else metadata.signed
            for keyid in list(holds.roles[role].keyids):
                metadata.signed.revoke_key(keyid, role)
            fresh = self._keys.replace(role, metadata.signed.version - 1)
            metadata.signed.add_key(fresh.public_key, role)
        if owner == "root":
            metadata.signed.expires = self._until("root")
            made = self._sign_root(metadata)
        else:
            self._issue("targets", metadata)
            made = self._keys.path(role)
        if role == "targets" or (role in DELEGATED and self._current(role) is not None):
            self._issue(role, self._next(role))
        if role != "root" and self._current("snapshot") is not None:
            self._snapshot()
        return made

    # Steps

    def _delegations(self) -> Delegations:
        keys: dict[str, Key] = {}
        roles = {}
        for role, pattern in DELEGATED.items():
            key = self._keys.make(role).public_key
            keys[key.keyid] = key
            roles[role] = DelegatedRole(role, [key.keyid], 1, terminating=True, paths=[pattern])
        return Delegations(keys, roles)

    def _until(self, role: str) -> datetime:
        return self._now + LIFE[role]

    def _is_old(self, role: str, metadata: Signed) -> bool:
        left: timedelta = metadata.signed.expires - self._now
        return bool(left < LIFE[role] / 4)

    def _renewed(self, role: str) -> bool:
        """Sign a role anew when its end is near and its key is at hand."""
        metadata = self._current(role)
        if metadata is None or not self._is_old(role, metadata) or not self._keys.at_hand(role):
            return False
        self._issue(role, self._next(role))
        return True

    def _sign_root(self, root: Metadata[Root]) -> Path:
        self._sign(root, self._keys.signers("root"))
        newest = self._metadata / f"{root.signed.version}.root.json"
        self._write(newest, root)
        shutil.copyfile(newest, self._metadata / "root.json")
        return self._metadata / "root.json"

    @staticmethod
    def _sign(metadata: Signed, signers: Iterable[CryptoSigner]) -> None:
        for number, signer in enumerate(signers):
            metadata.sign(signer, append=number > 0)

    def _snapshot(self) -> None:
        """Vouch for what is there, and stamp it."""
        snapshot = self._next("snapshot")
        present = {role: self._current(role) for role in ("targets", *DELEGATED)}
        snapshot.signed.meta = {
            f"{role}.json": self._proof(metadata) for role, metadata in present.items() if metadata
        }
        self._issue("snapshot", snapshot)
        self._stamp(snapshot)

    def _stamp(self, snapshot: Signed) -> None:
        stamp = self._next("timestamp")
        stamp.signed.snapshot_meta = self._proof(snapshot)
        self._issue("timestamp", stamp)

    def _next(self, role: str) -> Signed:
        """A role's next version, with the content of the present one."""
        metadata = self._current(role)
        if metadata is None:
            kind = {"snapshot": Snapshot, "timestamp": Timestamp}.get(role, Targets)
            return Metadata(kind())
        metadata.signed.version += 1
        return metadata

    def _issue(self, role: str, metadata: Signed) -> None:
        metadata.signed.expires = self._until(role)
        self._sign(metadata, self._keys.signers(role))
        numbered = f"{metadata.signed.version}.{role}.json"
        self._write(self._metadata / (TIMESTAMP if role == "timestamp" else numbered), metadata)

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
        if role == "timestamp":
            files = [self._metadata / TIMESTAMP]
        else:
            numbered = self._metadata.glob(f"*.{role}.json")
            files = sorted(numbered, key=lambda path: int(path.name.split(".")[0]))
        return Metadata.from_file(str(files[-1])) if files and files[-1].exists() else None


_SERIALIZER = JSONSerializer(compact=False)
