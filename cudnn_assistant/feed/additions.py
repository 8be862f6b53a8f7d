"""What machines announce: newer releases and their files, never a limit.

Additions come from the feed's ``auto`` role or from NVIDIA directly. Whoever makes them can only
add: a release that the reviewed data has stays as it is there, to the last hash and limit. What was
learned directly is kept for a day.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import msgspec

from cudnn_assistant import places
from cudnn_assistant.compat import (
    Compat,
    CudnnBuild,
    CudnnRelease,
    FrameworkRelease,
    Wheel,
    at_least,
)
from cudnn_assistant.compat.facts import Day
from cudnn_assistant.compat.lookup import order
from cudnn_assistant.compat.packages import known
from cudnn_assistant.compat.strict import held, require_known_packages
from cudnn_assistant.machine import Struct
from cudnn_assistant.plain_file import content
from cudnn_assistant.whole_file import put

_MOST = 500
"""Rows of each kind that one announcement may bring."""
EVERY = timedelta(days=1)
"""How often NVIDIA and PyPI are asked."""


class Additions(Struct, kw_only=True):
    """Releases that nobody has reviewed yet."""

    schema: int = 1
    made: Day = ""
    cudnns: tuple[CudnnRelease, ...] = ()
    frameworks: tuple[FrameworkRelease, ...] = ()
    wheels: tuple[Wheel, ...] = ()


def read(data: bytes) -> Additions:
    """Additions from their JSON, every text held to its pattern.

    Raises :class:`msgspec.MsgspecError` for anything else, text that isn't UTF-8 included.
    """
    made = held(data, Additions)
    if max(len(made.cudnns), len(made.frameworks), len(made.wheels)) > _MOST:
        raise msgspec.ValidationError(f"more than {_MOST} additions at once")
    require_known_packages(made.frameworks)
    return made


def merge(reviewed: Compat, added: Additions) -> Compat:
    """The reviewed data with the releases that are new to it, named in ``unreviewed``."""
    cudnns = tuple(_cudnns(reviewed, added))
    frameworks = tuple(_frameworks(reviewed, added))
    wheels = tuple(_wheels(reviewed, added))
    return msgspec.structs.replace(
        reviewed,
        cudnns=(*reviewed.cudnns, *cudnns),
        frameworks=(*reviewed.frameworks, *frameworks),
        wheels=(*reviewed.wheels, *wheels),
        unreviewed=tuple(dict.fromkeys((
            *(f"cuDNN {one.version}" for one in cudnns),
            *(f"{one.name} {one.version} {one.index}".strip() for one in frameworks),
        ))),
    )  # fmt: skip


def _cudnns(reviewed: Compat, added: Additions) -> Iterator[CudnnRelease]:
    have = {one.version for one in reviewed.cudnns}
    newest = max(have, key=order, default="")
    bad = {one.sha256 for one in reviewed.known_bad if one.sha256}
    for one in added.cudnns:
        taken = one.version in have or at_least(one.version, newest) is not True
        if not taken and not any(file.sha256 in bad for b in one.builds for file in b.files):
            have.add(one.version)
            builds = tuple(_with_limits(reviewed, build) for build in one.builds)
            yield msgspec.structs.replace(one, builds=builds)


def _with_limits(reviewed: Compat, build: CudnnBuild) -> CudnnBuild:
    """A build with the limits of the newest reviewed one for its CUDA, marked as inferred."""
    plain = CudnnBuild(
        version=build.version, full=build.full, cuda=build.cuda, files=build.files,
        inferred=("compute", "cuda", "driver"),
    )  # fmt: skip
    like = [one for release in reviewed.cudnns for one in release.builds if one.cuda == build.cuda]
    nearest = max(like, key=lambda one: order(one.version), default=plain)
    keep = ("version", "full", "files", "inferred")
    return msgspec.structs.replace(nearest, **{name: getattr(plain, name) for name in keep})


def _frameworks(reviewed: Compat, added: Additions) -> Iterator[FrameworkRelease]:
    """New releases of frameworks that are known; what runs on a GPU is for people to say."""
    have = {(one.name, one.version, one.family, one.index) for one in reviewed.frameworks}
    names, seen = {one.name for one in reviewed.frameworks}, set()
    for one in added.frameworks:
        key = (one.name, one.version, one.family, one.index)
        again = (*key, one.requirement)
        if one.name in names and key not in have and again not in seen:
            seen.add(again)
            yield msgspec.structs.replace(one, compute=(), compute_min="", arm=(), sure=False)


def _wheels(reviewed: Compat, added: Additions) -> Iterator[Wheel]:
    have = {(one.package, one.version) for one in reviewed.wheels}
    for one in added.wheels:
        if (one.package, one.version) not in have and known(one.package):
            have.add((one.package, one.version))
            yield one


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
