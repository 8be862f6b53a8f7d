"""Questions about releases of cuDNN and of frameworks. Pure; "" and None mean unknown."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING

from cudnn_assistant.compat.advice import Code
from cudnn_assistant.compat.facts import (
    ONGOING,
    Compat,
    CudnnBuild,
    CudnnParts,
    CudnnRelease,
    FrameworkRelease,
    load_builtin,
    once,
)
from cudnn_assistant.compat.lookup import (
    FIRST_COMPATIBLE,
    architecture,
    at_least,
    driver_floor,
    in_series,
    last_cuda,
    newest,
    oldest_usable_cuda,
    order,
    serves_cuda,
)
from cudnn_assistant.machine import Family
from cudnn_assistant.versions import major, numbers, older, series

if TYPE_CHECKING:
    from packaging.specifiers import SpecifierSet


def cudnn_release(compat: Compat, text: str) -> CudnnRelease | None:
    """The release a version names; the newest of its series for "9.10" or "9".

    A fourth number is not compared: wheels and archives of one release may differ in it.
    """
    wanted = ".".join(map(str, numbers(text)[:3]))
    near = [one for one in compat.cudnns if in_series(one.version, wanted)]
    return max(near, key=lambda one: order(one.version), default=None)


@once
def cudnn_build(compat: Compat, text: str, cuda_major: int, cuda: str = "") -> CudnnBuild | None:
    """The build of a release for a CUDA major, or for one exact CUDA ("11.2").

    A release may have several builds for one major (10.0, 10.1, 10.2): the one for the whole
    major is preferred, else the newest.
    """
    release = cudnn_release(compat, text)
    builds = [one for one in release.builds if one.cuda_major == cuda_major] if release else []
    if cuda:
        builds = [one for one in builds if in_series(cuda, one.cuda)] or [
            one for one in builds if one.cuda_major >= FIRST_COMPATIBLE
        ]
    return max(builds, key=lambda one: (one.cuda == str(cuda_major), order(one.cuda)), default=None)


@once
def cudnn_builds(compat: Compat) -> tuple[CudnnBuild, ...]:
    """All builds of all releases."""
    return tuple(build for release in compat.cudnns for build in release.builds)


def build_driver_floor(
    compat: Compat, build: CudnnBuild, family: Family, computes: Sequence[str] = ()
) -> str:
    """The oldest driver for a build on these GPUs: support matrix, CUDA floor, late GPUs."""
    limits = [build.driver_min(family), driver_floor(compat, build.cuda, family)]
    if any(at_least(compute, build.late_compute) for compute in computes):
        limits.append(build.late_windows if family == "windows" else build.late_linux)
    return newest(limits)


def build_runs_on(compat: Compat, build: CudnnBuild, compute: str) -> bool | None:
    """Whether a build supports a compute capability; None when the data doesn't say."""
    if build_against(compat, build, compute):
        return False
    return True if build.compute_min and _known_until(compat, build, compute) else None


def build_against(compat: Compat, build: CudnnBuild, compute: str) -> Code | None:
    """Why a build doesn't support a compute capability; None when it does or may do.

    Within one major capability the binaries of an older GPU run on a newer one, so only majors
    are compared at the upper end.
    """
    if at_least(compute, build.compute_min) is False or _ended(compat, build, compute):
        return "gpu-too-old"
    # Too old to hold code that a GPU can run.
    early = older(build.cuda_max or build.cuda, oldest_usable_cuda(compat, compute))
    early |= at_least(build.version, first_cudnn(compat, compute)) is False
    return "gpu-too-new" if early or 0 < major(build.compute_max) < major(compute) else None


@once
def first_cudnn(compat: Compat, compute: str) -> str:
    """The first cuDNN for the major of a capability; "" when unknown."""
    named = [
        one.first_cudnn
        for one in compat.architectures
        if one.first_cudnn and major(one.compute) == major(compute)
    ]
    return min(named, key=order, default="")


def last_cudnn(compat: Compat, compute: str) -> str:
    """The last cuDNN that supports a capability, "9.10.2"; "" while supported or unknown."""
    last = architecture(compat, compute).last_cudnn
    return "" if last == ONGOING else last


def wheel_package(cuda_major: int) -> str:
    """The Python package that carries cuDNN for a CUDA major."""
    return f"nvidia-cudnn-cu{cuda_major}"


def _ended(compat: Compat, build: CudnnBuild, compute: str) -> bool:
    """Whether cuDNN or CUDA dropped a GPU before this build."""
    last = last_cudnn(compat, compute)
    dropped = bool(last) and not at_least(last, build.version)
    return dropped or older(last_cuda(compat, compute), build.cuda)


def _known_until(compat: Compat, build: CudnnBuild, compute: str) -> bool:
    """Whether the life of an architecture, as far as known, covers a build."""
    known = architecture(compat, compute)
    if not known.last_cudnn or not known.first_cuda:
        return False
    return known.last_cudnn == ONGOING or at_least(known.last_cudnn, build.version) is True


# What a cuDNN is made of

PartsTable = tuple[CudnnParts, ...]
"""What each cuDNN is made of, () the built-in table."""


def parts_of(table: PartsTable, number: int) -> CudnnParts:
    """What a major is made of; of one that isn't known, what the newest known one is."""
    known = table or load_builtin().parts
    within = (one for one in known if major(one.first) <= number <= major(one.last))
    return next(within, max(known, key=lambda one: major(one.last)))


def cudnn_majors(table: PartsTable) -> tuple[int, ...]:
    """The majors whose files are known, newest first."""
    known = table or load_builtin().parts
    found = {n for one in known for n in range(major(one.first), major(one.last) + 1)}
    return tuple(sorted(found, reverse=True))


# Frameworks

_NAMES = {
    "tensorflow-gpu": "tensorflow", "tensorflow-cpu": "tensorflow", "tf": "tensorflow",
    "pytorch": "torch", "onnxruntime-gpu": "onnxruntime", "onnx-runtime": "onnxruntime",
    "jaxlib": "jax", "paddlepaddle": "paddle", "paddlepaddle-gpu": "paddle",
    "cupy-cuda11x": "cupy", "cupy-cuda12x": "cupy", "cupy-cuda13x": "cupy",
}  # fmt: skip


def framework_name(text: str) -> str:
    """The name that the data uses for a framework or one of its packages."""
    plain = "-".join(text.lower().replace("_", " ").replace("-", " ").split())
    return _NAMES.get(plain, plain)


def framework_builds(
    compat: Compat, name: str, text: str, family: Family
) -> tuple[FrameworkRelease, ...]:
    """All builds of a framework's version; of its nearest known patch release if need be.

    "" asks for every version. "2.10" finds 2.10.0, and "2.10.1" falls back to the 2.10 series,
    whose releases share their needs.
    """
    known = framework_name(name)
    named = [one for one in compat.frameworks if one.name == known and one.family == family]
    if not text:
        return tuple(named)
    exact = tuple(one for one in named if order(one.version) == order(text))
    if exact:
        return exact
    near = [one for one in named if major_minor(one.version) == major_minor(text)]
    last = newest(one.version for one in near)
    return tuple(one for one in near if one.version == last)


def framework_needs(
    compat: Compat, name: str, text: str, family: Family, cuda: str = "", found: str = ""
) -> FrameworkRelease | None:
    """What one build of a framework needs; None when the version isn't known.

    Of several builds the one for ``cuda`` (a major or a version) and with cuDNN from ``found``
    is taken, else the ordinary one of the package index.
    """
    builds = framework_builds(compat, name, text, family)
    if cuda:
        same = (o for o in builds if in_series(o.cuda, cuda) or in_series(cuda, o.cuda))
        builds = tuple(same) or builds
    if found:
        builds = tuple(one for one in builds if one.found == found) or builds
    return max(builds, key=lambda one: (one.sure, not one.index, order(one.cuda)), default=None)


def kernels_against(compat: Compat, build: FrameworkRelease, compute: str) -> Code | None:
    """Why a framework build has no code for a GPU; None when it has or may have."""
    dropped = older(last_cuda(compat, compute), build.cuda)
    if dropped or at_least(compute, build.compute_min) is False:
        return "gpu-too-old"
    if older(build.cuda, oldest_usable_cuda(compat, compute)):
        return "gpu-too-new"
    if not build.compute or runs_kernels(build.compute, compute):
        return None
    return "gpu-too-old" if at_least(newest(build.compute), compute) else "gpu-too-new"


def may_be_older(compat: Compat, build: FrameworkRelease, compute: str) -> bool:
    """Whether a build whose kernels aren't listed may have been made before a GPU was known.

    So where only its CUDA major is known, the GPU came with a later release of that major, and no
    cuDNN that knows the GPU is the build's own.
    """
    first = oldest_usable_cuda(compat, compute)
    if build.compute or "." in build.cuda or not order(first)[1:]:
        return False
    if major(build.cuda) != major(first):
        return False
    return not at_least(build.cudnn, first_cudnn(compat, compute))


def runs_kernels(kernels: Sequence[str], compute: str) -> bool:
    """Whether a GPU runs any of these: same major and not newer, or PTX not newer."""
    return any(
        at_least(compute, kernel) and ("+PTX" in kernel or major(kernel) == major(compute))
        for kernel in kernels
    )


# Which cuDNN serves a framework


@once
def serving_builds(
    compat: Compat, framework: FrameworkRelease, platform: str
) -> tuple[CudnnBuild | None, ...]:
    """The cuDNN builds that may serve a framework build; (None,) when it needs none of ours."""
    cuda = major(framework.cuda)
    if not cuda:
        return (None,)
    if framework.found == "system" and framework.cudnn:
        return tuple(one for one in cudnn_builds(compat) if serves(framework, one))
    if framework.found == "wheel" and framework.cudnn_spec:
        return tuple(_by_wheel(compat, framework, cuda, platform)) or (None,)
    if framework.found in ("wheel", "bundled") and framework.cudnn:
        return (cudnn_build(compat, framework.cudnn, cuda, framework.cuda),)
    return (None,)


def serves(framework: FrameworkRelease, build: CudnnBuild) -> bool:
    """Whether a cuDNN build may stand in for the one a framework was built with.

    Same major, not older than the build's minor (cuDNN's own rule), and made for its CUDA.
    """
    if major(framework.cudnn) != major(build.version):
        return False
    if at_least(build.version, series(framework.cudnn)) is False:
        return False
    if framework.cudnn_spec and build.full not in allowed(framework.cudnn_spec):
        return False
    return serves_cuda(build.cuda, framework.cuda)


@lru_cache(maxsize=64)
def allowed(specifier: str) -> SpecifierSet:
    """The releases that a specifier allows."""
    # Loaded where a framework pins its cuDNN; most checks come by without.
    from packaging.specifiers import SpecifierSet

    return SpecifierSet(specifier)


def major_minor(text: str) -> tuple[int, int] | None:
    """The first two numbers of a version."""
    found = numbers(text)
    return (found[0], (*found, 0)[1]) if found else None


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
