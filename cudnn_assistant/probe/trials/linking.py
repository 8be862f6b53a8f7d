"""How a framework has the loader find cuDNN on Linux, read from its installed files.

PyTorch is linked with cuDNN, TensorFlow and JAX open it by name out of a library with a search
path of its own. The test child opens a stand-in with the same entries, so that preloads, search
paths and names that are loaded already act as they do in the person's program.
"""

from __future__ import annotations

import fnmatch
import re
from collections.abc import Iterator, Sequence
from itertools import product
from typing import Any

from cudnn_assistant.machine import Framework, PythonEnvironment
from cudnn_assistant.probe.files import catalogue
from cudnn_assistant.probe.files.binary import Dynamic, dynamic
from cudnn_assistant.probe.files.disk import Disk
from cudnn_assistant.probe.trials.endings import main_names
from cudnn_assistant.versions import major

_CUDA = re.compile(r"lib(cudart|cublasLt|cublas|nvrtc|cudnn)\.so\.[\d.]+")
_CUDNN = re.compile(r"libcudnn\.so\.\d+")
_IN_WHEEL = ("nvidia/cu1*/lib/libcudnn.so.[0-9]", "nvidia/cudnn/lib/libcudnn.so.[0-9]")
"""cuDNN's main file in the first folder of packages that has one, CUDA's common folder first."""


def loading_steps(environment: PythonEnvironment) -> tuple[dict[str, Any], ...]:
    """What the test child does to find cuDNN as this environment's framework does, in order.

    () where no framework's own library says how: then its folders are searched by path.
    """
    disk = Disk("linux")
    bringing = (one for one in environment.frameworks if one.brings_cudnn)
    return next(filter(None, (tuple(_steps(disk, environment.sites, o)) for o in bringing)), ())


def _steps(disk: Disk, sites: Sequence[str], framework: Framework) -> Iterator[dict[str, Any]]:
    known = catalogue.frameworks()
    path = _first(disk, sites, known.opened_by.get(framework.name, ()))
    asked = dynamic(disk.real(path)) if path else None
    if asked is None:
        return
    if early := _first(disk, sites, known.opened_before.get(framework.name, ())):
        first = dynamic(disk.real(early))
        wanted = _needed(first) if first else []
        if first and wanted:
            yield {"needed": wanted, "rpath": first.rpath, "runpath": first.runpath, "may": True}
        # torch/__init__.py opens this by path once CUDA's run-time library is mapped.
        wheel = _first(disk, sites, _IN_WHEEL)
        yield {"paths": [wheel] if wheel else [], "if": "libcudart.so"}
    names = _needed(asked)
    if not any(map(_CUDNN.fullmatch, names)):
        names += main_names("linux", major(framework.cudnn))[:1]
    yield {"needed": names, "rpath": asked.rpath, "runpath": asked.runpath, "may": False}


def _needed(asked: Dynamic) -> list[str]:
    return [name for name in asked.needed if _CUDA.fullmatch(name)]


def _first(disk: Disk, sites: Sequence[str], patterns: Sequence[str]) -> str:
    """The first file below these folders that a pattern means; "" for none."""
    for site, pattern in product(sites, patterns):
        below, _, name = pattern.rpartition("/")
        for folder in disk.matching(site, (below,), network=True):
            for found in fnmatch.filter(disk.names(folder), name):
                return disk.join(folder, found)
    return ""
