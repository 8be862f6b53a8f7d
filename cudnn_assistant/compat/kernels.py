"""Whether a framework build has code for a GPU: its kernels, its PTX, and its CUDA."""

from __future__ import annotations

from collections.abc import Sequence

from cudnn_assistant.compat.advice import Code
from cudnn_assistant.compat.facts import Compat, FrameworkRelease
from cudnn_assistant.compat.lookup import at_least, last_cuda, newest, oldest_usable_cuda, version
from cudnn_assistant.compat.releases import above, first_cudnn


def kernels_against(compat: Compat, build: FrameworkRelease, compute: str) -> Code | None:
    """Why a framework build has no code for a GPU; None when it has or may have."""
    if at_least(compute, build.compute_min) is False:
        return "gpu-too-old"
    if above(build.cuda, last_cuda(compat, compute)):
        return "gpu-too-old"
    if _cuda_below(build.cuda, oldest_usable_cuda(compat, compute)):
        return "gpu-too-new"
    if not build.compute or runs_kernels(build.compute, compute):
        return None
    newest_kernel = newest(one.removesuffix("+PTX") for one in build.compute)
    return "gpu-too-old" if at_least(newest_kernel, compute) else "gpu-too-new"


def may_be_older(compat: Compat, build: FrameworkRelease, compute: str) -> bool:
    """Whether a build whose kernels aren't listed may have been made before a GPU was known.

    So where only its CUDA major is known, the GPU came with a later release of that major, and no
    cuDNN that knows the GPU is the build's own.
    """
    made, first = version(build.cuda), version(oldest_usable_cuda(compat, compute))
    if build.compute or "." in build.cuda or made is None or first is None:
        return False
    if made.major != first.major or not first.minor:
        return False
    return not at_least(build.cudnn, first_cudnn(compat, compute))


def runs_kernels(kernels: Sequence[str], compute: str) -> bool:
    """Whether a GPU runs any of these: same major and not newer, or PTX not newer."""
    here = version(compute)
    for kernel in kernels:
        made = version(kernel.removesuffix("+PTX"))
        if here and made and made <= here and (made.major == here.major or "+PTX" in kernel):
            return True
    return False


def _cuda_below(cuda: str, oldest: str) -> bool:
    first, start = version(cuda), version(oldest)
    if first is None or start is None:
        return False
    return first < start if "." in cuda else first.major < start.major
