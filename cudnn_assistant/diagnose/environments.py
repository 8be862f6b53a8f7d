"""What is known beyond the look: what a release number says."""

from __future__ import annotations

import msgspec

from cudnn_assistant.compat import Compat
from cudnn_assistant.machine import Framework, Machine
from cudnn_assistant.versions import major, numbers


def with_known_cudnn(machine: Machine, compat: Compat) -> Machine:
    """The computer with the cuDNN of those frameworks added whose files don't name it.

    Only the major, and only where all builds of that release agree on it (published tables).
    """
    pythons = []
    for one in machine.pythons:
        alone = not any(f.brings_cudnn for f in one.frameworks)
        known = (_completed(f, machine, compat, alone=alone) for f in one.frameworks)
        pythons.append(msgspec.structs.replace(one, frameworks=tuple(known)))
    return msgspec.structs.replace(machine, pythons=tuple(pythons))


def _completed(framework: Framework, machine: Machine, compat: Compat, *, alone: bool) -> Framework:
    if framework.cudnn or not framework.uses_cudnn:
        return framework
    same = [
        one
        for one in compat.frameworks
        if one.name == framework.name and one.family == machine.os.family and one.gpu
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
