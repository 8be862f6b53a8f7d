"""What fits a computer that is, or one that is imagined."""

from __future__ import annotations

import os
import platform
import sys
from typing import Any, Literal

import msgspec

from cudnn_assistant.compat import (
    Compat,
    Situation,
    cuda_of_driver,
    meant,
    situation,
    version,
)
from cudnn_assistant.machine import SYSTEM, Machine, Struct
from cudnn_assistant.trouble import Misuse


class Imagined(Struct, kw_only=True):
    """What is to be taken for true in place of what is here; "" leaves it as it is."""

    gpu: str = ""
    """Name, or compute capability like "8.6". With it an ordinary computer is imagined."""
    driver: str = ""
    framework: str = ""
    """A framework and its version: "tensorflow 2.10", "torch"."""
    python_version: str = ""
    system: Literal["", "linux", "windows"] = ""
    """With ``gpu``: on this system; "" for the one that runs us."""


def seen_situation(machine: Machine, compat: Compat, python: str = "") -> Situation:
    """The situation of the system's programs, or of the environment at a path."""
    wanted = os.path.abspath(python) if python else ""
    named = (one.id for one in machine.pythons if wanted in (one.id, one.python))
    return situation(machine, compat, next(named, SYSTEM) if wanted else SYSTEM)


def ordinary(system: str) -> Situation:
    """An ordinary computer with this system and the present kind of processor."""
    windows = (system or ("windows" if sys.platform == "win32" else "linux")) == "windows"
    arm = platform.machine().lower() in ("aarch64", "arm64")
    name = "windows-arm64" if arm else "windows-x86_64"
    if not windows:
        name = "linux-sbsa" if arm else "linux-x86_64"
    return msgspec.convert(
        {
            "family": "windows" if windows else "linux",
            "driver_family": "windows" if windows else "linux",
            "platform": name,
            "has_driver": None,
        },
        Situation,
    )


def imagine(wish: Imagined, compat: Compat, here: Situation) -> Situation:
    """The situation with what was wished. Raises :class:`Misuse` for what can't be meant."""
    changed: dict[str, Any] = {}
    if wish.gpu:
        found = meant(compat, wish.gpu)
        known = len(found.computes) == 1
        changed |= {"computes": found.computes if known else (), "meant": found.names}
        changed |= {"unknown_gpus": () if known else (wish.gpu,), "maker": found.maker}
    if wish.driver:
        if version(wish.driver) is None:
            raise Misuse("not-a-driver-version", text=wish.driver)
        cuda = cuda_of_driver(compat, wish.driver, here.driver_family)
        changed |= {"driver": wish.driver, "has_driver": True, "cuda": cuda}
    if wish.framework:
        name, release = _framework(wish.framework)
        changed |= {"framework": name, "framework_version": release}
        changed |= {"framework_cuda": "", "installed": False}
    if wish.python_version:
        changed |= {"python": wish.python_version}
    return msgspec.structs.replace(here, **changed)


def _framework(text: str) -> tuple[str, str]:
    """Name and version: "onnx runtime 1.20", "torch==2.9.1", "jax"."""
    words = text.lower().replace("==", " ").split()
    release = words.pop() if len(words) > 1 and words[-1][:1].isdigit() else ""
    return " ".join(words), release
