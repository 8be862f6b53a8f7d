"""What goes into the Linux packages: the same libraries, by allow-list, for each Python series."""

from __future__ import annotations

import shutil
from pathlib import Path

from cudnn_assistant.wording import LANGUAGES
from installer.linux import elf
from installer.windows import payload as windows
from installer.windows.build import LOCK
from installer.windows.python_tree import pip

SERIES = ("3.11", "3.12", "3.13", "3.14")
"""Python series that the packages run on: Debian 12, Ubuntu 24.04, Debian 13, and what follows.

The few libraries that are built for one series lie side by side; their names differ.
"""

NEXT_SERIES = "3.15"
"""The first that they don't run on."""

PLATFORMS = ("2_34", "2_28", "2_27", "2_17", "2_12", "2_5")
"""glibc of the wheels that are taken: 2.34 is older than any supported system's (22.04: 2.35)."""

_QT = ("Core", "DBus", "Gui", "Svg", "Widgets")

_KEEP = (
    *(f"PySide6/Qt{part}.abi3.so" for part in _QT),
    *(f"PySide6/Qt/lib/libQt6{part}.so.6" for part in (*_QT, "XcbQpa", "WaylandClient")),
    "PySide6/Qt/lib/libicu*.so.*",
    "PySide6/libpyside6.abi3.so.*",
    "PySide6/Qt/plugins/platforms/libqxcb.so",
    "PySide6/Qt/plugins/platforms/libqwayland.so",
    "PySide6/Qt/plugins/platforms/libqoffscreen.so",
    "PySide6/Qt/plugins/platformthemes/libqxdgdesktopportal.so",
    "PySide6/Qt/plugins/platforminputcontexts/libcompose*.so",
    "PySide6/Qt/plugins/platforminputcontexts/libibus*.so",
    "PySide6/Qt/plugins/wayland-shell-integration/libxdg-shell.so",
    "PySide6/Qt/plugins/wayland-decoration-client/libbradient.so",
    "PySide6/Qt/plugins/imageformats/libqico.so",
    "PySide6/Qt/plugins/imageformats/libqsvg.so",
    "PySide6/Qt/plugins/iconengines/libqsvgicon.so",
    *(f"PySide6/Qt/translations/qtbase_{language}.qm" for language in LANGUAGES),
    "shiboken6/Shiboken.abi3.so",
    "shiboken6/libshiboken6.abi3.so.*",
    "_cffi_backend.*.so",
)

SYSTEM = {
    "libc6": "libc.so.6 libm.so.6 libpthread.so.0 libdl.so.2 ld-linux-x86-64.so.2",
    "libstdc++6": "libstdc++.so.6",
    "libgcc-s1": "libgcc_s.so.1",
    "libglib2.0-0 | libglib2.0-0t64": "libglib-2.0.so.0 libgthread-2.0.so.0",
    "libegl1": "libEGL.so.1",
    "libgl1": "libGL.so.1",
    "libdbus-1-3": "libdbus-1.so.3",
    "libfontconfig1": "libfontconfig.so.1",
    "libfreetype6": "libfreetype.so.6",
    "libxkbcommon0": "libxkbcommon.so.0",
    "libxkbcommon-x11-0": "libxkbcommon-x11.so.0",
    "libx11-6": "libX11.so.6",
    "libx11-xcb1": "libX11-xcb.so.1",
    "libxcb1": "libxcb.so.1",
    "libxcb-cursor0": "libxcb-cursor.so.0",
    "libxcb-icccm4": "libxcb-icccm.so.4",
    "libxcb-image0": "libxcb-image.so.0",
    "libxcb-keysyms1": "libxcb-keysyms.so.1",
    "libxcb-randr0": "libxcb-randr.so.0",
    "libxcb-render-util0": "libxcb-render-util.so.0",
    "libxcb-render0": "libxcb-render.so.0",
    "libxcb-shape0": "libxcb-shape.so.0",
    "libxcb-shm0": "libxcb-shm.so.0",
    "libxcb-sync1": "libxcb-sync.so.1",
    "libxcb-util1": "libxcb-util.so.1",
    "libxcb-xfixes0": "libxcb-xfixes.so.0",
    "libxcb-xkb1": "libxcb-xkb.so.1",
    "libzstd1": "libzstd.so.1",
    "zlib1g": "libz.so.1",
}
"""Debian's packages, and the libraries in them that ours ask for: the Depends line."""

RECOMMENDED = {
    "libwayland-client0": "libwayland-client.so.0",
    "libwayland-cursor0": "libwayland-cursor.so.0",
}
"""What only the Wayland plugin needs; without it Qt takes X11."""


class Conflict(Exception):
    """Two series' wheels hold different files under one name."""


def fill(target: Path, work: Path, series: tuple[str, ...] = SERIES) -> Path:
    """Put the kept libraries for all ``series`` into ``target``.

    Returns the last fetched tree, whole, for licences and the bill of materials. Raises Conflict.
    """
    fetched = work
    for one in series:
        fetched = work / f"lib-{one}"
        _fetch(fetched, one)
        for path in sorted(p for p in fetched.rglob("*") if p.is_file()):
            name = path.relative_to(fetched).as_posix()
            if kept(name):
                _merge(path, target / name)
    return fetched


def _fetch(target: Path, series: str) -> None:
    platforms = [w for p in PLATFORMS for w in ("--platform", f"manylinux_{p}_x86_64")]
    old = [w for p in ("2014", "2010", "1") for w in ("--platform", f"manylinux{p}_x86_64")]
    pip("install", "--no-deps", "--require-hashes", "--only-binary", ":all:", "--no-compile",
        *platforms, *old, "--python-version", series, "--target", str(target),
        "-r", str(LOCK))  # fmt: skip


def kept(name: str) -> bool:
    """Whether a file of the fetched tree is packed."""
    return windows.kept(name, _KEEP) or (windows.kept(name) and not name.endswith((".dll", ".pyd")))


def _merge(source: Path, target: Path) -> None:
    if target.exists():
        if target.read_bytes() != source.read_bytes():
            raise Conflict(str(target))
        return
    target.parent.mkdir(parents=True, exist_ok=True)
    shutil.copy(source, target)


def missing(tree: Path) -> list[str]:
    """One line for each library that a packed one needs and neither we nor Debian's list have."""
    files = [path for path in tree.rglob("*") if ".so" in path.name and path.is_file()]
    known = {path.name for path in files}
    for words in (*SYSTEM.values(), *RECOMMENDED.values()):
        known.update(words.split())
    return [
        f"{path.relative_to(tree).as_posix()} needs {name}"
        for path in sorted(files)
        for name in elf.needed(path)
        if name not in known
    ]
