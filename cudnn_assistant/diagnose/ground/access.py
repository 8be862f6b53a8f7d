"""May programs use the GPU, and is there room for them?"""

from __future__ import annotations

from cudnn_assistant.codes import CudaResult, NvmlReturn, cuda_result, nvml_return
from cudnn_assistant.diagnose.ground import visible_gpus
from cudnn_assistant.diagnose.ground.gpu import missing_device_file
from cudnn_assistant.diagnose.remedies import CONTAINER_PAGE, install_part
from cudnn_assistant.diagnose.rule import Context, Findings, Layer, rule
from cudnn_assistant.finding import Facts, Manual
from cudnn_assistant.machine import DeviceNode, Driver
from cudnn_assistant.shell import Syntax, command


def _closed(ctx: Context) -> DeviceNode | None:
    """A device file that this user may not open; one that isn't known to exist where the driver's
    answer alone says so."""
    if ctx.windows or ctx.runs:
        return None
    closed = (n for n in ctx.driver.nodes if n.exists and n.openable is False and _matters(n))
    said = ctx.nvml_code == NvmlReturn.NO_PERMISSION or _taken_away(ctx)
    return next(closed, DeviceNode(path="/dev/nvidiactl", exists=False) if said else None)


def _shown(ctx: Context, node: DeviceNode) -> str:
    answer = ctx.nvml_code or 0
    said = f"{nvml_return(answer)} ({answer})"
    return f"{node.path} {node.mode} {node.owner}" if node.exists else said


def _by_scheduler(ctx: Context, node: DeviceNode) -> str:
    """The scheduler whose group of processes may not use a file that is open to all by its mode."""
    return visible_gpus.scheduler(ctx) if node.mode.endswith("rw-") else ""


@rule("job-without-gpu", layer=Layer.ACCESS)
def kept_by_scheduler(ctx: Context) -> Findings:
    """A scheduler keeps the device files from the job."""
    node = _closed(ctx)
    if node and (who := _by_scheduler(ctx, node)):
        yield visible_gpus.given_none(ctx, who, f"{node.path} {node.mode}")


@rule("device-permission-container", layer=Layer.ACCESS)
def permission_container(ctx: Context) -> Findings:
    """The device files are in the container, and its user may not open them."""
    node = _closed(ctx)
    if node and ctx.machine.os.container and not _by_scheduler(ctx, node):
        remedy = Manual(link=CONTAINER_PAGE, page="nvidia")
        sure = node.exists or ctx.nvml_code == NvmlReturn.NO_PERMISSION
        yield ctx.error(remedy, _shown(ctx, node), sure=sure, path=node.path)


@rule("device-permission", layer=Layer.ACCESS)
def permission(ctx: Context) -> Findings:
    """The device files exist, and this user may not open them."""
    node = _closed(ctx)
    if node and not ctx.machine.os.container and not _by_scheduler(ctx, node):
        group = _group(node)
        join = (command("sh", "sudo", "usermod", "-aG", group, Syntax('"$USER"')),)
        remedy = Manual(commands=join if group else _open_to_all(ctx.driver), administrator=True)
        facts = Facts(path=node.path, group=group, for_root=not group)
        yield ctx.error(remedy, _shown(ctx, node), **facts)


def _taken_away(ctx: Context) -> bool:
    """What took the devices from a running container isn't seen at their files."""
    inside = bool(ctx.machine.os.container)
    return inside and ctx.nvml_code == NvmlReturn.UNKNOWN and ctx.cuda_code != CudaResult.SUCCESS


def _open_to_all(driver: Driver) -> tuple[str, ...]:
    closed = [node.path for node in driver.nodes if node.exists and _matters(node)]
    where = "grep -r NVreg_DeviceFile /etc/modprobe.d /lib/modprobe.d"
    return command("sh", "sudo", "chmod", "a+rw", *closed), where


def _group(node: DeviceNode) -> str:
    """The group of users that may open a file; "" where it is root's alone, which nobody joins."""
    group = node.owner.split(":")[-1] if ":" in node.owner else ""
    return "" if group == "root" else group or "video"


def _matters(node: DeviceNode) -> bool:
    return node.path in ("/dev/nvidiactl", "/dev/nvidia-uvm", "/dev/nvidia0", "/dev/dxg")


_NO_START = (CudaResult.UNKNOWN, CudaResult.NO_DEVICE, CudaResult.NOT_INITIALIZED)
"""How CUDA answers where a part of the driver is missing."""


def _without_cuda(ctx: Context) -> bool:
    """Whether CUDA doesn't start through the driver of a bare Linux."""
    return ctx.bare_linux and ctx.cuda_code in _NO_START and not ctx.runs


def _uvm_there(driver: Driver) -> bool:
    """Whether the module for unified memory is loaded, and its file not known to be missing."""
    lacking = any(n.path == "/dev/nvidia-uvm" and not n.exists for n in driver.nodes)
    return not lacking and "nvidia_uvm" in driver.modules


@rule("uvm-missing", layer=Layer.ACCESS)
def uvm(ctx: Context) -> Findings:
    """The module for unified memory is not there. Nobody inside a sandbox can load one."""
    if _without_cuda(ctx) and not _uvm_there(ctx.driver) and not ctx.machine.os.sandbox:
        commands = ("sudo modprobe nvidia_uvm", "sudo nvidia-modprobe -u -c=0")
        remedy = Manual(commands=commands, administrator=True)
        yield ctx.error(remedy, ctx.answers, "/dev/nvidia-uvm: –")


@rule("cuda-stopped-after-sleep", layer=Layer.ACCESS)
def after_sleep(ctx: Context) -> Findings:
    """The module for unified memory broke when the computer slept."""
    silent = _without_cuda(ctx) and ctx.cuda_code == CudaResult.UNKNOWN
    if silent and _uvm_there(ctx.driver) and ctx.log_line(r"suspend exit|resume"):
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


_START_FABRIC = "sudo systemctl enable --now nvidia-fabricmanager"


@rule("fabric-manager-missing", layer=Layer.ACCESS)
def fabric(ctx: Context) -> Findings:
    """GPUs behind NVSwitch wait for the Fabric Manager."""
    code = CudaResult.SYSTEM_NOT_READY
    not_ready = ctx.cuda_code == code or any(t.code == code for t in ctx.machine.trials)
    if not_ready and not ctx.windows and not ctx.runs:
        remedy = install_part(ctx, "fabric-manager", _START_FABRIC)
        yield ctx.error(remedy, f"{cuda_result(code)} ({code.value})")
