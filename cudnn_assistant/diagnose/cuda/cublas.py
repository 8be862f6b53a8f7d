"""Is cuBLAS, which cuDNN asks for when it starts, where it finds it?"""

from __future__ import annotations

import msgspec

from cudnn_assistant.compat import FIRST_COMPATIBLE
from cudnn_assistant.diagnose.cuda.toolkits import toolkit
from cudnn_assistant.diagnose.needs import Need
from cudnn_assistant.diagnose.remedies import (
    CUDA_PAGE,
    cuda_majors,
    install_cudnn,
    search_first,
    usual_cuda,
)
from cudnn_assistant.diagnose.rule import Context, Findings, Layer, rule
from cudnn_assistant.finding import Automatic, Facts, Finding, Manual
from cudnn_assistant.machine import Library
from cudnn_assistant.versions import major, numbers, short


def _unfound(ctx: Context) -> list[Library] | None:
    """Each cuBLAS that would do, where cuDNN needs one and no searched folder holds it.

    Without a cuDNN there is nothing to judge: whoever installs one brings cuBLAS along.
    """
    unknown = ctx.machine.unknown("toolkits") or ctx.machine.unknown("cudnn")
    wanted = ctx.wanted or _asked_for_cublas(ctx)
    if ctx.environment is not None or unknown or ctx.works or not wanted:
        return None
    known = [lib for lib in cublas_libraries(ctx) if _whole(lib)]
    # One of another CUDA major is a matter of which cuDNN was installed, not of a missing CUDA.
    if any(map(ctx.loadable, known)) or not (ctx.copies or ctx.winner):
        return None
    return [lib for lib in known if not ctx.in_environment(lib) and _wanted_major(ctx, lib)]


@rule("cuda-missing", layer=Layer.CUDA)
def no_cuda(ctx: Context) -> Findings:
    """cuDNN needs cuBLAS of its CUDA major, and there is none."""
    if _unfound(ctx) == []:
        yield _no_cuda(ctx)


@rule("cuda-not-on-path", layer=Layer.CUDA)
def not_searched(ctx: Context) -> Findings:
    """cuDNN needs cuBLAS of its CUDA major, and no searched folder holds it."""
    if usable := _unfound(ctx):
        best = max(usable, key=lambda lib: (lib.major or 0, numbers(lib.version)))
        folder = ctx.parent(best.path)
        facts = Facts(folder=folder, cuda=short(best.version) or str(best.major or ""))
        if not _comes_later(ctx, folder):
            yield ctx.error(search_first(ctx, folder), best.path, **facts)


def _comes_later(ctx: Context, folder: str) -> bool:
    """Whether the folder is added for the sake of the cuDNN in it, or that one's is asked first."""
    if any(ctx.key(c.folder) == ctx.key(folder) for c in ctx.copies):
        return not ctx.windows
    # The test found no cuDNN by its name, so that it never came to ask for CUDA.
    trial = ctx.stopped
    return trial is not None and trial.stage == "load" and "cudnn" in trial.missing


def cublas_libraries(ctx: Context) -> tuple[Library, ...]:
    """All files of cuBLAS."""
    return ctx.libraries("cublasLt", "cublas")


def _whole(library: Library) -> bool:
    """Whether cuBLAS is there with this file: since CUDA 11 it lies in cublasLt for the most."""
    return library.name == "cublasLt" or (library.major or 0) < FIRST_COMPATIBLE


def _asked_for_cublas(ctx: Context) -> bool:
    """The test of a cuDNN that matters stopped because it asked for cuBLAS in vain."""
    asked = ctx.stopped is not None and "cublas" in ctx.stopped.missing.casefold()
    return asked and ctx.serious == "error"


def cublas_file(ctx: Context, cuda: str | int) -> str:
    """The file that cuDNN asks for: the loader's own words, else the name in that CUDA major."""
    if _asked_for_cublas(ctx) and ctx.trial is not None:
        return ctx.trial.missing
    return f"cublasLt64_{cuda}.dll" if ctx.windows else f"libcublasLt.so.{cuda}"


def _no_cuda(ctx: Context) -> Finding:
    """With cuDNN in a folder of our own come the CUDA libraries it needs; else the toolkit."""
    cuda = _which(ctx)
    need = next(iter(ctx.needs), Need())
    remedy = install_cudnn(ctx, msgspec.structs.replace(need, cuda=int(cuda or 0)))
    if not isinstance(remedy, Automatic):
        remedy = Manual(
            link=CUDA_PAGE, page="nvidia", administrator=True, installer=toolkit(ctx, cuda)
        )
    file = cublas_file(ctx, cuda)
    # A toolkit of that major that is there has lost the file.
    there = (t.version for t in ctx.machine.toolkits if str(major(t.version)) == cuda)
    toolkit_here = next((f"CUDA {short(version)}" for version in there), "")
    return ctx.error(remedy, f"{file}: –", cuda=cuda, file=file, toolkit=toolkit_here)


def _wanted_major(ctx: Context, library: Library) -> bool:
    majors = _majors(ctx)
    return not majors or library.major in majors


def _majors(ctx: Context) -> set[int]:
    """CUDA majors of the subject's copies, and of the one that its programs load from elsewhere."""
    copies = (*ctx.copies, *((ctx.winner,) if ctx.winner else ()))
    return {c.cuda_major for c in copies if c.cuda_major}


def _which(ctx: Context) -> str:
    half = {lib.major for lib in ctx.libraries("cublas") if lib.major and ctx.loadable(lib)}
    majors = _majors(ctx) or {n.cuda for n in ctx.needs if n.cuda} or half
    return str(max(majors) if majors else next(iter(cuda_majors(ctx)), usual_cuda(ctx)))
