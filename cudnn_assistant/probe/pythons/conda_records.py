"""What conda installed in an environment, from the names of its records in ``conda-meta``."""

from __future__ import annotations

import msgspec

from cudnn_assistant.probe.files.disk import Disk
from cudnn_assistant.regex import regex
from cudnn_assistant.versions import dotted

_RECORD = regex(r"(?P<name>.+)-(?P<version>[^-]+)-(?P<build>[^-]+)\.json")
_CUDA = regex(r"cuda_?(\d+(?:\.\d+)?)")
_CUDNN = regex(r"cudnn(\d+(?:\.\d+)*)")


class CondaPackage(msgspec.Struct, frozen=True):
    """One package of a conda environment. Conda puts the CUDA it was built for in ``build``."""

    name: str
    version: str
    build: str

    @property
    def cuda(self) -> str:
        """CUDA by the build's name: "py3.10_cuda11.8_cudnn8.7.0_0", "cuda126py312h…"."""
        match = _CUDA.search(self.build)
        return dotted(match[1]) if match else ""

    @property
    def cudnn(self) -> str:
        """cuDNN by the build's name, "" when it isn't named."""
        match = _CUDNN.search(self.build)
        return match[1] if match else ""


def conda_packages(disk: Disk, root: str) -> dict[str, CondaPackage]:
    """Packages by name of the conda environment at ``root``; empty when it is none.

    One listing; the records themselves (with every file's path) are not opened.
    """
    matches = map(_RECORD.fullmatch, disk.names(disk.join(root, "conda-meta")))
    packages = (CondaPackage(m["name"], m["version"], m["build"]) for m in matches if m)
    return {package.name: package for package in packages}
