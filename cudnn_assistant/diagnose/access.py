"""May programs use the GPU, and is there room for them?"""

from __future__ import annotations

from collections.abc import Iterator

from cudnn_assistant.codes import cuda_result, nvml_return
from cudnn_assistant.diagnose import visible
from cudnn_assistant.diagnose.answers import answers, bare_linux, cuda_code, nvml_code
from cudnn_assistant.diagnose.context import Context, Rule
from cudnn_assistant.diagnose.gpu import gone, log_line
from cudnn_assistant.diagnose.remedies import CONTAINER_PAGE
from cudnn_assistant.finding import Finding, Manual, Severity
from cudnn_assistant.machine import DeviceNode, Gpu, Trial

SPACE = 600 * 1024 * 1024
"""Free GPU memory in bytes below which a test can't be expected to run (cudnn_test.md §11)."""


def permission(ctx: Context) -> Iterator[Finding]:
    """D17: the device files exist, and this user may not open them. C09, C14 in containers."""
    driver = ctx.machine.driver
    if driver is None or ctx.windows or ctx.runs:
        return
    closed = [n for n in driver.nodes if n.exists and n.openable is False and _matters(n)]
    # What took the devices from a running container isn't seen at their files (C09).
    inside = bool(ctx.machine.os.container)
    taken = inside and nvml_code(ctx) == 999 and cuda_code(ctx) != 0
    if not closed and nvml_code(ctx) != 4 and not taken:
        return
    node = closed[0] if closed else None
    scheduler = visible.batch_system(ctx)
    if node and scheduler and node.mode.endswith("rw-"):
        # Open to all by its mode: the scheduler's group of processes may not use it.
        yield visible.given_none(ctx, scheduler, f"{node.path} {node.mode}")
        return
    code = nvml_code(ctx) or 0
    evidence = f"{node.path} {node.mode} {node.owner}" if node else f"{nvml_return(code)} ({code})"
    path = node.path if node else "/dev/nvidiactl"
    if ctx.machine.os.container:
        remedy = Manual(link=CONTAINER_PAGE)
        yield ctx.finding(
            "device-permission-container", "error", remedy, evidence, path=path,
            sure=bool(node) or code == 4,
        )  # fmt: skip
        return
    group = node.owner.split(":")[-1] if node and ":" in node.owner else "video"
    group = "video" if group in ("root", "") else group
    remedy = Manual(commands=(f'sudo usermod -aG {group} "$USER"',), administrator=True)
    yield ctx.finding("device-permission", "error", remedy, evidence, path=path, group=group)


def _matters(node: DeviceNode) -> bool:
    return node.path in ("/dev/nvidiactl", "/dev/nvidia-uvm", "/dev/nvidia0", "/dev/dxg")


def uvm(ctx: Context) -> Iterator[Finding]:
    """D18, D19: the module for unified memory is not there, or broke when the computer slept."""
    driver = ctx.machine.driver
    if driver is None or not bare_linux(ctx) or cuda_code(ctx) not in (999, 100, 3) or ctx.runs:
        return
    if ctx.machine.os.sandbox:
        return  # nobody inside can load a module
    node = next((n for n in driver.nodes if n.path == "/dev/nvidia-uvm"), None)
    if (node is not None and not node.exists) or "nvidia_uvm" not in driver.modules:
        commands = ("sudo modprobe nvidia_uvm", "sudo nvidia-modprobe -u -c=0")
        remedy = Manual(commands=commands, administrator=True)
        yield ctx.finding("uvm-missing", "error", remedy, answers(ctx), "/dev/nvidia-uvm: –")
    elif cuda_code(ctx) == 999 and log_line(ctx, r"suspend exit|resume"):
        commands = ("sudo rmmod nvidia_uvm", "sudo modprobe nvidia_uvm")
        remedy = Manual(commands=commands, restart=True, administrator=True)
        yield ctx.finding("cuda-stopped-after-sleep", "error", remedy, answers(ctx))


def node_missing(ctx: Context) -> Iterator[Finding]:
    """D18 for the GPU itself: the module runs, and a file through which it is reached is gone."""
    driver = ctx.machine.driver
    if driver is None or not driver.kernel_version or not bare_linux(ctx) or ctx.runs:
        return
    path = gone(ctx)
    if cuda_code(ctx) not in (100, 999, 3) or not path:
        return
    remedy = Manual(commands=("sudo nvidia-modprobe -c=0",), administrator=True)
    yield ctx.finding(
        "device-file-missing", "error", remedy, answers(ctx), f"{path}: –", path=path, sure=False
    )


def fabric(ctx: Context) -> Iterator[Finding]:
    """D22: GPUs behind NVSwitch wait for the Fabric Manager."""
    told = cuda_code(ctx) == 802 or any(t.code == 802 for t in ctx.machine.trials)
    if told and not ctx.windows and not ctx.runs:
        remedy = Manual(
            commands=("sudo systemctl enable --now nvidia-fabricmanager",), administrator=True
        )
        evidence = f"{cuda_result(802)} (802)"
        yield ctx.finding("fabric-manager-missing", "error", remedy, evidence)


def compute_mode(ctx: Context) -> Iterator[Finding]:
    """D23, D24: the GPU admits no program, or one that is there already."""
    for gpu in ctx.machine.gpus:
        busy = [p for p in gpu.processes if p.kind == "compute"]
        prohibited = gpu.compute_mode == "prohibited"
        # The program that has it may be another person's, or in another container: not listed.
        taken = gpu.compute_mode == "exclusive-process" and (busy or _busy(ctx, gpu))
        if not (prohibited or taken) or (ctx.runs and not ctx.stopped_alone(gpu)):
            continue
        index = gpu.nvml_index or 0
        prefix = "" if ctx.windows else "sudo "
        remedy = Manual(commands=(f"{prefix}nvidia-smi -i {index} -c DEFAULT",), administrator=True)
        code = "compute-mode-prohibited" if prohibited else "compute-mode-exclusive"
        evidence = f"{gpu.name}: {gpu.compute_mode}"
        program = ", ".join(_process(p.name, p.pid) for p in busy[:3])
        severity: Severity = "warning" if ctx.runs else "error"
        yield ctx.finding(code, severity, remedy, evidence, program, gpu=gpu.name, program=program)


def _busy(ctx: Context, gpu: Gpu) -> bool:
    """A test was told that the GPU is busy (46)."""
    return any(t.code == 46 and t.gpu in ("", gpu.uuid) for t in ctx.machine.trials)


def memory_taken(ctx: Context) -> Iterator[Finding]:
    """A02, A03, H07: nearly all of the GPU's memory is taken."""
    for gpu in ctx.machine.gpus:
        if ctx.runs and not ctx.stopped_alone(gpu):
            continue
        told = any(_full(t) and t.gpu in ("", gpu.uuid) for t in ctx.machine.trials)
        tight = gpu.memory_free is not None and gpu.memory_free < SPACE
        if (told or tight) and gpu.cuda_index is not None:
            yield _memory(ctx, gpu, sure=told)


def _memory(ctx: Context, gpu: Gpu, *, sure: bool) -> Finding:
    users = sorted(gpu.processes, key=lambda p: -(p.memory or 0))
    names = ", ".join(_process(p.name, p.pid) for p in users[:3])
    small = gpu.memory_total is not None and gpu.memory_total < 2 * SPACE
    code = "gpu-memory-taken" if names else "gpu-memory-small" if small else "gpu-memory-held"
    free, total = _mib(gpu.memory_free), _mib(gpu.memory_total)
    return ctx.finding(
        code,
        "info" if ctx.runs else "error",
        Manual(restart=code == "gpu-memory-held"),
        f"{gpu.name}: {free} / {total}",
        *(f"{_process(p.name, p.pid)}: {_mib(p.memory)}" for p in users[:8]),
        gpu=gpu.name,
        free=free,
        total=total,
        programs=names,
        sure=sure,
    )


def _full(trial: Trial) -> bool:
    return trial.status == "out-of-memory"


def _process(name: str, pid: int) -> str:
    return f"{name} ({pid})" if name else str(pid)


def _mib(size: int | None) -> str:
    """A size as people read it; units are those of nvidia-smi, in powers of two."""
    if size is None:
        return "?"
    return f"{size / 1024**3:.1f} GB" if size >= 1024**3 else f"{size // 1024**2} MB"


def licence(ctx: Context) -> Iterator[Finding]:
    """D27: a virtual GPU whose licence was not found."""
    vgpu = next((g for g in ctx.machine.gpus if g.virtualization == "vgpu"), None)
    trials = [t for t in ctx.machine.trials if t.stage in ("driver", "context")]
    if (
        vgpu
        and not ctx.runs
        and (any(t.code in (46, 102) for t in trials) or cuda_code(ctx) == 102)
    ):
        yield ctx.finding("vgpu-licence", "error", Manual(), vgpu.name, gpu=vgpu.name, sure=False)


RULES = (
    Rule(
        permission,
        ("device-permission", "device-permission-container", "job-without-gpu"),
        ("D17", "C09", "C14"),
    ),
    Rule(uvm, ("uvm-missing", "cuda-stopped-after-sleep"), ("D18", "D19")),
    Rule(node_missing, ("device-file-missing",), ("D18",)),
    Rule(fabric, ("fabric-manager-missing",), ("D22",)),
    *visible.RULES,
    Rule(compute_mode, ("compute-mode-prohibited", "compute-mode-exclusive"), ("D23", "D24")),
    Rule(licence, ("vgpu-licence",), ("D27",)),
    Rule(
        memory_taken,
        ("gpu-memory-taken", "gpu-memory-held", "gpu-memory-small"),
        ("A02", "A03", "H07"),
    ),
)
