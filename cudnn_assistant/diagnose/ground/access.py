"""May programs use the GPU? Device files, schedulers and settings that keep it from them."""

from __future__ import annotations

import re

from cudnn_assistant.codes import CudaResult, NvmlReturn, cuda_result, nvml_return
from cudnn_assistant.diagnose.ground.gpu import missing_device_file
from cudnn_assistant.diagnose.remedies import CONTAINER_PAGE, install_part, set_to
from cudnn_assistant.diagnose.rule import Context, Findings, Layer, rule
from cudnn_assistant.finding import Facts, Finding, Manual, Unknown
from cudnn_assistant.machine import DeviceNode, Driver, Kernel, Scope, Variable
from cudnn_assistant.plan.installer_table import BY_HAND
from cudnn_assistant.shell import Syntax, command


def _closed(ctx: Context) -> list[DeviceNode]:
    """A device file that this user may not open; one that isn't known to exist where the driver's
    answer alone says so."""
    if ctx.windows or ctx.runs:
        return []
    closed = _barred(ctx.driver)
    if ctx.nvml_code == NvmlReturn.NO_PERMISSION or _taken_away(ctx):
        closed.append(DeviceNode(path="/dev/nvidiactl", exists=False))
    return closed[:1]


def _shown(ctx: Context, node: DeviceNode) -> str:
    answer = ctx.nvml_code or 0
    said = f"{nvml_return(answer)} ({answer})"
    return f"{node.path} {node.mode} {node.owner}" if node.exists else said


@rule("job-without-gpu", layer=Layer.ACCESS, of=_closed)
def kept_by_scheduler(ctx: Context, node: DeviceNode) -> Findings:
    """A scheduler keeps the device files, which are open to all by their mode, from the job."""
    refused = ctx.nvml_code == NvmlReturn.NO_PERMISSION and not node.exists
    if (refused or node.mode.endswith("6")) and (who := scheduler(ctx)):
        yield given_none(ctx, who, _shown(ctx, node))


@rule("device-permission-container", layer=Layer.ACCESS, of=_closed)
def permission_container(ctx: Context, node: DeviceNode) -> Findings:
    """The device files are in the container, and its user may not open them."""
    if container := ctx.machine.os.container:
        commands = BY_HAND["closed-devices"].get(container, ())
        remedy = Manual(link=CONTAINER_PAGE, page="nvidia", commands=commands)
        sure = node.exists or ctx.nvml_code == NvmlReturn.NO_PERMISSION
        yield ctx.error(remedy, _shown(ctx, node), sure=sure, path=node.path)


@rule("device-permission", layer=Layer.ACCESS, of=_closed)
def permission(ctx: Context, node: DeviceNode) -> Findings:
    """The device files exist, and this user may not open them."""
    if not ctx.machine.os.container:
        group = _group(node)
        join = command("sh", "sudo", "usermod", "-aG", group, Syntax('"$USER"'))
        opens = command("sh", "sudo", "chmod", "a+rw", *(n.path for n in _barred(ctx.driver)))
        where = "grep -r NVreg_DeviceFile /etc/modprobe.d /lib/modprobe.d"
        remedy = Manual(commands=(join,) if group else (opens, where), administrator=True)
        facts = Facts(path=node.path, group=group, for_root=not group)
        # What is open to all by its mode is closed to a service or a session by another rule.
        fenced = node.mode.endswith("6")
        yield ctx.error(Unknown() if fenced else remedy, _shown(ctx, node), **facts)


def _taken_away(ctx: Context) -> bool:
    """What took the devices from a running container isn't seen at their files."""
    inside = bool(ctx.machine.os.container)
    return inside and ctx.nvml_code == NvmlReturn.UNKNOWN and ctx.cuda_code != CudaResult.SUCCESS


def _group(node: DeviceNode) -> str:
    """The group of users that may open a file; "" where it is root's alone, which nobody joins."""
    group = node.owner.rpartition(":")[2]
    return "" if group == "root" else group or "video"


def _barred(driver: Driver) -> list[DeviceNode]:
    """The files that programs need, the first GPU's among them, and that this user may not open."""
    return [n for n in driver.nodes[:3] if n.exists and n.openable is False]


_NO_START = (CudaResult.UNKNOWN, CudaResult.NO_DEVICE, CudaResult.NOT_INITIALIZED)
"""How CUDA answers where a part of the driver is missing."""


def _without_cuda(ctx: Context) -> bool:
    """Whether CUDA doesn't start through a driver of Linux, that of a container's computer too."""
    inside = ctx.machine.driver_from == "container" and not ctx.machine.small_board
    own = ctx.bare_linux or inside
    return own and ctx.cuda_code in _NO_START and not ctx.runs


def _uvm_there(ctx: Context) -> bool:
    """Whether the module for unified memory is loaded, and its file not known to be missing.

    A container may not see the modules of its computer.
    """
    lacking = any(n.path == "/dev/nvidia-uvm" and not n.exists for n in ctx.driver.nodes)
    return not lacking and bool(ctx.machine.os.container or "nvidia_uvm" in ctx.driver.modules)


@rule("uvm-missing", layer=Layer.ACCESS)
def uvm(ctx: Context) -> Findings:
    """The module for unified memory is not there. Nobody inside a sandbox can load one."""
    if _without_cuda(ctx) and not _uvm_there(ctx) and not ctx.machine.os.sandbox:
        commands = ("sudo modprobe nvidia_uvm", "sudo nvidia-modprobe -u -c=0")
        remedy = Manual(commands=commands, administrator=True)
        yield ctx.error(remedy, ctx.answers, "/dev/nvidia-uvm: –")


@rule("cuda-stopped-after-sleep", layer=Layer.ACCESS)
def after_sleep(ctx: Context) -> Findings:
    """The module for unified memory broke when the computer slept."""
    silent = _without_cuda(ctx) and ctx.cuda_code == CudaResult.UNKNOWN
    if silent and _uvm_there(ctx) and ctx.log_line(r"suspend exit|resume"):
        commands = ("sudo rmmod nvidia_uvm", "sudo modprobe nvidia_uvm")
        remedy = Manual(commands=commands, restart=True, administrator=True)
        yield ctx.error(remedy, ctx.answers)


@rule("device-file-missing", layer=Layer.ACCESS)
def node_missing(ctx: Context) -> Findings:
    """The module runs, and a file through which the GPU is reached is gone."""
    path = missing_device_file(ctx)
    if _without_cuda(ctx) and ctx.driver.kernel_version and path:
        remedy = Manual(commands=("sudo nvidia-modprobe -c=0",), administrator=True)
        yield ctx.error(remedy, ctx.answers, f"{path}: –", sure=False, path=path)


@rule("fabric-manager-missing", layer=Layer.ACCESS)
def fabric(ctx: Context) -> Findings:
    """GPUs behind NVSwitch wait for the Fabric Manager."""
    code = CudaResult.SYSTEM_NOT_READY
    not_ready = ctx.cuda_code == code or any(t.code == code for t in ctx.machine.trials)
    if not_ready and not ctx.windows and not ctx.runs:
        starts = "sudo systemctl enable --now nvidia-fabricmanager"
        remedy = install_part(ctx, "fabric-manager", starts)
        yield ctx.error(remedy, f"{cuda_result(code)} ({code.value})")


_NAME = "CUDA_VISIBLE_DEVICES"


def _hiding(ctx: Context) -> list[Variable]:
    """The CUDA_VISIBLE_DEVICES that leaves CUDA programs without any GPU."""
    layers: tuple[Scope, ...] = ("user", "machine", "process")
    known = [v for scope in layers if (v := ctx.machine.variable(_NAME, scope))]
    hiding = [v for v in known if ctx.machine.gpus and _hides_all(ctx, v.value.text.strip())][:1]
    return [v for v in hiding if not (_elsewhere(ctx) and (ctx.windows or v.scope == "process"))]


def _elsewhere(ctx: Context) -> bool:
    """A line in a start-up file that this program didn't get still hides GPUs from terminals."""
    return ctx.runs or any(g.cuda_index is not None for g in ctx.machine.gpus)


@rule("job-without-gpu", layer=Layer.ACCESS, of=_hiding)
def job(ctx: Context, variable: Variable) -> Findings:
    """A scheduler gave the job no GPU. The number of one that the bus has is the person's own."""
    text = variable.value.text.strip()
    own = text.isdecimal() and int(text) < len(ctx.machine.gpus)
    if variable.scope == "process" and not own and (who := scheduler(ctx)):
        yield given_none(ctx, who, f"{_NAME}={text}")


@rule("gpu-hidden", layer=Layer.ACCESS, of=_hiding)
def hidden(ctx: Context, variable: Variable) -> Findings:
    """CUDA_VISIBLE_DEVICES leaves CUDA programs without any GPU."""
    value = variable.value.text.strip()
    yield ctx.finding(
        "warning" if _elsewhere(ctx) else "error",
        set_to(ctx, variable, None),
        f"{_NAME}={value} ({variable.source or variable.scope})",
        value=value,
        absent="" if value else _NAME,
        place=variable.source,
    )


def _hiding_from_notebooks(ctx: Context) -> list[tuple[Kernel, str]]:
    """The kernels whose own value does that, where an environment has no other kernel: beside one
    that shows the GPU, one without is a choice."""
    found: list[tuple[Kernel, str]] = []
    for one in ctx.machine.pythons if ctx.machine.gpus else ():
        said = [(k, v.value.text.strip()) for k in one.notebooks for v in k.variables
                if v.name == _NAME]  # fmt: skip
        # What refers to another variable is known to who starts the notebook.
        hiding = [pair for pair in said if "$" not in pair[1] and _hides_all(ctx, pair[1])]
        found += hiding if len(hiding) == len(one.notebooks) and not one.dead else []
    return found


@rule("notebook-hides-gpu", layer=Layer.ACCESS, of=_hiding_from_notebooks)
def hidden_from_notebooks(ctx: Context, hiding: tuple[Kernel, str]) -> Findings:
    """Kernels leave the notebooks of an environment without any GPU."""
    kernel, value = hiding
    facts = Facts(value=value, absent="" if value else _NAME, path=kernel.path)
    yield ctx.warning(Manual(), f"{_NAME}={value} ({kernel.path})", **facts)


def scheduler(ctx: Context) -> str:
    """What handed GPUs to the job that started us, by its variables; "" where none is known."""
    names = [v.name for v in ctx.machine.variables if v.scope == "process"]
    known = BY_HAND["scheduler"].items()
    return next((who for who, (start, _) in known if any(n.startswith(start) for n in names)), "")


def given_none(ctx: Context, who: str, evidence: str) -> Finding:
    """It is the job's scheduler that gave no GPU; removing its variable helps nobody."""
    facts = Facts(scheduler=who, variable=_NAME if "=" in evidence else "")
    return ctx.error(Manual(commands=BY_HAND["scheduler"][who][1:]), evidence, **facts)


def _hides_all(ctx: Context, value: str) -> bool:
    if value == "" or value.casefold() == "nodevfiles":
        return True
    first = value.split(",", maxsplit=1)[0].strip()
    if re.fullmatch(r"[+-]?\d+", first):
        # Containers and jobs see GPUs on the bus that the driver keeps from them.
        listed = [g for g in ctx.machine.gpus if "nvml" in g.seen_by] or ctx.machine.gpus
        return not 0 <= int(first) < len(listed)
    if not first.upper().startswith(("GPU-", "MIG-")):
        return True
    # A GPU that is split by MIG is reached by its parts alone.
    ids = [one for g in ctx.machine.gpus for one in (g.mig_instances or (g.uuid,)) if one]
    return bool(ids) and not any(one.casefold().startswith(first.casefold()) for one in ids)


@rule("mig-without-parts", layer=Layer.ACCESS)
def mig(ctx: Context) -> Findings:
    """The GPU is split by MIG, and no part of it exists."""
    for gpu in ctx.machine.gpus:
        if gpu.mig and not gpu.mig_instances and gpu.cuda_index is None:
            index = gpu.nvml_index or 0
            commands = ("nvidia-smi mig -lgip", f"sudo nvidia-smi -i {index} -mig 0")
            remedy = Manual(commands=commands, administrator=True)
            yield ctx.error(remedy, gpu.uuid, gpu=gpu.name)
