"""Finds the one coherent set for a subject, and says why it is that one.

Order of preference: what needs no new driver; what is already there; the CUDA major whose
libraries are present; the release a framework was tested with; the newest.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import msgspec

from cudnn_assistant.compat.advice import (
    Alternative,
    FrameworkAdvice,
    Reason,
    Recommendation,
)
from cudnn_assistant.compat.candidates import Candidate, evaluate, serving_builds
from cudnn_assistant.compat.facts import Compat, CudnnBuild, FrameworkRelease
from cudnn_assistant.compat.lookup import order
from cudnn_assistant.compat.ranking import rank
from cudnn_assistant.compat.releases import cudnn_builds, framework_builds
from cudnn_assistant.compat.situation import Situation, situation
from cudnn_assistant.compat.telling import (
    driver_reasons,
    framework_advice,
    made,
    unknown_facts,
)
from cudnn_assistant.machine import SYSTEM, Machine


def recommend(
    machine: Machine,
    compat: Compat,
    subject: str = SYSTEM,
    *,
    want_cudnn: str = "",
    want_cuda: str = "",
) -> Recommendation:
    """What fits a subject of a computer; see :func:`recommend_for`."""
    here = situation(machine, compat, subject, want_cudnn=want_cudnn, want_cuda=want_cuda)
    return recommend_for(here, compat)


def recommend_for(here: Situation, compat: Compat) -> Recommendation:
    """What fits a situation.

    Never advises what can't be had: a driver after the GPUs' last branch, a cuDNN that dropped
    them, a file without a known hash. What the data doesn't say is listed under ``unknown``.
    """
    if here.has_gpu is False:
        return Recommendation(subject=here.subject, possible=False, unmet=(Reason(code="no-gpu"),))
    tried = [_try(here, compat, computes) for computes in _groups(here.computes)]
    for candidates, chosen, computes in tried:
        if chosen is not None:
            return made(here, compat, candidates, chosen, computes)
    return _nothing_fits(here, compat, tried[0][0])


_Tried = tuple[list[Candidate], Candidate | None, tuple[str, ...]]


def _groups(computes: Sequence[str]) -> Iterator[tuple[str, ...]]:
    """All GPUs together; if nothing serves them all, without the oldest, and so on."""
    by_age = tuple(sorted(computes, key=order))
    yield by_age
    for left_out in range(1, len(by_age)):
        yield by_age[left_out:]


def _try(here: Situation, compat: Compat, computes: tuple[str, ...]) -> _Tried:
    candidates = [
        evaluate(compat, here, computes, framework, build)
        for framework, build in _pairs(here, compat)
    ]
    return candidates, _choose(here, compat, candidates, computes), computes


def _pairs(
    here: Situation, compat: Compat
) -> Iterator[tuple[FrameworkRelease | None, CudnnBuild | None]]:
    if not here.framework:
        for build in cudnn_builds(compat):
            # 13.4 is a variant for one platform beside the build for all of 13.
            if build.file(here.platform) or build.cuda_major < 12 or "." not in build.cuda:
                yield None, build
    for framework in (
        framework_builds(compat, here.framework, here.framework_version, here.family)
        if here.framework
        else ()
    ):
        for serving in serving_builds(compat, framework, here.platform):
            yield framework, serving


def _choose(
    here: Situation, compat: Compat, candidates: Sequence[Candidate], computes: Sequence[str]
) -> Candidate | None:
    fit = [one for one in candidates if not one.against and one.driver_possible is not False]
    kept = [one for one in candidates if not one.against and one.driver_enough]
    now = kept or [one for one in fit if one.driver_enough is None and here.driver]
    return max(now or fit, key=lambda one: rank(here, compat, one, computes), default=None)


# Nothing fits


def _nothing_fits(
    here: Situation, compat: Compat, candidates: Sequence[Candidate]
) -> Recommendation:
    unknown = tuple(unknown_facts(here))
    if not candidates:
        missing = Reason(
            code="framework-unknown", about=f"{here.framework} {here.framework_version}"
        )
        return Recommendation(
            subject=here.subject, possible=None, unknown=(missing, *unknown),
            alternatives=tuple(_alternatives(here, compat)),
        )  # fmt: skip
    nearest = min(candidates, key=lambda one: (len(one.against), *_reversed(one)))
    unmet = _told_once(nearest.against or driver_reasons(here, nearest))
    return Recommendation(
        subject=here.subject,
        possible=False,
        unmet=unmet,
        unknown=unknown,
        alternatives=tuple(_alternatives(here, compat)),
    )


def _told_once(reasons: Sequence[Reason]) -> tuple[Reason, ...]:
    """The first reason of each kind for each GPU."""
    told = {(one.code, one.facts.get("compute")): one for one in reversed(reasons)}
    return tuple(reversed(told.values()))


def _reversed(one: Candidate) -> tuple[int, ...]:
    """Newest first, for a search by smallest."""
    build = one.cudnn
    return tuple(-part for part in order(build.version).release) if build else ()


_TRAINERS = ("tensorflow", "jax", "mxnet", "paddle")
"""What a person may leave for PyTorch."""


def _alternatives(here: Situation, compat: Compat) -> Iterator[Alternative]:
    if not here.framework:
        return
    if here.family == "windows":
        inside = msgspec.structs.replace(
            here, family="linux", platform="linux-x86_64", driver_family="windows",
            python="", toolkits=(), cudnns=(), framework_cuda="", installed=False,
        )  # fmt: skip
        if (found := _first_fit(inside, compat)) is not None:
            yield Alternative(way="wsl2", framework=found)
    same = msgspec.structs.replace(here, framework_version="", framework_cuda="", installed=False)
    free = msgspec.structs.replace(same, python="")
    torch = msgspec.structs.replace(free, framework="torch")
    wishes = (same, free, torch) if here.framework in _TRAINERS else (same, free)
    told = set()
    for situation_ in wishes:
        found = _first_fit(situation_, compat)
        if found is not None and found.requirement not in told:
            told.add(found.requirement)
            yield Alternative(way="framework", framework=found)


def _first_fit(here: Situation, compat: Compat) -> FrameworkAdvice | None:
    candidates, chosen, _ = _try(here, compat, here.computes)
    return framework_advice(here, chosen) if chosen and candidates else None
