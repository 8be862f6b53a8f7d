"""Does the GPU admit programs, and is there memory left for them?"""

from __future__ import annotations

from collections.abc import Iterator

from cudnn_assistant.codes import CudaResult
from cudnn_assistant.diagnose.rule import Context, Findings, Layer, family, rule
from cudnn_assistant.finding import Facts, Manual
from cudnn_assistant.machine import Gpu

SPACE = 600 * 1024 * 1024
"""Free GPU memory in bytes below which a test can't be expected to run."""


@family(
    {"compute-mode-prohibited": "prohibited", "compute-mode-exclusive": "exclusive-process"},
    layer=Layer.ACCESS,
)
def closed(ctx: Context, mode: str) -> Findings:
    """The GPU admits no program, or one, and one is there already.

    That may be another person's, or in another container: then it isn't listed.
    """
    for gpu in ctx.machine.gpus:
        inside = [p for p in gpu.processes if p.kind == "compute"]
        busy = bool(inside) or _ended(ctx, gpu, CudaResult.DEVICE_UNAVAILABLE)
        taken = busy or mode == "prohibited"
        if gpu.compute_mode != mode or not taken or (ctx.runs and not ctx.stopped_alone(gpu)):
            continue
        prefix = "" if ctx.windows else "sudo "
        command = f"{prefix}nvidia-smi -i {gpu.nvml_index or 0} -c DEFAULT"
        programs = tuple(_process(p.name, p.pid) for p in inside[:3])
        yield ctx.finding(
            "warning" if ctx.runs else "error",
            Manual(commands=(command,), administrator=True),
            f"{gpu.name}: {gpu.compute_mode}",
            *programs,
            gpu=gpu.name,
            program=programs,
        )


_REFUSED = {CudaResult.DEVICE_UNAVAILABLE, CudaResult.DEVICE_NOT_LICENSED}


@rule("vgpu-licence", layer=Layer.ACCESS)
def licence(ctx: Context) -> Findings:
    """A virtual GPU whose licence was not found."""
    vgpu = next((g for g in ctx.machine.gpus if g.virtualization == "vgpu"), None)
    answers = {t.code for t in ctx.machine.trials if t.stage in ("driver", "context")}
    if vgpu and not ctx.runs and {*answers, ctx.cuda_code} & _REFUSED:
        yield ctx.error(Manual(), vgpu.name, sure=False, gpu=vgpu.name)


ULIMIT = {"AS": "v", "DATA": "d", "STACK": "s", "NOFILE": "n", "NPROC": "u", "MEMLOCK": "l"}
"""The options of the shell's ulimit for the limits of setrlimit(2)."""


def in_shell(name: str, number: int) -> str:
    """A limit as the shell tells it: memory in KiB, the rest as a count."""
    return str(number if name in ("NOFILE", "NPROC") else number // 1024)


_AMPLE = 4 << 30
"""Free, so that memory of another kind ran out: addresses, or the computer's own."""


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


@family(
    {"gpu-memory-taken": "taken", "gpu-memory-small": "small", "gpu-memory-held": "held"},
    layer=Layer.ACCESS,
)
def memory(ctx: Context, how: str) -> Findings:
    """Programs hold nearly all of the GPU's memory, or it never had enough for the test, or nobody
    is seen who holds it."""
    for gpu in _full(ctx):
        small = gpu.memory_total is not None and gpu.memory_total < 2 * SPACE
        if how == ("taken" if gpu.processes else "small" if small else "held"):
            users = sorted(gpu.processes, key=lambda p: -(p.memory or 0))
            # Small boards share the computer's memory, of which NVML tells nothing.
            free, total = map(_mib, (gpu.memory_free, gpu.memory_total))
            yield ctx.finding(
                "info" if ctx.runs else "error",
                Manual(restart=how == "held"),
                f"{gpu.name}: {free or '?'} / {total or '?'}",
                *(f"{_process(p.name, p.pid)}: {_mib(p.memory) or '?'}" for p in users[:8]),
                sure=_ended(ctx, gpu, "out-of-memory"),
                gpu=gpu.name,
                free=free,
                total=total,
                programs=tuple(_process(p.name, p.pid) for p in users[:3]),
            )


def _full(ctx: Context) -> Iterator[Gpu]:
    """GPUs without the memory that a test needs."""
    for gpu in ctx.machine.gpus:
        few = gpu.memory_free is not None and gpu.memory_free < SPACE
        lacking = (gpu.memory_free or 0) <= _AMPLE if _ended(ctx, gpu, "out-of-memory") else few
        if lacking and gpu.cuda_index is not None and (not ctx.runs or ctx.stopped_alone(gpu)):
            yield gpu


def _ended(ctx: Context, gpu: Gpu, how: str | int) -> bool:
    """Whether a test of the GPU, or of one that isn't known, ended so: by its status or code."""
    tests = (t for t in ctx.machine.trials if t.gpu in ("", gpu.uuid))
    return any(how in (t.status, t.code) for t in tests)


def _process(name: str, pid: int) -> str:
    return f"{name} ({pid})" if name else str(pid)


def _mib(size: int | None) -> str:
    """A size as people read it; units are those of nvidia-smi, in powers of two."""
    if size is None:
        return ""
    return f"{size / 1024**3:.1f} GB" if size >= 1024**3 else f"{size // 1024**2} MB"
