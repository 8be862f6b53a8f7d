"""The files of one copy of cuDNN: which are there, whole, and of which version."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator

import msgspec

from cudnn_assistant.compat import PartsTable, cudnn_majors, parts_of
from cudnn_assistant.machine import Flavour, Part
from cudnn_assistant.probe.files.binary import cudnn_dll_version, elf_text, look_at
from cudnn_assistant.probe.files.catalogue import MAIN, part_file, version_in_name
from cudnn_assistant.probe.files.disk import Disk
from cudnn_assistant.versions import major as major_of

_MOST_NAMES = 4 << 20
_SEVERAL = 3
"""Parts that make a folder one of cuDNN's; programs bring single ones for reasons of their own."""


class CopyFiles(msgspec.Struct, frozen=True):
    """The files in one folder, some of which may be cuDNN's."""

    disk: Disk
    folder: str
    names: Collection[str]
    """What the folder holds, as far as it matters here."""
    table: PartsTable

    def mains(self) -> dict[int, str]:
        """The main library's file name by major."""
        disk, names = self.disk, self.names
        found: dict[int, str] = {}
        for name in sorted(names, key=len):  # the soname is the shortest with a number
            match = MAIN[disk.family].fullmatch(name)
            if match and match[1]:
                found.setdefault(int(match[1]), name)
        if not found and "libcudnn.so" in names and disk.family == "linux":
            named = version_in_name(disk.canonical(self._path("libcudnn.so")))
            if number := major_of(named) or self._by_soname():
                found[number] = "libcudnn.so"
        majors = cudnn_majors(self.table)
        if not found:
            # The parts are there, and not the main library that loads them.
            headless = (one for one in majors if len(self._there(one)) >= _SEVERAL)
            found = {major: part_file("cudnn", major, disk.family) for major in headless}
        return {major: name for major, name in found.items() if major >= min(majors)}

    def _path(self, name: str) -> str:
        return self.disk.join(self.folder, name)

    def _by_soname(self) -> int:
        """Major by the name that a file without a number says of itself; 0 when it says none."""
        text = elf_text(self.disk.real(self._path("libcudnn.so")), b".dynstr", _MOST_NAMES)
        match = re.search(rb"(?:^|\0)libcudnn\.so\.(\d{1,3})\0", text)
        return int(match[1]) if match else 0

    def version(self, name: str) -> str:
        """Version by the suffix of the real file's name, or by the version resource of a DLL."""
        path = self._path(name)
        if self.disk.family == "windows":
            return cudnn_dll_version(self.disk.real(path))
        return version_in_name(self.disk.canonical(path)) or version_in_name(name)

    def flavour(self, major: int, *, bundled: bool) -> Flavour:
        """ "jit" and "shim" are whole without the other parts; anything else has to be "full"."""
        there, series = self._there(major), parts_of(self.table, major)
        if series.is_jit({*there}):
            return "jit"
        alone = bundled and there == ["cudnn"] and series.always(self.disk.family)
        return "shim" if alone else "full"

    def parts(self, major: int, main: str, version: str) -> Iterator[Part]:
        """Every part that this version should have, and those it has besides.

        ``version`` decides which parts are due; when it is unknown only those of every minor are.
        For majors yet to come only the main library is.
        """
        known, family = major in cudnn_majors(self.table), self.disk.family
        expected = parts_of(self.table, major).due(version, family) if known else ("cudnn",)
        for name in self._known(major):
            file = self._file(name, major)
            if name == "cudnn":
                file = main if self._loadable(main, major) else ""
            if file:
                yield self._part(name, file)
            elif name in expected:
                yield Part(name=name, file=part_file(name, major, family), state="missing")

    def _loadable(self, main: str, major: int) -> bool:
        """Whether programs get this main library: on Linux they ask for libcudnn.so.MAJOR alone.

        A wheel's own copy, with a hash in its name, is asked for by that name.
        """
        asked = part_file("cudnn", major, self.disk.family)
        named = self.disk.family == "windows" or main == asked or "-" in main
        return named and main in self.names

    def _known(self, major: int) -> list[str]:
        series = parts_of(self.table, major)
        return ["cudnn", *series.always(self.disk.family), *series.extra]

    def _there(self, major: int) -> list[str]:
        return [one for one in self._known(major) if self._file(one, major)]

    def _file(self, part: str, major: int) -> str:
        """The file that a program would open for a part; "" when there is none."""
        names, asked = self.names, part_file(part, major, self.disk.family)
        if self.disk.family == "windows":
            return next((name for name in names if name.lower() == asked.lower()), "")
        if asked in names:
            return asked
        # 9's dispatcher also tries the long names; 8's asks for the soname alone.
        stem = asked.split(".so.")[0]
        others = sorted(name for name in names if name.startswith(stem))
        longer = rf"{re.escape(asked)}(?:\.\d+)+"
        hashed = rf"{re.escape(stem)}-[0-9a-f]{{6,}}\.so\.{major}(?:\.\d+)*"
        fitting = [longer, hashed] if major >= 9 else [hashed]
        return next((name for one in fitting for name in others if re.fullmatch(one, name)), "")

    def _part(self, name: str, file: str) -> Part:
        seen = look_at(self.disk.real(self._path(file)))
        # A DLL under a name of Linux, or the other way round, is no library for this computer.
        foreign = seen.kind == ("elf" if self.disk.family == "windows" else "pe")
        whole = seen.state == "ok" and not foreign
        return Part(
            name=name,
            file=file,
            state="not-a-library" if foreign else seen.state,
            version=self.version(file) if whole else "",
            architecture=seen.architecture,
        )
