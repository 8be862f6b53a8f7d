"""The version that cuDNN's header states. It may belong to another copy than the libraries."""

from __future__ import annotations

import re

from cudnn_assistant.probe.files.disk import Disk
from cudnn_assistant.regex import regex

_NUMBER = regex(
    r"^[ \t]*#[ \t]*define[ \t]+CUDNN_(MAJOR|MINOR|PATCHLEVEL)[ \t]+(\d{1,5})\b", re.MULTILINE
)
_MOST_BYTES = 1 << 18
_DIVIDED = regex(r"\d+(?:\.\d+)+|\w+-linux-gnu")
"""Folders by which libraries and headers alike are divided: CUDA versions, Debian's processors."""


def version(disk: Disk, folder: str, major: int, *, alone: bool = True) -> str:
    """Version by the header that belongs to a library folder; "" when there is none.

    A header of another major counts only when the folder holds no other copy that it could
    belong to (``alone``).
    """
    names = (f"cudnn_version_v{major}.h", "cudnn_version.h", f"cudnn_v{major}.h", "cudnn.h")
    for include in include_folders(disk, folder):
        for name in names:
            found = stated(disk.text(disk.join(include, name), _MOST_BYTES))
            if found and (alone or found.split(".")[0] == str(major)):
                return found
    return ""


def stated(text: str) -> str:
    """Version in a header's text."""
    numbers = dict(_NUMBER.findall(text))
    wanted = ("MAJOR", "MINOR", "PATCHLEVEL")
    return ".".join(numbers[name] for name in wanted) if all(n in numbers for n in wanted) else ""


def include_folders(disk: Disk, folder: str) -> list[str]:
    """Folders beside a library folder that its headers may lie in, nearest first.

    Up to three levels: ``lib``, ``lib/x86_64-linux-gnu``, ``bin/12.9/x64``.
    """
    found: list[str] = []
    at, passed = folder, ""
    for _ in range(3):
        name, at = disk.name(at), disk.parent(at)
        passed = name if _DIVIDED.fullmatch(name) else passed
        include = disk.join(at, "include")
        if passed:
            found.append(disk.join(include, passed))
        found.append(include)
        if name.lower() in ("lib", "lib64", "bin"):
            break
    return found
