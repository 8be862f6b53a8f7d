"""What follows from the generation of the GPU and from the driver, beside CUDA and cuDNN."""

from __future__ import annotations

from collections.abc import Iterator

from cudnn_assistant import compat
from cudnn_assistant.explain.facts import Facts
from cudnn_assistant.explain.versions import driver_text, says, version, version_text
from cudnn_assistant.explain.wanted import brings, cuda_in_use, needs
from cudnn_assistant.machine import Family
from cudnn_assistant.versions import major, numbers, older
from cudnn_assistant.wording import listed, say

Feature = tuple[str, str]
"""Name, and the sentence for ``because`` ("" for what needs no saying)."""


def told(name: str, **facts: object) -> Feature:
    """A feature with the sentence that is called as it is."""
    return name, say(f"explain.fact-{name.replace(':', '-')}", **facts)


def embedded(f: Facts) -> bool:
    """Whether the GPU is a Jetson's, for which most builds have no code."""
    return says("embedded", f.gpu)


def of_another_maker(f: Facts) -> bool:
    """Whether no NVIDIA GPU is there: one of another maker is named, or it is a Mac."""
    return (f.os == "macos" or says("of-another-maker", f.gpu)) and not f.compute


def driver(f: Facts) -> Iterator[Feature]:
    """Whether the driver is new enough for the CUDA in use, and of one piece."""
    if "driver" in f.stated and says("absent", f.driver_words):
        yield told("driver:absent")
    yield from _driver_age(f)
    yield from _driver_parts(f)
    if says("newest", f.driver_words):
        yield told("driver:newest")
    cuda = cuda_in_use(f)
    # Within a major from 11 on, a driver of the major's first release is enough.
    digits = 1 if cuda and cuda[0] >= compat.FIRST_COMPATIBLE else 2
    if cuda and f.driver_cuda and f.driver_cuda[:digits] < cuda[:digits]:
        yield told("driver-cuda:below", can=version_text(f.driver_cuda), cuda=version_text(cuda))
    if not cuda or not f.driver:
        return
    needed = compat.driver_floor(f.compat, version_text(cuda), driver_family(f))
    floor = version(needed)
    if not floor:
        return
    names = {"driver": driver_text(f.driver), "floor": needed, "cuda": version_text(cuda)}
    if f.driver[: len(floor)] < floor:
        yield told("driver:below", **names)
    else:
        yield told("driver:fits", **names)


def _driver_age(f: Facts) -> Iterator[Feature]:
    """The driver's branch beside the GPU's generation and the newest code that it reads."""
    if not f.driver:
        return
    branch, oldest = f.driver[0], compat.FIRST_COMPATIBLE
    recent = min(compat.current_cuda_majors(f.compat), default=oldest)
    if branch >= _branch_of(f, recent):
        yield told("driver:recent", driver=driver_text(f.driver))
    elif branch < _branch_of(f, oldest):
        yield told("driver:aged", driver=driver_text(f.driver))
    if branch < major(compat.first_driver(f.compat, f.compute)):
        yield told("driver:older-than-gpu", driver=driver_text(f.driver), gpu=f.gpu)
    cuda, reads = cuda_in_use(f), version(compat.cuda_of_branch(f.compat, branch))
    if len(cuda) > 1 and reads and reads < cuda[:2]:
        yield told("driver:reads-less", driver=driver_text(f.driver), cuda=version_text(cuda[:2]))


def _branch_of(f: Facts, cuda: int) -> int:
    """The first driver branch that runs programs of a CUDA major; 0 when unknown."""
    return major(compat.driver_floor(f.compat, str(cuda), driver_family(f)))


def driver_family(f: Facts) -> Family:
    """Which system's driver it is: WSL has that of Windows."""
    return "windows" if f.os in {"windows", "wsl"} else "linux"


def _driver_parts(f: Facts) -> Iterator[Feature]:
    """Whether the driver's files that are named are all of one version."""
    files = {v[:2] for v in f.driver_files}
    if f.driver and len(f.driver) > 1:
        files.add(f.driver[:2])
    if f.driver_files and len(files) > 1:
        yield told("driver:parts-differ", versions=listed(sorted(map(driver_text, files))))


def gpu(f: Facts) -> Iterator[Feature]:
    """What the generation of the GPU says beside the driver, CUDA, cuDNN and the framework."""
    if not f.compute:
        if of_another_maker(f):
            named = say("explain.gpu-not-nvidia-gpu", gpu=f.gpu) if f.gpu else ""
            yield "gpu:of-another-maker", named
        return
    last = compat.last_driver_branch(f.compat, f.compute)
    if f.driver and last is not None and f.driver[0] > last:
        yield told("gpu:dropped-by-driver", driver=driver_text(f.driver), gpu=f.gpu)
    if embedded(f):
        yield told("gpu:embedded", gpu=f.gpu)
    if older(f.compute, compat.oldest_gpu_of_cudnn(f.compat)):
        yield told("gpu:below-every-cudnn", gpu=f.gpu)
    if older(f.compute, compat.oldest_gpu(f.compat, str(compat.FIRST_COMPATIBLE))):
        yield told("gpu:ancient", gpu=f.gpu)
    if _since(f, "Turing"):
        yield "gpu:turing-or-newer", ""
    if _since(f, "Ampere") and not cuda_in_use(f):
        yield "gpu:newer-build-unknown", ""
    if not _since(f, "Volta") and not cuda_in_use(f):
        yield "gpu:older-build-unknown", ""
    if _since(f, "Blackwell"):
        name = compat.architecture(f.compat, f.compute).name or "Blackwell"
        yield told("gpu:blackwell", gpu=f.gpu, generation=name)
    against = compat.cudnn_against_gpu(f.compat, version_text(f.cudnn), 0, f.compute)
    if against == "gpu-too-old":
        yield told("gpu:dropped-by-cudnn", cudnn=version_text(f.cudnn))
    yield from _beside_cuda(f)


def _since(f: Facts, name: str) -> bool:
    """Whether the GPU is of a generation or a later one."""
    return bool(compat.at_least(f.compute, compat.generation(f.compat, name)))


def _beside_cuda(f: Facts) -> Iterator[Feature]:
    cuda = cuda_in_use(f)
    newest = compat.newest_gpu(f.compat, version_text(cuda))
    if not newest:
        return
    names = {"gpu": f.gpu, "compute": f.compute, "cuda": version_text(cuda)}
    # Turing has the major number of Volta, but no library before CUDA 10 was made for it.
    turing = compat.architecture(f.compat, f.compute).name == "Turing"
    if major(f.compute) > major(newest) or (turing and older(newest, f.compute)):
        yield told("gpu:newer-than-cuda", **names)
    elif older(f.compute, compat.oldest_gpu(f.compat, version_text(cuda))):
        yield told("gpu:older-than-cuda", **names)
    elif older(newest, f.compute):
        yield told("gpu:little-newer", **names)
    else:
        yield "gpu:fits", ""
        if major(f.compute) < major(newest):
            yield "gpu:not-the-newest", ""
    if brings(needs(f)) and older(f.compute, _wheel_floor(f)):
        yield "gpu:older-than-cuda", say("explain.builds-cuda-mostly-no-code", **names)


def _wheel_floor(f: Facts) -> str:
    """The lowest capability that the framework's own packages hold code for; "" if unknown."""
    row = needs(f)
    return min(row.compute if row else (), key=numbers, default="")


def capability(f: Facts) -> Iterator[Feature]:
    """What the numbers in a framework's own warning about the GPU say."""
    if not f.sm:
        return
    names = {"sm": f.sm}
    if f.build_sms and older(max(f.build_sms, key=numbers), f.sm):
        yield told("sm:above-all", **names)
    elif f.build_sms and older(f.sm, min(f.build_sms, key=numbers)):
        yield told("sm:below-all", **names)
    elif compat.at_least(f.sm, compat.generation(f.compat, "Ampere")):
        yield told("sm:above", **names)
    elif compat.at_least(compat.generation(f.compat, "Volta"), f.sm):
        yield told("sm:below", **names)
