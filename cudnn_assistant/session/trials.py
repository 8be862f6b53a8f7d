"""Running the cuDNN test that somebody asked for, and what may be why it stopped."""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator, Mapping
from functools import partial

import msgspec

from cudnn_assistant.compat import Compat, framework_name
from cudnn_assistant.diagnose import EVERYBODY
from cudnn_assistant.finding import Finding, texts
from cudnn_assistant.machine import SYSTEM, PythonEnvironment, Struct, Trial
from cudnn_assistant.probe import Wish, probe
from cudnn_assistant.probe.computer.gpu import visible_gpus
from cudnn_assistant.probe.files.disk import Disk
from cudnn_assistant.probe.pythons.environments import pythons
from cudnn_assistant.probe.subjects import asked_for, surroundings_of, untried, winners
from cudnn_assistant.probe.subjects import frameworks_of as frameworks_of  # noqa: PLC0414
from cudnn_assistant.probe.trials.child_environment import for_gpu
from cudnn_assistant.probe.trials.framework import FRAMEWORKS, run_framework
from cudnn_assistant.probe.trials.trial import run_trials
from cudnn_assistant.probe.trust import Trust
from cudnn_assistant.session.checkup import Checkup, think
from cudnn_assistant.session.looking import (
    LookRequest,
    environment_at,
    python_at,
    refuse_32_bits,
)
from cudnn_assistant.session.permitted import allowed
from cudnn_assistant.system import Readable, System
from cudnn_assistant.trouble import Misuse


class TestRequest(Struct, kw_only=True):
    """What is to be tested; without anything, the cuDNN that programs get, on every GPU."""

    __test__ = False
    python: str = ""
    """Path of an environment: its own copy."""
    library: str = ""
    """A folder: the copy in it alone."""
    framework: str = ""
    """The convolution inside this framework."""
    gpu: str = ""
    """UUID of one GPU."""
    trusted: tuple[str, ...] = ()
    """Folders whose libraries may be run; so may what is named above."""


class Tested(Struct, kw_only=True):
    """How the tests ended."""

    trials: tuple[Trial, ...]
    """At least one; in CUDA's order of GPUs."""
    visible: str | None = None
    """The CUDA_VISIBLE_DEVICES that was in force."""


def run_tests(request: TestRequest, system: System) -> Tested:
    """Only the cuDNN test, each GPU's in a process of its own. Raises :class:`Misuse`."""
    refuse_32_bits()
    if request.library and not os.path.isdir(request.library):
        raise Misuse("no-folder", path=request.library)
    found = environment_at(request.python, system.family) if request.python else None
    library = os.path.abspath(request.library) if request.library else ""
    # What somebody names may be run; root runs nothing of others even so.
    named = (library, found.id if found else "", *request.trusted)
    trust = Trust(system.family, tuple(filter(None, named)))
    environment: Mapping[str, str] = system.fresh_environment()
    visible = environment.get("CUDA_VISIBLE_DEVICES")
    if request.framework:
        trials = (_in_framework(request, found, trust, system, environment),)
        return Tested(trials=trials, visible=visible)
    environment = surroundings_of(environment, None if library else found)
    run_each = partial(run_trials, environment, system.family, full=True)
    if library:
        run_each, reason = partial(run_each, library=library), trust.folder(library)
    elif found:
        run_each = partial(run_each, subject=found.id, **asked_for(found)._asdict())
        reason = trust.environment(found)
    else:
        reason = "", ""
    around = trust.surroundings(environment)
    doubt, path = around if around[0] else reason
    if doubt:
        subject = found.id if found and not library else SYSTEM
        return Tested(trials=(untried(subject, doubt, path),), visible=visible)
    gpus = [request.gpu] if request.gpu else visible_gpus(environment) or [""]
    return Tested(trials=run_each(gpus=gpus), visible=visible)


def _in_framework(
    request: TestRequest,
    found: PythonEnvironment | None,
    trust: Trust,
    system: System,
    environment: Mapping[str, str],
) -> Trial:
    name = framework_name(request.framework)
    if name not in FRAMEWORKS:
        raise Misuse("unknown-framework", name=request.framework, known=FRAMEWORKS)
    if found is None:
        # The one that "python" means in the person's terminal.
        every = pythons(system.family, environment, system.variables())
        found = next((one for one in every if one.active), None)
    if found is None:
        raise Misuse("no-active-environment")
    if not found.python:
        raise Misuse("no-interpreter", path=found.id)
    environment = surroundings_of(environment, found)
    doubt, path = trust.program(found, environment)
    if doubt:
        return msgspec.structs.replace(untried(found.id, doubt, path), framework=name)
    return run_framework(
        for_gpu(environment, request.gpu),
        found.python,
        name,
        subject=found.id,
        family=system.family,
    )


def run_in_frameworks(
    one: PythonEnvironment,
    system: Readable,
    look: LookRequest,
    stop: threading.Event | None = None,
) -> tuple[Trial, ...]:
    """A convolution inside each framework of an environment, one after the other."""
    environment = surroundings_of(system.fresh_environment(), one)
    trust = Trust(system.family, (one.id, *look.trusted))
    doubt, path = trust.program(one, environment)
    if doubt:
        return (untried(one.id, doubt, path),)
    run = partial(run_framework, environment, one.python)
    family, cancel = system.family, (stop or threading.Event()).is_set
    names = frameworks_of(one)
    return tuple(run(name, subject=one.id, family=family, cancel=cancel) for name in names)


def look_for_reason(
    tested: Tested, request: TestRequest, system: System, compat: Compat
) -> Checkup:
    """This computer, looked at for why these tests stopped.

    A framework's test is judged beside all the others.
    """
    inside = any(trial.framework for trial in tested.trials)
    folders = (request.library,) if request.library else ()
    named = python_at(request.python)
    wish = Wish(trial=inside, truth=False, frameworks=False, python=named, folders=folders)
    machine = probe(system, wish)
    # What happens to one chosen copy is judged as if programs got that copy.
    known = [msgspec.structs.replace(trial, library="") for trial in tested.trials]
    tests = (*machine.trials, *known)
    copies = winners(machine.cudnns, tests, Disk(system.family))
    machine = msgspec.structs.replace(machine, trials=tests, cudnns=copies)
    return think(machine, compat, only=allowed())


def relevant(checkup: Checkup, trial: Trial) -> Iterator[Finding]:
    """What may be why: errors about the subject; else a lesser one that names what was missed."""
    subjects = {trial.subject, SYSTEM} if trial.framework else {trial.subject}
    mine = [f for f in checkup.findings if f.subject in subjects or f.code in EVERYBODY]
    errors = [f for f in mine if f.severity == "error" or f.code == "one-gpu-stopped"]
    yield from errors or (f for f in mine if _names(f, trial))


def _names(finding: Finding, trial: Trial) -> bool:
    """Whether a finding speaks of the very file, folder or framework that the test was about."""
    known = (*texts(finding.facts).values(), *map(str, finding.evidence))
    wanted = [text for text in (trial.missing, trial.library, trial.framework) if text]
    return any(text in one for text in wanted for one in known)
