"""A line for each part: GPU and driver, CUDA, cuDNN, settings, test; and for each environment."""

from __future__ import annotations

import ntpath
import posixpath
from collections.abc import Callable, Iterable

from msgspec.structs import replace

from cudnn_assistant.causes import cause
from cudnn_assistant.envpath import inside
from cudnn_assistant.finding import Finding
from cudnn_assistant.machine import SYSTEM, Framework, Machine, PythonEnvironment, Trial
from cudnn_assistant.summary.chain import about_frameworks, copy_of, system_needed, test_of
from cudnn_assistant.summary.line import Line, Mark, card, newest
from cudnn_assistant.summary.outcome import stopped, trial_text, untrusted
from cudnn_assistant.versions import numbers, short
from cudnn_assistant.wording import listed, say, told, words
from cudnn_assistant.wording.products import called


def lines(machine: Machine, findings: Iterable[Finding]) -> tuple[Line, ...]:
    """A line for each part of the computer, then one for each Python environment."""
    known = tuple(findings)
    needed = system_needed(machine, known)
    rows = [_part(part, machine, known, needed=needed) for part in _PARTS]
    return (*rows, *environments(machine, known))


def _read(part: str, machine: Machine, *, needed: bool) -> Line:
    """The line of one part by what was read alone."""
    tell, hidden_by = _PARTS[part]
    gap = next((g for g in machine.gaps if g.what in hidden_by), None)
    mark, text = tell(machine, needed)
    nothing_seen = part == "settings" or (part == "cuda" and not machine.toolkits)
    if gap is not None and (mark != "ok" or nothing_seen):
        mark, text = "unknown", say("summary.could-not-read-why", why=told(gap.why))
    return Line(part, mark, say(f"summary.label-{part}"), text)


def _part(part: str, machine: Machine, findings: tuple[Finding, ...], *, needed: bool) -> Line:
    """The line marked by the worst finding of its part; a problem without facts names itself."""
    line = _read(part, machine, needed=needed)
    mine = [
        f
        for f in findings
        if _part_of(f) == line.part
        and f.severity != "info"
        # What is set is no part of an environment, even where it stops one alone.
        and (f.subject == SYSTEM or cause(f.code).about == "settings")
    ]
    if not mine:
        if line.part == "cudnn" and line.mark == "note" and not needed:
            return replace(line, mark="ok", text=say("summary.not-system-nothing-here-needs-there"))
        return line
    mark: Mark = "bad" if mine[0].severity == "error" else "note"
    if line.part == "settings" or line.mark in ("note", "bad"):
        return replace(line, mark=mark, text=words(mine[0], machine).title)
    return replace(line, mark=mark)


def _part_of(finding: Finding) -> str:
    """The part that a finding is about; what is told of environments may hold for the system."""
    about = cause(finding.code).about
    if about != "python" or "product" not in finding.facts:
        return about
    return "settings" if finding.facts.get("entry") else "cudnn"


def _gpu(machine: Machine, _needed: bool) -> tuple[Mark, str]:
    if not machine.gpus:
        hidden = machine.driver_from == "jetson"
        return "unknown" if hidden else "bad", say("summary.no-nvidia-gpu-found")
    names = [card(g.name) for g in machine.gpus]
    counted = [f"{names.count(n)} × {n}" if names.count(n) > 1 else n for n in dict.fromkeys(names)]
    text = listed(counted)
    driver = machine.driver
    if driver is None or not (driver.version or driver.cuda):
        return "bad", say("summary.gpu-no-driver", gpu=text)
    kind = "cuda-up-cuda" if driver.cuda else "driver"
    version = driver.version or "?"
    return "ok", say(f"summary.gpu-driver-{kind}", gpu=text, driver=version, cuda=driver.cuda)


def _cuda(machine: Machine, needed: bool) -> tuple[Mark, str]:
    if not machine.toolkits:
        if needed:
            return "note", say("summary.not-found")
        return "ok", say("summary.no-cuda-toolkit-python-environments-bring")
    best = newest(machine.toolkits)
    others = len(machine.toolkits) - 1
    text = f"{best.version or '?'}  {best.root}"
    if others:
        text = listed((text, say("summary.count-more", count=others)))
    return "ok", text


def _cudnn(machine: Machine, _needed: bool) -> tuple[Mark, str]:
    copy = copy_of(machine, SYSTEM)
    if copy is None:
        return "note", say("summary.not-found")
    return "ok", f"{short(copy.version) or '?'}  {copy.folder}"


def _settings(_machine: Machine, _needed: bool) -> tuple[Mark, str]:
    return "ok", say("summary.nothing-way")


def _trial(machine: Machine, needed: bool) -> tuple[Mark, str]:
    system = machine.trial(SYSTEM)
    if system is not None and (system.status == "ok" or needed):
        return trial_text(system)
    ids = {e.id for e in machine.pythons}
    others = [t for t in machine.trials if t.subject in ids and not t.library]
    best = next((t for t in others if t.status == "ok"), None) or next(iter(others), None)
    return trial_text(best) if best is not None else ("unknown", say("summary.not-run"))


_Tell = Callable[[Machine, bool], tuple[Mark, str]]
_PARTS: dict[str, tuple[_Tell, tuple[str, ...]]] = {
    "gpu": (_gpu, ("gpu", "driver")),
    "cuda": (_cuda, ("toolkits",)),
    "cudnn": (_cudnn, ("cudnn",)),
    "settings": (_settings, ("variables",)),
    "trial": (_trial, ("trial",)),
}
"""From the ground up: what is told of each part, and the gaps of the snapshot that hide it."""


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
        return "unknown", stopped(trial) if trial and trial.asked else say("summary.not-tested")
    if trial.status != "ok":
        return "bad", stopped(trial)
    # Not every framework tells which cuDNN it took: then the file that it had mapped does.
    mapped = (c.version for c in machine.cudnns if environment.id in c.wins_for)
    version = short(trial.version or next(mapped, ""))
    if using_system:
        return "ok", say("summary.works-cudnn-version-system", version=version)
    if trial.framework:
        return "ok", say("summary.works-itself-cudnn-version", version=version).strip()
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
