"""The command ``test``: only the cuDNN test, for scripts.

``--json`` prints the :class:`~cudnn_assistant.machine.Trial` of the run: one object for one GPU
(and for a framework), a list of them, in CUDA's order, when several GPUs were tested.
"""

from __future__ import annotations

import argparse
import os
from collections.abc import Mapping, Sequence
from functools import partial

import msgspec

from cudnn_assistant.cli.looking import CantRead, python_of
from cudnn_assistant.cli.screen import Screen
from cudnn_assistant.cli.tested import show
from cudnn_assistant.machine import PythonEnvironment, Trial
from cudnn_assistant.system import System, this_system
from cudnn_assistant.wording import _


def run(told: argparse.Namespace, screen: Screen) -> int:
    """Run the test that the flags name on every GPU, say how far it came, and what that means.

    0: it passed everywhere; 3: there was nothing to test (no GPU, a framework that isn't there
    or doesn't use cuDNN); 1: it stopped.
    """
    system = this_system()
    environment = system.fresh_environment()
    screen.progress(_("Starting cuDNN and running one convolution…"))
    trials = _trials(told, system, environment)
    screen.progress("")
    if screen.json:
        said = trials if len(trials) > 1 else trials[0]
        screen.raw(msgspec.json.encode(said).decode() + "\n")
    else:
        visible = environment.get("CUDA_VISIBLE_DEVICES")
        show(trials, screen, told, system, visible)
    return exit_code(trials)


def exit_code(trials: Sequence[Trial]) -> int:
    """The answer of several tests as one number."""
    if all(trial.status == "ok" for trial in trials):
        return 0
    return 3 if all(trial.status in ("no-gpu", "not-run") for trial in trials) else 1


def _trials(
    told: argparse.Namespace, system: System, environment: Mapping[str, str]
) -> tuple[Trial, ...]:
    from cudnn_assistant.probe.computer.visible import visible_gpus
    from cudnn_assistant.probe.subjects import asked_for
    from cudnn_assistant.probe.trials.trial import run_trials

    if told.framework:
        return (_in_framework(told, system, environment),)
    run_each = partial(run_trials, environment, system.family, full=True)
    if told.library:
        if not os.path.isdir(told.library):
            raise CantRead(_("There is no folder {path}.").format(path=told.library))
        run_each = partial(run_each, library=os.path.abspath(told.library))
    elif told.python:
        found = _named(told.python, system)
        run_each = partial(run_each, subject=found.id, **asked_for(found)._asdict())
    return run_each(gpus=[told.gpu] if told.gpu else visible_gpus(environment) or [""])


def _named(path: str, system: System) -> PythonEnvironment:
    from cudnn_assistant.probe.pythons.environments import one_python

    found = one_python(python_of(path), system.family)
    if found is None:
        raise CantRead(_("{path} is no Python environment.").format(path=path))
    return found


def _active(system: System, environment: Mapping[str, str]) -> PythonEnvironment:
    """The environment that ``python`` means in the person's terminal."""
    from cudnn_assistant.probe.pythons.environments import pythons

    found = pythons(system.family, environment, system.variables())
    active = next((one for one in found if one.active), None)
    if active is None:
        raise CantRead(_("No Python environment is active; name the one you mean with --python."))
    return active


def _in_framework(
    told: argparse.Namespace, system: System, environment: Mapping[str, str]
) -> Trial:
    from cudnn_assistant.probe.trials.framework import run_framework
    from cudnn_assistant.probe.trials.surroundings import for_gpu

    found = _named(told.python, system) if told.python else _active(system, environment)
    if not found.python:
        raise CantRead(_("{path} has no interpreter.").format(path=found.id))
    return run_framework(
        for_gpu(environment, told.gpu),
        found.python,
        told.framework,
        subject=found.id,
        family=system.family,
    )
