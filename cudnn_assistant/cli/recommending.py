"""``recommend``: what fits together, for this computer or for an imagined one."""

from __future__ import annotations

import argparse
import os
import platform
import re
import sys
from typing import Any

import msgspec

from cudnn_assistant.cli.looking import CantRead, compat_data, look
from cudnn_assistant.cli.screen import Screen
from cudnn_assistant.compat import (
    Compat,
    Recommendation,
    Situation,
    cuda_of_driver,
    gpu_compute,
    recommend_for,
    situation,
    version,
)
from cudnn_assistant.machine import SYSTEM
from cudnn_assistant.wording import _
from cudnn_assistant.wording.recommendation import headline, lines

_COMPUTE = re.compile(r"\A[0-9]{1,2}\.[0-9]\Z")


def recommend(told: argparse.Namespace, screen: Screen) -> int:
    """Say what fits: 0 when something does, 1 when nothing can, 3 when it isn't known."""
    compat, _data = compat_data(told.offline)
    found = recommend_for(_situation(told, screen, compat), compat)
    if told.json:
        screen.raw(msgspec.json.encode(found).decode() + "\n")
    else:
        _show(found, screen, verbose=told.verbose)
    return {True: 0, False: 1, None: 3}[found.possible]


def _show(found: Recommendation, screen: Screen, *, verbose: bool) -> None:
    for one in lines(found):
        if verbose or one.label not in (_("Why"), _("Ruled out")):
            screen.marked(one.mark, one.label, one.text)
    screen.line()
    screen.line(headline(found))


def _situation(told: argparse.Namespace, screen: Screen, compat: Compat) -> Situation:
    """This computer's situation, or an imagined one's when a GPU was named."""
    here = _imagined(told) if told.gpu else _seen(told, screen, compat)
    return msgspec.structs.replace(here, **_said(told, compat, here))


def _seen(told: argparse.Namespace, screen: Screen, compat: Compat) -> Situation:
    told.no_test = True
    checkup = look(told, screen, compat)
    wanted = os.path.abspath(told.python) if told.python else ""
    named = (one.id for one in checkup.machine.pythons if wanted in (one.id, one.python))
    return situation(checkup.machine, compat, next(named, SYSTEM) if wanted else SYSTEM)


def _imagined(told: argparse.Namespace) -> Situation:
    """An ordinary computer of the asked-for or the present system."""
    windows = (told.system or ("windows" if sys.platform == "win32" else "linux")) == "windows"
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


def _said(told: argparse.Namespace, compat: Compat, here: Situation) -> dict[str, Any]:
    """What the flags put in place of facts. Raises :class:`CantRead` for what can't be meant."""
    said: dict[str, Any] = {}
    if told.gpu:
        compute = told.gpu if _COMPUTE.match(told.gpu) else gpu_compute(compat, told.gpu)
        said |= {"computes": (compute,) if compute else ()}
        said |= {"unknown_gpus": () if compute else (told.gpu,)}
    if told.driver:
        if version(told.driver) is None:
            raise CantRead(_("{text} is no driver version.").format(text=told.driver))
        cuda = cuda_of_driver(compat, told.driver, here.driver_family)
        said |= {"driver": told.driver, "has_driver": True, "cuda": cuda}
    if told.wish:
        name, release = _wish(told.wish)
        said |= {"framework": name, "framework_version": release}
        said |= {"framework_cuda": "", "installed": False}
    if told.python_version:
        said |= {"python": told.python_version}
    return said


def _wish(text: str) -> tuple[str, str]:
    """Name and version: "onnx runtime 1.20", "torch==2.9.1", "jax"."""
    words = text.lower().replace("==", " ").split()
    release = words.pop() if len(words) > 1 and words[-1][:1].isdigit() else ""
    return " ".join(words), release
