"""The chain driver → CUDA → cuDNN → program of one subject, and where it breaks. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Literal

import msgspec

from cudnn_assistant.causes import cause
from cudnn_assistant.finding import Finding
from cudnn_assistant.machine import SYSTEM, CudnnCopy, Framework, Machine, PythonEnvironment, Trial
from cudnn_assistant.summary.line import Mark, newest
from cudnn_assistant.versions import numbers, short
from cudnn_assistant.wording import listed, prose, say
from cudnn_assistant.wording.products import called

Part = Literal["driver", "cuda", "cudnn", "program"]
Joint = Literal["holds", "broken", "unknown"]


class Station(msgspec.Struct, frozen=True):
    """One of the four: what it is called, and its version or that it is not there."""

    part: Part
    label: str
    text: str
    mark: Mark


class Chain(msgspec.Struct, frozen=True):
    """Four stations and the three joints between them."""

    stations: tuple[Station, ...]
    joints: tuple[Joint, ...]

    @property
    def sentence(self) -> str:
        """The picture as it is read aloud."""
        said = [f"{one.label} {one.text}".strip() for one in self.stations]
        told = [say("summary.chain-stations", stations=listed(said))]
        for number, joint in enumerate(self.joints):
            if joint == "broken":
                one, other = (self.stations[at].label for at in (number, number + 1))
                told.append(say("summary.chain-breaks", one=one, other=other))
        if set(self.joints) == {"holds"}:
            told.append(say("summary.chain-holds"))
        return prose(told)


_BREAKS: dict[str, int] = {"gpu": 0, "cuda": 1, "cudnn": 2, "settings": 2, "python": 2, "trial": 2}
"""The joint that a finding about a part breaks."""
_STAGES: dict[str, int] = {"start": 2, "driver": 0, "context": 0, "load": 2, "version": 2}
"""The joint at which a test has stopped; at every other stage cuDNN meets CUDA."""


def chain(
    machine: Machine, subject: str, findings: Sequence[Finding], *, idle: bool = False
) -> Chain:
    """The chain of a subject. ``findings`` are those that keep it from working, the first first.

    ``idle``: nobody uses it, so that what it lacks breaks nothing.
    """
    environment = machine.environment(subject)
    copy = copy_of(machine, subject)
    test = None if idle else test_of(machine, subject)
    broken = _broken(findings, test)
    stations: tuple[Station, ...] = (
        _driver(machine, broken),
        _cuda(machine, environment, copy, broken),
        _cudnn(environment, copy, test, broken),
        _program(environment, broken),
    )
    if idle:
        stations = (stations[0], *map(_unused, stations[1:]))
    if broken is None and test is not None and test.status == "ok":
        return Chain(stations, ("holds", "holds", "holds"))
    joints: list[Joint] = ["unknown", "unknown", "unknown"]
    if broken is not None:
        joints[:broken] = map(_joint, stations[:broken], stations[1:])
        joints[broken] = "broken"
    return Chain(stations, tuple(joints))


def _unused(one: Station) -> Station:
    """A station that nobody comes to: what is there is told, and nothing else is missed."""
    absent = one.part != "program" and one.mark != "ok"
    text = say("summary.station-not-used") if absent else one.text
    return msgspec.structs.replace(one, text=text, mark="wait")


def _joint(one: Station, other: Station) -> Joint:
    """Below the broken one: that two fit together is known of two that are known."""
    return "unknown" if {one.mark, other.mark} & {"unknown", "wait"} else "holds"


def _broken(findings: Sequence[Finding], test: Trial | None) -> int | None:
    """The joint that is broken, from the ground up; ``None`` where none is known to be."""
    errors = [one for one in findings if one.severity == "error"]
    if errors:
        return _BREAKS[cause(errors[0].code).about]
    if test is not None and test.status not in ("ok", "not-run"):
        return _STAGES.get(test.stage, 1)
    return None


def test_of(machine: Machine, subject: str) -> Trial | None:
    """The test that says most of a subject: its framework's own, one that stopped before others."""
    mine = machine.trials_of(subject)
    asked = [t for t in mine if t.asked]
    stopped = next((t for t in asked if t.status != "ok"), None)
    return stopped or next(iter(asked or mine), None)


def copy_of(machine: Machine, subject: str) -> CudnnCopy | None:
    """The cuDNN that a subject's programs load, else the one that they could."""
    winner = next((one for one in machine.cudnns if subject in one.wins_for), None)
    environment = "" if subject == SYSTEM else subject
    mine = [one for one in machine.cudnns if one.environment == environment]
    return winner or max(mine, key=lambda one: (numbers(one.version), one.folder), default=None)


def system_needed(machine: Machine, findings: Iterable[Finding]) -> bool:
    """Whether something may need the system's cuDNN, or nothing here is known to bring its own.

    Who takes it from there and has trouble of its own is told so in its own row.
    """
    troubled = {one.subject for one in findings if one.severity == "error"}
    pythons = machine.in_use().pythons
    taking = (e for e in pythons if any(f.uses_system_cudnn for f in e.frameworks))
    if any(one.id not in troubled for one in taking):
        return True
    return not any(one.meant_for_gpu for one in pythons)


def _driver(machine: Machine, broken: int | None) -> Station:
    label = say("summary.station-driver")
    driver = machine.driver
    if not machine.gpus:
        unknown = machine.unknown("gpu")
        text = say("summary.station-unknown") if unknown else say("summary.station-no-gpu")
        return Station("driver", label, text, "unknown" if unknown else "bad")
    if driver is None or not driver.version:
        return Station("driver", label, say("summary.not-found"), "bad")
    text = driver.version
    if driver.cuda and broken in (0, 1):
        text = say("summary.station-driver-cuda", driver=driver.version, cuda=driver.cuda)
    return Station("driver", label, text, "bad" if broken == 0 else "ok")


def _cuda(
    machine: Machine,
    environment: PythonEnvironment | None,
    copy: CudnnCopy | None,
    broken: int | None,
) -> Station:
    frameworks = environment.frameworks if environment is not None else ()
    version = next((one.cuda for one in frameworks if one.cuda), "")
    if not version and copy is not None:
        version = (copy.check.cuda if copy.check else "") or str(copy.cuda_major or "")
    if not version and environment is None and machine.toolkits:
        version = newest(machine.toolkits).version
    mark: Mark = "ok" if version else "unknown"
    text = version or say("summary.station-unknown")
    if environment is None and not machine.toolkits and broken == 1:
        text, mark = say("summary.not-found"), "bad"
    return Station("cuda", say("summary.label-cuda"), text, mark)


def _cudnn(
    environment: PythonEnvironment | None,
    copy: CudnnCopy | None,
    test: Trial | None,
    broken: int | None,
) -> Station:
    label = say("summary.label-cudnn")
    if environment is not None and all(one.gpu is False for one in environment.frameworks):
        return Station("cudnn", label, say("summary.station-not-used"), "wait")
    version = short(test.version) if test is not None and test.version else ""
    if not version and copy is not None:
        version = short(copy.version)
    if not version:
        found = copy is not None
        text = say("summary.station-unknown") if found else say("summary.not-found")
        return Station("cudnn", label, text, "unknown" if found or broken != 2 else "bad")
    harmed = copy is not None and bool(copy.damaged) and broken == 2
    return Station("cudnn", label, version, "note" if harmed else "ok")


def _program(environment: PythonEnvironment | None, broken: int | None) -> Station:
    mark: Mark = "ok" if broken is None else "bad" if broken == 2 else "wait"
    if environment is None:
        return Station("program", say("summary.station-programs"), "", mark)
    first = next(iter(about_frameworks(environment)), None)
    if first is None:
        return Station("program", say("summary.label-python"), environment.version, mark)
    name, _space, version = called(first).rpartition(" ")
    return Station("program", name or version, version if name else "", mark)


def about_frameworks(environment: PythonEnvironment) -> Sequence[Framework]:
    """The frameworks that an environment is about: those that use cuDNN, if there are any."""
    return [one for one in environment.frameworks if one.uses_cudnn] or environment.frameworks
