"""Does the copy of cuDNN that programs load fit this computer's CUDA and GPU?"""

from __future__ import annotations

import re

from cudnn_assistant import compat
from cudnn_assistant.diagnose.copies.loaded_copy import (
    copies_to_check,
    need_for,
    other_copy,
    product,
    proven,
)
from cudnn_assistant.diagnose.needs import Need
from cudnn_assistant.diagnose.remedies import (
    CUDNN_WINDOWS_PAGE,
    against_gpu,
    cuda_majors,
    install_cudnn,
    install_packages,
    own_copy,
    reinstall,
)
from cudnn_assistant.diagnose.rule import Context, Findings, Layer, rule
from cudnn_assistant.finding import Manual, Remedy
from cudnn_assistant.machine import CudnnCopy
from cudnn_assistant.versions import major, numbers, short


@rule("gpu-too-old-for-cudnn", layer=Layer.COMPATIBILITY, of=copies_to_check)
def gpu_too_old(ctx: Context, copy: CudnnCopy) -> Findings:
    """This cuDNN dropped the GPU."""
    if ctx.gpu is None or against_gpu(ctx, copy) != "gpu-too-old" or proven(ctx, copy):
        return
    yield ctx.trouble(
        _last_for_old_gpus(ctx, copy),
        f"{ctx.gpu.name}: {ctx.gpu.compute}",
        f"{product(copy.version)}: {copy.folder}",
        gpu=ctx.gpu.name,
        product=product(copy.version),
        last_cudnn=short(compat.last_cudnn(ctx.compat, ctx.compute)),
        program=need_for(ctx, copy).who,
    )


def _last_for_old_gpus(ctx: Context, copy: CudnnCopy) -> Remedy:
    if ctx.environment is None:
        return other_copy(ctx, copy) or install_cudnn(ctx, Need())
    package = compat.wheel_package(major(compat.last_cuda(ctx.compat, ctx.compute)))
    pins = [p for f in ctx.frameworks for p in f.pins if p.package == package]
    if pins and not any(p.wants.startswith("==") for p in pins):
        limit = compat.first_cudnn_without(ctx.compat, ctx.compute)
        return install_packages(ctx, f"{package}<{limit}")
    return Manual()


@rule("gpu-too-new-for-cudnn", layer=Layer.COMPATIBILITY, of=copies_to_check)
def gpu_too_new(ctx: Context, copy: CudnnCopy) -> Findings:
    """The copy was made before this GPU existed. It may still run, slowly: by test."""
    if ctx.gpu is None or against_gpu(ctx, copy) != "gpu-too-new" or proven(ctx, copy):
        return
    yield ctx.finding(
        ctx.serious if ctx.stopped else ctx.lesser,
        reinstall(ctx) if ctx.environment else other_copy(ctx, copy) or install_cudnn(ctx, Need()),
        f"{ctx.gpu.name}: {ctx.gpu.compute}",
        f"{product(copy.version)}: {copy.folder}",
        sure=ctx.stopped is not None,
        gpu=ctx.gpu.name,
        product=product(copy.version),
    )


@rule("cudnn-wrong-cuda-major", layer=Layer.COMPATIBILITY, of=copies_to_check)
def cuda_major(ctx: Context, copy: CudnnCopy) -> Findings:
    """The copy is made for another CUDA major than the one that programs find."""
    made = copy.cuda_major or _asked(ctx)
    if not made or proven(ctx, copy):
        return
    present = ctx.cublas_majors
    if not present or made in present:
        return
    usable = [m for m in cuda_majors(ctx) if m in present]
    cuda = max(present)
    remedy: Remedy = Manual()
    if ctx.environment is not None:
        remedy = install_packages(ctx, compat.cuda_package(ctx.compat, "cublas", made))
    elif usable:
        cuda = usable[0]
        new = Need(major=copy.major, cuda=cuda)
        remedy = other_copy(ctx, copy) or install_cudnn(ctx, new)
    yield ctx.trouble(
        remedy,
        f"{copy.folder}: CUDA {made}",
        *(lib.path for lib in ctx.libraries("cublasLt") if ctx.loadable(lib)),
        product=product(copy.version),
        made_for=str(made),
        cuda=str(cuda),
        folder=copy.folder,
    )


@rule("zlibwapi-missing", layer=Layer.COMPATIBILITY, of=copies_to_check)
def zlib(ctx: Context, copy: CudnnCopy) -> Findings:
    """Some releases for Windows ask for zlibwapi.dll, which they don't bring."""
    asks = ctx.windows and compat.needs_zlibwapi(ctx.compat, copy.version)
    if not asks or proven(ctx, copy):
        return
    known = ctx.libraries("zlibwapi")
    here = ctx.key(copy.folder)
    near = [z for z in known if ctx.loadable(z) or ctx.key(ctx.parent(z.path)) == here]
    # The first one of that name is taken, also where it is one for 32-bit programs.
    first = min(near, key=lambda z: ctx.rank(ctx.parent(z.path)), default=None)
    if first is not None and not ctx.foreign(first.architecture):
        return
    by_hand = Manual(link=CUDNN_WINDOWS_PAGE, page="nvidia")
    asked = need_for(ctx, copy)
    newer_serves = asked.who == "" and not any(n.major == copy.major for n in ctx.needs)
    remedy = own_copy(ctx, by_hand) if newer_serves else by_hand
    # Without it cuDNN ends its program. A test that got an answer has stopped for another reason.
    ended = ctx.stopped is not None and ctx.stopped.status in ("crashed", "missing-library")
    yield ctx.finding(
        ctx.serious if ended else ctx.lesser,
        remedy,
        *(f"{z.path}: {z.architecture}" for z in known),
        copy.folder,
        sure=ended,
        product=product(copy.version),
        folder=copy.folder,
        other=first.path if first else "",
        absent="" if first else "PATH",
    )


def _asked(ctx: Context) -> int:
    """CUDA major of the cuBLAS without which cuDNN itself can't be loaded (8.5 and older); or 0."""
    name = ctx.stopped.missing if ctx.stopped else ""
    match = re.fullmatch(r"(?:lib)?cublas(?:Lt)?(?:\.so\.|64_)(\d+).*", name, re.IGNORECASE)
    return int(match[1]) if match else 0


@rule("cudnn-header-differs", layer=Layer.COMPATIBILITY)
def header(ctx: Context) -> Findings:
    """The header that compilers read belongs to another cuDNN than the library."""
    for copy in ctx.copies:
        one = numbers(copy.header_version)[:2]
        other = numbers(copy.file_version or copy.version)[:2]
        if one and other and one != other:
            yield ctx.note(
                Manual(),
                f"{copy.folder}: {copy.header_version}, {copy.version}",
                header_version=short(copy.header_version),
                product=product(copy.version),
                folder=copy.folder,
            )
