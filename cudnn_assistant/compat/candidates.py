"""Candidates for a recommendation, and what stands against each of them."""

from __future__ import annotations

from collections.abc import Iterator

import msgspec
from msgspec.structs import replace

from cudnn_assistant.compat.advice import Code, Reason, Release, reason
from cudnn_assistant.compat.facts import Compat, CudnnBuild, FrameworkRelease
from cudnn_assistant.compat.lookup import (
    at_least,
    driver_floor,
    driver_possible,
    first_driver,
    last_driver_branch,
    newest,
    order,
    serves_cuda,
)
from cudnn_assistant.compat.releases import (
    allowed,
    build_against,
    build_driver_floor,
    build_runs_on,
    kernels_against,
    may_be_older,
)
from cudnn_assistant.compat.situation import Situation
from cudnn_assistant.versions import major


class Candidate(msgspec.Struct, frozen=True):
    """A framework build and the cuDNN build that serves it; either may be missing."""

    framework: FrameworkRelease | None
    cudnn: CudnnBuild | None
    against: tuple[Reason, ...] = ()
    """Obstacles that no driver update removes; where there is one, nothing more is asked."""
    driver: str = ""
    """The oldest driver it runs with, "" when unknown."""
    driver_enough: bool | None = None
    driver_possible: bool | None = None
    unknown: tuple[Reason, ...] = ()

    @property
    def cuda(self) -> str:
        """The CUDA that the set is made for."""
        made = self.cudnn or self.framework
        return made.cuda if made else ""

    @property
    def cuda_major(self) -> int:
        """Its major; 0 when unknown."""
        return major(self.cuda)

    @property
    def newness(self) -> tuple[tuple[int, ...], ...]:
        """A key by which a newer candidate is greater: its framework, its cuDNN, its CUDA."""
        framework, build = self.framework, self.cudnn
        return (
            order(framework.version if framework else ""),
            order(build.version if build else ""),
            order(self.cuda),
        )

    @property
    def release(self) -> Release:
        """What reasons speak of."""
        made = self.framework or self.cudnn
        return _release(made) if made else Release(product="", version="")


def _release(made: FrameworkRelease | CudnnBuild) -> Release:
    product = made.name if isinstance(made, FrameworkRelease) else "cuDNN"
    return Release(product=product, version=made.version, cuda=made.cuda)


def evaluate(
    compat: Compat,
    here: Situation,
    framework: FrameworkRelease | None,
    build: CudnnBuild | None,
) -> Candidate:
    """Everything that stands against a candidate; where nothing does, the driver it needs."""
    # Where the kernels of its build for Arm are known, which are others.
    if framework and here.arm and (*framework.arm, "no")[0] not in ("no", "yes"):
        framework = replace(framework, compute=framework.arm)
    one = Candidate(framework=framework, cudnn=build)
    if against := (*_wishes(here, one), *_against(compat, here, one)):
        return replace(one, against=against)
    needed = _needed_driver(compat, here, one)
    # Windows' 581.15 is of branch 580: its numbers run on.
    begun = (one.branch for one in compat.branches if one.branch <= major(here.driver))
    last = last_driver_branch(compat, *here.computes)
    dropped = last is not None and max(begun, default=0) > last
    enough = at_least(here.driver, needed)
    answers = [driver_possible(compat, compute, needed) for compute in here.computes] or [None]
    return replace(
        one,
        driver=needed,
        driver_enough=False if dropped or here.has_driver is False else enough,
        driver_possible=False if False in answers else None if None in answers else True,
        unknown=tuple(_unknown(compat, here, one)),
    )


def _against(compat: Compat, here: Situation, one: Candidate) -> Iterator[Reason]:
    framework, build = one.framework, one.cudnn
    if build is not None and (framework is None or framework.found == "system"):
        yield from _file_against(here, build)
    if framework is not None:
        yield from _framework_against(compat, here, framework)
    for compute in here.computes if build else ():
        if build and (code := build_against(compat, build, compute)):
            yield reason(code, _release(build), compute=compute)


def _unknown(compat: Compat, here: Situation, one: Candidate) -> Iterator[Reason]:
    # First: whatever else isn't known of a new release follows from it.
    yield from _not_reviewed(compat, one)
    build = one.cudnn
    unsure = [c for c in here.computes if build and build_runs_on(compat, build, c) is None]
    if one.framework is not None:
        yield from _framework_unknown(here, one.framework)
        older = [gpu for gpu in here.computes if may_be_older(compat, one.framework, gpu)]
        unsure = [*older, *unsure]
    for compute in unsure:
        yield reason("gpu-support-unknown", one.release, compute=compute)


def _wishes(here: Situation, one: Candidate) -> Iterator[Reason]:
    build, framework = one.cudnn, one.framework
    if build is None:
        return
    release = _release(build)
    if here.want_cuda and not serves_cuda(build.cuda, here.want_cuda):
        yield reason("wanted-cuda", release, wanted=here.want_cuda)
    wanted = major(here.want_cudnn)
    other_major = wanted and wanted != major(build.version)
    if other_major or at_least(build.version, here.want_cudnn) is False:
        yield reason("wanted-cudnn", release, wanted=here.want_cudnn)
    own = framework and framework.found == "bundled"
    if here.cudnn_allowed and not own and build.full not in allowed(here.cudnn_allowed):
        yield reason("wanted-cudnn", release, wanted=here.cudnn_allowed)


def _file_against(here: Situation, build: CudnnBuild) -> Iterator[Reason]:
    file = build.file(here.platform)
    if here.platform and not (file and file.sha256):
        code: Code = "hash-unknown" if file else "no-official-file"
        yield reason(code, _release(build), platform=here.platform)


def _needed_driver(compat: Compat, here: Situation, one: Candidate) -> str:
    """The oldest driver that satisfies CUDA, cuDNN and the GPUs themselves."""
    limits = []
    if one.framework is not None:
        limits.append(driver_floor(compat, one.framework.cuda, here.driver_family))
    if one.cudnn is not None:
        limits.append(build_driver_floor(compat, one.cudnn, here.driver_family, here.computes))
    limits += [first_driver(compat, compute, here.driver_family) for compute in here.computes]
    return newest(limits)


def _not_reviewed(compat: Compat, one: Candidate) -> Iterator[Reason]:
    found, build = one.framework, one.cudnn
    names = [f"{found.name} {found.version} {found.index}".strip()] if found else []
    names += [f"cuDNN {build.version}"] if build else []
    new = (name for name in names if name in compat.unreviewed)
    yield from (Reason(code="not-reviewed", about=name) for name in new)


def _framework_against(
    compat: Compat, here: Situation, build: FrameworkRelease
) -> Iterator[Reason]:
    release = _release(build)
    if not build.gpu or (here.arm and "no" in build.arm):
        on_windows = here.family == "windows" and not build.gpu
        yield reason("no-gpu-build-on-windows" if on_windows else "no-gpu-build", release)
        return
    if not build.requirement and not here.installed:
        yield reason("not-published", release)
    asked = build.python and here.python and not here.installed
    if asked and not allowed(build.python).contains(here.python, prereleases=True):
        yield reason("python-not-supported", release, python=here.python, needs=build.python)
    for bad in compat.known_bad:
        if bad.kind == "release" and build.requirement == f"{bad.product}=={bad.version}":
            yield reason("known-bad", release, why=bad.why)
    for compute in here.computes:
        if (code := kernels_against(compat, build, compute)) is not None:
            yield reason(code, release, compute=compute)


def _framework_unknown(here: Situation, build: FrameworkRelease) -> Iterator[Reason]:
    release = _release(build)
    if build.python and not here.python and not here.installed:
        yield reason("python-unknown", release, needs=build.python)
    if not build.cuda or not build.found or (build.found == "system" and not build.cudnn):
        yield reason("framework-needs-unknown", release)
    if not build.compute and not build.compute_min:
        yield reason("gpu-support-unknown", release)
    if not build.sure:
        yield reason("inferred", release)
    if here.arm and not build.arm and not here.installed:
        yield reason("processor-unknown", release)
