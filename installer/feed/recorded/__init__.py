"""What PyPI answered, kept so that every row can be checked again without a network.

``pypi/PROJECT.json`` holds, for each final release, the day of its upload, its Requires-Python
and the tags of its wheels for Linux and Windows ("withdrawn": yanked), with the SHA-256 of the
whole answer. ``kernels.csv`` holds what the fat binaries inside published wheels contain.
"""

from __future__ import annotations

import csv
from collections.abc import Mapping
from functools import cache
from pathlib import Path

import msgspec
from packaging.version import InvalidVersion, Version

from cudnn_assistant.compat.facts import Platform
from cudnn_assistant.feed.registry import Release

FOLDER = Path(__file__).resolve().parent

PLATFORMS: dict[str, Platform] = {"linux": "linux-x86_64", "windows": "windows-x86_64"}
"""The platform that a row for a family of systems is about."""

ARM = {"linux": "linux-sbsa", "windows": "windows-arm64"}
"""The platform that its column "arm" is about."""


class Project(msgspec.Struct, frozen=True):
    """All final releases of a project."""

    project: str
    read: str = ""
    sha256: str = ""
    releases: dict[str, Release] = {}

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
def project(name: str) -> Project:
    """The recorded answer about a project; without any release when it was never asked for."""
    try:
        data = (FOLDER / "pypi" / f"{name}.json").read_bytes()
    except FileNotFoundError:
        return Project(project=name)
    return msgspec.json.decode(data, type=Project)


def kernels() -> dict[tuple[str, str, str], str]:
    """What each library that was read holds code for, by project, version and family."""
    with (FOLDER / "kernels.csv").open(newline="", encoding="utf-8") as file:
        return {
            (
                row["project"],
                row["file"].split("-")[1],
                "windows" if "win_amd64" in row["file"] else "linux",
            ): row["kernels"]
            for row in csv.DictReader(file)
        }
