"""The look at this computer, as it is asked for."""

from __future__ import annotations

import os
import sys

from cudnn_assistant import probe
from cudnn_assistant.compat import PartsTable
from cudnn_assistant.machine import Family, Machine, PythonEnvironment, Struct
from cudnn_assistant.probe.pythons.environments import one_python
from cudnn_assistant.system import Readable
from cudnn_assistant.trouble import Misuse


class LookRequest(Struct, kw_only=True):
    """How to look; nothing is changed by it."""

    trial: bool = True
    """Run the cuDNN test."""
    truth: bool | None = None
    """Load each copy of cuDNN for its version; by default where the test runs."""
    frameworks: bool = True
    """Afterwards, have frameworks run a convolution themselves."""
    python: str = ""
    """An environment to look at besides; the person says that it may be run."""
    trusted: tuple[str, ...] = ()
    """Folders whose libraries and environments may be run, wherever they lie."""
    folders: tuple[str, ...] = ()
    """Folders that may hold cuDNN or Python environments."""
    offline: bool = False
    """Judge by saved data only."""
    keep_data: bool = False
    """Judge by the data of the check before."""
    parts: PartsTable = ()
    """What each cuDNN is made of; () as the built-in data says."""


def look_at(
    system: Readable, request: LookRequest, say: probe.Say, cancel: probe.Cancel
) -> Machine:
    """Look at this computer; ``say`` hears each part from the calling thread."""
    refuse_32_bits()
    named = python_at(request.python)
    if named:
        environment_at(named, system.family)
    return probe.probe(
        system,
        trial=request.trial,
        truth=request.truth,
        frameworks=request.frameworks,
        python=named,
        trusted=tuple(filter(None, (named, *request.trusted))),
        folders=request.folders,
        parts=request.parts,
        say=say,
        cancel=cancel,
    )


def refuse_32_bits() -> None:
    """Raises :class:`Misuse` where our own Python can load neither the driver nor cuDNN.

    Windows shows such a program another System32 as well, in which there is no driver.
    """
    if sys.maxsize < 1 << 32:
        raise Misuse("own-python-32-bit")


def environment_at(path: str, family: Family) -> PythonEnvironment:
    """The environment that the person named. Raises :class:`Misuse` when it is none."""
    found = one_python(python_at(path), family)
    if found is None:
        raise Misuse("not-an-environment", path=path)
    return found


def python_at(path: str) -> str:
    """The path that the person named, whole. Raises :class:`Misuse` when nothing is there."""
    if path and not os.path.exists(path):
        raise Misuse("no-environment-there", path=path)
    return os.path.abspath(path) if path else ""
