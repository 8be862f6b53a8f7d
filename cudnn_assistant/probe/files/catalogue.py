"""Tables: names of cuDNN's and CUDA's files, and the folders of each system that may hold them.

Names: NVIDIA's own locator (cuda-pathfinder) and the wheels of cuDNN 8.5 to 9.28. Where NVIDIA
changed a layout, both are listed. Which parts a cuDNN has stands in the compatibility data.
"""

from __future__ import annotations

import re
import tomllib
from functools import cache

import msgspec

from cudnn_assistant.machine import Family
from cudnn_assistant.places import resource
from cudnn_assistant.regex import regex

MAIN = {
    "linux": regex(r"libcudnn(?:-[0-9a-f]{6,})?\.so(?:\.(\d+)(?:\.\d+)*)?"),
    "windows": regex(r"cudnn64_(\d+)\.dll", re.IGNORECASE),
}
"""File names of the main library; group 1 is the major. A hash: bundled by a repaired wheel."""


_SUFFIX = regex(r"\.so\.(\d+(?:\.\d+)+)$")


def version_in_name(path: str) -> str:
    """Linux: "580.65.06" of "libcuda.so.580.65.06"; "" where there is one number, as in ".so.1"."""
    match = _SUFFIX.search(path)
    return match[1] if match else ""


def part_file(name: str, major: int, family: Family) -> str:
    """File name of a part: ``libcudnn_ops.so.9``, ``cudnn_ops64_9.dll``."""
    stem = "cudnn" if name == "cudnn" else f"cudnn_{name}"
    return f"lib{stem}.so.{major}" if family == "linux" else f"{stem}64_{major}.dll"


class LibraryRule(msgspec.Struct, frozen=True):
    """A library that cuDNN or a framework needs beside cuDNN: patterns of its file's name.

    Group 1, where there is one, has the digits of the major; "" where the system has no such file.
    """

    name: str
    linux: str
    windows: str


def _of_cuda(name: str) -> LibraryRule:
    linux, windows = rf"lib{name}\.so\.(\d+)(?:\.\d+)*", rf"{name}64_(\d+)(?:_\d+)?\.dll"
    return LibraryRule(name, linux, windows)


LIBRARIES: tuple[LibraryRule, ...] = (
    *map(_of_cuda, ("cudart", "cublas", "cublasLt", "nvrtc", "nvrtc-builtins")),
    LibraryRule("zlib", r"libz\.so\.(\d+)(?:\.\d+)*", ""),
    LibraryRule("zlibwapi", "", r"zlibwapi\.dll"),
    LibraryRule("msvcp140", "", r"msvcp140\.dll"),
    LibraryRule("msvcp140_atomic_wait", "", r"msvcp140_atomic_wait\.dll"),
    LibraryRule("vcruntime140", "", r"vcruntime140\.dll"),
    LibraryRule("vcruntime140_1", "", r"vcruntime140_1\.dll"),
    LibraryRule("cuda", r"libcuda\.so\.(1)", r"nvcuda\.dll"),
    LibraryRule("nvml", r"libnvidia-ml\.so\.(1)", r"nvml\.dll"),
)
"""The last two belong to the driver, and a second one on the search path is worth knowing; programs
open them by ".so.1" alone: the long name beside it is the same file."""

FOLDER_VARIABLES = regex(
    r"(EBROOT)?CUDNN(_PATH|_HOME|_ROOT|(_ROOT|_LIB|_LIBRARY)?_DIR|_LIB(RARY)?)?"
    r"|CUDA_(PATH|HOME|ROOT|TOOLKIT_ROOT_DIR|PATH_V.*)"
)
"""Variables that name a root of cuDNN or CUDA (no loader reads them; people set them)."""


class Folders(msgspec.Struct, frozen=True, forbid_unknown_fields=True, rename="kebab"):
    """What resources/library_folders.toml says: patterns of the folders that may hold them."""

    trusted: tuple[str, ...]
    cudnn_installer: tuple[str, ...]
    below_installed: tuple[str, ...]
    drives: tuple[str, ...]
    below_root: dict[Family, tuple[str, ...]]
    toolkits: dict[Family, tuple[str, ...]]
    unpacked: dict[Family, tuple[str, ...]]
    usual: dict[str, tuple[str, ...]]
    in_site: dict[str, tuple[str, ...]]


@cache
def folders() -> Folders:
    """It, read once."""
    return msgspec.convert(
        tomllib.loads(resource("library_folders.toml").read_text("utf-8")), Folders
    )


class Bringing(msgspec.Struct, frozen=True, forbid_unknown_fields=True, rename="kebab"):
    """Projects that bring a framework."""

    name: str
    projects: str
    demands: tuple[str, ...] = ()
    yields_to: str = ""


class Frameworks(msgspec.Struct, frozen=True, forbid_unknown_fields=True, rename="kebab"):
    """What resources/frameworks.toml says."""

    brought_by: tuple[Bringing, ...]
    opened_by: dict[str, tuple[str, ...]]
    opened_before: dict[str, tuple[str, ...]]


@cache
def frameworks() -> Frameworks:
    """It, read once."""
    return msgspec.convert(
        tomllib.loads(resource("frameworks.toml").read_text("utf-8")), Frameworks
    )
