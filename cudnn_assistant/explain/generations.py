"""What follows from the generation of the GPU and from the driver, beside CUDA and cuDNN."""

from __future__ import annotations

import re
from collections.abc import Iterator

from cudnn_assistant.explain.facts import Facts
from cudnn_assistant.explain.versions import Version, known, version
from cudnn_assistant.explain.wanted import cuda_in_use, needs, row_for
from cudnn_assistant.wording import say

Feature = tuple[str, str]
"""Name, and the sentence for ``because`` ("" for what needs no saying)."""

_RECENT_BRANCH = 525
"""Branch from which on a driver runs every program for CUDA 12 and before."""
_AGED_BRANCH = 450
"""Branch below which a driver runs no program for CUDA 11 and later."""
_ABSENT = re.compile(
    r"^(?:none|never|missing|no (?:nvidia )?driver)\b|not (?:installed|loaded)|isn.t installed",
    re.IGNORECASE,
)
_OTHER_MAKER = r"(?i)^(?:AMD|ATI|Radeon|Intel|Apple)\b"
_EMBEDDED = r"(?i)\b(?:Jetson|TX[12]|Xavier|Orin|Nano|Thor)\b"
"""Boards whose generations (5.3, 6.2, 7.2, 8.7, 11.0) are left out by most builds."""
_NEWEST = r"\b(?:latest|newest|most recent|up[- ]to[- ]date|current one)\b"


def _text(v: Version) -> str:
    return ".".join(map(str, v))


def driver(f: Facts) -> Iterator[Feature]:
    """Whether the driver is new enough for the CUDA in use, and of one piece."""
    if "driver" in f.stated and _ABSENT.search(f.driver_words):
        yield "driver:absent", say("explain.driver-said-not-installed")
    yield from _driver_age(f)
    yield from _driver_parts(f)
    if re.search(_NEWEST, f.driver_words, re.IGNORECASE):
        yield "driver:newest", say("explain.driver-said-newest")
    cuda = cuda_in_use(f)
    # Within a major from 11 on, a driver of the major's first release is enough.
    digits = 1 if cuda and cuda[0] >= 11 else 2
    if cuda and f.driver_cuda and f.driver_cuda[:digits] < cuda[:digits]:
        yield (
            "driver-cuda:below",
            say("explain.driver-runs-cuda-up-can-cuda", can=_text(f.driver_cuda), cuda=_text(cuda)),
        )
    if not cuda or not f.driver:
        return
    row = row_for(cuda, known().cuda_drivers)
    if row is None:
        return
    floor = version(row[2] if f.os == "windows" else row[1])
    names = {
        "driver": _text(f.driver),
        "floor": row[2] if f.os == "windows" else row[1],
        "cuda": _text(cuda),
    }
    if f.driver[: len(floor)] < floor:
        yield (
            "driver:below",
            say("explain.driver-older-than-floor-cuda", **names),
        )
    else:
        yield "driver:fits", say("explain.driver-new-enough-cuda", **names)


def _driver_age(f: Facts) -> Iterator[Feature]:
    """The driver's branch beside the GPU's generation and the newest code that it reads."""
    if not f.driver:
        return
    branch = f.driver[0]
    if branch >= _RECENT_BRANCH:
        yield "driver:recent", say("explain.driver-recent-one", driver=_text(f.driver))
    elif branch < _AGED_BRANCH:
        yield "driver:aged", say("explain.driver-old-one", driver=_text(f.driver))
    first = [row for row in known().gpu_drivers if 0 < row[0] <= f.compute]
    if first and branch < first[-1][1]:
        yield (
            "driver:older-than-gpu",
            say("explain.driver-older-than-gpu", driver=_text(f.driver), gpu=f.gpu),
        )
    cuda, reads = cuda_in_use(f), [row for row in known().driver_cudas if row[0] <= branch]
    if len(cuda) > 1 and reads and reads[-1][1] < cuda[0] + cuda[1] / 10:
        yield (
            "driver:reads-less",
            say(
                "explain.driver-came-out-before-cuda",
                driver=_text(f.driver),
                cuda=_text(cuda[:2]),
            ),
        )


def _driver_parts(f: Facts) -> Iterator[Feature]:
    """Whether the driver's files that are named are all of one version."""
    files = {v[:2] for v in f.driver_files}
    if f.driver and len(f.driver) > 1:
        files.add(f.driver[:2])
    if f.driver_files and len(files) > 1:
        yield (
            "driver:parts-differ",
            say(
                "explain.parts-several-driver-versions-named-versions",
                versions=", ".join(sorted(map(_text, files))),
            ),
        )


def gpu(f: Facts) -> Iterator[Feature]:
    """What the generation of the GPU says beside the driver, CUDA, cuDNN and the framework."""
    if not f.compute:
        if re.search(_OTHER_MAKER, f.gpu):
            yield "gpu:of-another-maker", say("explain.gpu-not-nvidia-gpu", gpu=f.gpu)
        return
    yield from _dropped(f)
    if re.search(_EMBEDDED, f.gpu):
        yield (
            "gpu:embedded",
            say("explain.builds-other-computers-no-code-gpu", gpu=f.gpu),
        )
    if f.compute < 3.0:
        yield (
            "gpu:below-every-cudnn",
            say("explain.no-cudnn-supports-gpus-generation-gpu", gpu=f.gpu),
        )
    if f.compute < 3.5:
        yield "gpu:ancient", say("explain.gpu-very-old-generation", gpu=f.gpu)
    if f.compute >= 7.5:
        yield "gpu:turing-or-newer", ""
    if f.compute >= 8 and not cuda_in_use(f):
        yield "gpu:newer-build-unknown", ""
    if f.compute < 7 and not cuda_in_use(f):
        yield "gpu:older-build-unknown", ""
    if f.compute >= 10:
        yield (
            "gpu:blackwell",
            say("explain.gpu-blackwell-generation", gpu=f.gpu),
        )
    if f.compute < 7.5 and f.cudnn >= (9, 11):
        yield (
            "gpu:dropped-by-cudnn",
            say("explain.cudnn-no-longer-supports-gpu", cudnn=_text(f.cudnn)),
        )
    cuda = cuda_in_use(f)
    row = row_for(cuda, known().cuda_gpus) if cuda else None
    if row is None:
        return
    names = {"gpu": f.gpu, "compute": f.compute, "cuda": _text(cuda)}
    # Turing has the major number of Volta, but no library before CUDA 10 was made for it.
    if int(f.compute) > int(row[2]) or row[2] < f.compute == 7.5:
        yield (
            "gpu:newer-than-cuda",
            say("explain.gpu-compute-newer-than-cuda", **names),
        )
    elif f.compute < row[1]:
        yield (
            "gpu:older-than-cuda",
            say("explain.cuda-no-longer-code-gpu", **names),
        )
    elif f.compute > row[2]:
        yield (
            "gpu:little-newer",
            say("explain.gpu-compute-came-out-after", **names),
        )
    else:
        yield "gpu:fits", ""
        if int(f.compute) < int(row[2]):
            yield "gpu:not-the-newest", ""
    if needs(f).get("brings") and f.compute < _wheel_floor(f, cuda):
        yield (
            "gpu:older-than-cuda",
            say("explain.builds-cuda-mostly-no-code", **names),
        )


def _wheel_floor(f: Facts, cuda: Version) -> float:
    """Lowest generation that PyTorch's own packages hold code for (their architecture lists)."""
    if cuda >= (12, 8):
        return 7.0
    if f.framework_version >= (2, 1):
        return 5.0
    return 3.7 if f.framework_version >= (1, 3) else 3.0


def capability(f: Facts) -> Iterator[Feature]:
    """What the numbers in a framework's own warning about the GPU say."""
    if not f.sm:
        return
    names = {"sm": f.sm}
    if f.build_sms and f.sm > max(f.build_sms):
        yield "sm:above", say("explain.builds-code-ends-below-gpu-sm", **names)
    elif f.build_sms and f.sm < min(f.build_sms):
        yield "sm:below", say("explain.builds-code-begins-above-gpu-sm", **names)
    elif f.sm >= 8.0:
        yield "sm:above", say("explain.gpus-capability-sm-rather-new", **names)
    elif f.sm <= 7.0:
        yield "sm:below", say("explain.gpus-capability-sm-rather-old", **names)


def _dropped(f: Facts) -> Iterator[Feature]:
    floor = [row for row in known().driver_gpus if f.driver and row[0] <= f.driver[0]]
    if floor and f.compute < floor[-1][1]:
        yield (
            "gpu:dropped-by-driver",
            say("explain.driver-no-longer-supports-gpu", driver=_text(f.driver), gpu=f.gpu),
        )
