"""Gathers what machines may announce, and keeps every answer it was made from, with its hash."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator
from contextlib import closing
from datetime import datetime
from email.parser import BytesParser
from hashlib import sha256
from pathlib import Path
from typing import NamedTuple
from urllib.parse import unquote, urljoin, urlsplit

import msgspec
from packaging.requirements import Requirement
from tuf.api.exceptions import DownloadHTTPError

from cudnn_assistant.compat import Compat, FrameworkRelease, at_least, in_markers, order
from cudnn_assistant.feed import direct
from cudnn_assistant.feed.additions import Additions, merge
from cudnn_assistant.feed.fetcher import Fetcher
from cudnn_assistant.feed.registry import Release
from installer.feed.recorded import PLATFORMS

VARIANTS = ("cu126", "cu128", "cu129", "cu130", "cu132", "cu134")
"""PyTorch's own indices that are looked at."""
_CUDNN = re.compile(r"nvidia-cudnn-cu([0-9]+)")
_CUDA = re.compile(r"(cuda-toolkit|nvidia-cuda-runtime)(-cu[0-9]+)?")
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
        self.answers: dict[str, bytes] = {}

    def download_bytes(self, url: str, max_length: int, accept: str = "") -> bytes:
        """The answer; its file is named after its path."""
        data = super().download_bytes(url, max_length, accept)
        path = urlsplit(url).path.strip("/")
        name = re.sub(r"[^\w.-]+", "-", path) or "index"
        (self._folder / name).write_bytes(data)
        self.lines.append(f"{sha256(data).hexdigest()}  {name}")
        self.answers[url] = data
        return data


def gather(
    into: Path, addresses: Addresses, reviewed: Compat, now: datetime
) -> tuple[Path, tuple[str, ...]]:
    """Write ``auto.json`` and ``inputs/``; returns its path and what is new, a line each.

    Raises python-tuf's download exceptions for an address that doesn't answer.
    """
    with closing(Keeping(into / "inputs")) as fetcher:
        found = msgspec.structs.replace(
            Additions(made=now.date().isoformat()),
            **direct.of_nvidia(reviewed, fetcher, addresses.nvidia),
            **direct.of_pypi(reviewed, fetcher, addresses.pypi),
        )
        frameworks = [_pinned(fetcher, addresses.pypi, one) for one in found.frameworks]
        if addresses.pytorch:
            frameworks += _indices(fetcher, addresses.pytorch, reviewed)
        found = msgspec.structs.replace(found, frameworks=tuple(frameworks))
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


def _pinned(fetcher: Keeping, base: str, one: FrameworkRelease) -> FrameworkRelease:
    """A release with what its wheel's own metadata demands of CUDA and cuDNN, as far as it does."""
    wanted = Requirement(one.requirement)
    page = f"{base}/simple/{wanted.name}/"
    address = next(_metadata(fetcher.answers[page], page, one), "")
    if not address:
        return one
    message = BytesParser().parsebytes(fetcher.download_bytes(address, 1024 * 1024))
    system = in_markers(one.family, "x86_64", "")
    here = [{**system, "extra": extra} for extra in wanted.extras or {""}]
    for pin in map(Requirement, message.get_all("Requires-Dist", [])):
        if pin.marker and not any(map(pin.marker.evaluate, here)):
            continue
        exact = next((o.version for o in pin.specifier if o.operator == "=="), "")
        if cudnn := _CUDNN.fullmatch(pin.name):
            one = msgspec.structs.replace(
                one, cuda=one.cuda or cudnn[1], cudnn=exact, cudnn_spec=str(pin.specifier),
                found="wheel",
            )  # fmt: skip
        elif _CUDA.fullmatch(pin.name) and exact:
            one = msgspec.structs.replace(
                one, cuda=".".join(exact.removesuffix(".*").split(".")[:2])
            )
    return one


def _metadata(answer: bytes, page: str, one: FrameworkRelease) -> Iterator[str]:
    """Where the metadata of a release's wheels for a system lie, apart from the wheels."""
    platform = {"linux": "x86_64", "windows": "win_amd64"}[one.family]
    for file in msgspec.json.decode(answer)["files"]:
        parts = file["filename"].removesuffix(".whl").split("-")
        here = parts[-1] == "any" or parts[-1].endswith(platform)
        if parts[1] == one.version and here and file.get("core-metadata"):
            yield urljoin(page, file["url"]) + ".metadata"


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
