"""Files with which a laptop's tools, or a person, keep NVIDIA's GPU or its driver off (Linux)."""

from __future__ import annotations

import re
from collections.abc import Iterator

from cudnn_assistant.machine import SwitchedOff, SwitchTool, readable
from cudnn_assistant.probe.files.disk import Disk
from cudnn_assistant.regex import regex

_STATES: tuple[tuple[str, re.Pattern[str], SwitchTool], ...] = (
    ("/etc/prime-discrete", regex(r"^(?:off|intel)\s*$"), "prime-select"),
    ("/etc/supergfxd.conf", regex(r'"mode"\s*:\s*"Integrated"'), "supergfxctl"),
    ("/sys/devices/platform/asus-nb-wmi/dgpu_disable", regex(r"^1\s*$"), "supergfxctl"),
)
"""Where a tool keeps its mode: Ubuntu's prime-select writes "off" in its mode intel, else "on"
or "on-demand"; the last is a switch in the firmware of ASUS laptops."""
_FOLDERS = ("/etc", "/run", "/usr/lib", "/lib")
"""modprobe and udev read modprobe.d and udev/rules.d in each."""
_BLACKLIST = regex(
    r"(?m)^[ \t]*(?:blacklist[ \t]+nvidia|alias[ \t]+nvidia[ \t]+off"
    r"|install[ \t]+nvidia[ \t]+/(?:usr/)?bin/(?:true|false))[ \t]*$"
)
_TAKES_OFF = regex(
    r'(?m)^(?=[^#\n]*?0x10de)(?=[^\n]*?\{class\}=="0x03)[^\n]*?ATTR\{remove\}="1"[^\n]*$'
)
"""Takes display controllers off the bus. Usual rules for power do so with USB and sound alone."""
_MARKS: tuple[tuple[str, SwitchTool], ...] = (
    ("nvidia-prime", "prime-select"),
    ("prime-select", "prime-select"),
    ("envycontrol", "envycontrol"),
    ("supergfx", "supergfxctl"),
    ("system76", "system76-power"),
)
"""What a tool writes into its file, or names it."""
_USUAL: dict[str, SwitchTool] = {
    "/lib/modprobe.d/blacklist-nvidia.conf": "prime-select",
    "/lib/udev/rules.d/50-pm-nvidia.rules": "prime-select",
    "/etc/udev/rules.d/50-remove-nvidia.rules": "envycontrol",
    "/lib/udev/rules.d/50-remove-nvidia.rules": "envycontrol",
}
"""Files, also below /usr, by which one tool alone is known, whatever stands in them."""


def look(disk: Disk) -> SwitchedOff | None:
    """What keeps the GPU off; ``None`` when nothing does. One that a tool wrote comes first."""
    for file, pattern, tool in _STATES:
        if said := pattern.search(disk.text(file, 4096)):
            return SwitchedOff(tool=tool, file=file, line=readable(said[0].strip()))
    found = [*_matching(disk, "modprobe.d", ".conf", _BLACKLIST)]
    found += _matching(disk, "udev/rules.d", ".rules", _TAKES_OFF)
    return next((one for one in found if one.tool), found[0] if found else None)


def _matching(
    disk: Disk, below: str, ending: str, pattern: re.Pattern[str]
) -> Iterator[SwitchedOff]:
    for base in _FOLDERS:
        folder = disk.join(base, below)
        for name in disk.names(folder):
            path = disk.join(folder, name)
            if name.endswith(ending) and (line := pattern.search(text := disk.text(path))):
                tool = _tool(path, text)
                yield SwitchedOff(tool=tool, file=readable(path), line=readable(line[0].strip()))


def _tool(path: str, text: str) -> SwitchTool:
    said = f"{path}\n{text}".casefold()
    for mark, tool in _MARKS:
        if mark in said:
            return tool
    return _USUAL.get(path.removeprefix("/usr"), "")
