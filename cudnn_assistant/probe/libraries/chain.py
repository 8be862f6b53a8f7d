"""The libraries that cuDNN and frameworks need beside cuDNN: CUDA's, zlib, Visual C++'s."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from functools import cache

from cudnn_assistant.machine import Family, Library, readable
from cudnn_assistant.probe.files.binary import look_at
from cudnn_assistant.probe.files.catalogue import LIBRARIES, LibraryRule
from cudnn_assistant.probe.files.disk import Disk
from cudnn_assistant.probe.files.dll_version import dll_version
from cudnn_assistant.probe.libraries.copies import Folder
from cudnn_assistant.probe.libraries.owner import Owner
from cudnn_assistant.probe.libraries.owners import Records

_MOST = 3000
_IN_WHEEL = re.compile(
    r"(.+)[\\/]nvidia[\\/](?:cublas|cuda_runtime|cuda_nvrtc|cu\d+)[\\/](?:lib|bin(?:[\\/]\w+)?)"
)


def libraries(
    disk: Disk,
    folders: Iterable[Folder],
    cached: Mapping[str, str],
    records: Records | None = None,
) -> tuple[Library, ...]:
    """Every such library in ``folders``, one entry per folder and major."""
    records = records or Records(disk)
    in_cache = {disk.canonical(path) for path in cached.values()}
    found: list[Library] = []
    for folder in folders:
        for rule in LIBRARIES:
            for major, name in _of_rule(folder.names, rule, disk.family).items():
                if len(found) < _MOST:
                    found.append(_library(disk, folder, rule, name, major, in_cache, records))
    return tuple(found)


def _of_rule(names: Mapping[str, bool], rule: LibraryRule, family: Family) -> dict[int | None, str]:
    found: dict[int | None, str] = {}
    pattern = _pattern(rule, family)
    for name in sorted(names, key=lambda text: (len(text), text)) if pattern else ():
        match = pattern.fullmatch(name) if pattern else None
        if match:
            found.setdefault(major_of(match[1] or "", family) if match.re.groups else None, name)
    return found


@cache
def _pattern(rule: LibraryRule, family: Family) -> re.Pattern[str] | None:
    if family == "linux":
        if not rule.linux:
            return None
        if rule.name in ("cuda", "nvml"):
            # Programs open these by ".so.1" alone; the long name beside it is the same file.
            return re.compile(rf"{re.escape(rule.linux)}\.so\.(1)")
        return re.compile(rf"{re.escape(rule.linux)}\.so\.(\d+)(?:\.\d+)*")
    if not rule.windows:
        return None
    if "." in rule.windows:
        return re.compile(re.escape(rule.windows), re.IGNORECASE)
    return re.compile(rf"{re.escape(rule.windows)}64_(\d+)(?:_\d+)?\.dll", re.IGNORECASE)


def major_of(digits: str, family: Family) -> int | None:
    """Major by the digits in a file's name: 110 → 11, 12 → 12, 90 → 9, 129 → 12."""
    if not digits:
        return None
    if family == "linux" or len(digits) < 2 or (len(digits) == 2 and int(digits) < 90):
        return int(digits)
    return int(digits[:-1])


def _library(
    disk: Disk,
    folder: Folder,
    rule: LibraryRule,
    name: str,
    major: int | None,
    in_cache: set[str],
    records: Records,
) -> Library:
    path = disk.join(folder.path, name)
    real = disk.canonical(path)
    seen = look_at(disk.real(path))
    owner = _owner(folder, rule.name, major, (path, real), records)
    return Library(
        name=rule.name,
        path=readable(path),
        major=major,
        version=_version(disk, real),
        architecture=seen.architecture,
        found_via=(*folder.via, *(("ld-cache",) if real in in_cache else ())),
        owner=str(owner) if owner else "",
    )


def _owner(
    folder: Folder, name: str, major: int | None, paths: Iterable[str], records: Records
) -> Owner | None:
    if wheel := _IN_WHEEL.fullmatch(folder.path):
        return records.of_library(name, major, wheel[1], "")
    if folder.site:
        return None  # a framework's own file
    if folder.environment:
        return records.of_library(name, major, "", folder.environment)
    return next((owner for path in paths if (owner := records.of_file(path))), None)


def _version(disk: Disk, path: str) -> str:
    if disk.family == "windows":
        return _of_resource(dll_version(disk.real(path)))
    match = re.search(r"\.so\.(\d+(?:\.\d+)+)$", disk.name(path))
    return match[1] if match else ""


def _of_resource(version: str) -> str:
    """The CUDA runtime hides its version in the last field: 6.14.11.12090 is 12.9."""
    fields = version.split(".")
    if fields[:3] == ["6", "14", "11"] and int(fields[3]) >= 1000:
        number = int(fields[3])
        return f"{number // 1000}.{number % 1000 // 10}"
    return version
