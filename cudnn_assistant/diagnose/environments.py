"""What is known beyond the look: what a release number says, and what nobody uses any more."""

from __future__ import annotations

from collections.abc import Iterable

import msgspec

from cudnn_assistant.compat import Compat, FrameworkRelease
from cudnn_assistant.machine import Family, Framework, Machine
from cudnn_assistant.versions import major, numbers


def without_dead(machine: Machine) -> Machine:
    """The computer without the frameworks of environments that nobody can or does use.

    Old projects leave environments behind whose Python an upgrade of the system took away.
    """
    dead = [e.dead and not e.active for e in machine.pythons]
    if not any(dead):
        return machine
    pythons = tuple(
        msgspec.structs.replace(one, frameworks=()) if unused else one
        for one, unused in zip(machine.pythons, dead, strict=True)
    )
    return msgspec.structs.replace(machine, pythons=pythons)


def with_known_cudnn(machine: Machine, compat: Compat) -> Machine:
    """The computer with the cuDNN of those frameworks added whose files don't name it.

    Only the major, and only where all builds of that release agree on it (published tables).
    """
    family = machine.os.family
    pythons = tuple(
        msgspec.structs.replace(
            one,
            frameworks=tuple(
                _completed(
                    f,
                    compat.frameworks,
                    family,
                    alone=not any(f.brings_cudnn for f in one.frameworks),
                )
                for f in one.frameworks
            ),
        )
        if any(_silent(f) for f in one.frameworks)
        else one
        for one in machine.pythons
    )
    return machine if pythons == machine.pythons else msgspec.structs.replace(
        machine, pythons=pythons
    )  # fmt: skip


def _silent(framework: Framework) -> bool:
    return not framework.cudnn and framework.uses_cudnn


def _completed(
    framework: Framework, releases: Iterable[FrameworkRelease], family: Family, *, alone: bool
) -> Framework:
    if not _silent(framework):
        return framework
    same = [
        one
        for one in releases
        if one.name == framework.name and one.family == family and one.gpu
        and numbers(one.version)[:3] == numbers(framework.version)[:3]
        and major(framework.cuda) in (0, major(one.cuda))
    ]  # fmt: skip
    majors = {major(one.cudnn) for one in same}
    found = {one.found for one in same}
    if len(majors) != 1 or 0 in majors:
        return framework
    # Beside a framework that brings cuDNN, that one may serve it as well.
    origin = framework.cudnn_from or (found.pop() if len(found) == 1 and alone else "")
    return msgspec.structs.replace(framework, cudnn=str(majors.pop()), cudnn_from=origin)
