"""What fits a computer that is, or one that is imagined."""

from __future__ import annotations

import os
import platform
import re
import sys
from collections.abc import Sequence
from typing import Any, Literal

import msgspec

from cudnn_assistant.compat import (
    Compat,
    Recommendation,
    Situation,
    cuda_of_driver,
    framework_name,
    meant,
    platform_name,
    recommend_for,
    situation,
)
from cudnn_assistant.compat.environment import EnvironmentAdvice, recommend_environment
from cudnn_assistant.compat.lookup import driver_of_branch
from cudnn_assistant.compat.wishes import framework_wish, wanted, wanted_framework
from cudnn_assistant.envpath import inside
from cudnn_assistant.machine import Family, Machine, Struct
from cudnn_assistant.probe.computer.windows_devices import nvidia_version
from cudnn_assistant.session.checkup import Checkup
from cudnn_assistant.trouble import Misuse
from cudnn_assistant.versions import major


class Imagined(Struct, kw_only=True):
    """What is to be taken for true in place of what is here; "" leaves it as it is."""

    gpu: str = ""
    """Name, or compute capability like "8.6". Where no computer was seen, an ordinary one is
    imagined around it."""
    driver: str = ""
    framework: str = ""
    """A framework, its version and its CUDA: "tensorflow 2.10", "torch>=2.5", "torch 2.8+cu128"."""
    python_version: str = ""
    system: Literal["", "linux", "windows"] = ""
    """With ``gpu``: on this system; "" for the one that runs us."""

    def __post_init__(self) -> None:
        if self.system and not self.gpu:
            raise Misuse("system-without-gpu")


def recommendation(
    wish: Imagined, checkup: Checkup | None, compat: Compat, python: str = ""
) -> Recommendation:
    """What fits the checkup's computer, or an ordinary one, with what is wished changed.

    Raises :class:`Misuse` for a wish that can't be meant.
    """
    return recommend_for(_wished(wish, checkup, compat, python), compat)


def environment_advice(
    wish: Imagined,
    checkup: Checkup | None,
    compat: Compat,
    python: str = "",
    *,
    text: str = "",
    wishes: Sequence[str] = (),
) -> EnvironmentAdvice:
    """One set for every GPU package that a requirements file (its text) asks for, and for the
    frameworks in ``wishes``, which count where both name one.

    Raises :class:`Misuse` for a wish that can't be meant, and where nothing is asked for.
    """
    here = _wished(wish, checkup, compat, python)
    asked = wanted(text, compat, here)
    named = dict[str, str]()
    for one in wishes:
        name = _known_framework(one, compat)
        if other := named.get(name):
            raise Misuse("apart", option=f"--for {other}", other=f"--for {one}")
        named[name] = one
    packages = {one.name: one for one in (*asked.packages, *map(wanted_framework, named.values()))}
    if not packages:
        raise Misuse("no-gpu-package")
    asked = msgspec.structs.replace(asked, packages=tuple(packages.values()))
    return recommend_environment(here, compat, asked)


def _known_framework(wish: str, compat: Compat) -> str:
    """The data's name of the framework that is wished for."""
    named, known = framework_wish(wish)["framework"], {one.name for one in compat.frameworks}
    if framework_name(named) not in known:
        raise Misuse("unknown-framework", name=named, known=tuple(sorted(known)))
    return framework_name(named)


def _wished(wish: Imagined, checkup: Checkup | None, compat: Compat, python: str) -> Situation:
    if wish.framework:
        _known_framework(wish.framework, compat)
    if checkup is None:
        return imagine(wish, compat, ordinary(wish.system))
    return imagine(wish, compat, seen_situation(checkup.machine, compat, python))


def seen_situation(machine: Machine, compat: Compat, python: str = "") -> Situation:
    """The situation of the system's programs, or of the environment at a path, or around it.

    Raises :class:`Misuse` for a path that the computer has none at.
    """
    if not python:
        return situation(machine, compat)
    # As it stands where the report is another computer's.
    spelled, family = (python, os.path.abspath(python)), machine.os.family
    named = [e.id for e in machine.pythons if any(inside(one, e.id, family) for one in spelled)]
    if not named:
        raise Misuse("not-an-environment", path=python)
    return situation(machine, compat, max(named, key=len))


def ordinary(system: str) -> Situation:
    """An ordinary computer with this system and the present kind of processor."""
    family: Family = "windows" if (system or sys.platform) in ("windows", "win32") else "linux"
    name = platform_name(family, arm=platform.machine().lower() in ("aarch64", "arm64"))
    return Situation(family=family, driver_family=family, platform=name, has_driver=None)


def imagine(wish: Imagined, compat: Compat, here: Situation) -> Situation:
    """The situation with what was wished. Raises :class:`Misuse` for what can't be meant."""
    changed: dict[str, Any] = {}
    if wish.gpu:
        found = meant(compat, wish.gpu)
        known = len(found.computes) == 1
        changed |= {"computes": found.computes if known else (), "meant": found.names}
        changed |= {"has_gpu": True}
        changed |= {"unknown_gpus": () if known else (wish.gpu,), "maker": found.maker}
        if found.arm:
            changed["platform"] = platform_name(here.family, arm=True)
    if wish.driver:
        driver = _driver(wish.driver, compat, here)
        cuda = cuda_of_driver(compat, driver, here.driver_family)
        changed |= {"driver": driver, "has_driver": True, "cuda": cuda}
    if wish.framework:
        changed |= framework_wish(wish.framework)
        changed |= {"framework_cuda": "", "installed": False}
    if wish.python_version:
        changed |= {"python": _python(wish.python_version)}
    return msgspec.structs.replace(here, **changed)


_OLDEST_DRIVER = 100
"""Below stand versions of CUDA, which nvidia-smi shows beside the driver's."""
_PYTHON = re.compile(r"(?:c?python|py)?[ =-]*v?(3\.\d{1,2}(?:\.\d{1,3})?|2\.[67](?:\.\d{1,2})?)")


def _driver(text: str, compat: Compat, here: Situation) -> str:
    """ "580.65.06", and Windows' own spelling: "32.0.15.6094" is 560.94.

    Of a branch ("R580", "nvidia-driver-580-open") the newest driver that is known.
    """
    number = re.search(r"\d+(\.\d+)*", text)
    found = nvidia_version(text.strip()) or (number[0] if number else "")
    if major(found) < _OLDEST_DRIVER:
        raise Misuse("not-a-driver-version", text=text)
    branch = "" if "." in found else driver_of_branch(compat, major(found), here.driver_family)
    return branch or found


def _python(text: str) -> str:
    found = _PYTHON.fullmatch(text.strip().lower())
    if found is None:
        raise Misuse("not-a-python-version", text=text)
    return found[1]
