"""Facts that a text states itself or that the person gives: versions, GPU, system, libraries."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping

import msgspec

from cudnn_assistant.compat import Compat, architecture, newest_cudnn
from cudnn_assistant.explain.versions import (
    Version,
    affirmed,
    capability,
    compute_of,
    cuda_number,
    cudnn_number,
    known,
    says,
    version,
)
from cudnn_assistant.versions import major

EXAMPLES: Mapping[str, tuple[str, ...]] = {
    "gpu": ("RTX 3060", "A100", "8.6"),
    "driver": ("580.65.06", "not installed"),
    "cuda": ("12.8", "not installed"),
    "cudnn": ("9.8", "not installed"),
    "python": ("3.12",),
    "framework": ("torch 2.8", "tensorflow", "jax", "onnxruntime", "cupy", "paddle", "ctranslate2"),
    "os": ("windows", "linux", "wsl", "macos"),
}
"""Facts that can be given, with values."""
STRUCTURED = frozenset(EXAMPLES) | {"year"}
"""Keys whose values are read as facts. The values of all other keys are read as sentences."""

_OF_WINDOWS = re.compile(r"\b\d\d\.\d{1,2}\.1(\d)\.(\d\d)(\d\d)\b")
"""A driver as Windows numbers it: 31.0.15.3713 is 537.13."""


class Facts(msgspec.Struct, kw_only=True):
    """What is known. Empty means unknown."""

    compat: Compat
    """What fits together, as far as it is known."""

    os: str = ""
    """"windows", "linux", "wsl" or "macos"."""
    container: str = ""
    """Its kind, where it is given the GPU in another way than by Docker's options: "lxc"."""
    arm: bool = False
    """The processor is a 64-bit Arm, as the text says."""
    framework: str = ""
    framework_version: Version = ()
    build_cuda: Version = ()
    """CUDA that the framework's package was built with, as its version's +cuNNN says."""
    cuda: Version = ()
    """The toolkit, not the driver's ability."""
    cuda_words: str = ""
    cudnn: Version = ()
    cudnn_words: str = ""
    driver: Version = ()
    driver_words: str = ""
    compute: str = ""
    """Compute capability of the GPU: "8.6"."""
    gpu: str = ""
    python: Version = ()
    bits32: bool = False
    missing: tuple[str, ...] = ()
    """Libraries that could not be loaded, as they are written."""
    loaded: Version = ()
    built: Version = ()
    """cuDNN that was loaded, and cuDNN that the program was built with."""
    sm: str = ""
    """Compute capability named by a framework, and the ones its build has."""
    build_sms: tuple[str, ...] = ()
    driver_cuda: Version = ()
    driver_files: tuple[Version, ...] = ()
    """Versions that the file names of the driver's libraries carry: libcuda.so.418.56."""
    stated: set[str] = msgspec.field(default_factory=set)
    """Fields that the person gave (they win over the text)."""
    filled_in: set[str] = msgspec.field(default_factory=set)
    """Fields that neither the person nor the text, but the computer told."""

    @property
    def lacking(self) -> tuple[str, ...]:
        """The libraries that could not be loaded, in small letters: to compare, not to show."""
        return tuple(name.lower() for name in self.missing)


def facts(
    compat: Compat,
    lines: Iterable[str],
    caught: Iterable[Mapping[str, str]],
    given: Mapping[str, str],
    fallback: Mapping[str, str] | None = None,
) -> Facts:
    """Facts that were given, else those of the telling lines and of what patterns caught.

    ``given`` (keys in small letters) is read leniently: "10.1 (per a second user)" is 10.1, "not
    installed" is a fact. ``fallback`` is what a computer is known for: it fills in what neither
    knows, if the text can be of its system.
    """
    result = Facts(compat=compat)
    _from_given(result, given)
    _from_text(result, "\n".join(lines))
    for names in caught:
        _from_caught(result, names)
    if fallback and may_be_of(fallback.get("os", ""), result.os):
        _fill_in(result, fallback)
    return result


def may_be_of(system: str, told: str) -> bool:
    """Whether what tells of one system ("": of none) can come from a computer with the other."""
    return not told or told.replace("wsl", "linux") == system.replace("wsl", "linux")


def _fill_in(result: Facts, fallback: Mapping[str, str]) -> None:
    for key, value in fallback.items():
        if not _has(result, key):
            _READERS[key](result, value)
            if _has(result, key):
                result.filled_in.add(key)


def _from_given(result: Facts, given: Mapping[str, str]) -> None:
    for name in filter(given.__contains__, EXAMPLES):
        _READERS[name](result, given[name])
        result.stated.add(name)
    if not result.os:
        _set_os(result, given.get("os_version", ""))


def _from_text(result: Facts, text: str) -> None:
    for pattern, meant in known().meant:
        text = re.sub(pattern, meant, text, flags=re.IGNORECASE)
    for name, pattern in known().facts:
        if name not in result.stated and not _has(result, name):
            for found in re.finditer(pattern, text, re.IGNORECASE):
                if not says("asked", text[max(0, found.start() - 20) : found.start()]):
                    _READERS[name](result, found.group(1))
                if _has(result, name):
                    break
    for name in ("framework", "os"):
        if not _has(result, name):
            _READERS[name](result, text)
    if not result.build_cuda:
        _set_build(result, text)
    result.arm = says("arm", text)
    kinds = (kind for kind, pattern in known().containers if affirmed(pattern, text))
    result.container = next(kinds, "")


def _has(result: Facts, name: str) -> bool:
    return bool(getattr(result, {"gpu": "compute"}.get(name, name)))


def _set_gpu(result: Facts, text: str) -> None:
    compute = compute_of(result.compat, text)
    # One whose generation isn't known is told as well, where no other is.
    if compute or not result.gpu:
        result.gpu, result.compute = text, compute


def _set_compute(result: Facts, text: str) -> None:
    result.compute = text
    result.gpu = architecture(result.compat, text).name or text


def _set_driver(result: Facts, text: str) -> None:
    result.driver_words = text = _OF_WINDOWS.sub(r"\1\2.\3", text)
    found = version(text)
    # "reports CUDA 13.2" is what the driver could run; drivers have had three digits since 2005.
    if found[:1] >= (100,):
        result.driver = found
    elif "cuda" in text.lower():
        result.driver_cuda = found


def _set_driver_cuda(result: Facts, text: str) -> None:
    # The driver itself says 12040.
    result.driver_cuda = version(re.sub(r"^(\d{1,2})0(\d)0$", r"\1.\2", text))


def _set_cuda(result: Facts, text: str) -> None:
    result.cuda_words = text
    # "12.2 (nvidia-smi)" is what the driver could run, no toolkit.
    if re.search(r"nvidia-smi|driver", text, re.IGNORECASE):
        _set_driver_cuda(result, text)
        return
    found = version(text)
    if found and 5 <= found[0] <= 20:
        result.cuda = found


def _set_cudnn(result: Facts, text: str) -> None:
    result.cudnn_words = text
    found = version(text)
    if len(found) == 1 and found[0] >= 1000:
        found = cudnn_number(text)
    # A higher one is a CUDA's: "cuDNN 11.2".
    if found and found[0] <= major(newest_cudnn(result.compat)) + 1:
        result.cudnn = found


def _set_python(result: Facts, text: str) -> None:
    found = version(re.sub(r"^3(\d{1,2})(?=$|-32)", r"3.\1", text))
    result.python = found if found[:1] in {(2,), (3,)} else ()
    result.bits32 = bool(re.search(r"32[- ]?bit|-32\b|x86\b(?!_64)", text))


def _set_os(result: Facts, text: str) -> None:
    for name, pattern in known().systems:
        if re.search(pattern, text, re.IGNORECASE):
            result.os = name
            return


def _set_framework(result: Facts, text: str) -> None:
    """The framework named first in the table whose name occurs, with the first version behind one
    of its own names: "ComfyUI 0.3, torch 2.8" is PyTorch 2.8."""
    own = re.compile("|".join(known().versioned), re.IGNORECASE)
    for name, spellings in known().framework_names.items():
        named = [
            found
            for one in spellings
            for found in re.finditer(one + known().version_behind, text, re.IGNORECASE)
        ]
        if named:
            versions = (found.group(1) for found in named if own.search(found.group()))
            result.framework = name
            result.framework_version = version(next(filter(None, versions), ""))
            _set_build(result, text)
            return


def _set_build(result: Facts, text: str) -> None:
    found = (re.search(pattern, text, re.IGNORECASE) for pattern in known().builds)
    said = next((one.group(1) for one in found if one), "")
    result.build_cuda = cuda_number(said) if said else ()


_READERS: Mapping[str, Callable[[Facts, str], None]] = {
    "gpu": _set_gpu,
    "compute": _set_compute,
    "driver": _set_driver,
    "driver_cuda": _set_driver_cuda,
    "cuda": _set_cuda,
    "cudnn": _set_cudnn,
    "python": _set_python,
    "framework": _set_framework,
    "os": _set_os,
}


def _from_caught(result: Facts, names: Mapping[str, str]) -> None:
    for name in names.keys() & _READERS.keys():
        if not _has(result, name):
            _READERS[name](result, names[name])
    if "missing" in names:
        result.missing += (names["missing"],)
    if "loaded" in names and "built" in names:
        result.loaded = cudnn_number(names["loaded"])
        result.built = cudnn_number(names["built"])
    if "driverfile" in names:
        result.driver_files += (version(names["driverfile"]),)
    if "sm" in names:
        result.sm = capability(names["sm"])
    if "smlist" in names:
        listed = re.findall(r"(?<=_)\d{2,3}|\d{1,2}\.\d", names["smlist"])
        result.build_sms = tuple(map(capability, listed))
