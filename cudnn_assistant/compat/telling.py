"""What is said about the chosen set: its parts, why it is that one, what was ruled out."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from operator import attrgetter
from typing import Any

import msgspec
from msgspec.structs import replace

from cudnn_assistant.compat.advice import (
    Code,
    CudnnAdvice,
    DriverAdvice,
    FrameworkAdvice,
    Reason,
    Recommendation,
    Release,
    ToolkitAdvice,
    reason,
)
from cudnn_assistant.compat.candidates import Candidate
from cudnn_assistant.compat.facts import Compat, Component, CudnnBuild, ToolkitRelease
from cudnn_assistant.compat.lookup import (
    architecture,
    at_least,
    cuda_of_branch,
    cuda_of_driver,
    driver_floor,
    floor,
    last_cuda,
    last_driver_branch,
    newest,
    oldest_usable_cuda,
    one_release,
    order,
    serves_cuda,
)
from cudnn_assistant.compat.packages import install_command
from cudnn_assistant.compat.ranking import already_there, closeness, present_cuda, same_build
from cudnn_assistant.compat.releases import last_cudnn, major_minor, wheel_package
from cudnn_assistant.compat.situation import Situation
from cudnn_assistant.versions import series

_OF_A_GPU = ("gpu-unknown", "gpu-ambiguous")


def made(
    here: Situation,
    compat: Compat,
    candidates: Sequence[Candidate],
    chosen: Candidate,
    left_out: Iterable[str],
) -> Recommendation:
    """The recommendation for a chosen candidate; ``left_out`` are GPUs that it doesn't serve."""
    driver = _driver(here, compat, chosen)
    unknown = (*unknown_facts(here), *_not_listed(here, chosen), *chosen.unknown)
    # One GPU that isn't known leaves the set to those that are.
    open_ends = [one for one in unknown if one.code not in _OF_A_GPU or not here.computes]
    newness = attrgetter("newness")
    newer = sorted((c for c in candidates if newness(c) > newness(chosen)), key=newness)
    ruled_out = tuple(_ruled_out(here, newer))
    versions = (one.release.version for one in newer)
    # Where nothing speaks against the next one, what is there was preferred.
    nearest = next((one for one in versions if one != chosen.release.version), "")
    next_newer = (why for one, why in ruled_out if one.release.version == nearest)
    return Recommendation(
        subject=here.subject,
        possible=None if open_ends else chosen.driver_enough or chosen.driver_possible,
        driver=driver,
        toolkit=_toolkit(here, compat, chosen),
        cudnn=_cudnn(here, compat, chosen),
        framework=framework_advice(here, compat, chosen),
        because=tuple(_because(here, compat, chosen, driver)),
        next_newer=next(next_newer, None),
        ruled_out=tuple({why.code: why for _, why in ruled_out[::-1]}.values())[::-1],
        unmet=tuple(Reason(code="gpu-left-out", about=compute) for compute in left_out),
        unknown=unknown,
    )


def _not_listed(here: Situation, chosen: Candidate) -> Iterator[Reason]:
    """An exact release was asked for, and another one of its series answers."""
    asked, build = here.framework_version, chosen.framework
    exact = asked.count(".") > 1 and not here.installed
    if build is not None and exact and order(asked) != order(build.version):
        yield reason(
            "release-not-listed", Release(product=build.name, version=asked), instead=build.version
        )


def _driver(here: Situation, compat: Compat, chosen: Candidate) -> DriverAdvice:
    cuda = str(chosen.cuda_major or "")
    limit = floor(compat, cuda)
    safe = driver_floor(compat, cuda, here.driver_family, safe=True)
    enough = bool(chosen.driver_enough)
    return DriverAdvice(
        minimum=chosen.driver if enough else newest((chosen.driver, safe)),
        present=here.driver,
        enough=chosen.driver_enough,
        possible=chosen.driver_possible,
        last_branch=last_driver_branch(compat, *here.computes),
        disputed=bool(limit and limit.disputed and here.driver_family == "windows"),
    )


def _toolkit(here: Situation, compat: Compat, chosen: Candidate) -> ToolkitAdvice | None:
    """The CUDA libraries that a candidate needs; None where the framework brings them."""
    brought = chosen.framework is not None and (
        chosen.framework.found in ("wheel", "bundled") or "[ctk]" in chosen.framework.requirement
    )
    if not chosen.cuda_major or brought:
        return None
    present = present_cuda(here, compat, chosen)
    if present:
        return ToolkitAdvice(cuda_major=chosen.cuda_major, present=present)
    fitting = [one for one in compat.toolkits if _toolkit_fits(here, compat, one, chosen)]
    ceiling = _ceiling(here, compat, chosen)
    best = max(fitting, key=lambda one: _toolkit_rank(here, chosen, one, ceiling), default=None)
    installers = (one for one in best.files if one.platform == here.platform) if best else ()
    return ToolkitAdvice(
        cuda_major=chosen.cuda_major,
        version=best.version if best else "",
        file=next((one for one in installers if one.sha256), None),
        components=_components(here, best) if best else (),
        requirements=best.requirements if best and _has_wheels(compat, here, best) else (),
    )


def _toolkit_fits(
    here: Situation, compat: Compat, toolkit: ToolkitRelease, chosen: Candidate
) -> bool:
    if not serves_cuda(toolkit.version, chosen.cuda):
        return False
    if any(bad.product == "cuda" and bad.version == toolkit.version for bad in compat.known_bad):
        return False
    return all(
        at_least(toolkit.version, oldest_usable_cuda(compat, compute)) is not False
        and at_least(last_cuda(compat, compute), series(toolkit.version)) is not False
        for compute in here.computes
    )


def _toolkit_rank(
    here: Situation, chosen: Candidate, toolkit: ToolkitRelease, ceiling: str
) -> tuple[bool, bool, bool, Any]:
    """Tested by the framework, spoken by the driver, with files; then the newest."""
    made = chosen.framework.cuda if chosen.framework else ""
    tested = "." in made and major_minor(made) == major_minor(toolkit.version)
    ready = bool(_components(here, toolkit)) or any(
        one.platform == here.platform and one.sha256 for one in toolkit.files
    )
    return (
        tested,
        at_least(ceiling, series(toolkit.version)) is not False,
        ready,
        order(toolkit.version),
    )


def _components(here: Situation, toolkit: ToolkitRelease) -> tuple[Component, ...]:
    """The components with the one file for this platform."""
    return tuple(
        replace(component, files=(file,))
        for component in toolkit.components
        for file in component.files
        if file.platform == here.platform and file.sha256
    )


def _ceiling(here: Situation, compat: Compat, chosen: Candidate) -> str:
    """The highest CUDA of the driver that the set will have."""
    if chosen.driver_enough and here.cuda:
        return here.cuda
    if (last := last_driver_branch(compat, *here.computes)) is not None:
        return cuda_of_branch(compat, last)
    return cuda_of_driver(compat, chosen.driver, here.driver_family)


def _has_wheels(compat: Compat, here: Situation, toolkit: ToolkitRelease) -> bool:
    """Whether there are files for this platform of all packages."""
    names = {one.partition("==")[0] for one in toolkit.requirements}
    there = {wheel.package for wheel in compat.wheels if here.platform in wheel.platforms}
    return there.issuperset(names)


def _cudnn(here: Situation, compat: Compat, chosen: Candidate) -> CudnnAdvice | None:
    build = chosen.cudnn
    if build is None:
        return None
    found = chosen.framework.found if chosen.framework else "system"
    return CudnnAdvice(
        version=build.version,
        full=build.full,
        cuda_major=build.cuda_major,
        cuda=build.cuda if "." in build.cuda else "",
        file=build.file(here.platform) if found == "system" else None,
        requirement=_wheel(compat, here, build) if found != "bundled" else "",
        folder=already_there(here, build) or "",
        needs_zlibwapi=build.needs_zlibwapi and here.family == "windows",
    )


def _wheel(compat: Compat, here: Situation, build: CudnnBuild) -> str:
    """The exact requirement of the same release, "" when there is no such wheel."""
    package = wheel_package(build.cuda_major)
    found = [
        wheel.version
        for wheel in compat.wheels
        if wheel.package == package
        and here.platform in wheel.platforms
        and one_release(wheel.version, build.version)
    ]
    return f"{package}=={newest(found)}" if found else ""


def framework_advice(here: Situation, compat: Compat, chosen: Candidate) -> FrameworkAdvice | None:
    """The framework build of a candidate, None when none was asked for."""
    build = chosen.framework
    if build is None:
        return None
    # Of those that an extra allows, pip takes the newest.
    any_new = "[" in build.requirement and not build.cudnn_spec.startswith("==")
    dropped = any(last_cudnn(compat, compute) for compute in here.computes)
    cudnn = _wheel(compat, here, chosen.cudnn) if chosen.cudnn and any_new and dropped else ""
    beside = (*build.beside, *filter(None, [cudnn]))
    command = install_command(build.name, build.requirement, build.index, beside)
    same = msgspec.convert(build, FrameworkAdvice, from_attributes=True)
    return replace(same, command=command, beside=beside, installed=same_build(here, build))


def _because(
    here: Situation, compat: Compat, chosen: Candidate, driver: DriverAdvice
) -> Iterator[Reason]:
    release, build = chosen.release, chosen.cudnn
    if build is not None and already_there(here, build) is not None:
        yield reason("already-there", release)
    if present := present_cuda(here, compat, chosen):
        yield reason("cuda-present", release, cuda=present)
    elif here.cuda:
        yield reason("cuda-of-driver", release, cuda=here.cuda)
    if any(closeness(chosen.framework, build)):
        yield reason("tested-with-framework", release)
    for compute in here.computes:
        if build and architecture(compat, compute).last_cudnn == build.version:
            yield reason("last-for-gpu", release, compute=compute)
    if build is not None and build.inferred:
        yield reason("inferred", release, facts=" ".join(build.inferred))
    if driver.disputed and not driver.enough:
        yield Reason(code="disputed", about=driver.minimum)


def _ruled_out(here: Situation, newer: Iterable[Candidate]) -> Iterator[tuple[Candidate, Reason]]:
    """What excluded each candidate that is newer than the choice.

    What isn't known of a candidate is such a reason, too.
    """
    for one in newer:
        for why in one.against or driver_reasons(here, one) or one.unknown:
            if why.code not in ("wanted-cudnn", "wanted-cuda"):
                yield one, why


def driver_reasons(here: Situation, one: Candidate) -> tuple[Reason, ...]:
    """Why the present driver doesn't do for a candidate; empty when it does."""
    if one.driver_enough is not False:
        return ()
    code: Code = "driver-missing" if here.has_driver is False else "driver-too-old"
    if one.driver_possible is False:
        code = "gpu-dropped-by-driver"
    elif at_least(here.driver, one.driver):
        code = "driver-too-new"
    return (reason(code, one.release, needs=one.driver, present=here.driver),)


def unknown_facts(here: Situation) -> Iterator[Reason]:
    """What would have to be known to be certain."""
    if here.has_gpu is None or not here.computes or here.unknown_gpus:
        for about in dict.fromkeys(here.unknown_gpus) or ("",):
            yield (
                Reason(code="gpu-ambiguous", about=about, facts={"names": here.meant})
                if here.meant
                else Reason(code="gpu-unknown", about=about)
            )
    if here.has_driver is None or (here.has_driver and not here.driver):
        yield Reason(code="driver-unknown")
    if not here.platform:
        yield Reason(code="platform-unknown")
