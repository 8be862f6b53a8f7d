"""What PyPI answered, kept so that every row can be checked again without a network.

``pypi/PROJECT.json`` holds, for each final release, the day of its upload, its Requires-Python
and the tags of its wheels for Linux and Windows ("withdrawn": yanked), with the SHA-256 of the
whole answer. ``kernels.csv`` holds what the fat binaries inside published wheels contain.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path

import msgspec
from packaging.version import InvalidVersion, Version

FOLDER = Path(__file__).resolve().parent

PLATFORMS = {"linux": "linux-x86_64", "windows": "windows-x86_64"}
"""The platform that a row for a family of systems is about."""

_CPYTHON = re.compile(r"cp3([0-9]+)m?\Z")
_FLOOR = re.compile(r">=\s*3\.([0-9]+)")
_CEILING = re.compile(r"<\s*3\.([0-9]+)")


class Release(msgspec.Struct, frozen=True):
    """One release of a project as the registry lists it."""

    uploaded: str
    requires: str = ""
    wheels: str = ""
    withdrawn: str = ""

    def platforms(self) -> set[str]:
        """The platforms with a wheel that isn't withdrawn; "any" for one that fits all."""
        return {name for tag in self.wheels.split() for name in _platforms(tag)}

    def pythons(self, platform: str) -> str:
        """The Pythons that its wheels for a platform are made for, as a specifier.

        "" when it has no wheel for this platform. Free-threaded builds don't count.
        """
        minors, open_end = set(), False
        for tag in self.wheels.split():
            if {platform, "any"} & set(_platforms(tag)):
                python, abi, _ = tag.split("-")
                minors |= {int(one[1]) for one in _ordinary(python, abi)}
                open_end |= abi == "abi3" or "py3" in python.split(".")
        if not minors and not open_end:
            return ""
        return _specifier(minors, open_end, self.requires)


class Project(msgspec.Struct, frozen=True):
    """All final releases of a project."""

    project: str
    read: str
    sha256: str
    releases: dict[str, Release]

    def release(self, version: str) -> Release | None:
        """A release by its version, however it is written."""
        try:
            wanted = Version(version)
        except InvalidVersion:
            return None
        return next((one for text, one in self.releases.items() if Version(text) == wanted), None)

    def offered(self) -> Mapping[str, Release]:
        """Releases that still have files."""
        return {text: one for text, one in self.releases.items() if one.wheels}


@cache
def project(name: str) -> Project | None:
    """The recorded answer about a project; None when it was never asked for."""
    try:
        data = (FOLDER / "pypi" / f"{name}.json").read_bytes()
    except FileNotFoundError:
        return None
    return msgspec.json.decode(data, type=Project)


def _ordinary(python: str, abi: str) -> Iterator[re.Match[str]]:
    """CPython tags whose ABI is the ordinary one."""
    if abi == "abi3" or abi == "none" or _CPYTHON.match(abi):
        yield from filter(None, map(_CPYTHON.match, python.split(".")))


def _platforms(tag: str) -> Iterator[str]:
    for one in tag.rsplit("-", maxsplit=1)[-1].split("."):
        if one == "any" or one.startswith("win_"):
            yield {"win_amd64": "windows-x86_64", "win_arm64": "windows-arm64"}.get(one, one)
        elif "linux" in one:
            yield "linux-sbsa" if one.endswith("aarch64") else "linux-x86_64"


def _specifier(minors: set[int], open_end: bool, requires: str) -> str:
    lows = [*map(int, _FLOOR.findall(requires)), *([min(minors)] if minors else [])]
    highs = [*map(int, _CEILING.findall(requires)), *([] if open_end else [max(minors) + 1])]
    parts = [f">=3.{max(lows)}"] if lows else []
    return ",".join(parts + ([f"<3.{min(highs)}"] if highs else []))
