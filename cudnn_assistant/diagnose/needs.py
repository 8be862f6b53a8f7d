"""What frameworks ask of cuDNN, and whether a test has met it."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

import msgspec

from cudnn_assistant.compat import Compat
from cudnn_assistant.finding import Evidence, StoppedAt
from cudnn_assistant.machine import Framework, Machine, Trial
from cudnn_assistant.regex import regex
from cudnn_assistant.versions import major, numbers, older
from cudnn_assistant.wording.products import called

if TYPE_CHECKING:
    from cudnn_assistant.explain.evidence import Named


class Need(msgspec.Struct, frozen=True):
    """A cuDNN that programs of a subject ask for. 0 and "" mean any."""

    major: int = 0
    cuda: int = 0
    version: str = ""
    who: str = ""
    """Who asks: "TensorFlow 2.10.0"; "" when nobody in particular."""
    where: str = ""
    """The Python environment of who asks."""
    toolkit: str = ""
    """CUDA version that who asks is built with, "11.2"."""


def passed(trial: Trial | None) -> bool:
    """Whether a test ran to its end and all numbers were right."""
    return trial is not None and trial.status == "ok" and trial.stage == "convolution"


def meets(trial: Trial | None, need: Need) -> bool:
    """Whether a test passed with a cuDNN that a program with this need can use."""
    if trial is None or not passed(trial):
        return False
    return need.major in (0, major(trial.version)) and not older(trial.version, need.version)


def too_old(needs: Iterable[Need], trial: Trial) -> bool:
    """Whether a framework here refuses the cuDNN that answered, though our own test passed.

    PyTorch, TensorFlow and JAX compare: the minor version may not be below that of their build.
    """
    answered = numbers(trial.version)[:2]
    return bool(answered) and any(answered < numbers(need.version)[:2] for need in needs)


def stopped(trial: Trial | None) -> bool:
    """Whether a test ran and did not get to its end."""
    return trial is not None and trial.status not in ("ok", "not-run")


def test_evidence(trial: Trial) -> tuple[Evidence, ...]:
    """Where a test stopped, and what was said there."""
    code = f"{trial.code_name} ({trial.code})" if trial.code_name else ""
    ended = f"{trial.status} {trial.code}" if trial.code is not None and not code else ""
    stage = StoppedAt(stage=trial.stage)
    return stage, code, ended, trial.missing, trial.detail[:400], trial.loaded


def named_by(trial: Trial) -> Named:
    """The cause that a framework's own words name, as for whoever pastes them.

    What it printed before it aborted says why; one that crashed otherwise said nothing of it.
    """
    # Only where something stopped: the table is large.
    from cudnn_assistant.explain.evidence import named

    raised, printed = trial.detail, trial.output
    if trial.status == "crashed":
        aborted = trial.code_name in _ABORTED or trial.code == _EXIT_OF_ABORT
        last = printed.splitlines()[-_LAST_LINES:]
        raised, printed = "\n".join(last) if aborted else "", ""
    return named(raised if trial.framework else "", printed)


_ABORTED = ("SIGABRT", "STATUS_STACK_BUFFER_OVERRUN")
"""How a process ends that calls abort(), on Linux and on Windows."""
_EXIT_OF_ABORT = 3
"""The same on Windows with an older runtime."""
_LAST_LINES = 3


def with_known_cudnn(machine: Machine, compat: Compat) -> Machine:
    """The computer with the cuDNN of those frameworks added whose files don't name it.

    By what they say where they refuse another; else only the major, and only where all builds of
    that release agree on it (published tables).
    """
    pythons = []
    for one in machine.pythons:
        alone = not any(f.brings_cudnn for f in one.frameworks)
        said = {t.framework.partition(" ")[0]: t.detail for t in machine.trials_of(one.id)}
        told = (_built_with(f, said.get(f.name, "")) for f in one.frameworks)
        known = (_completed(f, machine, compat, alone=alone) for f in told)
        pythons.append(msgspec.structs.replace(one, frameworks=tuple(known)))
    return msgspec.structs.replace(machine, pythons=tuple(pythons))


_BUILT = regex(r"compiled\s+(?:against|with):? \(?(\d+)[., ]+(\d+)[., ]+(\d+)")
"""PyTorch: compiled against (9, 10, 2); TensorFlow and JAX: source was compiled with: 9.3.0."""


def _built_with(framework: Framework, said: str) -> Framework:
    match = _BUILT.search(said)
    if match is None or "." in framework.cudnn:
        return framework
    return msgspec.structs.replace(framework, cudnn=".".join(match.groups()))


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


def need_of(framework: Framework, where: str) -> Need:
    """What one framework asks of cuDNN."""
    parts = numbers(framework.cudnn)
    version = framework.cudnn if len(parts) > 1 else ""
    return Need(
        major(framework.cudnn),
        major(framework.cuda),
        version,
        called(framework),
        where,
        framework.cuda,
    )


def highest_by_major(needs: Iterable[Need]) -> tuple[Need, ...]:
    """For each major what asks for the newest, highest major first."""
    highest: dict[int, Need] = {}
    for need in needs:
        known = highest.get(need.major)
        if known is None or older(known.version, need.version) or not known.version:
            highest[need.major] = need
    return tuple(highest[key] for key in sorted(highest, reverse=True))
