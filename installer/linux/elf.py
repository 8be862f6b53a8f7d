"""What a Linux library asks of the system: names of libraries, and versions of their symbols."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

from elftools.common.exceptions import ELFError
from elftools.elf.elffile import ELFFile
from elftools.elf.gnuversions import GNUVerNeedSection

from cudnn_assistant.probe.files.binary import dynamic

_TABLE = Path(__file__).with_name("payload.toml").read_text("utf-8")
_NEWEST: dict[str, list[int]] = tomllib.loads(_TABLE)["newest"]
_VERSION = re.compile(r"^([A-Z]+)_(\d+(?:[._]\d+)*)$")


def needed(path: Path) -> Sequence[str]:
    """DT_NEEDED of an ELF file; nothing of another file."""
    found = dynamic(str(path))
    return found.needed if found else ()


def versions(path: Path) -> list[tuple[str, str]]:
    """Library and version of every symbol version that an ELF file needs."""
    with suppress(ELFError), open(path, "rb") as file:
        section = ELFFile(file).get_section_by_name(".gnu.version_r")
        if isinstance(section, GNUVerNeedSection):
            found = section.iter_versions()
            return [(str(need.name), str(part.name)) for need, parts in found for part in parts]
    return []


def too_new(tree: Path) -> list[str]:
    """One line for each symbol version that Ubuntu 22.04 lacks or that nobody packed has."""
    files = [path for path in sorted(tree.rglob("*")) if path.is_file() and not path.is_symlink()]
    packed = {path.name for path in files}
    return [
        f"{path.relative_to(tree).as_posix()} needs {version} of {library}"
        for path in files
        for library, version in versions(path)
        if library not in packed and not _old_enough(version)
    ]


def _old_enough(version: str) -> bool:
    found = _VERSION.match(version)
    if not found or found[1] not in _NEWEST:
        return False
    return [*map(int, re.split(r"[._]", found[2]))] <= _NEWEST[found[1]]
