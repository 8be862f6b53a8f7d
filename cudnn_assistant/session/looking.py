"""The look at this computer, as it is asked for."""

from __future__ import annotations

import os
import sys

from msgspec.structs import replace

from cudnn_assistant.machine import Family, Machine, PythonEnvironment
from cudnn_assistant.probe import Cancel, Say, Wish, probe
from cudnn_assistant.probe.pythons.environments import one_python
from cudnn_assistant.system import Readable
from cudnn_assistant.trouble import Misuse


class LookRequest(Wish, kw_only=True):
    """How to look, and by which data to judge."""

    offline: bool = False
    """Judge by saved data only."""
    keep_data: bool = False
    """Judge by the data of the check before."""


def look_at(system: Readable, request: LookRequest, say: Say, cancel: Cancel) -> Machine:
    """Look at this computer; ``say`` hears each part from the calling thread."""
    refuse_32_bits()
    named = python_at(request.python)
    if named:
        environment_at(named, system.family)
    trusted = tuple(filter(None, (named, *request.trusted)))
    return probe(system, replace(request, python=named, trusted=trusted), say=say, cancel=cancel)


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
