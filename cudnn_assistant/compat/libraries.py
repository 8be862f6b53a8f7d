"""Which CUDA libraries a chosen set needs, and where they are to be had."""

from __future__ import annotations

from typing import Any

import msgspec

from cudnn_assistant.compat.advice import ToolkitAdvice
from cudnn_assistant.compat.candidates import Candidate
from cudnn_assistant.compat.facts import Compat, Component, ToolkitRelease
from cudnn_assistant.compat.lookup import (
    at_least,
    cuda_of_branch,
    cuda_of_driver,
    last_common_branch,
    last_cuda,
    oldest_usable_cuda,
    order,
    serves_cuda,
)
from cudnn_assistant.compat.ranking import present_cuda
from cudnn_assistant.compat.releases import major_minor
from cudnn_assistant.compat.situation import Situation
from cudnn_assistant.versions import series


def toolkit_advice(here: Situation, compat: Compat, chosen: Candidate) -> ToolkitAdvice | None:
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
        msgspec.structs.replace(component, files=(file,))
        for component in toolkit.components
        for file in component.files
        if file.platform == here.platform and file.sha256
    )


def _ceiling(here: Situation, compat: Compat, chosen: Candidate) -> str:
    """The highest CUDA of the driver that the set will have."""
    if chosen.driver_enough and here.cuda:
        return here.cuda
    if (last := last_common_branch(compat, here.computes)) is not None:
        return cuda_of_branch(compat, last)
    return cuda_of_driver(compat, chosen.driver, here.driver_family)


def _has_wheels(compat: Compat, here: Situation, toolkit: ToolkitRelease) -> bool:
    """Whether there are files for this platform of all packages."""
    names = {one.partition("==")[0] for one in toolkit.requirements}
    there = {wheel.package for wheel in compat.wheels if here.platform in wheel.platforms}
    return there.issuperset(names)
