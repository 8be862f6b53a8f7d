"""A quick look whether something was installed: milliseconds, no child process, nothing opened."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence

from cudnn_assistant.envpath import expand
from cudnn_assistant.machine import Family

_LINUX = (
    # Written by the driver's module, by ldconfig, and by each package manager when it is done.
    "/proc/driver/nvidia/version",
    "/etc/ld.so.cache",
    "/var/lib/dpkg/status",
    "/var/lib/rpm",
    "/usr/lib/sysimage/rpm",
    "/var/lib/pacman/local",
    "/usr/local",
    "/opt/cuda",
    "/usr/lib/x86_64-linux-gnu",
    "/usr/lib/aarch64-linux-gnu",
    "/usr/lib64",
    "/usr/lib/wsl/lib",
)
_WINDOWS = (
    r"%SystemRoot%\System32\nvcuda.dll",
    r"%SystemRoot%\System32\nvml.dll",
    r"%SystemRoot%\System32\vcruntime140.dll",
    r"%SystemRoot%\System32\vcruntime140_1.dll",
    r"%SystemRoot%\System32\msvcp140.dll",
    r"%SystemRoot%\System32\lxss\lib",
    r"%ProgramFiles%\NVIDIA\CUDNN",
    r"%ProgramFiles%\NVIDIA GPU Computing Toolkit\CUDA",
)


def watched(family: Family, environment: Mapping[str, str]) -> tuple[str, ...]:
    """The files and folders that an installer of a driver, toolkit, runtime or cuDNN touches."""
    if family != "windows":
        return _LINUX
    usual = {"SystemRoot": r"C:\Windows", "ProgramFiles": r"C:\Program Files"}
    known = {name: environment.get(name) or text for name, text in usual.items()}
    return tuple(expand(path, known.get, "windows") for path in _WINDOWS)


def marks(paths: Sequence[str]) -> tuple[object, ...]:
    """Something that differs when one of these was made, changed, replaced or removed."""
    return tuple(map(_mark, paths))


def _mark(path: str) -> object:
    try:
        if path.startswith("/proc"):
            # Its time of change is the time it was asked for; its text is what counts.
            with open(path, encoding="utf-8", errors="replace") as file:
                return file.read(500)
        seen = os.stat(path)
    except OSError:
        return None
    # An installer may give a file the age that it had when it was packed.
    return seen.st_mtime_ns, seen.st_ino, seen.st_size
