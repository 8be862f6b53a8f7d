"""Reads what a package registry answers: a project's releases, and what their wheels are for.

The answer is the simple index in its JSON form, which PyPI and its mirrors share.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator

import msgspec
from packaging.utils import InvalidWheelFilename, parse_wheel_filename
from packaging.version import InvalidVersion

ACCEPT = "application/vnd.pypi.simple.v1+json"
"""What to ask for; the ordinary answer is a page."""

_CPYTHON = re.compile(r"cp3([0-9]{1,3})m?\Z")
_FLOOR = re.compile(r">=\s*3\.([0-9]{1,3})\b")
_CEILING = re.compile(r"<\s*3\.([0-9]{1,3})\b")


class Release(msgspec.Struct, frozen=True):
    """One final release of a project; wheels by the tags of their names."""

    requires: str = ""
    wheels: str = ""
    """Those that aren't withdrawn."""

    def platforms(self) -> set[str]:
        """The platforms with a wheel; "any" for one that fits all."""
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


class _File(msgspec.Struct, frozen=True, rename="kebab"):
    filename: str
    requires_python: str | None = None
    yanked: bool | str = False


class _Answer(msgspec.Struct, frozen=True):
    files: tuple[_File, ...]


def releases(data: bytes) -> dict[str, Release]:
    """The final releases in an answer, by version; wheels for other systems are left out.

    Raises :class:`msgspec.MsgspecError` (or ValueError) for what is no such answer.
    """
    tags: dict[str, set[str]] = defaultdict(set)
    requires: dict[str, str] = {}
    try:
        answer = msgspec.json.decode(data, type=_Answer)
    except RecursionError as trouble:
        raise msgspec.DecodeError(str(trouble)) from trouble
    for file in answer.files:
        try:
            _, version, _, _ = parse_wheel_filename(file.filename)
        except (InvalidWheelFilename, InvalidVersion):
            continue
        tag = "-".join(file.filename.removesuffix(".whl").split("-")[-3:])
        if version.is_prerelease or not any(_platforms(tag)):
            continue
        name = str(version)
        tags[name].update(() if file.yanked else (tag,))
        requires[name] = file.requires_python or requires.get(name, "")
    return {name: Release(requires[name], " ".join(sorted(found))) for name, found in tags.items()}


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
