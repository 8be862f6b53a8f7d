"""Is the CUDA that a program is built with there, and can it run on the GPU?"""

from __future__ import annotations

from cudnn_assistant.compat import FIRST_COMPATIBLE, oldest_usable_cuda
from cudnn_assistant.diagnose.needs import Need
from cudnn_assistant.diagnose.remedies import CUDA_ARCHIVE
from cudnn_assistant.diagnose.rule import Context, Findings, Layer, rule
from cudnn_assistant.finding import Automatic, Finding, InstallCuda, Installer, Manual
from cudnn_assistant.plan import installers
from cudnn_assistant.plan.installing import toolkit_file
from cudnn_assistant.versions import numbers, older, short


def _unmet(ctx: Context) -> list[Need]:
    """Programs built for a CUDA that isn't here, or whose cuDNN doesn't serve it.

    From CUDA 11 on any minor of the major will do; before, each has file names of its own.
    """
    unknown = ctx.machine.unknown("toolkits") or ctx.machine.unknown("cudnn")
    asked = [] if ctx.environment is not None or unknown else ctx.needs
    return [n for n in asked if n.toolkit and not (ctx.met(n) and _cuda_anywhere(ctx, n))]


@rule("gpu-too-new-for-cuda", layer=Layer.CUDA, provable=False)
def gpu_too_new(ctx: Context) -> Findings:
    """A program is built for a CUDA that is older than the GPU."""
    gpu = ctx.gpu
    for need in _unmet(ctx):
        oldest = oldest_usable_cuda(ctx.compat, gpu.compute) if gpu else ""
        if gpu and older(need.toolkit, oldest) and not ctx.met(need):
            yield ctx.finding(
                "error" if need.cuda < FIRST_COMPATIBLE else "warning",
                Manual(),
                f"{gpu.name}: {gpu.compute}, CUDA {oldest}",
                program=need.who,
                cuda=need.toolkit,
                environment=need.where,
                gpu=gpu.name,
                oldest_cuda=oldest,
            )


@rule("program-needs-other-cuda", layer=Layer.CUDA, provable=False)
def other_cuda(ctx: Context) -> Findings:
    """A program is built for a CUDA that isn't here.

    Also where its cuDNN starts: before that it asks for a cuBLAS that nobody has.
    """
    for need in _unmet(ctx):
        if ctx.met(need) or not _has_cuda(ctx, need):
            yield _other_cuda(ctx, need)


def _has_cuda(ctx: Context, need: Need) -> bool:
    """Whether the CUDA that a program is built for is somewhere on this computer."""
    if any(_serves(need, t.version) for t in ctx.machine.toolkits):
        return True
    known = ctx.libraries("cublas", "cublasLt")
    found = [lib for lib in known if lib.major == need.cuda and not ctx.in_environment(lib)]
    if need.cuda >= FIRST_COMPATIBLE:
        return bool(found)
    # Before CUDA 11 the run-time library alone has the toolkit's own number.
    folders = {ctx.parent(lib.path) for lib in found}
    started = (lib for lib in ctx.libraries("cudart") if _serves(need, lib.version))
    return any(ctx.parent(lib.path) in folders for lib in started)


def _cuda_anywhere(ctx: Context, need: Need) -> bool:
    """Whether any file of the CUDA that is asked for is known, in an environment or outside."""
    names = ("cublas", "cublasLt", "cudart") if need.cuda >= FIRST_COMPATIBLE else ("cudart",)
    known = [lib for name in names for lib in ctx.libraries(name)]
    versions = [lib.version or str(lib.major or "") for lib in known]
    versions += [t.version for t in ctx.machine.toolkits]
    return any(not version or _serves(need, version) for version in versions)


def _serves(need: Need, version: str) -> bool:
    """Whether files of that CUDA version bear the names that the program asks for."""
    wanted = numbers(need.toolkit)[: 2 if need.cuda < FIRST_COMPATIBLE else 1]
    return numbers(version)[: len(wanted)] == wanted


def _other_cuda(ctx: Context, need: Need) -> Finding:
    cuda = need.toolkit
    there = sorted({short(t.version) for t in ctx.machine.toolkits if t.version})
    ours = toolkit_file(cuda, ctx.machine, ctx.compat)
    by_hand = Manual(
        link=CUDA_ARCHIVE, page="nvidia", administrator=True, installer=toolkit(ctx, cuda)
    )
    return ctx.error(
        Automatic(edits=(InstallCuda(cuda=cuda),)) if ours else by_hand,
        *(f"CUDA {t.version}: {t.root}" for t in ctx.machine.toolkits),
        program=need.who,
        cuda=cuda,
        environment=need.where,
        present=tuple(there),
        archive=ours[0] if ours else "",
    )


def toolkit(ctx: Context, cuda: str) -> Installer | None:
    """An installer of that CUDA ("11.8", "12") which may be started here."""
    wanted = numbers(cuda)[:2]
    known = [t.version for t in ctx.compat.toolkits if numbers(t.version)[: len(wanted)] == wanted]
    return installers.toolkit(ctx.machine.os, known) if wanted else None
