"""What is said about the chosen set: its parts, why it is that one, what was ruled out."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import msgspec

from cudnn_assistant.compat.advice import (
    Code,
    CudnnAdvice,
    DriverAdvice,
    FrameworkAdvice,
    Reason,
    Recommendation,
    ToolkitAdvice,
)
from cudnn_assistant.compat.candidates import Candidate, major_minor, wheel_package
from cudnn_assistant.compat.facts import ONGOING, Compat, Component, CudnnBuild, ToolkitRelease
from cudnn_assistant.compat.lookup import (
    architecture,
    at_least,
    cuda_of_branch,
    cuda_of_driver,
    driver_advice,
    floor,
    last_driver_branch,
    major_of,
    newest,
    oldest_usable_cuda,
    order,
)
from cudnn_assistant.compat.ranking import (
    already_there,
    closeness,
    present_cuda,
    same_build,
)
from cudnn_assistant.compat.situation import Situation


def made(
    here: Situation,
    compat: Compat,
    candidates: Sequence[Candidate],
    chosen: Candidate,
    computes: tuple[str, ...],
) -> Recommendation:
    """The recommendation for a chosen candidate."""
    driver = _driver(here, compat, chosen, computes)
    return Recommendation(
        subject=here.subject,
        possible=_possible(here, chosen),
        driver=driver,
        toolkit=_toolkit(here, compat, chosen, computes),
        cudnn=_cudnn(here, compat, chosen),
        framework=framework_advice(here, chosen),
        because=(*_because(here, compat, chosen, computes), *_disputed(driver)),
        ruled_out=tuple(_ruled_out(here, candidates, chosen)),
        unmet=tuple(
            Reason(code="gpu-left-out", about=compute)
            for compute in here.computes
            if compute not in computes
        ),
        unknown=(*unknown_facts(here), *chosen.unknown),
    )


def _possible(here: Situation, chosen: Candidate) -> bool | None:
    if here.has_gpu is None or not here.computes or not here.platform:
        return None
    if any(reason.code == "gpu-support-unknown" and reason.facts for reason in chosen.unknown):
        return None
    return True if chosen.driver_enough else chosen.driver_possible


def _driver(
    here: Situation, compat: Compat, chosen: Candidate, computes: Sequence[str]
) -> DriverAdvice:
    limit = floor(compat, str(chosen.cuda_major or ""))
    safe = driver_advice(compat, str(chosen.cuda_major or ""), here.driver_family)
    enough = bool(chosen.driver_enough)
    lasts = [last_driver_branch(compat, compute) for compute in computes]
    return DriverAdvice(
        minimum=chosen.driver if enough else newest((chosen.driver, safe)),
        present=here.driver,
        enough=chosen.driver_enough,
        possible=chosen.driver_possible,
        last_branch=min((last for last in lasts if last is not None), default=None),
        disputed=bool(limit and limit.disputed and here.driver_family == "windows"),
    )


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
        and order(wheel.version).release[:3] == order(build.version).release[:3]
    ]
    return f"{package}=={newest(found)}" if found else ""


def framework_advice(here: Situation, chosen: Candidate) -> FrameworkAdvice | None:
    """The framework build of a candidate, None when none was asked for."""
    build = chosen.framework
    if build is None:
        return None
    return FrameworkAdvice(
        name=build.name,
        version=build.version,
        cuda=build.cuda,
        cudnn=build.cudnn,
        found=build.found,
        requirement=build.requirement,
        index=build.index,
        python=build.python,
        installed=same_build(here, build),
    )


def _toolkit(
    here: Situation, compat: Compat, chosen: Candidate, computes: Sequence[str]
) -> ToolkitAdvice | None:
    """The CUDA libraries; None where the framework brings them."""
    major = chosen.cuda_major
    brought = chosen.framework is not None and chosen.framework.found in ("wheel", "bundled")
    if major is None or brought:
        return None
    present = present_cuda(here, compat, major, computes)
    if present:
        return ToolkitAdvice(cuda_major=major, present=present)
    fitting = [one for one in compat.toolkits if _toolkit_fits(compat, one, chosen, computes)]
    ceiling = _ceiling(here, compat, chosen, computes)
    best = max(fitting, key=lambda one: _toolkit_rank(here, chosen, one, ceiling), default=None)
    file = (
        next((one for one in best.files if one.platform == here.platform), None) if best else None
    )
    return ToolkitAdvice(
        cuda_major=major,
        version=best.version if best else "",
        file=file if file and file.sha256 else None,
        components=_components(here, best) if best else (),
        requirements=_cuda_wheels(compat, here, major),
    )


def _toolkit_fits(
    compat: Compat, toolkit: ToolkitRelease, chosen: Candidate, computes: Sequence[str]
) -> bool:
    if major_of(toolkit.version) != chosen.cuda_major:
        return False
    if any(bad.product == "cuda" and bad.version == toolkit.version for bad in compat.known_bad):
        return False
    exact = chosen.cudnn.cuda if chosen.cudnn and chosen.cudnn.cuda_major < 11 else ""
    if exact and major_minor(toolkit.version) != major_minor(exact):
        return False
    return all(_supports(compat, toolkit.version, compute) for compute in computes)


def _supports(compat: Compat, toolkit: str, compute: str) -> bool:
    known = architecture(compat, compute)
    if at_least(toolkit, oldest_usable_cuda(compat, compute)) is False:
        return False
    if known is None or known.last_cuda in ("", ONGOING):
        return True
    series = ".".join(toolkit.split(".")[:2])
    return at_least(known.last_cuda, series) is not False


def _toolkit_rank(
    here: Situation, chosen: Candidate, toolkit: ToolkitRelease, ceiling: str
) -> tuple[bool, bool, bool, Any]:
    """Tested by the framework, spoken by the driver, with files; then the newest."""
    made = chosen.framework.cuda if chosen.framework else ""
    tested = "." in made and major_minor(made) == major_minor(toolkit.version)
    ready = bool(_components(here, toolkit)) or any(
        one.platform == here.platform and one.sha256 for one in toolkit.files
    )
    series = ".".join(toolkit.version.split(".")[:2])
    return tested, at_least(ceiling, series) is not False, ready, order(toolkit.version)


def _components(here: Situation, toolkit: ToolkitRelease) -> tuple[Component, ...]:
    """The components with the one file for this platform."""
    return tuple(
        msgspec.structs.replace(component, files=(file,))
        for component in toolkit.components
        for file in component.files
        if file.platform == here.platform and file.sha256
    )


def _ceiling(here: Situation, compat: Compat, chosen: Candidate, computes: Sequence[str]) -> str:
    """The highest CUDA of the driver that the set will have."""
    if chosen.driver_enough and here.cuda:
        return here.cuda
    lasts = [last_driver_branch(compat, compute) for compute in computes]
    last = min((one for one in lasts if one is not None), default=None)
    if last is not None:
        return cuda_of_branch(compat, last)
    return cuda_of_driver(compat, chosen.driver, here.driver_family)


def _cuda_wheels(compat: Compat, here: Situation, major: int) -> tuple[str, ...]:
    """The libraries that cuDNN asks for, as packages for Python; CUDA 13's have no suffix."""
    suffix = f"-cu{major}" if major < 13 else ""
    names = [f"nvidia-cublas{suffix}", f"nvidia-cuda-nvrtc{suffix}"]
    there = {wheel.package for wheel in compat.wheels if here.platform in wheel.platforms}
    exact = f">={major},<{major + 1}" if not suffix else ""
    return tuple(name + exact for name in names) if there.issuperset(names) else ()


def _because(
    here: Situation, compat: Compat, chosen: Candidate, computes: Sequence[str]
) -> Iterator[Reason]:
    name, build = chosen.name, chosen.cudnn
    if build is not None and already_there(here, build) is not None:
        yield Reason(code="already-there", about=name)
    if present := present_cuda(here, compat, chosen.cuda_major, computes):
        yield Reason(code="cuda-present", about=name, facts={"cuda": present})
    elif here.cuda:
        yield Reason(code="cuda-of-driver", about=name, facts={"cuda": here.cuda})
    if any(closeness(chosen.framework, build)):
        yield Reason(code="tested-with-framework", about=name)
    for compute in computes:
        known = architecture(compat, compute)
        if build and known and known.last_cudnn == build.version:
            yield Reason(code="last-for-gpu", about=name, facts={"compute": compute})
    if build is not None and build.inferred:
        yield Reason(code="inferred", about=name, facts={"facts": " ".join(build.inferred)})


def _disputed(driver: DriverAdvice) -> Iterator[Reason]:
    if driver.disputed and not driver.enough:
        yield Reason(code="disputed", about=driver.minimum)


def _ruled_out(
    here: Situation, candidates: Iterable[Candidate], chosen: Candidate
) -> Iterator[Reason]:
    """For each reason the best candidate it excluded, if that one is newer than the choice."""
    told: set[str] = set()
    for one in sorted(candidates, key=_newness, reverse=True):
        if _newness(one) <= _newness(chosen):
            return
        for reason in one.against or driver_reasons(here, one):
            if reason.code not in told and reason.code not in ("wanted-cudnn", "wanted-cuda"):
                told.add(reason.code)
                yield reason


def _newness(one: Candidate) -> tuple[Any, ...]:
    framework, build = one.framework, one.cudnn
    return (
        order(framework.version) if framework else order("0"),
        order(build.version) if build else order("0"),
        order(build.cuda if build else framework.cuda if framework else "0"),
    )


def driver_reasons(here: Situation, one: Candidate) -> tuple[Reason, ...]:
    """Why the present driver doesn't do for a candidate; empty when it does."""
    if one.driver_enough is not False:
        return ()
    code: Code = "driver-missing" if here.has_driver is False else "driver-too-old"
    if one.driver_possible is False:
        code = "gpu-dropped-by-driver"
    facts = {"needs": one.driver, "present": here.driver}
    return (Reason(code=code, about=one.name, facts=facts),)


def unknown_facts(here: Situation) -> Iterator[Reason]:
    """What would have to be known to be certain."""
    if here.has_gpu is None or not here.computes or here.unknown_gpus:
        yield Reason(code="gpu-unknown", about=", ".join(here.unknown_gpus))
    if here.has_driver is None or (here.has_driver and not here.driver):
        yield Reason(code="driver-unknown")
    if not here.platform:
        yield Reason(code="platform-unknown")
