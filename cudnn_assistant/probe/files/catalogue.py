"""Names of cuDNN's and CUDA's files, the folders that may hold them, and what brings frameworks.

Names are those of NVIDIA's own locator (cuda-pathfinder) and of the wheels of cuDNN 8.5 to 9.28.
Which parts a cuDNN has stands in the compatibility data.
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


class LibraryRule(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A library that cuDNN or a framework needs: how its file is called, and what brings it."""

    name: str
    linux: str = ""
    windows: str = ""
    wheel: str = ""
    conda: tuple[str, ...] = ()


FOLDER_VARIABLES = regex(
    r"(EBROOT)?CUDNN(_PATH|_HOME|_ROOT|(_ROOT|_LIB|_LIBRARY)?_DIR|_LIB(RARY)?)?"
    r"|CUDA_(PATH|HOME|ROOT|TOOLKIT_ROOT_DIR|PATH_V.*)"
)
"""Variables that name a root of cuDNN or CUDA (no loader reads them; people set them)."""


class Libraries(msgspec.Struct, frozen=True, forbid_unknown_fields=True, rename="kebab"):
    """What resources/libraries.toml says: of libraries, and of the folders that may hold them."""

    trusted: tuple[str, ...]
    cudnn_installer: tuple[str, ...]
    below_installed: tuple[str, ...]
    drives: tuple[str, ...]
    below_root: dict[Family, tuple[str, ...]]
    toolkits: dict[Family, tuple[str, ...]]
    unpacked: dict[Family, tuple[str, ...]]
    usual: dict[str, tuple[str, ...]]
    in_site: dict[str, tuple[str, ...]]
    libraries: tuple[LibraryRule, ...]


@cache
def libraries() -> Libraries:
    """It, read once."""
    return msgspec.convert(tomllib.loads(resource("libraries.toml").read_text("utf-8")), Libraries)


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
