"""Which cuDNN builds serve a framework build."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from typing import TYPE_CHECKING

from cudnn_assistant.compat.facts import Compat, CudnnBuild, FrameworkRelease, once
from cudnn_assistant.compat.lookup import at_least, major_of, version
from cudnn_assistant.compat.releases import cudnn_build, cudnn_builds, wheel_package

if TYPE_CHECKING:
    from packaging.specifiers import SpecifierSet


@once
def serving_builds(
    compat: Compat, framework: FrameworkRelease, platform: str
) -> tuple[CudnnBuild | None, ...]:
    """The cuDNN builds that may serve a framework build; (None,) when it needs none of ours."""
    cuda = major_of(framework.cuda)
    if cuda is None:
        return (None,)
    if framework.found == "system" and framework.cudnn:
        return tuple(
            one for one in cudnn_builds(compat) if one.cuda_major == cuda and serves(framework, one)
        )
    if framework.found == "wheel" and framework.cudnn_spec:
        return tuple(_by_wheel(compat, framework, cuda, platform)) or (None,)
    if framework.found in ("wheel", "bundled") and framework.cudnn:
        return (cudnn_build(compat, framework.cudnn, cuda, framework.cuda),)
    return (None,)


def serves(framework: FrameworkRelease, build: CudnnBuild) -> bool:
    """Whether a cuDNN build may stand in for the one a framework was built with.

    Same major, not older than the build's minor (cuDNN's own rule), and the very CUDA release
    where CUDA had no minor-version compatibility yet.
    """
    need = version(framework.cudnn)
    if need is None or need.major != major_of(build.version):
        return False
    if at_least(build.version, f"{need.major}.{need.minor}") is False:
        return False
    if framework.cudnn_spec and build.full not in allowed(framework.cudnn_spec):
        return False
    exact_cuda = build.cuda_major < 11
    return not exact_cuda or major_minor(build.cuda) == major_minor(framework.cuda)


@lru_cache(maxsize=64)
def allowed(specifier: str) -> SpecifierSet:
    """The releases that a specifier allows."""
    # Loaded where a framework pins its cuDNN; most checks come by without.
    from packaging.specifiers import SpecifierSet

    return SpecifierSet(specifier)


def major_minor(text: str) -> tuple[int, int] | None:
    """The first two numbers of a version."""
    found = version(text)
    return None if found is None else (found.major, found.minor)


def _by_wheel(
    compat: Compat, framework: FrameworkRelease, cuda: int, platform: str
) -> Iterator[CudnnBuild]:
    within = allowed(framework.cudnn_spec)
    for wheel in compat.wheels:
        if wheel.package != wheel_package(cuda) or wheel.version not in within:
            continue
        build = cudnn_build(compat, wheel.version, cuda)
        if build is not None and (not platform or platform in wheel.platforms):
            yield build
