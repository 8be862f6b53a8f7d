"""Asks NVIDIA (and PyPI, where its address is set) what is newer, when there is no feed.

Once a day, over TLS, only the two indexes and the files they name; nothing is sent. What comes
back announces releases and never sets a limit (see ``additions``).
"""

from __future__ import annotations

import contextlib
import logging
import re
from collections.abc import Iterator
from datetime import datetime
from typing import TypeVar, cast

import msgspec
from msgspec.structs import replace
from tuf.api.exceptions import DownloadError, DownloadHTTPError
from tuf.api.serialization import DeserializationError

from cudnn_assistant.compat import Compat, CudnnBuild, CudnnRelease, File, FrameworkRelease, Wheel
from cudnn_assistant.compat.facts import Platform
from cudnn_assistant.compat.lookup import at_least, order
from cudnn_assistant.compat.releases import framework_name
from cudnn_assistant.compat.strict import held
from cudnn_assistant.feed import manifests, registry
from cudnn_assistant.feed.additions import Additions, keep, kept
from cudnn_assistant.feed.address import allowed, direct_addresses
from cudnn_assistant.feed.fetcher import Fetcher, named
from cudnn_assistant.feed.source import Answer, Trouble

Found = dict[str, tuple[msgspec.Struct, ...]]
"""Fields of :class:`Additions`."""
_Row = TypeVar("_Row", bound=msgspec.Struct)
_log = logging.getLogger(__name__)
_MOST = 4 * 1024 * 1024
"""Bytes of one answer."""
_NEWEST = 3
"""Manifests that are read in one go."""
_LABEL = re.compile(rb"redistrib_([0-9]+\.[0-9]+\.[0-9]+)\.json")
PROJECTS = (
    "torch", "tensorflow", "onnxruntime-gpu", "jax", "ctranslate2", "cupy-cuda12x", "cupy-cuda13x",
    "paddlepaddle-gpu",
)  # fmt: skip
"""Packages of frameworks whose newest release is asked for."""


def of_nvidia(reviewed: Compat, fetcher: Fetcher, base: str) -> Found:
    """The cuDNN releases that NVIDIA's index has besides the reviewed ones.

    Raises :class:`DownloadError`, and :class:`DeserializationError` for what is no index.
    """
    return {"cudnns": tuple(_held(_cudnns(fetcher, base, reviewed)))} if allowed(base) else {}


def of_pypi(reviewed: Compat, fetcher: Fetcher, base: str) -> Found:
    """NVIDIA's packages and the frameworks' newest releases. Raises as :func:`of_nvidia` does."""
    if not allowed(base):
        return {}
    listed = dict(_listed(fetcher, base))
    if not listed:
        raise DeserializationError(f"{base} lists no project")
    return {
        "wheels": tuple(_held(_wheels(listed))),
        "frameworks": tuple(_held(_frameworks(listed, reviewed))),
    }


def _held(rows: Iterator[_Row]) -> Iterator[_Row]:
    for row in rows:
        with contextlib.suppress(msgspec.MsgspecError):
            yield held(msgspec.json.encode(row), type(row))


def answer(reviewed: Compat, now: datetime) -> Answer[Additions]:
    """Ask each now and keep what comes beside what the other said before; trouble is a word."""
    trouble: Trouble = ""
    found = kept(now)[0] or Additions()
    for ask, base in zip((of_nvidia, of_pypi), direct_addresses(), strict=True):
        try:
            with contextlib.closing(Fetcher(patience=8.0, gap=4.0)) as fetcher:
                new = ask(reviewed, fetcher, base)
            found = replace(found, made=now.date().isoformat(), **new)
        except (DownloadError, DeserializationError) as met:
            _log.info("feed: asking directly: %s: %s", type(met).__name__, met)
            trouble = trouble or named(met)
        # At once: the next one may be slow. Also what is old, which is not asked for all day.
        keep(found)
    return found, trouble


def _cudnns(fetcher: Fetcher, base: str, reviewed: Compat) -> Iterator[CudnnRelease]:
    folder = f"{base}/compute/cudnn/redist/"
    labels = {one.decode() for one in _LABEL.findall(fetcher.download_bytes(folder, _MOST))}
    if not labels:
        # What has been learned stays, whatever a network's sign-in page says.
        raise DeserializationError(f"{folder} lists no release")
    newest = max((one.version for one in reviewed.cudnns), key=order, default="")
    newer = sorted((one for one in labels if not at_least(newest, one)), key=order)
    for label in newer[-_NEWEST:]:
        with contextlib.suppress(manifests.NotAManifest, DownloadHTTPError):
            name = f"redistrib_{label}.json"
            data = fetcher.download_bytes(folder + name, _MOST)
            yield from release_of(manifests.parse(data, name))


def release_of(manifest: manifests.Manifest) -> Iterator[CudnnRelease]:
    """The release that a manifest describes, without any limit."""
    found = manifest.component("cudnn")
    if found is None or manifest.product != "cudnn":
        return
    version = ".".join(found.version.split(".")[:3])
    builds = [
        CudnnBuild(
            version=version, full=found.version, cuda=cuda,
            files=tuple(
                File(platform=one.platform, url=one.url, sha256=one.sha256, size=one.size)
                for one in found.archives if one.cuda == cuda
            ),
        )
        for cuda in sorted({one.cuda for one in found.archives if one.cuda}, key=order)
    ]  # fmt: skip
    yield CudnnRelease(
        version=version, full=found.version, released=manifest.released, builds=tuple(builds)
    )


def _listed(fetcher: Fetcher, base: str) -> Iterator[tuple[str, dict[str, registry.Release]]]:
    for project in ("nvidia-cudnn-cu12", "nvidia-cudnn-cu13", *PROJECTS):
        # A mirror may lack a project: the others are asked for all the same.
        with contextlib.suppress(DownloadHTTPError, msgspec.MsgspecError, ValueError):
            data = fetcher.download_bytes(f"{base}/simple/{project}/", _MOST, registry.ACCEPT)
            yield project, registry.releases(data)


def _wheels(listed: dict[str, dict[str, registry.Release]]) -> Iterator[Wheel]:
    for project, releases in listed.items():
        for version, release in releases.items() if project.startswith("nvidia-") else ():
            platforms = cast(tuple[Platform, ...], (*sorted(release.platforms() - {"any"}),))
            if platforms:
                yield Wheel(package=project, version=version, platforms=platforms)


def _frameworks(
    listed: dict[str, dict[str, registry.Release]], reviewed: Compat
) -> Iterator[FrameworkRelease]:
    """The newest release of each framework, if it is newer than the newest reviewed one.

    For the same systems, and asked for by the same words, as that one.
    """
    for project in PROJECTS:
        name = framework_name(project)
        releases = {text: one for text, one in listed.get(project, {}).items() if one.wheels}
        version = max(releases, key=order, default="")
        known = max((o.version for o in reviewed.frameworks if o.name == name), key=order)
        if not version or "post" in version or at_least(known, version):
            continue
        for like in _newest(project, reviewed):
            if python := releases[version].pythons(f"{like.family}-x86_64"):
                yield FrameworkRelease(
                    name=name, version=version, family=like.family, python=python,
                    requirement=like.requirement.replace(f"=={like.version}", f"=={version}"),
                    sure=False,
                )  # fmt: skip


def _newest(project: str, reviewed: Compat) -> list[FrameworkRelease]:
    """The builds of the newest reviewed release that a project has, without those of an index."""
    named = re.compile(rf"{re.escape(project)}(\[.*\])?==")
    rows = [one for one in reviewed.frameworks if not one.index and named.match(one.requirement)]
    last = max((one.version for one in rows), key=order, default="")
    return [one for one in rows if one.version == last]
