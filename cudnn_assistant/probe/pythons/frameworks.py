"""Which GPU frameworks an environment has, what they were built for and what they demand."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache

from msgspec.structs import replace

from cudnn_assistant.machine import CudnnOrigin, Framework, Package, Pin
from cudnn_assistant.probe.files import catalogue
from cudnn_assistant.probe.files.catalogue import Bringing
from cudnn_assistant.probe.files.disk import Disk
from cudnn_assistant.probe.pythons import framework_files as files
from cudnn_assistant.probe.pythons import records
from cudnn_assistant.probe.pythons.framework_files import Facts, Installed
from cudnn_assistant.probe.pythons.records import CondaPackage, Distribution
from cudnn_assistant.regex import regex

_READERS: dict[str, Callable[[Installed, Distribution], Facts]] = {
    one.__name__: one
    for one in (files.torch, files.tensorflow, files.jax, files.onnxruntime, files.cupy,
                files.ctranslate2, files.paddle, files.mxnet, files.tensorrt)
}  # fmt: skip
_MATTERS = regex(
    r"nvidia-.*|cuda-toolkit|cuda-bindings|jaxlib|jax-cuda\d+-.*|ctranslate2|faster-whisper"
    r"|tensorflow-(?:intel|cpu|gpu)|tensorrt-libs"
)
"""Projects besides the frameworks that are worth a line, and whose demands are pins."""

_CONDA_MATTERS = regex(r"(?:lib)?cudnn(?:-jit)?|cudatoolkit|cuda-version|libcublas|cuda-cudart")
_CUDNN_WHEEL = regex(r"nvidia-cudnn(?:-jit)?-cu\d+")


@cache
def _brings() -> re.Pattern[str]:
    return re.compile("|".join(f"(?:{row.projects})" for row in catalogue.frameworks().brought_by))


def packages(
    disk: Disk, have: Mapping[str, Distribution], conda: Mapping[str, CondaPackage]
) -> tuple[Package, ...]:
    """The projects that matter here, with how many of their libraries are gone."""
    found = [
        records.package(disk, one)
        for one in have.values()
        if _MATTERS.fullmatch(one.name) or _brings().fullmatch(one.name)
    ]
    from_conda = [
        Package(name=one.name, version=one.version, manager="conda")
        for one in conda.values()
        if _CONDA_MATTERS.fullmatch(one.name)
    ]
    return tuple(sorted(found + from_conda, key=lambda package: package.name))


def frameworks(
    disk: Disk,
    have: Mapping[str, Distribution],
    conda: Mapping[str, CondaPackage],
    marker: Mapping[str, str],
    visible: Mapping[str, Distribution] | None = None,
    sites: Sequence[str] = (),
    beside: Sequence[Framework] = (),
) -> tuple[Framework, ...]:
    """One entry per project that brings a framework: onnxruntime and onnxruntime-gpu are two.

    ``marker`` describes the environment (PEP 508); ``visible`` adds projects that it can import
    from elsewhere (the user's folder), which may satisfy demands, and ``beside`` are the frameworks
    among these. ``sites`` are the folders that are searched for an import.
    """
    have = {**_unrecorded(disk, sites), **have}
    everything = {**(visible or {}), **have}
    wheels = [one.version for name, one in everything.items() if _CUDNN_WHEEL.fullmatch(name)]
    look = Installed(disk, everything, conda, wheels[0] if wheels else "", tuple(sites))
    found = [_framework(look, row, one, marker) for row, one in _rows(have)]
    return _opening_parts(found, beside)


def _opening_parts(
    found: Sequence[Framework], beside: Sequence[Framework]
) -> tuple[Framework, ...]:
    """The main library that CTranslate2 bundles opens the others by their names: those that a
    framework beside it has loaded, else those that the system finds."""
    if {one.name for one in (*found, *beside) if one.brings_cudnn} != {"ctranslate2"}:
        return tuple(found)
    return tuple(replace(one, cudnn_from="system") if one.brings_cudnn else one for one in found)


def _unrecorded(disk: Disk, sites: Sequence[str]) -> dict[str, Distribution]:
    """PyTorch where it lies without a record, as after "setup.py develop": by its own file."""
    for site in sites:
        folder = disk.join(site, "torch")
        if disk.is_file(disk.join(folder, "version.py")):
            return {"torch": Distribution("torch", "", site, folder)}
    return {}


def _rows(have: Mapping[str, Distribution]) -> Iterator[tuple[Bringing, Distribution]]:
    bringing = sorted(name for name in have if _brings().fullmatch(name))
    for row in catalogue.frameworks().brought_by:
        if row.yields_to and any(re.fullmatch(row.yields_to, name) for name in bringing):
            continue
        for name in bringing:
            if re.fullmatch(row.projects, name):
                yield row, have[name]


def _framework(
    look: Installed, row: Bringing, one: Distribution, marker: Mapping[str, str]
) -> Framework:
    facts = _READERS[row.name](look, one)
    sources = [one, *(look.have[name] for name in row.demands if name in look.have)]
    lines = [line for source in sources for line in records.requirement_lines(look.disk, source)]
    pins = records.pins(lines, look.have, marker, _MATTERS)
    demands = tuple(_of_major(one, facts) for one in pins)
    demanded = records.demands(lines, marker, _CUDNN_WHEEL)
    wishes = [str(requirement.specifier) for _, requirement, _ in demanded]
    return Framework(
        name=row.name,
        version=facts.version or one.version,
        package=one.name,
        gpu=facts.gpu,
        cuda=facts.cuda,
        # The fourth number is one of packaging.
        cudnn=".".join(_built_against(facts, wishes).split(".")[:3]) if facts.gpu else "",
        cudnn_from=_origin(facts, demands),
        pins=demands,
        architectures=facts.architectures,
    )


def _of_major(one: Pin, facts: Facts) -> Pin:
    """A demand for any cuDNN, of a framework whose files work with one major alone.

    TensorRT 8 asks for "nvidia-cudnn-cu12", and pip brings a 9 that it can't use.
    """
    if one.wants or not _CUDNN_WHEEL.fullmatch(one.package) or not facts.cudnn:
        return one
    wants = f"=={facts.cudnn.split('.')[0]}.*"
    return records.pin(one.package, wants, one.has)


def _origin(facts: Facts, demands: Sequence[Pin]) -> CudnnOrigin:
    # A wheel that is demanded but not there any more is still where the framework looks.
    demanded = any(_CUDNN_WHEEL.fullmatch(pin.package) for pin in demands)
    return "wheel" if facts.gpu and demanded and facts.origin == "system" else facts.origin


def _built_against(facts: Facts, wishes: Sequence[str]) -> str:
    """The framework's own word, unless what it demands is more exact and of the same major."""
    if facts.origin == "none" or facts.cudnn.count(".") > 0:
        return facts.cudnn
    for wish in wishes:
        # "~=9.0" is said of any 9, whatever it was built with.
        exact = re.search(r"(?:==|>=)\s*(\d+(?:\.\d+)+)", wish)
        major = re.search(r"~=\s*(\d+)", wish)
        named = exact[1] if exact else major[1] if major else ""
        if named and named.split(".")[0] == (facts.cudnn or named.split(".")[0]):
            return named
    return facts.cudnn
