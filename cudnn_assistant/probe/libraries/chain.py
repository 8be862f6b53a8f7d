"""The libraries that cuDNN and frameworks need beside cuDNN: CUDA's, zlib, Visual C++'s."""

from __future__ import annotations

import re
from collections.abc import Collection, Container, Iterable
from itertools import islice

from cudnn_assistant.machine import Family, Library, readable
from cudnn_assistant.probe.files import catalogue
from cudnn_assistant.probe.files.binary import dll_version, look_at
from cudnn_assistant.probe.files.catalogue import LibraryRule, version_in_name
from cudnn_assistant.probe.files.disk import Disk
from cudnn_assistant.probe.libraries.copies import Folder
from cudnn_assistant.probe.libraries.owners import Owner, Records
from cudnn_assistant.regex import regex
from cudnn_assistant.versions import of_cuda

_MOST = 3000
_IN_WHEEL = regex(
    r"(.+)[\\/]nvidia[\\/](?:cublas|cuda_runtime|cuda_nvrtc|cu\d+)[\\/](?:lib|bin(?:[\\/]\w+)?)"
)


def libraries(
    disk: Disk, folders: Iterable[Folder], in_cache: Container[str], records: Records
) -> tuple[Library, ...]:
    """Every such library in ``folders``, one entry per folder and major."""

    windows = disk.family == "windows"

    def library(folder: Folder, rule: LibraryRule, major: int | None, name: str) -> Library:
        path = disk.join(folder.path, name)
        real = disk.canonical(path)
        owner = _owner(folder, rule.name, major, (path, real), records)
        return Library(
            name=rule.name,
            path=readable(path),
            major=major,
            version=_of_resource(dll_version(disk.real(real)))
            if windows
            else version_in_name(real),
            architecture=look_at(disk.real(path)).architecture,
            found_via=(*folder.via, *(("ld-cache",) if real in in_cache else ())),
            owner=str(owner) if owner else "",
        )

    found = (
        library(folder, rule, major, name)
        for folder in folders
        for rule in catalogue.libraries().libraries
        for major, name in _of_rule(folder.names, rule, disk.family).items()
    )
    return tuple(islice(found, _MOST))


def _of_rule(names: Collection[str], rule: LibraryRule, family: Family) -> dict[int | None, str]:
    windows = family == "windows"
    pattern = re.compile(rule.windows if windows else rule.linux, re.IGNORECASE if windows else 0)
    found: dict[int | None, str] = {}
    for name in sorted(names, key=lambda text: (len(text), text)) if pattern.pattern else ():
        if match := pattern.fullmatch(name):
            found.setdefault(major_of(match[1] if pattern.groups else "", family), name)
    return found


def major_of(digits: str, family: Family) -> int | None:
    """Major by the digits in a file's name: 110 → 11, 12 → 12, 90 → 9, 129 → 12."""
    if not digits:
        return None
    if family == "linux" or len(digits) < 2 or (len(digits) == 2 and int(digits) < 90):
        return int(digits)
    return int(digits[:-1])


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


def _of_resource(version: str) -> str:
    """The CUDA runtime hides its version in the last field: 6.14.11.12090 is 12.9."""
    fields = version.split(".")
    if fields[:3] == ["6", "14", "11"] and int(fields[3]) >= 1000:
        return of_cuda(int(fields[3]))
    return version
