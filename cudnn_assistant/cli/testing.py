"""The command ``test``: only the cuDNN test, for scripts."""

from __future__ import annotations

import argparse
import os

import msgspec

from cudnn_assistant.cli.looking import CantRead, python_of
from cudnn_assistant.cli.screen import Mark, Screen
from cudnn_assistant.machine import SYSTEM, Trial
from cudnn_assistant.summary import stopped
from cudnn_assistant.system import System, this_system
from cudnn_assistant.wording import _

_MARKS: dict[str, Mark] = {"ok": "ok", "no-gpu": "unknown", "not-run": "unknown"}


def run(told: argparse.Namespace, screen: Screen) -> int:
    """Run the test that the flags name, print how far it came; 0 when a convolution ran."""
    screen.progress(_("Starting cuDNN and running one convolution…"))
    trial = _trial(told, this_system())
    screen.progress("")
    if screen.json:
        screen.raw(msgspec.json.encode(trial).decode() + "\n")
    else:
        _show(trial, screen, verbose=told.verbose)
    return {"ok": 0, "no-gpu": 3, "not-run": 3}.get(trial.status, 1)


def _trial(told: argparse.Namespace, system: System) -> Trial:
    from cudnn_assistant.probe.trial import run_trial

    environment = system.fresh_environment()
    if told.framework:
        return _in_framework(told, environment)
    if told.library:
        if not os.path.isdir(told.library):
            raise CantRead(_("There is no folder {path}.").format(path=told.library))
        folder = os.path.abspath(told.library)
        return run_trial(environment, system.family, library=folder, gpu=told.gpu, full=True)
    if told.python:
        subject, folders = _environment(told.python, system)
        return run_trial(
            environment, system.family, subject=subject, folders=folders, gpu=told.gpu, full=True
        )
    return run_trial(environment, system.family, subject=SYSTEM, gpu=told.gpu, full=True)


def _environment(path: str, system: System) -> tuple[str, tuple[str, ...]]:
    from cudnn_assistant.probe.pythons import library_folders, one_python

    found = one_python(python_of(path), system.family)
    if found is None:
        raise CantRead(_("{path} is no Python environment.").format(path=path))
    return found.id, library_folders(found)


def _in_framework(told: argparse.Namespace, environment: dict[str, str]) -> Trial:
    from cudnn_assistant.probe.framework_trial import run_framework
    from cudnn_assistant.probe.pythons import one_python

    if not told.python:
        raise CantRead(_("--framework needs --python: the environment that the framework is in."))
    found = one_python(python_of(told.python), this_system().family)
    if found is None or not found.python:
        raise CantRead(_("{path} is no Python environment.").format(path=told.python))
    return run_framework(environment, found.python, told.framework)


def _show(trial: Trial, screen: Screen, *, verbose: bool) -> None:
    for time in trial.times:
        last = time.stage == trial.stage
        mark = _MARKS.get(trial.status, "bad") if last and trial.status != "ok" else "ok"
        screen.marked(mark, time.stage, f"{time.milliseconds:.0f} ms")
    if trial.status == "ok":
        where = _("cuDNN {version} works on {gpu}: {checks}.").format(
            version=trial.version, gpu=trial.gpu_name, checks=", ".join(trial.checks)
        )
        screen.line(where)
    else:
        screen.line(stopped(trial))
        if trial.detail:
            screen.line(trial.detail, indent=2)
    if trial.loaded:
        screen.line(trial.loaded, indent=2)
    if trial.skipped:
        screen.line(_("Not on this GPU or cuDNN: {what}.").format(what=", ".join(trial.skipped)))
    if verbose:
        for path in trial.mapped:
            screen.line(path, indent=4)
        if trial.output:
            screen.line(trial.output, indent=4)
