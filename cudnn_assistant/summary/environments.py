"""A line for each Python environment."""

from __future__ import annotations

import ntpath
import posixpath
from collections.abc import Callable

from cudnn_assistant.envpath import inside
from cudnn_assistant.finding import Finding
from cudnn_assistant.machine import SYSTEM, Framework, Machine, PythonEnvironment, Trial
from cudnn_assistant.summary.chain import about_frameworks, test_of
from cudnn_assistant.summary.line import Line, Mark
from cudnn_assistant.summary.outcome import stopped, untrusted
from cudnn_assistant.versions import numbers, short
from cudnn_assistant.wording import listed, say, words
from cudnn_assistant.wording.products import called

Untried = Callable[[Trial], str]
"""Says of a test that was not begun why, and what would be a yes where it is read."""


def environments(
    machine: Machine, findings: tuple[Finding, ...], untried: Untried = untrusted
) -> list[Line]:
    """The lines of the environments that have a framework."""
    return [
        _environment(machine, environment, findings, untried)
        for environment in machine.pythons
        if environment.frameworks
    ]


def _environment(
    machine: Machine,
    environment: PythonEnvironment,
    findings: tuple[Finding, ...],
    untried: Untried,
) -> Line:
    tests = machine.trials_of(environment.id)
    ended = {t.framework.partition(" ")[0]: t.status for t in tests}
    # Where one works and another doesn't, the line is about the one that doesn't.
    about = sorted(
        about_frameworks(environment), key=lambda f: ended.get(f.name, "ok") in ("ok", "not-run")
    )
    mine = [f for f in findings if f.subject == environment.id and f.severity != "info"]
    where = "" if any(t.doubt for t in tests) else say("summary.place", place=environment.id)
    mark, state = _state(machine, environment, untried)
    if mark == "ok":  # its cuDNN starts; something else of the system's may still be missing
        system = [f for f in findings if f.severity == "error" and f.subject == SYSTEM]
        mine += [f for f in system if f.facts.get("environment") == environment.id]
    if mine:
        mark = "bad" if mine[0].severity == "error" else "note"
        state = words(mine[0], machine).title
    working = [called(f) for f in about[1:] if mark == "bad" and ended.get(f.name) == "ok"]
    others = [one for one in map(called, about[1:]) if one not in working]
    also = say("summary.also-programs", programs=listed(others)) if others else ""
    works = say("summary.works-there", programs=listed(working)) if working else ""
    return Line("python", mark, called(about[0]), listed(filter(None, (state, where, also, works))))


def _state(machine: Machine, environment: PythonEnvironment, untried: Untried) -> tuple[Mark, str]:
    frameworks = environment.frameworks
    using_system = [f for f in frameworks if f.uses_system_cudnn]
    trial = test_of(machine, environment.id) or _of_system(machine, using_system)
    if environment.dead:
        return "unknown", say("summary.python-gone")
    if all(f.gpu is False for f in frameworks):
        return "ok", say("summary.without-gpu-support")
    if not any(f.uses_cudnn for f in frameworks):
        return "ok", say("summary.doesnt-use-cudnn")
    if trial is not None and trial.doubt:
        return "unknown", untried(trial)
    if trial is None or trial.status == "not-run":
        return "unknown", say("summary.not-tested")
    if trial.status != "ok":
        return "bad", stopped(trial)
    version = short(trial.version)
    if using_system:
        return "ok", say("summary.works-cudnn-version-system", version=version)
    if trial.framework:
        return "ok", say("summary.works-itself-cudnn-version", version=version)
    if _is_own(machine, environment, trial.loaded):
        return "ok", say("summary.works-own-cudnn-version", version=version)
    path = ntpath if machine.os.family == "windows" else posixpath
    folder = path.dirname(trial.loaded)
    return "ok", say("summary.works-cudnn-version-place", version=version, folder=folder)


def _is_own(machine: Machine, environment: PythonEnvironment, loaded: str) -> bool:
    """Whether a mapped file lies in the environment, as its package brought it."""
    family = machine.os.family
    folders = (environment.id, *environment.sites)
    exchanged = {name for package in environment.packages for name in package.changed}
    name = (ntpath if family == "windows" else posixpath).basename(loaded)
    return name not in exchanged and any(inside(loaded, folder, family) for folder in folders)


def _of_system(machine: Machine, using_system: list[Framework]) -> Trial | None:
    """The system's test, where it says something about frameworks that take cuDNN from there."""
    trial = machine.trial(SYSTEM)
    majors = {numbers(f.cudnn)[:1] for f in using_system}
    fits = trial is not None and majors <= {numbers(trial.version)[:1], ()}
    return trial if using_system and fits else None
