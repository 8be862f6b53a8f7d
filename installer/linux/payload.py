"""What goes into the Linux packages: the same libraries, by allow-list, for each Python series."""

from __future__ import annotations

import shutil
import tomllib
from pathlib import Path

from cudnn_assistant.wording import LANGUAGES
from installer import NotReady
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

_TABLE = tomllib.loads(Path(__file__).with_suffix(".toml").read_text("utf-8"))
SYSTEM: dict[str, str] = _TABLE["system"]
RECOMMENDED: dict[str, str] = _TABLE["recommended"]
_KEEP = {pattern.format(language=one) for pattern in _TABLE["keep"] for one in LANGUAGES}


def fill(target: Path, work: Path, series: tuple[str, ...] = SERIES) -> Path:
    """Put the kept libraries for all ``series`` into ``target``.

    Returns the last fetched tree, whole, for licences and the bill of materials. Raises NotReady
    where the wheels of two series hold different files under one name.
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
            raise NotReady(f"the wheels of two series differ in {target}")
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
