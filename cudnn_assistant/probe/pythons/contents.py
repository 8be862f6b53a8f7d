"""Whether the libraries of an environment hold what was installed, byte for byte.

Slow, since gigabytes are read: only for environments in which a test stopped without a cause.
"""

from __future__ import annotations

import hashlib
from base64 import urlsafe_b64encode
from collections.abc import Callable

import msgspec

from cudnn_assistant.machine import Package, PythonEnvironment
from cudnn_assistant.probe.files.disk import Disk
from cudnn_assistant.probe.pythons.dist_info import installed, package

_BLOCK = 8 << 20


def with_contents(
    disk: Disk, one: PythonEnvironment, over: Callable[[], bool]
) -> PythonEnvironment:
    """The environment with all libraries of NVIDIA's packages compared with their records.

    cuDNN's come first; what isn't read before it is ``over`` counts as unchanged.
    """

    def whole(path: str, digest: str) -> bool:
        return _digest(disk, path, over) in ("", digest)

    def compared(known: Package) -> Package:
        return package(disk, have[known.name], whole) if known.name in mine else known

    have = installed(disk, one.sites)
    mine = {name for name in have if name.startswith("nvidia-")}
    order = sorted(one.packages, key=lambda known: "cudnn" not in known.name)
    found = {known.name: compared(known) for known in order}
    packages = tuple(found[known.name] for known in one.packages)
    return msgspec.structs.replace(one, packages=packages)


def _digest(disk: Disk, path: str, over: Callable[[], bool]) -> str:
    """The SHA-256 of a file in RECORD's spelling; "" where it was not read to its end."""
    found, read = hashlib.sha256(), 0
    while not over() and (block := disk.data(path, _BLOCK, read)):
        found.update(block)
        read += len(block)
    return urlsafe_b64encode(found.digest()).decode().rstrip("=") if read == disk.size(path) else ""
