"""Does the GPU admit programs, and is there memory left for them?"""

from __future__ import annotations

from collections.abc import Iterator

from cudnn_assistant.codes import CudaResult
from cudnn_assistant.diagnose.ground.driver_status import cuda_code
from cudnn_assistant.diagnose.rule import Context, Findings, Layer, rule
from cudnn_assistant.diagnose.ulimit import ULIMIT, in_shell
from cudnn_assistant.finding import Facts, Finding, Manual
from cudnn_assistant.machine import Gpu, GpuProcess, Trial

SPACE = 600 * 1024 * 1024
"""Free GPU memory in bytes below which a test can't be expected to run."""


def _closed(ctx: Context, mode: str) -> Iterator[Gpu]:
    """GPUs in a compute mode, where no test has passed in spite of it."""
    for gpu in ctx.machine.gpus:
        if gpu.compute_mode == mode and (not ctx.runs or ctx.stopped_alone(gpu)):
            yield gpu


@rule("compute-mode-prohibited", layer=Layer.ACCESS)
def prohibited(ctx: Context) -> Findings:
    """The GPU admits no program."""
    for gpu in _closed(ctx, "prohibited"):
        yield _compute_mode(ctx, gpu)


@rule("compute-mode-exclusive", layer=Layer.ACCESS)
def exclusive(ctx: Context) -> Findings:
    """The GPU admits one program, and one is there already.

    It may be another person's, or in another container: then it isn't listed.
    """
    for gpu in _closed(ctx, "exclusive-process"):
        if _computing(gpu) or _busy(ctx, gpu):
            yield _compute_mode(ctx, gpu)


def _computing(gpu: Gpu) -> list[GpuProcess]:
    return [p for p in gpu.processes if p.kind == "compute"]


def _compute_mode(ctx: Context, gpu: Gpu) -> Finding:
    prefix = "" if ctx.windows else "sudo "
    command = f"{prefix}nvidia-smi -i {gpu.nvml_index or 0} -c DEFAULT"
    program = ", ".join(_process(p.name, p.pid) for p in _computing(gpu)[:3])
    return ctx.finding(
        "warning" if ctx.runs else "error",
        Manual(commands=(command,), administrator=True),
        f"{gpu.name}: {gpu.compute_mode}",
        program,
        gpu=gpu.name,
        program=program,
    )


def _busy(ctx: Context, gpu: Gpu) -> bool:
    """A test was measured that the GPU is busy (46)."""
    return any(
        t.code == CudaResult.DEVICE_UNAVAILABLE and t.gpu in ("", gpu.uuid)
        for t in ctx.machine.trials
    )


_REFUSED = (CudaResult.DEVICE_UNAVAILABLE, CudaResult.DEVICE_NOT_LICENSED)


@rule("vgpu-licence", layer=Layer.ACCESS)
def licence(ctx: Context) -> Findings:
    """A virtual GPU whose licence was not found."""
    vgpu = next((g for g in ctx.machine.gpus if g.virtualization == "vgpu"), None)
    trials = [t for t in ctx.machine.trials if t.stage in ("driver", "context")]
    if (
        vgpu
        and not ctx.runs
        and (
            any(t.code in _REFUSED for t in trials)
            or cuda_code(ctx) == CudaResult.DEVICE_NOT_LICENSED
        )
    ):
        yield ctx.error(Manual(), vgpu.name, sure=False, gpu=vgpu.name)


def _full(ctx: Context) -> Iterator[tuple[Gpu, bool]]:
    """GPUs whose memory is nearly all taken, and whether a test was measured so."""
    for gpu in ctx.machine.gpus:
        if gpu.cuda_index is None or (ctx.runs and not ctx.stopped_alone(gpu)):
            continue
        measured = any(_without_memory(t) and t.gpu in ("", gpu.uuid) for t in ctx.machine.trials)
        if measured and _ample(gpu):
            continue
        if measured or (gpu.memory_free is not None and gpu.memory_free < SPACE):
            yield gpu, measured


def _ample(gpu: Gpu) -> bool:
    """Whether so much is free that memory of another kind ran out: addresses, or the computer's."""
    return gpu.memory_free is not None and gpu.memory_free > _AMPLE


_AMPLE = 4 << 30


@rule("limit-too-low", layer=Layer.ACCESS)
def limited(ctx: Context) -> Findings:
    """A limit that only the administrator can raise, and a test that such a limit stops."""
    for one in ctx.machine.os.limits:
        addresses = one.name in ("AS", "DATA")
        ends = ("out-of-memory",) if addresses else _KEPT_FROM_STARTING
        seen = [t for t in ctx.machine.trials if t.status in ends and not t.doubt]
        if seen and not ctx.runs and (addresses or one.name in ("NOFILE", "NPROC")):
            facts = Facts(setting=f"ulimit -{ULIMIT[one.name]}", value=in_shell(one.name, one.most))
            yield ctx.error(Manual(), seen[0].detail, sure=False, **facts)


_KEPT_FROM_STARTING = ("not-run", "no-gpu")
"""Ends of a test whose program, or the driver in it, gets no more files or processes."""


def _without_memory(trial: Trial) -> bool:
    return trial.status == "out-of-memory"


def _small(gpu: Gpu) -> bool:
    return gpu.memory_total is not None and gpu.memory_total < 2 * SPACE


@rule("gpu-memory-taken", layer=Layer.ACCESS)
def memory_taken(ctx: Context) -> Findings:
    """Other programs hold nearly all of the GPU's memory."""
    for gpu, measured in _full(ctx):
        if gpu.processes:
            yield _memory(ctx, gpu, Manual(), sure=measured)


@rule("gpu-memory-small", layer=Layer.ACCESS)
def memory_small(ctx: Context) -> Findings:
    """The GPU never has much memory."""
    for gpu, measured in _full(ctx):
        if not gpu.processes and _small(gpu):
            yield _memory(ctx, gpu, Manual(), sure=measured)


@rule("gpu-memory-held", layer=Layer.ACCESS)
def memory_held(ctx: Context) -> Findings:
    """Memory is taken, and no program that is seen has it."""
    for gpu, measured in _full(ctx):
        if not gpu.processes and not _small(gpu):
            yield _memory(ctx, gpu, Manual(restart=True), sure=measured)


def _memory(ctx: Context, gpu: Gpu, remedy: Manual, *, sure: bool) -> Finding:
    users = sorted(gpu.processes, key=lambda p: -(p.memory or 0))
    free, total = _mib(gpu.memory_free), _mib(gpu.memory_total)
    return ctx.finding(
        "info" if ctx.runs else "error",
        remedy,
        f"{gpu.name}: {free} / {total}",
        *(f"{_process(p.name, p.pid)}: {_mib(p.memory)}" for p in users[:8]),
        sure=sure,
        gpu=gpu.name,
        free=free,
        total=total,
        programs=", ".join(_process(p.name, p.pid) for p in users[:3]),
    )


def _process(name: str, pid: int) -> str:
    return f"{name} ({pid})" if name else str(pid)


def _mib(size: int | None) -> str:
    """A size as people read it; units are those of nvidia-smi, in powers of two."""
    if size is None:
        return "?"
    return f"{size / 1024**3:.1f} GB" if size >= 1024**3 else f"{size // 1024**2} MB"
