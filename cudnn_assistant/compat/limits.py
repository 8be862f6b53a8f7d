"""How far CUDA, drivers, cuDNN and frameworks go: for this GPU, from this release on, up to that.

Pure. What the data doesn't say rules nothing out, and is "", 0, () or None.
"""

from __future__ import annotations

from collections.abc import Callable

from cudnn_assistant.compat.facts import Architecture, Compat, CudnnBuild, FrameworkRelease, once
from cudnn_assistant.compat.lookup import (
    architecture,
    at_least,
    first_driver,
    in_series,
    last_cuda,
    last_driver_branch,
    oldest_usable_cuda,
    order,
)
from cudnn_assistant.compat.releases import (
    build_against,
    cudnn_builds,
    cudnn_release,
    first_cudnn,
    framework_builds,
    last_cudnn,
    wheel_package,
)
from cudnn_assistant.machine import Family
from cudnn_assistant.versions import major, numbers, older, series

# CUDA


def known_cuda_majors(compat: Compat) -> tuple[int, ...]:
    """The CUDA majors whose minor releases share one driver floor, highest first."""
    return tuple(sorted(int(one.cuda) for one in compat.floors if "." not in one.cuda)[::-1])


@once
def oldest_gpu(compat: Compat, cuda: str) -> str:
    """The lowest capability that some release of a CUDA series has code for; "" when unknown."""
    return min(_gpus(compat, cuda), key=order, default="")


@once
def newest_gpu(compat: Compat, cuda: str) -> str:
    """The highest capability that some release of a CUDA series has code for; "" when unknown."""
    return max(_gpus(compat, cuda), key=order, default="")


def _gpus(compat: Compat, cuda: str) -> list[str]:
    """Boards left out: their libraries are their own."""
    return [one.compute for one in compat.architectures if not one.board and _made(one, cuda)]


def _made(one: Architecture, cuda: str) -> bool:
    """Whether a series of CUDA has code for an architecture; a major has what any minor had."""
    first, last, wanted = numbers(one.first_cuda), numbers(one.last_cuda), numbers(cuda)[:2]
    length = len(wanted)
    return (
        bool(first and wanted)
        and first[:length] <= wanted
        and not last[:length] < wanted[: len(last)]
    )


def gpu_cuda_majors(compat: Compat, compute: str) -> tuple[int, ...]:
    """The known CUDA majors with code for a GPU, highest first; all for a GPU not known ("")."""
    first = major(oldest_usable_cuda(compat, compute))
    return tuple(
        one
        for one in known_cuda_majors(compat)
        if first <= one and at_least(compute, oldest_gpu(compat, str(one))) is not False
    )


def cuda_majors(compat: Compat, speaks: str, compute: str = "") -> tuple[int, ...]:
    """The CUDA majors that a driver and a GPU run, highest first; () when unknown.

    ``speaks`` is the highest CUDA that the driver speaks.
    """
    return tuple(one for one in gpu_cuda_majors(compat, compute) if one <= major(speaks))


# Drivers


def driver_knows(compat: Compat, driver: str, compute: str) -> bool | None:
    """Whether a driver supports a GPU; None when unknown."""
    if not architecture(compat, compute).last_driver or not numbers(driver):
        return None
    last, first = last_driver_branch(compat, compute), major(first_driver(compat, compute))
    return (last is None or major(driver) <= last) and major(driver) >= first


# cuDNN


def newest_cudnn(compat: Compat) -> str:
    """The newest cuDNN release; "" without data."""
    return max((one.version for one in compat.cudnns), key=order, default="")


def cudnn_cuda_majors(compat: Compat, cudnn: str) -> tuple[int, ...]:
    """The CUDA majors that a cuDNN series ("9", "9.10") was built for, highest first."""
    builds = (b for b in cudnn_builds(compat) if in_series(b.version, cudnn))
    return tuple(sorted({b.cuda_major for b in builds}, reverse=True))


def current_cuda_majors(compat: Compat) -> tuple[int, ...]:
    """The CUDA majors that the newest series of cuDNN is built for, highest first."""
    return cudnn_cuda_majors(compat, series(newest_cudnn(compat)))


def usual_cudnn(compat: Compat, compute: str) -> int:
    """The newest cuDNN major with code for a GPU; the newest of all where none is ruled out."""
    return major(last_cudnn(compat, compute) or newest_cudnn(compat))


def first_cudnn_without(compat: Compat, compute: str) -> str:
    """The first cuDNN series that dropped a GPU, "9.11"; "" while supported or unknown."""
    last = last_cudnn(compat, compute)
    later = [one.version for one in compat.cudnns if last and older(last, one.version)]
    return series(min(later, key=order, default=""))


def cudnn_against_gpu(compat: Compat, text: str, cuda: int, compute: str) -> str:
    """What stands against a cuDNN (a version, or a major) of a CUDA major on a GPU.

    "gpu-too-old" or "gpu-too-new"; "" when nothing is known. ``cuda`` 0 is unknown.
    """
    builds = _of_release(compat, text, cuda)
    if against := {build_against(compat, one, compute) or "" for one in builds}:
        return "" if "" in against else max(against)
    if older(last_cudnn(compat, compute), text) or 0 < major(last_cuda(compat, compute)) < cuda:
        return "gpu-too-old"
    return "gpu-too-new" if _before(text, first_cudnn(compat, compute)) else ""


def _before(text: str, first: str) -> bool:
    """Whether a release, or all of a major, came before the first one."""
    return older(text, first) if len(numbers(text)) > 1 else 0 < major(text) < major(first)


def _of_release(compat: Compat, text: str, cuda: int) -> list[CudnnBuild]:
    """The builds of exactly this release; of all CUDA majors where the major is unknown."""
    release = cudnn_release(compat, text) if len(numbers(text)) > 1 else None
    builds = release.builds if release else ()
    return [one for one in builds if cuda in (0, one.cuda_major)]


@once
def oldest_gpu_of_cudnn(compat: Compat) -> str:
    """The lowest capability that any cuDNN release had code for; "" without data."""
    known = (build.compute_min for build in cudnn_builds(compat) if build.compute_min)
    return min(known, key=order, default="")


def needs_zlibwapi(compat: Compat, text: str) -> bool:
    """Whether a cuDNN release for Windows asks for zlibwapi.dll; False when unknown."""
    return any(build.needs_zlibwapi for build in _of_release(compat, text, 0))


# Packages for Python


def cuda_package(compat: Compat, library: str, cuda: int) -> str:
    """The package that holds a library ("cublas", "cuda-nvrtc") of a CUDA major.

    Some majors have packages of their own; the rest share the plain name. 0 is unknown.
    """
    own = f"nvidia-{library}-cu{cuda}"
    return own if any(one.package == own for one in compat.wheels) else f"nvidia-{library}"


def cudnn_package(compat: Compat, cuda: int = 0) -> str:
    """The package that holds cuDNN for a CUDA major; of the oldest current one if unknown."""
    known = any(one.package == wheel_package(cuda) for one in compat.wheels)
    return wheel_package(cuda if known else min(current_cuda_majors(compat), default=cuda))


# Frameworks


@once
def without_gpu_since(compat: Compat, name: str, family: Family) -> str:
    """The first release of a framework without any GPU build for a family; "" for none."""
    return _since(compat, name, family, lambda one: not one.gpu)


@once
def without_cudnn_since(compat: Compat, name: str, family: Family) -> str:
    """The first release of a framework that no longer uses cuDNN; "" for none."""
    return _since(compat, name, family, lambda one: one.found == "none")


def packages_since(compat: Compat, name: str, family: Family) -> str:
    """The first release whose own extra ("[and-cuda]") brings CUDA and cuDNN; "" for none."""
    brought = [
        one.version
        for one in framework_builds(compat, name, "", family)
        if one.found == "wheel" and "[" in one.requirement
    ]
    return min(brought, key=order, default="")


def _since(
    compat: Compat, name: str, family: Family, so: Callable[[FrameworkRelease], bool]
) -> str:
    """The first release of the last stretch in which it is so."""
    known = framework_builds(compat, name, "", family)
    otherwise = [order(one.version) for one in known if not so(one)]
    after = [
        one.version
        for one in known
        if so(one) and all(order(one.version) > other for other in otherwise)
    ]
    return min(after, key=order, default="")
