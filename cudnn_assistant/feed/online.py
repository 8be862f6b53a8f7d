"""Asks the server, by the rules of TUF: python-tuf verifies, we keep what it proved."""

from __future__ import annotations

import contextlib
import logging
import shutil
import tempfile
from datetime import UTC, datetime
from pathlib import Path

import msgspec
from filelock import FileLock, Timeout
from tuf.api.exceptions import BadVersionNumberError, DownloadError, RepositoryError
from tuf.api.metadata import Metadata, Root
from tuf.ngclient import Updater, UpdaterConfig

from cudnn_assistant.feed import saved
from cudnn_assistant.feed.additions import folder
from cudnn_assistant.feed.address import Address
from cudnn_assistant.feed.fetcher import Fetcher, named
from cudnn_assistant.feed.saved import Kept, Proof
from cudnn_assistant.feed.source import Answer
from cudnn_assistant.plain_file import content

_LIMITS = UpdaterConfig(
    max_root_rotations=64,
    root_max_length=200_000,
    timestamp_max_length=20_000,
    snapshot_max_length=200_000,
    targets_max_length=500_000,
)
_MOST = 16 * 1024 * 1024
"""Bytes of data that are accepted at all."""
_MOST_ADDED = 1024 * 1024
_WAIT = 3.0
"""Seconds to wait for another copy of this program that is fetching."""

_log = logging.getLogger(__name__)


def refresh(where: Address, moment: datetime | None = None) -> Answer[Kept]:
    """Fetch what is new, verify it and keep it. Never raises for trouble outside.

    With nothing new two requests are made: for the next root, and for the timestamp.
    """
    now = (moment or datetime.now(UTC)).isoformat(timespec="seconds")
    try:
        with contextlib.closing(Fetcher()) as fetcher:
            return _locked(where, now, fetcher)
    except Timeout:
        return None, "busy"
    except OSError:
        return None, "cache"


def _locked(where: Address, now: str, fetcher: Fetcher) -> Answer[Kept]:
    """Work in the cache, or in a copy of it that is thrown away where it can't be written."""
    work = folder()
    try:
        work.mkdir(parents=True, exist_ok=True)
        with FileLock(work / "lock", timeout=_WAIT):
            return _tried(where, now, fetcher, work, keep=True)
    except Timeout:
        raise
    except OSError as trouble:
        _log.info("feed: the cache can't be used: %s", trouble)
    with tempfile.TemporaryDirectory(prefix="cudnn-assistant-") as name:
        copy = Path(name)
        with contextlib.suppress(OSError, shutil.Error):
            shutil.copytree(work / "metadata", copy / "metadata", symlinks=True)
        kept, met = _tried(where, now, fetcher, copy, keep=False)
        return kept, met or "cache"


def _tried(where: Address, now: str, fetcher: Fetcher, work: Path, *, keep: bool) -> Answer[Kept]:
    try:
        return _exchange(where, now, fetcher, work, keep=keep), ""
    except (DownloadError, RepositoryError, msgspec.MsgspecError) as trouble:
        _log.info("feed: %s: %s", type(trouble).__name__, trouble)
        return None, named(trouble)


def _exchange(where: Address, now: str, fetcher: Fetcher, work: Path, *, keep: bool) -> Kept:
    metadata = work / "metadata"
    metadata.mkdir(exist_ok=True)
    updater = Updater(
        str(metadata), f"{where.url}/metadata/", str(work / "targets"), f"{where.url}/targets/",
        fetcher=fetcher, config=_LIMITS, bootstrap=where.root,
    )  # fmt: skip
    updater.refresh()
    data = _fetched(updater, saved.TARGET, _MOST)
    if data is None:
        raise msgspec.ValidationError(f"no {saved.TARGET} of a fitting size in the feed")
    added = _announced(updater)
    fresh = Kept(compat=saved.usable(data, added), checked=now)
    proof = _proof(metadata, where)
    before = saved.load(where, content(metadata / "root.json"), proof.targets)
    if before is not None and before.compat.version > fresh.compat.version:
        raise BadVersionNumberError(f"data {fresh.compat.version} after {before.compat.version}")
    if keep:
        saved.store(now, proof, data, added)
    return fresh


def _fetched(updater: Updater, name: str, most: int) -> bytes | None:
    """A target's verified content; None when the feed has none of a fitting size."""
    target = updater.get_targetinfo(name)
    if target is None or target.length > most:
        return None
    return content(updater.find_cached_target(target) or updater.download_target(target))


def _announced(updater: Updater) -> bytes:
    """What machines announced; b"" when that can't be had, which is no trouble for the rest."""
    try:
        return _fetched(updater, saved.ADDED, _MOST_ADDED) or b""
    except (DownloadError, RepositoryError) as trouble:
        _log.info("feed: no announcements: %s: %s", type(trouble).__name__, trouble)
        return b""


def _proof(metadata: Path, where: Address) -> Proof:
    def signed(role: str) -> bytes:
        path = metadata / f"{role}.json"
        return content(path) if path.exists() else b""

    return Proof(_roots(metadata, where), signed("targets"), signed("reviewed"), signed("auto"))


def _roots(metadata: Path, where: Address) -> tuple[bytes, ...]:
    """The verified roots after the one that is trusted from the start."""
    first = Metadata[Root].from_bytes(where.root).signed.version
    last = Metadata[Root].from_file(str(metadata / "root.json")).signed.version
    history = metadata / "root_history"
    return tuple(content(history / f"{n}.root.json") for n in range(first + 1, last + 1))
