"""Gathers what machines may announce, and keeps every answer it was made from, with its hash."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator
from datetime import datetime
from hashlib import sha256
from pathlib import Path
from typing import NamedTuple
from urllib.parse import unquote, urlsplit

import msgspec
from tuf.api.exceptions import DownloadHTTPError

from cudnn_assistant.compat import Compat, FrameworkRelease
from cudnn_assistant.compat.lookup import at_least, order
from cudnn_assistant.feed import direct
from cudnn_assistant.feed.additions import merge
from cudnn_assistant.feed.fetcher import Fetcher
from cudnn_assistant.feed.registry import Release
from installer.feed.recorded import PLATFORMS

VARIANTS = ("cu126", "cu128", "cu129", "cu130", "cu132", "cu134")
"""PyTorch's own indices that are looked at."""
_WHEEL = re.compile(r"torch-([0-9.]+)\+(cu[0-9]+)-([a-z0-9]+-[a-z0-9]+-[a-z0-9_.]+)\.whl")


class Addresses(NamedTuple):
    """Whom to ask; "" for nobody."""

    nvidia: str
    pypi: str
    pytorch: str = ""


class Keeping(Fetcher):
    """Fetches, and writes down what came: the bytes, and a line with their hash and address."""

    def __init__(self, folder: Path) -> None:
        super().__init__(patience=300.0, gap=60.0)
        self._folder = folder
        folder.mkdir(parents=True, exist_ok=True)
        self.lines: list[str] = []

    def download_bytes(self, url: str, max_length: int, accept: str = "") -> bytes:
        """The answer; its file is named after its path."""
        data = super().download_bytes(url, max_length, accept)
        path = urlsplit(url).path.strip("/")
        name = re.sub(r"[^\w.-]+", "-", path) or "index"
        (self._folder / name).write_bytes(data)
        self.lines.append(f"{sha256(data).hexdigest()}  {name}")
        return data


def gather(
    into: Path, addresses: Addresses, reviewed: Compat, now: datetime
) -> tuple[Path, tuple[str, ...]]:
    """Write ``auto.json`` and ``inputs/``; returns its path and what is new, a line each.

    Raises python-tuf's download exceptions for an address that doesn't answer.
    """
    fetcher = Keeping(into / "inputs")
    try:
        found = direct.gather(reviewed, now, fetcher, addresses.nvidia, addresses.pypi)
        if addresses.pytorch:
            more = tuple(_indices(fetcher, addresses.pytorch, reviewed))
            found = msgspec.structs.replace(found, frameworks=(*found.frameworks, *more))
    finally:
        fetcher.close()
    merged = merge(reviewed, found)
    wheels = {(one.package, one.version) for one in reviewed.wheels}
    new = [f"+ {name}" for name in merged.unreviewed]
    new += [
        f"+ {one.package} {one.version}"
        for one in merged.wheels
        if (one.package, one.version) not in wheels
    ]
    (into / "inputs" / "SHA256SUMS").write_text("\n".join(sorted(fetcher.lines)) + "\n")
    made = into / "auto.json"
    made.write_bytes(msgspec.json.encode(found))
    return made, tuple(new)


def _indices(fetcher: Fetcher, base: str, reviewed: Compat) -> Iterator[FrameworkRelease]:
    """The builds in PyTorch's own indices that are as new as the newest reviewed release."""
    newest = max((o.version for o in reviewed.frameworks if o.name == "torch"), key=order)
    for variant in VARIANTS:
        try:
            page = fetcher.download_bytes(f"{base}/{variant}/torch/", 16 * 1024 * 1024)
        except DownloadHTTPError:
            continue
        tags: dict[str, set[str]] = defaultdict(set)
        for version, named, tag in _WHEEL.findall(unquote(page.decode("utf-8", "replace"))):
            if named == variant and at_least(version, newest):
                tags[version].add(tag)
        for version, wheels in tags.items():
            yield from _builds(version, variant, Release("", " ".join(sorted(wheels))))


def _builds(version: str, variant: str, release: Release) -> Iterator[FrameworkRelease]:
    for family, platform in PLATFORMS.items():
        if python := release.pythons(platform):
            plain = {
                "name": "torch", "version": version, "family": family, "python": python,
                "cuda": f"{variant[2:4]}.{variant[4:]}", "requirement": f"torch=={version}",
                "index": variant, "sure": False,
            }  # fmt: skip
            yield msgspec.convert(plain, FrameworkRelease)
