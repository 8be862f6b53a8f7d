"""What a recommendation says, in words: one line for each part of the set and each reason."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal, NamedTuple

from cudnn_assistant.compat import (
    Alternative,
    CudnnAdvice,
    DriverAdvice,
    FrameworkAdvice,
    Reason,
    Recommendation,
    ToolkitAdvice,
)
from cudnn_assistant.wording.language import N_, _


class Said(NamedTuple):
    """One line of a recommendation."""

    mark: Literal["ok", "note", "bad", "unknown"]
    label: str
    text: str


_REASONS: dict[str, str] = {
    "no-gpu": N_("This computer has no NVIDIA GPU, and cuDNN runs only on those."),
    "gpu-unknown": N_("It isn't known what this GPU supports{named}."),
    "gpu-too-old": N_("{about} no longer supports GPUs of compute capability {compute}."),
    "gpu-too-new": N_("{about} doesn't know GPUs of compute capability {compute} yet."),
    "gpu-left-out": N_("Nothing serves all GPUs of this computer: {about} is left out."),
    "gpu-support-unknown": N_("No source says whether {about} supports this GPU."),
    "gpu-dropped-by-driver": N_("{about} needs driver {needs}, which this GPU can't have."),
    "driver-missing": N_("{about} needs driver {needs}."),
    "driver-too-old": N_("{about} needs driver {needs}; driver {present} is older."),
    "driver-unknown": N_("The present driver isn't known."),
    "python-not-supported": N_("{about} doesn't run on Python {python}; it needs {needs}."),
    "python-unknown": N_("{about} needs Python {needs}; the present one isn't known."),
    "no-gpu-build-on-windows": N_("{about} has no GPU support on Windows."),
    "no-gpu-build": N_("{about} has no build for NVIDIA GPUs here."),
    "framework-unknown": N_("Nothing is known about {about}."),
    "framework-needs-unknown": N_("No source says all of what {about} needs."),
    "no-official-file": N_("No official file of {about} is known for this system."),
    "hash-unknown": N_("No hash of {about} is known, so a download could not be proven."),
    "known-bad": N_("{about} can't be installed as published."),
    "wanted-cuda": N_("{about} isn't for CUDA {wanted}."),
    "wanted-cudnn": N_("{about} isn't cuDNN {wanted}."),
    "already-there": N_("{about} is already there."),
    "cuda-present": N_("CUDA {cuda} is already there."),
    "cuda-of-driver": N_("The present driver speaks CUDA up to {cuda}."),
    "tested-with-framework": N_("The framework was tested with it."),
    "last-for-gpu": N_("It is the last cuDNN for GPUs of compute capability {compute}."),
    "inferred": N_("No table of this very release is known; its neighbours' limits were taken."),
    "disputed": N_("Sources disagree about the oldest driver; {about} is safe by all of them."),
    "platform-unknown": N_("The kind of processor isn't known, so no file can be named."),
}


def reason(one: Reason) -> str:
    """One reason as a sentence."""
    named = f": {one.about}" if one.about else ""
    facts = {
        "compute": "?",
        "needs": "?",
        "present": "?",
        "python": "?",
        "cuda": "?",
        "wanted": "?",
    }
    return _(_REASONS[one.code]).format(about=one.about, named=named, **(facts | one.facts))


def lines(found: Recommendation) -> tuple[Said, ...]:
    """The whole recommendation, the set first, then why, then what isn't known."""
    return tuple(_lines(found))


def headline(found: Recommendation) -> str:
    """The answer in one sentence."""
    if found.possible is False:
        return _("This can't be met here.")
    if found.possible is None:
        return _("What isn't known decides; this is the best guess.")
    return _("This fits together.")


def _lines(found: Recommendation) -> Iterator[Said]:
    if found.driver:
        yield _driver(found.driver)
    if found.toolkit:
        yield _toolkit(found.toolkit)
    if found.cudnn:
        yield _cudnn(found.cudnn)
    if found.framework:
        yield Said("ok", _("Framework"), framework(found.framework))
    for one in found.unmet:
        yield Said("bad", _("Not met"), reason(one))
    for way in found.alternatives:
        yield Said("note", _("Instead"), alternative(way))
    for one in found.because:
        yield Said("ok", _("Why"), reason(one))
    for one in found.ruled_out:
        yield Said("note", _("Ruled out"), reason(one))
    for one in found.unknown:
        yield Said("unknown", _("Not known"), reason(one))


def _driver(driver: DriverAdvice) -> Said:
    told = {"minimum": driver.minimum, "present": driver.present, "last": driver.last_branch}
    if driver.enough:
        text = _("{present} is enough ({minimum} or newer is needed).")
    elif driver.enough is None:
        text = _("{minimum} or newer is needed.")
    elif driver.last_branch is not None:
        text = _("Install driver {minimum} or newer, of branch {last} at most.")
    else:
        text = _("Install driver {minimum} or newer.")
    return Said("ok" if driver.enough else "note", _("Driver"), text.format(**told))


def _toolkit(toolkit: ToolkitAdvice) -> Said:
    if toolkit.present:
        return Said("ok", _("CUDA"), _("{version} is there.").format(version=toolkit.present))
    version = toolkit.version or str(toolkit.cuda_major)
    return Said("note", _("CUDA"), _("{version} is needed.").format(version=version))


def _cudnn(cudnn: CudnnAdvice) -> Said:
    told = {
        "version": cudnn.full or cudnn.version,
        "cuda": cudnn.cuda or cudnn.cuda_major,
        "folder": cudnn.folder,
        "from": _source(cudnn),
    }
    if cudnn.folder:
        text = _("{version} for CUDA {cuda} is already there, in {folder}.")
    elif told["from"]:
        text = _("{version} for CUDA {cuda}: {from}")
    else:
        text = _("{version} for CUDA {cuda}, which the framework brings itself.")
    return Said("ok", _("cuDNN"), text.format(**told))


def _source(cudnn: CudnnAdvice) -> str:
    """The official file with its size, or the package."""
    if cudnn.file is None:
        return cudnn.requirement
    if not cudnn.file.size:
        return _("{url} (size unknown)").format(url=cudnn.file.url)
    size = f"{cudnn.file.size / 1e6:,.0f}"
    return _("{url} ({size} MB)").format(url=cudnn.file.url, size=size)


def framework(advice: FrameworkAdvice) -> str:
    """The build of a framework by its requirement and index."""
    name = advice.requirement or f"{advice.name} {advice.version}"
    if advice.index:
        name = _("{name} from its own index, {index}").format(name=name, index=advice.index)
    if advice.python:
        return _("{name}, on Python {python}").format(name=name, python=advice.python)
    return name


def alternative(way: Alternative) -> str:
    """Another way to the goal."""
    name = framework(way.framework) if way.framework else ""
    if way.way == "wsl2":
        return _("In WSL2 (Linux inside Windows): {name}.").format(name=name)
    return _("Use {name}.").format(name=name)
