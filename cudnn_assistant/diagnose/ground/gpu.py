"""Is there an NVIDIA GPU, can it be seen, and is it well?"""

from __future__ import annotations

import re

from cudnn_assistant.codes import DeviceProblem, NvmlReturn, Xid
from cudnn_assistant.compat import oldest_gpu_of_cudnn
from cudnn_assistant.diagnose.needs import stopped
from cudnn_assistant.diagnose.remedies import driver_page
from cudnn_assistant.diagnose.rule import Context, Findings, Layer, family, rule
from cudnn_assistant.finding import Facts, Having, Impossible, Manual
from cudnn_assistant.machine import Gpu
from cudnn_assistant.plan.installer_table import BY_HAND
from cudnn_assistant.regex import regex
from cudnn_assistant.versions import older


@rule("gpu-switched-off", layer=Layer.GPU)
def switched_off(ctx: Context) -> Findings:
    """A laptop is set to the processor's graphics, or somebody keeps the driver off."""
    off = ctx.machine.switched_off
    if off is None or not ctx.bare_linux or ctx.answering or ctx.runs:
        return
    gpus = ctx.machine.gpus
    kept = any(g.kernel_driver in FOR_VMS for g in gpus)
    if kept or ctx.driver.kernel_version or (gpus and not ctx.driver_there):
        return
    commands = BY_HAND["switch-on"].get(off.tool or off.file, ())
    remedy = Manual(commands=commands, restart=True, administrator=True)
    by_loader = off.file == "/proc/cmdline"
    file, setting = ("", off.line) if by_loader else (off.file, "")
    facts = Facts(tool=off.tool, file="" if off.tool else file, setting=setting, gpu=ctx.gpu_name)
    # With neither GPU nor driver in sight, the setting may be a leftover of another computer.
    yield ctx.error(remedy, f"{off.file}: {off.line}", sure=ctx.driver_there, **facts)


FOR_VMS = ("vfio-pci", "pci-stub")
"""Kernel drivers that keep a GPU for a virtual machine."""


@rule("gpu-firmware-stopped", layer=Layer.GPU)
def firmware(ctx: Context) -> Findings:
    """The GPU's own processor stopped answering, a fault of one driver version."""
    for gpu in ctx.machine.gpus:
        found = sorted({Xid.GSP_TIMEOUT, Xid.GSP_FAULT} & set(gpu.xids))
        silent = _silent(ctx, gpu)
        if found and Xid.FALLEN_OFF_THE_BUS not in gpu.xids and (silent or not ctx.runs):
            how = ctx.error if silent and not ctx.runs else ctx.warning
            evidence = Having(what=gpu.name, names=tuple(f"Xid {xid:d}" for xid in found))
            yield how(driver_page(restart=True), evidence, gpu=gpu.name)


@rule("gpu-lost", layer=Layer.GPU)
def lost(ctx: Context) -> Findings:
    """The GPU was there and is gone from the bus: power, heat, slot or a dying card."""
    evidence = [g.why for g in ctx.machine.gaps if "GPU_IS_LOST" in g.why]
    if ctx.nvml_code == NvmlReturn.GPU_IS_LOST:
        evidence.append("NVML_ERROR_GPU_IS_LOST (15)")
    # After a fall the log keeps its line; only a GPU that doesn't answer now is still lost.
    line = ctx.log_line(r"fallen off the bus")
    fallen = [g for g in ctx.machine.gpus if _fell(g, line) and _silent(ctx, g)]
    if fallen or (line and not ctx.machine.gpus):
        evidence.append(line or "Xid 79")
    if evidence:
        how = ctx.warning if ctx.runs else ctx.error
        name = fallen[0].name if fallen else ctx.gpu_name
        yield how(Manual(restart=True), *evidence, gpu=name)


_ON_BUS = regex(r"[0-9a-f]{4}:[0-9a-f]{2}:[0-9a-f]{2}", re.IGNORECASE)


def _fell(gpu: Gpu, line: str) -> bool:
    """Whether the kernel's log says of the GPU that it fell off the bus; a line without a place on
    the bus may mean any."""
    place = _ON_BUS.search(line)
    meant = bool(line) and (place is None or gpu.pci_bus.startswith(place[0].casefold()))
    return meant or Xid.FALLEN_OFF_THE_BUS in gpu.xids


_VIRTUAL = regex(r"(?i)VMware|VirtualBox|Hyper-V|QEMU|QXL|Virtio|Red Hat|Bochs|Parallels")
"""Graphics that only a virtual machine has."""


@family({"no-nvidia-gpu": False, "virtual-machine-without-gpu": True}, layer=Layer.GPU)
def no_gpu(ctx: Context, virtual: bool) -> Findings:
    """No device of NVIDIA's on the bus, where it would be on one."""
    machine, others = ctx.machine, ctx.machine.other_gpus
    if machine.gpus or machine.unknown("gpu") or machine.driver_from or ctx.runs:
        return
    # Such a machine may be given a part of a GPU, of which Windows knows but the name.
    if virtual is any(map(_VIRTUAL.search, others)):
        # The driver stays when its GPU is unplugged, or switched off by a laptop.
        stays = ctx.driver.module_on_disk and ctx.driver.version
        driver = ctx.driver.kernel_version or stays or ""
        remedy = Manual(restart=not virtual) if driver or virtual else Impossible()
        yield ctx.error(remedy, *others, others=others, driver=driver)


@rule("gpu-too-old", layer=Layer.GPU)
def too_old(ctx: Context) -> Findings:
    """No supported cuDNN and driver pair is left for this GPU at all."""
    gpus = ctx.gpus
    oldest = oldest_gpu_of_cudnn(ctx.compat)
    if gpus and all(older(g.compute, oldest) for g in gpus):
        evidence = (f"{g.name}: {g.compute}" for g in gpus)
        yield ctx.error(Impossible(), *evidence, gpu=tuple(g.name for g in gpus))


@rule("gpu-disabled", layer=Layer.GPU)
def disabled(ctx: Context) -> Findings:
    """Somebody switched the GPU off in Device Manager."""
    if DeviceProblem.DISABLED in ctx.problems:
        yield ctx.error(Manual(administrator=True), "Device Manager: 22", gpu=ctx.gpu_name)


def _silent(ctx: Context, gpu: Gpu) -> bool:
    """Whether the GPU doesn't answer. CUDA alone may be kept from one while another runs."""
    unseen = gpu.cuda_index is None and not (ctx.runs and "nvml" in gpu.seen_by)
    return unseen or _stopped_on(ctx, gpu)


def _stopped_on(ctx: Context, gpu: Gpu) -> bool:
    """A test stopped where it needed the GPU, not while files were loaded."""
    files = ("load", "version", "sublibraries")
    tests = (t for t in ctx.machine.trials if stopped(t) and t.stage not in files)
    return any(t.gpu in ("", gpu.uuid) for t in tests)


def missing_device_file(ctx: Context) -> str:
    """A file under /dev that is missing, and through which programs reach the GPU; "" if none."""
    lacking = (n.path for n in ctx.driver.nodes if not n.exists)
    return next((path for path in lacking if re.fullmatch(r"/dev/nvidia(ctl|\d+)", path)), "")
