"""Which of the candidates that fit is the best: fewest unknowns, fewest changes, the newest."""

from __future__ import annotations

from typing import Any

from cudnn_assistant.compat.candidates import Candidate
from cudnn_assistant.compat.facts import Compat, CudnnBuild, FrameworkRelease
from cudnn_assistant.compat.lookup import (
    at_least,
    newest,
    oldest_usable_cuda,
    one_release,
    order,
    serves_cuda,
)
from cudnn_assistant.compat.releases import major_minor
from cudnn_assistant.compat.situation import Situation

_BROUGHT = ("wheel", "bundled", "none")
"""Ways of a framework's cuDNN that ask nothing of the system."""


def rank(here: Situation, compat: Compat, one: Candidate) -> tuple[Any, ...]:
    """A key by which a better candidate is greater."""
    framework, build = one.framework, one.cudnn
    present = bool(present_cuda(here, compat, one))
    there = already_there(here, build) is not None
    file = build.file(here.platform) if build else None
    return (
        # What is unknown of the release, not of this computer or of a mere list.
        -sum(reason.code != "python-unknown" for reason in one.unknown),
        same_build(here, framework),
        order(framework.version) if framework else order("0"),
        -sum(reason.code == "gpu-support-unknown" for reason in one.unknown),
        framework is None or framework.found in _BROUGHT or (present and there),
        there,
        present,
        one.cuda_major,
        _nearness(here, framework),
        closeness(framework, build),
        # Without a known hash an archive isn't downloaded.
        bool(file and file.sha256),
        bool(file and file.size),
        order(build.version) if build else order("0"),
        order(build.cuda) if build else order("0"),
    )


def _nearness(here: Situation, framework: FrameworkRelease | None) -> tuple[bool, bool, int]:
    """CUDA that the driver speaks itself, the ordinary index, and the nearest CUDA release.

    Of releases that run by minor-version compatibility only, the older one is nearer.
    """
    if framework is None:
        return True, True, 0
    heard = at_least(here.cuda, framework.cuda) is not False
    major, minor = major_minor(framework.cuda) or (0, 0)
    return heard, not framework.index, (major * 100 + minor) * (1 if heard else -1)


def same_build(here: Situation, framework: FrameworkRelease | None) -> bool:
    """Whether a build is the installed one, as far as its CUDA tells."""
    if framework is None or not here.framework_cuda:
        return False
    return major_minor(framework.cuda) == major_minor(here.framework_cuda)


def closeness(framework: FrameworkRelease | None, build: CudnnBuild | None) -> tuple[bool, bool]:
    """Whether a cuDNN is of the very series, and for the CUDA, a framework was tested with."""
    if framework is None or build is None or framework.cudnn_spec:
        return False, False
    if "." not in framework.cudnn:
        return False, False
    same_cuda = major_minor(build.cuda) == major_minor(framework.cuda)
    return major_minor(build.version) == major_minor(framework.cudnn), same_cuda


def already_there(here: Situation, build: CudnnBuild | None) -> str | None:
    """The folder of a present copy of this very build."""
    if build is None:
        return None
    for copy in here.cudnns:
        if one_release(copy.version, build.version) and copy.cuda_major in (None, build.cuda_major):
            return copy.folder
    return None


def present_cuda(here: Situation, compat: Compat, one: Candidate) -> str:
    """A present CUDA that serves a candidate on these GPUs; "" when there is none."""
    oldest = newest(oldest_usable_cuda(compat, compute) for compute in here.computes)
    usable = [
        there
        for there in here.toolkits
        if serves_cuda(there, one.cuda)
        and ("." not in there or at_least(there, oldest) is not False)
    ]
    return newest(usable)
