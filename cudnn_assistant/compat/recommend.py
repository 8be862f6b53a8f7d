"""Finds the one coherent set for a subject, and says why it is that one.

Order of preference: what needs no new driver; what is already there; the CUDA major whose
libraries are present; the release a framework was tested with; the newest.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from msgspec.structs import replace

from cudnn_assistant.compat.advice import (
    Alternative,
    FrameworkAdvice,
    Price,
    Reason,
    Recommendation,
    Release,
    reason,
)
from cudnn_assistant.compat.candidates import Candidate, evaluate
from cudnn_assistant.compat.facts import Compat, CudnnBuild, FrameworkRelease
from cudnn_assistant.compat.lookup import in_series, order
from cudnn_assistant.compat.ranking import rank
from cudnn_assistant.compat.releases import allowed, cudnn_builds, framework_builds, serving_builds
from cudnn_assistant.compat.situation import Situation, situation
from cudnn_assistant.compat.telling import driver_reasons, framework_advice, made, unknown_facts
from cudnn_assistant.machine import SYSTEM, Machine


def recommend(machine: Machine, compat: Compat, subject: str = SYSTEM) -> Recommendation:
    """What fits a subject of a computer; see :func:`recommend_for`."""
    return recommend_for(situation(machine, compat, subject), compat)


def recommend_for(here: Situation, compat: Compat) -> Recommendation:
    """What fits a situation.

    Never advises what can't be had: a driver after the GPUs' last branch, a cuDNN that dropped
    them, a file without a known hash. What the data doesn't say is listed under ``unknown``.
    """
    if said := _beforehand(here):
        return said
    found, candidates = _best(here, compat)
    return found or _nothing_fits(here, compat, candidates)


def fitting(here: Situation, compat: Compat) -> tuple[Recommendation | None, Sequence[Candidate]]:
    """The set that serves the most of a situation's GPUs, and all that serve them; None and ()
    where nothing serves one."""
    found, candidates = (None, ()) if _beforehand(here) else _best(here, compat)
    return found, candidates if found else ()


def _beforehand(here: Situation) -> Recommendation | None:
    """What is to be said where no set has to be looked for."""
    # The builds of packages are for other Arm computers; NVIDIA has those for each JetPack.
    board = here.platform == "linux-aarch64" and here.framework and not here.installed
    maker = "jetson" if board else here.maker
    if here.unknown_gpus and not here.computes and not maker:
        unknown = tuple(unknown_facts(here))
        return Recommendation(subject=here.subject, possible=None, unknown=unknown)
    if maker or here.has_gpu is False:
        why = Reason(code="other-maker" if maker else "no-gpu", about=maker)
    elif here.musl:
        why = Reason(code="musl-system", facts={"system": here.musl})
    else:
        return None
    return Recommendation(subject=here.subject, possible=False, unmet=(why,))


def _best(here: Situation, compat: Compat) -> tuple[Recommendation | None, Sequence[Candidate]]:
    """The set that serves the most GPUs, and all that serve them; None where nothing serves one,
    and all candidates for all GPUs."""
    for_all: Sequence[Candidate] = ()
    by_age = tuple(sorted(here.computes, key=order))
    # All GPUs together; if nothing serves them all, without the oldest, and so on.
    for oldest in range(max(len(by_age), 1)):
        these = replace(here, computes=by_age[oldest:])
        candidates, fit = _try(these, compat)
        for_all = for_all or candidates
        if fit:
            chosen = max(fit, key=lambda one: rank(these, compat, one))
            return made(these, compat, candidates, chosen, by_age[:oldest]), fit
    return None, for_all


def _try(here: Situation, compat: Compat) -> tuple[list[Candidate], list[Candidate]]:
    """All candidates, and those that fit, with the present driver if any does."""
    candidates = [evaluate(compat, here, *pair) for pair in _pairs(here, compat)]
    fit = [one for one in candidates if not one.against and one.driver_possible is not False]
    kept = [one for one in candidates if not one.against and one.driver_enough]
    now = kept or [one for one in fit if one.driver_enough is None and here.driver]
    return candidates, now or fit


def _pairs(
    here: Situation, compat: Compat
) -> Iterator[tuple[FrameworkRelease | None, CudnnBuild | None]]:
    if not here.framework:
        for build in cudnn_builds(compat):
            # 13.4 is a variant for one platform beside the build for all of 13.
            if build.file(here.platform) or build.cuda_major < 12 or "." not in build.cuda:
                yield None, build
    for framework in wished_builds(here, compat):
        for serving in serving_builds(compat, framework, here.platform):
            yield framework, serving


def wished_builds(here: Situation, compat: Compat) -> Sequence[FrameworkRelease]:
    """The builds that a wish is about: "2.10" is a series, of which the newest is meant."""
    if not here.framework:
        return ()
    wished, builds = here.want_cuda, _of_series(here, compat)
    return [one for one in builds if not wished or not one.cuda or in_series(one.cuda, wished)]


def _of_series(here: Situation, compat: Compat) -> Sequence[FrameworkRelease]:
    asked = here.framework_version
    builds = framework_builds(compat, here.framework, "", here.family)
    if here.framework_allowed:
        return [one for one in builds if one.version in allowed(here.framework_allowed)]
    if asked and asked.count(".") < 2 and not here.installed:
        return [one for one in builds if in_series(one.version, asked)]
    return framework_builds(compat, here.framework, asked, here.family)


# Nothing fits


def _nothing_fits(
    here: Situation, compat: Compat, candidates: Sequence[Candidate]
) -> Recommendation:
    """``candidates`` are those for all GPUs together."""
    unknown, unmet = tuple(unknown_facts(here)), tuple[Reason, ...]()
    if candidates:
        # The fewest obstacles, then the newest.
        nearest = max(candidates, key=lambda one: (-len(one.against), *one.newness[:2]))
        unmet = _told_once(nearest.against or driver_reasons(here, nearest))
    else:
        version = here.framework_version or here.framework_allowed
        unlisted = Release(product=here.framework, version=version, cuda=here.want_cuda)
        unknown = (reason("framework-unknown", unlisted), *unknown)
    return Recommendation(
        subject=here.subject, possible=False if candidates else None, unmet=unmet, unknown=unknown,
        alternatives=tuple(_alternatives(here, compat, {one.code for one in unmet})),
    )  # fmt: skip


def _told_once(reasons: Sequence[Reason]) -> tuple[Reason, ...]:
    """The first reason of each kind for each GPU."""
    told = {(one.code, one.facts.get("compute")): one for one in reversed(reasons)}
    return tuple(reversed(told.values()))


def _first_fit(here: Situation, compat: Compat) -> FrameworkAdvice | None:
    fit = _try(here, compat)[1]
    chosen = max(fit, key=lambda one: rank(here, compat, one), default=None)
    known = chosen and all(reason.code == "python-unknown" for reason in chosen.unknown)
    return framework_advice(here, compat, chosen) if chosen and known else None


_TRAINERS = ("tensorflow", "jax", "mxnet", "paddle")
"""What a person may leave for PyTorch."""
_CONTAINERS = ("tensorflow", "torch", "jax")
"""What NVIDIA builds for its newest GPUs in containers of its own."""
_FROM_SOURCE = ("torch", "onnxruntime", "ctranslate2", "tensorflow")


def _alternatives(here: Situation, compat: Compat, unmet: set[str]) -> Iterator[Alternative]:
    """Other ways to the goal, the nearest first. ``unmet`` are the codes of what stands against."""
    if not here.framework:
        return
    if "no-gpu-build-on-windows" in unmet:
        yield from _inside_windows(here, compat)
    told: set[str] = set()
    for price, wish in _relaxed(here):
        found = _first_fit(wish, compat)
        if found is not None and found.requirement not in told:
            told.add(found.requirement)
            yield Alternative(way="framework", framework=found, price=price)
    newer = unmet & {"gpu-too-new", "no-gpu-build"}
    if newer and here.framework in _CONTAINERS and here.family == "linux":
        yield Alternative(way="container", about=here.framework)
    if (newer or "gpu-too-old" in unmet) and here.framework in _FROM_SOURCE:
        yield Alternative(way="source-build", about=here.framework)
    if unmet & {"gpu-too-new", "gpu-too-old"}:
        yield from _other_gpu(here, compat)


def _inside_windows(here: Situation, compat: Compat) -> Iterator[Alternative]:
    inside = replace(
        here, family="linux", platform="linux-x86_64", driver_family="windows",
        python="", toolkits=(), cudnns=(), framework_cuda="", installed=False,
    )  # fmt: skip
    if (found := _first_fit(inside, compat)) is not None:
        yield Alternative(way="wsl2", framework=found)


def _relaxed(here: Situation) -> Iterator[tuple[Price, Situation]]:
    """The wish with less and less of it, dearest last."""
    plain = replace(here, framework_cuda="", installed=False)
    if here.python and (here.framework_version or here.framework_allowed):
        yield "another-python", replace(plain, python="")
    same = replace(plain, framework_version="", framework_allowed="")
    yield "another-release", same
    free = replace(same, python="")
    yield "another-python", free
    if here.framework in _TRAINERS:
        yield "another-framework", replace(free, framework="torch")


def _other_gpu(here: Situation, compat: Compat) -> Iterator[Alternative]:
    """The nearest generation that the wish runs on."""
    oldest = min(here.computes, key=order, default="0")
    ages = sorted({one.compute for one in compat.architectures if not one.board}, key=order)
    newer = [one for one in ages if order(one) > order(oldest)]
    for compute in (*newer, *(one for one in reversed(ages) if order(one) < order(oldest))):
        wish = replace(here, computes=(compute,), driver="", has_driver=None, cuda="")
        if _first_fit(wish, compat) is not None:
            yield Alternative(way="other-gpu", about=compute)
            return
