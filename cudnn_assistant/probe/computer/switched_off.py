"""Files with which a laptop's tools, or a person, keep NVIDIA's GPU or its driver off (Linux)."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator
from functools import cache

import msgspec

from cudnn_assistant import places
from cudnn_assistant.machine import SwitchedOff, SwitchTool, readable
from cudnn_assistant.probe.files.disk import Disk

_FOLDERS = ("/etc", "/run", "/usr/lib", "/lib")
"""modprobe and udev read modprobe.d and udev/rules.d in each."""


class _Table(msgspec.Struct, frozen=True):
    """What is looked for; its file says what each part holds."""

    states: dict[str, tuple[str, SwitchTool]]
    lines: dict[str, tuple[str, str]]
    marks: dict[str, SwitchTool]
    usual: dict[str, SwitchTool]


@cache
def _table() -> _Table:
    text = places.resource("switched_off.toml").read_text("utf-8")
    return msgspec.convert(tomllib.loads(text), _Table)


def look(disk: Disk) -> SwitchedOff | None:
    """What keeps the GPU off; ``None`` when nothing does. One that a tool wrote comes first."""
    for file, (pattern, tool) in _table().states.items():
        if said := re.search(pattern, disk.text(file, 4096)):
            return SwitchedOff(tool=tool, file=file, line=readable(said[0].strip()))
    found = [one for below in _table().lines for one in _matching(disk, below)]
    return next((one for one in found if one.tool), found[0] if found else None)


def _matching(disk: Disk, below: str) -> Iterator[SwitchedOff]:
    ending, pattern = _table().lines[below]
    for base in _FOLDERS:
        folder = disk.join(base, below)
        for name in disk.names(folder):
            path = disk.join(folder, name)
            if name.endswith(ending) and (line := re.search(pattern, text := disk.text(path))):
                tool = _tool(path, text)
                yield SwitchedOff(tool=tool, file=readable(path), line=readable(line[0].strip()))


def _tool(path: str, text: str) -> SwitchTool:
    said = f"{path}\n{text}".casefold()
    marked = (tool for mark, tool in _table().marks.items() if mark in said)
    return next(marked, _table().usual.get(path.removeprefix("/usr"), ""))
