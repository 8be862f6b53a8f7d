"""Installed CUDA toolkits, by the files that say their version."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from itertools import islice

from cudnn_assistant.envpath import value_of
from cudnn_assistant.machine import Toolkit, readable
from cudnn_assistant.probe.files.catalogue import libraries
from cudnn_assistant.probe.files.disk import Disk
from cudnn_assistant.regex import regex
from cudnn_assistant.versions import numbers, of_cuda

_MOST = 200
_NAMES = regex(r"CUDA_(?:PATH(?:_V\d+_\d+)?|HOME|ROOT|TOOLKIT_ROOT_DIR)|CUDATOOLKIT_HOME")
_MOST_BYTES = 1 << 17
"""The definition stands some 4 to 20 thousand bytes into a header of a megabyte."""
_DEFINED = regex(r"^[ \t]*#[ \t]*define[ \t]+CUDA_VERSION[ \t]+(\d{4,5})\b", re.MULTILINE)
_STATING = {
    "version.json": regex(r'"cuda"\s*:\s*\{[^{}]*"version"\s*:\s*"([\d.]{1,30})"'),
    "version.txt": regex(r"CUDA Version (\d+(?:\.\d+)+)"),
    "include/cuda.h": _DEFINED,
    "targets/x86_64-linux/include/cuda.h": _DEFINED,
    "targets/sbsa-linux/include/cuda.h": _DEFINED,
}


def toolkits(disk: Disk, environment: Mapping[str, str]) -> tuple[Toolkit, ...]:
    """Every toolkit at the usual places and named by variables, each once, newest first."""
    found: dict[str, list[tuple[str, str]]] = {}
    for root, via in _roots(disk, environment):
        found.setdefault(disk.canonical(root), []).append((root, via))
    whole = (_toolkit_at(disk, root, named) for root, named in found.items())
    known = islice(filter(None, whole), _MOST)
    return tuple(sorted(known, key=lambda one: [-number for number in numbers(one.version)]))


def _roots(disk: Disk, environment: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    for name, text in environment.items():
        upper = name.upper() if disk.family == "windows" else name
        if _NAMES.fullmatch(upper) and disk.paths.isabs(text.strip()):
            yield disk.paths.normpath(text.strip()), upper
    # Where installers and distributions put them.
    base = "/" if disk.family == "linux" else program_files(environment)
    for root in disk.matching(base, libraries().toolkits[disk.family]):
        yield root, "default"


def program_files(environment: Mapping[str, str]) -> str:
    """The 64-bit Program Files, also as a 32-bit process sees it."""
    named = (value_of(environment, name, "windows") for name in ("PROGRAMW6432", "PROGRAMFILES"))
    return next(filter(None, named), "C:\\Program Files")


def _toolkit_at(disk: Disk, root: str, named: list[tuple[str, str]]) -> Toolkit | None:
    """The toolkit in a folder; ``named``: by what names it was met, and how."""
    version = version_of(disk, root)
    compiler = "nvcc.exe" if disk.family == "windows" else "nvcc"
    if not version and not disk.is_file(disk.join(root, "bin", compiler)):
        return None
    return Toolkit(
        version=version,
        root=readable(root),
        libraries=tuple(library_folders(disk, root)),
        links=tuple(dict.fromkeys(readable(name) for name, _via in named if name != root)),
        found_via=tuple(dict.fromkeys(via for _name, via in named)),
    )


def version_of(disk: Disk, root: str) -> str:
    """Version by version.json, version.txt or cuda.h; "" when none of them is there."""
    for file, pattern in _STATING.items():
        if match := pattern.search(disk.text(disk.join(root, *file.split("/")), _MOST_BYTES)):
            return of_cuda(int(match[1])) if file.endswith(".h") else str(match[1])
    return ""


def library_folders(disk: Disk, root: str) -> list[str]:
    """Folders of a toolkit or cuDNN that hold libraries, canonical, each once."""
    below = filter(None, libraries().below_root[disk.family])
    found = (disk.join(root, *one.split("/")) for one in below)
    return [*dict.fromkeys(map(disk.canonical, filter(disk.is_folder, found)))]
