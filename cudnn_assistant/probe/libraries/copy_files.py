"""The files of one copy of cuDNN: which are there, whole, and of which version."""

from __future__ import annotations

import re
from collections.abc import Mapping

from cudnn_assistant.compat import PartsTable, cudnn_majors, parts_of
from cudnn_assistant.machine import Part
from cudnn_assistant.probe.files.binary import elf_section, look_at
from cudnn_assistant.probe.files.catalogue import MAIN, part_file
from cudnn_assistant.probe.files.disk import Disk
from cudnn_assistant.probe.files.dll_version import dll_version

_MOST_NAMES = 4 << 20
_SUFFIX = re.compile(r"\.so\.(\d+(?:\.\d+)+)$")


def main_files(
    names: Mapping[str, bool], disk: Disk, folder: str, table: PartsTable
) -> dict[int, str]:
    """The main library's file name by major, among the names in a folder."""
    found: dict[int, str] = {}
    for name in sorted(names, key=len):  # the soname is the shortest with a number
        match = MAIN[disk.family].fullmatch(name)
        if match and match[1]:
            found.setdefault(int(match[1]), name)
    if not found and "libcudnn.so" in names and disk.family == "linux":
        match = _SUFFIX.search(disk.name(disk.canonical(disk.join(folder, "libcudnn.so"))))
        number = int(match[1].split(".")[0]) if match else _by_soname(disk, folder)
        if number:
            found[number] = "libcudnn.so"
    if not found:
        headless = _headless(names, disk, table)
        found = {major: part_file("cudnn", major, disk.family) for major in headless}
    oldest = min(cudnn_majors(table))
    return {major: name for major, name in found.items() if major >= oldest}


def _by_soname(disk: Disk, folder: str) -> int:
    """Major by the name that a file without a number says of itself; 0 when it says none."""
    section = elf_section(disk.real(disk.join(folder, "libcudnn.so")), b".dynstr")
    text = (
        disk.data(disk.join(folder, "libcudnn.so"), min(section[1], _MOST_NAMES), section[0])
        if section
        else b""
    )
    match = re.search(rb"(?:^|\0)libcudnn\.so\.(\d{1,3})\0", text)
    return int(match[1]) if match else 0


def _headless(names: Mapping[str, bool], disk: Disk, table: PartsTable) -> list[int]:
    """Majors of which a folder holds the parts, and not the main library that loads them."""
    majors = cudnn_majors(table)
    return [one for one in majors if len(_there(names, one, disk, table)) >= _SEVERAL]


_SEVERAL = 3
"""Parts that make a folder one of cuDNN's; programs bring single ones for reasons of their own."""


def file_version(disk: Disk, folder: str, name: str) -> str:
    """Version by the suffix of the real file's name, or by the version resource of a DLL."""
    path = disk.join(folder, name)
    if disk.family == "windows":
        return dll_version(disk.real(path))
    match = _SUFFIX.search(disk.name(disk.canonical(path))) or _SUFFIX.search(name)
    return match[1] if match else ""


def flavour_of(
    names: Mapping[str, bool], major: int, disk: Disk, table: PartsTable, *, bundled: bool
) -> str:
    """ "jit" and "shim" are whole without the other parts; anything else has to be "full"."""
    there, series = _there(names, major, disk, table), parts_of(table, major)
    if series.is_jit({*there}):
        return "jit"
    return "shim" if bundled and there == ["cudnn"] and series.always(disk.family) else "full"


def parts(
    disk: Disk,
    folder: str,
    names: Mapping[str, bool],
    major: int,
    main: str,
    version: str,
    table: PartsTable,
) -> tuple[Part, ...]:
    """Every part that this version should have, and those it has besides.

    ``version`` decides which parts are due; when it is unknown only those of every minor are. For
    majors yet to come only the main library is.
    """
    found = []
    known = major in cudnn_majors(table)
    expected = parts_of(table, major).due(version, disk.family) if known else ("cudnn",)
    for name in _known(major, disk, table):
        file = _file(names, name, major, disk) if name != "cudnn" else main
        if name == "cudnn" and not _loadable(main, major, names, disk):
            file = ""
        if file:
            found.append(_part(disk, folder, name, file))
        elif name in expected:
            found.append(Part(name=name, file=part_file(name, major, disk.family), state="missing"))
    return tuple(found)


def _loadable(main: str, major: int, names: Mapping[str, bool], disk: Disk) -> bool:
    """Whether programs get this main library: on Linux they ask for libcudnn.so.MAJOR alone.

    A wheel's own copy, with a hash in its name, is asked for by that name.
    """
    asked = part_file("cudnn", major, disk.family)
    return main in names and (disk.family == "windows" or main == asked or "-" in main)


def _known(major: int, disk: Disk, table: PartsTable) -> list[str]:
    series = parts_of(table, major)
    return ["cudnn", *series.always(disk.family), *series.extra]


def _there(names: Mapping[str, bool], major: int, disk: Disk, table: PartsTable) -> list[str]:
    return [one for one in _known(major, disk, table) if _file(names, one, major, disk)]


def _file(names: Mapping[str, bool], part: str, major: int, disk: Disk) -> str:
    """The file that a program would open for a part; "" when there is none."""
    if disk.family == "windows":
        wanted = part_file(part, major, "windows").lower()
        return next((name for name in names if name.lower() == wanted), "")
    soname = part_file(part, major, "linux")
    if soname in names:
        return soname
    # 9's dispatcher also tries the long names; 8's asks for the soname alone.
    numbered = re.compile(rf"{re.escape(soname)}(?:\.\d+)+")
    longer = sorted(filter(numbered.fullmatch, names)) if major >= 9 else []
    stem = re.escape(soname.split(".so.")[0])
    hashed = re.compile(rf"{stem}-[0-9a-f]{{6,}}\.so\.{major}(?:\.\d+)*")
    return next(iter(longer or sorted(filter(hashed.fullmatch, names))), "")


def _part(disk: Disk, folder: str, name: str, file: str) -> Part:
    seen = look_at(disk.real(disk.join(folder, file)))
    # A DLL under a name of Linux, or the other way round, is no library for this computer.
    foreign = seen.kind == ("elf" if disk.family == "windows" else "pe")
    whole = seen.state == "ok" and not foreign
    return Part(
        name=name,
        file=file,
        state="not-a-library" if foreign else seen.state,
        version=file_version(disk, folder, file) if whole else "",
        architecture=seen.architecture,
    )
