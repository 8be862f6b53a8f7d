"""Questions about what fits together. Pure; "" and None mean that the data doesn't say."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from functools import lru_cache

from packaging.version import InvalidVersion, Version

from cudnn_assistant.compat.facts import (
    ONGOING,
    Architecture,
    Compat,
    CudnnBuild,
    CudnnRelease,
    DriverFloor,
    FrameworkRelease,
)
from cudnn_assistant.machine import Family

_LEADING = re.compile(r"\s*[vVrR]?([0-9]+(?:\.[0-9]+)*)")


@lru_cache(maxsize=4096)
def version(text: str) -> Version | None:
    """A version that can be compared, or None for what holds none.

    Lenient: "v9.8", "R580", "580.65.06", "2.9.0+cu130", "13.0 (beta)" all have one. A local part
    ("+cu130") is dropped, because it says nothing about older and newer.
    """
    try:
        return Version(Version(text.strip()).public)
    except InvalidVersion:
        found = _LEADING.match(text)
        return Version(found[1]) if found else None


def at_least(text: str, floor: str) -> bool | None:
    """Whether a version reaches a floor; None when either is unknown."""
    have, need = version(text), version(floor)
    return None if have is None or need is None else have >= need


def major_of(text: str) -> int | None:
    """The first number of a version."""
    found = version(text)
    return None if found is None else found.major


def _starts_with(text: str, prefix: str) -> bool:
    """Whether ``text`` lies in the series ``prefix``: 10.1.243 does in 10.1, 10.10 doesn't."""
    return text == prefix or text.startswith(prefix + ".")


def _newest(texts: Iterable[str]) -> str:
    known = [text for text in texts if version(text) is not None]
    return max(known, key=_order, default="")


def _order(text: str) -> Version:
    return version(text) or Version("0")


# Drivers


def floor(compat: Compat, cuda: str) -> DriverFloor | None:
    """The driver floor for programs of a CUDA version.

    From CUDA 11 on one floor holds for the whole major (minor-version compatibility); before,
    each release has its own, and the oldest of a series answers for "9.2".
    """
    wanted = version(cuda)
    if wanted is None:
        return None
    if wanted.major >= 11:
        return next((one for one in compat.floors if one.cuda == str(wanted.major)), None)
    wanted_text = ".".join(cuda.strip().split(".")[:3])
    series = ".".join(wanted_text.split(".")[:2])
    exact = [one for one in compat.floors if one.cuda == wanted_text]
    near = [one for one in compat.floors if _starts_with(one.cuda, series)]
    return min(exact or near, key=lambda one: _order(one.cuda), default=None)


def driver_floor(compat: Compat, cuda: str, family: Family) -> str:
    """The oldest driver that runs programs of this CUDA version; "" when unknown."""
    found = floor(compat, cuda)
    return "" if found is None else (found.windows if family == "windows" else found.linux)


def driver_advice(compat: Compat, cuda: str, family: Family) -> str:
    """The driver to ask for: the floor, or the stricter value where sources disagree."""
    found = floor(compat, cuda)
    if found is None:
        return ""
    safe = found.windows_safe if family == "windows" else found.linux_safe
    return safe or (found.windows if family == "windows" else found.linux)


def cuda_of_driver(compat: Compat, driver: str, family: Family) -> str:
    """The highest CUDA version that a driver speaks, "13.0"; "" when unknown."""
    spoken = [
        branch
        for branch in compat.branches
        if at_least(driver, branch.windows if family == "windows" else branch.linux)
    ]
    return max(spoken, key=lambda branch: branch.branch).cuda if spoken else ""


def newest_branch(compat: Compat) -> int:
    """The newest driver branch known, 0 without data."""
    return max((branch.branch for branch in compat.branches), default=0)


# GPUs


def architecture(compat: Compat, compute: str) -> Architecture | None:
    """What is known about a compute capability, None when it isn't listed."""
    return next((one for one in compat.architectures if one.compute == compute), None)


def architecture_name(compat: Compat, compute: str) -> str:
    """ "Ada", "Hopper" …; "" when unknown."""
    found = architecture(compat, compute)
    return found.name if found else ""


def last_driver_branch(compat: Compat, compute: str) -> int | None:
    """The last driver branch of a GPU; None while it is supported *or* when that is unknown.

    :func:`driver_support_ends` tells the two apart.
    """
    found = architecture(compat, compute)
    return int(found.last_driver) if found and found.last_driver.isdecimal() else None


def driver_support_ends(compat: Compat, compute: str) -> bool | None:
    """True: a last branch exists. False: the newest driver supports it. None: unknown."""
    found = architecture(compat, compute)
    if found is None or not found.last_driver:
        return None
    return found.last_driver != ONGOING


def driver_possible(compat: Compat, compute: str, driver: str) -> bool | None:
    """Whether a GPU can ever get this driver or a newer one; None when unknown."""
    ends, wanted = driver_support_ends(compat, compute), major_of(driver)
    if ends is None or wanted is None:
        return None
    last = last_driver_branch(compat, compute)
    return True if last is None else wanted <= last


def last_cuda(compat: Compat, compute: str) -> str:
    """The last toolkit that supports a capability, "12.9"; "" while supported or unknown."""
    found = architecture(compat, compute)
    return "" if found is None or found.last_cuda == ONGOING else found.last_cuda


def first_cuda(compat: Compat, compute: str) -> str:
    """The first toolkit with code for a capability; "" when unknown."""
    found = architecture(compat, compute)
    return found.first_cuda if found else ""


def oldest_usable_cuda(compat: Compat, compute: str) -> str:
    """The first CUDA whose binaries run: code of the same major capability runs as well."""
    wanted = version(compute)
    if wanted is None:
        return ""
    near = [
        one.first_cuda
        for one in compat.architectures
        if one.first_cuda
        and (this := version(one.compute))
        and this.major == wanted.major
        and this <= wanted
    ]
    return min(near, key=_order, default="")


def gpu_compute(compat: Compat, name: str) -> str:
    """Compute capability by product name; "" for unknown names and those sold with several."""
    return compat.gpus.get(_plain_name(name), "")


def _plain_name(name: str) -> str:
    bare = re.sub(r"\s+", " ", name).strip().lower()
    return bare.removeprefix("nvidia ")


def gpu_by_pci(compat: Compat, pci_id: str) -> tuple[str, str, str]:
    """Name, compute capability and architecture by PCI id ("10de:2684"); "" where unknown."""
    vendor, _, device = pci_id.lower().replace("0x", "").rpartition(":")
    if vendor not in ("", "10de"):
        return "", "", ""
    compute, _, name = compat.pci.get(device, "").partition(" ")
    return name, compute, architecture_name(compat, compute)


# cuDNN


def cudnn_release(compat: Compat, text: str) -> CudnnRelease | None:
    """The release a version names; the newest of its series for "9.10" or "9".

    A fourth number is not compared: wheels and archives of one release may differ in it.
    """
    found = version(text)
    if found is None:
        return None
    wanted = ".".join(str(part) for part in found.release[:3])
    near = [one for one in compat.cudnns if _starts_with(one.version, wanted)]
    return max(near, key=lambda one: _order(one.version), default=None)


def cudnn_build(compat: Compat, text: str, cuda_major: int, cuda: str = "") -> CudnnBuild | None:
    """The build of a release for a CUDA major, or for one exact CUDA ("11.2").

    A release may have several builds for one major (10.0, 10.1, 10.2): the one for the whole
    major is preferred, else the newest.
    """
    release = cudnn_release(compat, text)
    builds = [one for one in release.builds if one.cuda_major == cuda_major] if release else []
    if cuda:
        builds = [one for one in builds if _starts_with(cuda, one.cuda)]
    return max(
        builds, key=lambda one: (one.cuda == str(cuda_major), _order(one.cuda)), default=None
    )


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
    return _newest(limits)


def build_runs_on(compat: Compat, build: CudnnBuild, compute: str) -> bool | None:
    """Whether a build supports a compute capability; None when the data doesn't say.

    Within one major capability the binaries of an older GPU run on a newer one, so only majors
    are compared at the upper end.
    """
    here = version(compute)
    if here is None:
        return None
    if at_least(compute, build.compute_min) is False or _ended(compat, build, compute):
        return False
    if at_least(build.version, first_cudnn(compat, compute)) is False:
        return False
    if _code_missing(build, oldest_usable_cuda(compat, compute)):
        return False
    most = version(build.compute_max)
    if most is not None and here.major > most.major:
        return False
    return True if build.compute_min and _known_until(compat, build, compute) else None


def first_cudnn(compat: Compat, compute: str) -> str:
    """The first cuDNN for the major of a capability; "" when unknown."""
    here = version(compute)
    named = [
        one.first_cudnn
        for one in compat.architectures
        if here and one.first_cudnn and major_of(one.compute) == here.major
    ]
    return min(named, key=_order, default="")


def _ended(compat: Compat, build: CudnnBuild, compute: str) -> bool:
    """Whether cuDNN or CUDA dropped a GPU before this build."""
    known = architecture(compat, compute)
    if known is None:
        return False
    dropped = known.last_cudnn not in ("", ONGOING) and not at_least(
        known.last_cudnn, build.version
    )
    return dropped or (known.last_cuda not in ("", ONGOING) and _above(build.cuda, known.last_cuda))


def _known_until(compat: Compat, build: CudnnBuild, compute: str) -> bool:
    """Whether the life of an architecture, as far as known, covers a build."""
    known = architecture(compat, compute)
    if known is None or not known.last_cudnn or not known.first_cuda:
        return False
    return known.last_cudnn == ONGOING or at_least(known.last_cudnn, build.version) is True


def _above(cuda: str, last: str) -> bool:
    """Whether all of a CUDA series lies above ``last``: 13 is above 12.9, 12 is not."""
    series, end = version(cuda), version(last)
    if series is None or end is None:
        return False
    return series > end if "." in cuda else series.major > end.major


def _code_missing(build: CudnnBuild, oldest: str) -> bool:
    """Whether a build's CUDA is too old to hold code that a GPU can run."""
    newest = build.cuda_max or build.cuda
    if "." in newest:
        return at_least(newest, oldest) is False
    first = major_of(oldest)
    return first is not None and build.cuda_major < first


# Frameworks

_NAMES = {
    "tensorflow-gpu": "tensorflow", "tensorflow-cpu": "tensorflow", "tf": "tensorflow",
    "pytorch": "torch", "onnxruntime-gpu": "onnxruntime", "onnx runtime": "onnxruntime",
    "jaxlib": "jax", "paddlepaddle": "paddle", "paddlepaddle-gpu": "paddle",
    "cupy-cuda11x": "cupy", "cupy-cuda12x": "cupy", "cupy-cuda13x": "cupy",
}  # fmt: skip


def framework_name(text: str) -> str:
    """The name that the data uses for a framework or one of its packages."""
    plain = text.strip().lower().replace("_", "-")
    return _NAMES.get(plain, plain)


def framework_builds(
    compat: Compat, name: str, text: str, family: Family
) -> tuple[FrameworkRelease, ...]:
    """All builds of a framework's version; of its nearest known patch release if need be.

    "" asks for every version. "2.10" finds 2.10.0, and "2.10.1" falls back to the 2.10 series,
    whose releases share their needs.
    """
    named = [
        one for one in compat.frameworks
        if one.name == framework_name(name) and one.family == family
    ]  # fmt: skip
    if not text:
        return tuple(named)
    wanted = version(text)
    if wanted is None:
        return ()
    exact = tuple(one for one in named if version(one.version) == wanted)
    if exact:
        return exact
    series = f"{wanted.major}.{wanted.minor}"
    near = [one for one in named if _starts_with(one.version, series)]
    last = _newest(one.version for one in near)
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
        builds = tuple(one for one in builds if _same_cuda(one.cuda, cuda)) or builds
    if found:
        builds = tuple(one for one in builds if one.found == found) or builds
    return max(builds, key=lambda one: (one.sure, not one.index, _order(one.cuda)), default=None)


def _same_cuda(have: str, wanted: str) -> bool:
    return _starts_with(have, wanted) or _starts_with(wanted, have)
