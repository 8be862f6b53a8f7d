"""Is there an NVIDIA GPU, can it be seen, and is it well?"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from cudnn_assistant.codes import DeviceProblem, NvmlReturn, Xid
from cudnn_assistant.compat import kernel_module, last_driver_branch, oldest_gpu_of_cudnn
from cudnn_assistant.diagnose.context import Context
from cudnn_assistant.diagnose.ground.containers import blind
from cudnn_assistant.diagnose.ground.driver_status import answering, answers, bare_linux
from cudnn_assistant.diagnose.needs import stopped
from cudnn_assistant.diagnose.remedies import DRIVER_PAGE
from cudnn_assistant.diagnose.rule import Layer, rule
from cudnn_assistant.finding import Facts, Finding, Impossible, Manual, Severity
from cudnn_assistant.machine import Gpu
from cudnn_assistant.versions import major, older


def log_line(ctx: Context, pattern: str) -> str:
    """The first kernel log line with a pattern, "" when there is none."""
    lines = ctx.machine.driver.log if ctx.machine.driver else ()
    return next((line for line in lines if re.search(pattern, line, re.IGNORECASE)), "")


_SWITCH_ON = {
    "prime-select": "sudo prime-select nvidia",
    "envycontrol": "sudo envycontrol -s hybrid",
    "supergfxctl": "supergfxctl -m Hybrid",
    "system76-power": "sudo system76-power graphics hybrid",
}


@rule("gpu-switched-off", layer=Layer.GPU)
def switched_off(ctx: Context) -> Iterator[Finding]:
    """A laptop is set to the processor's graphics, or somebody keeps the driver off."""
    off, driver = ctx.machine.switched_off, ctx.machine.driver
    if off is None or not bare_linux(ctx) or answering(ctx) or ctx.runs:
        return
    if (driver and driver.kernel_version) or any(_kept_for_vm(g) for g in ctx.machine.gpus):
        return
    command = _SWITCH_ON.get(off.tool, "")
    remedy = Manual(commands=(command,) if command else (), restart=True, administrator=True)
    facts = Facts(tool=off.tool, file="" if off.tool else off.file, gpu=first_name(ctx))
    # With neither GPU nor driver in sight, the setting may be a leftover of another computer.
    sure = bool(ctx.machine.gpus or driver)
    evidence = f"{off.file}: {off.line}"
    yield ctx.error(remedy, evidence, sure=sure, **facts)


def _kept_for_vm(gpu: Gpu) -> bool:
    return gpu.kernel_driver in ("vfio-pci", "pci-stub")


@rule("no-nvidia-gpu", layer=Layer.GPU)
def no_gpu(ctx: Context) -> Iterator[Finding]:
    """No device of NVIDIA's on the bus. WSL and containers have causes of their own."""
    machine = ctx.machine
    if machine.gpus or blind(ctx) or machine.os.wsl or machine.os.container or ctx.runs:
        return
    if machine.driver and (machine.driver.problem_codes or machine.driver.log):
        return
    others = ", ".join(machine.other_gpus)
    yield ctx.error(Impossible(), others, others=others)


@rule("gpu-too-old", layer=Layer.GPU)
def too_old(ctx: Context) -> Iterator[Finding]:
    """No supported cuDNN and driver pair is left for this GPU at all."""
    gpus = ctx.gpus
    oldest = oldest_gpu_of_cudnn(ctx.compat)
    if gpus and all(older(g.compute, oldest) for g in gpus):
        names = ", ".join(g.name for g in gpus)
        evidence = ", ".join(f"{g.name}: {g.compute}" for g in gpus)
        yield ctx.error(Impossible(), evidence, gpu=names)


def _problem(ctx: Context, code: DeviceProblem) -> bool:
    return ctx.machine.driver is not None and code in ctx.machine.driver.problem_codes


def first_name(ctx: Context) -> str:
    """Name of the first GPU, "" when there is none."""
    gpus: tuple[Gpu, ...] = ctx.machine.gpus
    return gpus[0].name if gpus else ""


def _seen_by_driver(ctx: Context) -> bool:
    return any("nvml" in g.seen_by or "cuda" in g.seen_by for g in ctx.machine.gpus)


@rule("gpu-disabled", layer=Layer.GPU)
def disabled(ctx: Context) -> Iterator[Finding]:
    """Somebody switched the GPU off in Device Manager."""
    if _problem(ctx, DeviceProblem.DISABLED):
        yield ctx.error(Manual(administrator=True), "Device Manager: 22", gpu=first_name(ctx))


@rule("gpu-firmware-stopped", layer=Layer.GPU)
def firmware(ctx: Context) -> Iterator[Finding]:
    """The GPU's own processor stopped answering, a fault of one driver version."""
    for gpu in ctx.machine.gpus:
        found = sorted({Xid.GSP_TIMEOUT, Xid.GSP_FAULT} & set(gpu.xids))
        if found and Xid.FALLEN_OFF_THE_BUS not in gpu.xids:
            severity: Severity = "error" if _silent(ctx, gpu) and not ctx.runs else "warning"
            evidence = f"{gpu.name}: Xid {', '.join(str(int(xid)) for xid in found)}"
            remedy = Manual(link=DRIVER_PAGE, page="nvidia", restart=True)
            yield ctx.finding(severity, remedy, evidence, gpu=gpu.name)


@rule("gpu-lost", layer=Layer.GPU)
def lost(ctx: Context) -> Iterator[Finding]:
    """The GPU was there and is gone from the bus: power, heat, slot or a dying card."""
    nvml = ctx.machine.driver.nvml if ctx.machine.driver else None
    told = [g.why for g in ctx.machine.gaps if "GPU_IS_LOST" in g.why]
    if nvml is not None and nvml.code == NvmlReturn.GPU_IS_LOST:
        told.append("NVML_ERROR_GPU_IS_LOST (15)")
    # After a fall the log keeps its line; only a GPU that doesn't answer now is still lost.
    silent = [g for g in ctx.machine.gpus if _silent(ctx, g)]
    line = log_line(ctx, r"fallen off the bus")
    if any(Xid.FALLEN_OFF_THE_BUS in g.xids for g in silent) or (
        line and (silent or not ctx.machine.gpus)
    ):
        told.append(line or "Xid 79")
    if told:
        severity: Severity = "warning" if ctx.runs else "error"
        name = silent[0].name if silent else first_name(ctx)
        yield ctx.finding(severity, Manual(restart=True), *told, gpu=name)


def _silent(ctx: Context, gpu: Gpu) -> bool:
    """Whether the GPU doesn't answer. CUDA alone may be kept from one while another runs."""
    unseen = gpu.cuda_index is None and not (ctx.runs and "nvml" in gpu.seen_by)
    return unseen or _stopped_on(ctx, gpu)


def _stopped_on(ctx: Context, gpu: Gpu) -> bool:
    """A test stopped where it needed the GPU, not while files were loaded."""
    files = ("load", "version", "sublibraries")
    tests = (t for t in ctx.machine.trials if stopped(t) and t.stage not in files)
    return any(t.gpu in ("", gpu.uuid) for t in tests)


class _Flavour(NamedTuple):
    """What says that the GPU needs the other flavour of the kernel module."""

    opens: bool
    """The open one is needed."""
    line: str
    """The kernel log's line; "" where the GPU's age alone says so."""
    loaded: str

    def evidence(self, gpu: str) -> str:
        return self.line or f"{gpu}: {self.loaded}"


def _other_flavour(ctx: Context) -> _Flavour | None:
    if _seen_by_driver(ctx):
        return None
    needs = log_line(ctx, r"requires use of the NVIDIA open kernel modules")
    unfit = r"not supported by open nvidia\.ko|does not include the required GPU System"
    cannot = log_line(ctx, unfit)
    if needs or cannot:
        return _Flavour(bool(needs), needs or cannot, "")
    loaded = _only_other_flavour(ctx)
    return _Flavour(loaded == "proprietary", "", loaded) if loaded else None


@rule("gpu-needs-open-module", layer=Layer.GPU)
def needs_open_module(ctx: Context) -> Iterator[Finding]:
    """The GPU runs with the open kernel module alone."""
    found = _other_flavour(ctx)
    if found and found.opens:
        yield _module(ctx, found)


@rule("gpu-needs-closed-module", layer=Layer.GPU)
def needs_closed_module(ctx: Context) -> Iterator[Finding]:
    """The GPU is too old for the open kernel module."""
    found = _other_flavour(ctx)
    if found and not found.opens:
        yield _module(ctx, found)


def _module(ctx: Context, found: _Flavour) -> Finding:
    gpu = first_name(ctx)
    remedy = Manual(link=DRIVER_PAGE, page="nvidia", restart=True, administrator=True)
    return ctx.error(remedy, found.evidence(gpu), sure=bool(found.line), gpu=gpu)


def _only_other_flavour(ctx: Context) -> str:
    """The flavour of the loaded module when none of the GPUs can use it; "" otherwise.

    The newest GPUs have no closed module, the oldest no open one. Most people may not read the
    log that says so.
    """
    driver, gpus = ctx.machine.driver, ctx.machine.gpus
    if driver is None or not gpus or gone(ctx):
        return ""
    lasts = [last_driver_branch(ctx.compat, g.compute) for g in gpus]
    if any(last and last < major(driver.version or driver.kernel_version) for last in lasts):
        return ""  # no flavour of this driver knows the GPU
    only = {"proprietary": "open", "open": "closed"}.get(driver.kernel_flavour)
    unfit = all(kernel_module(ctx.compat, g.compute) == only for g in gpus)
    return driver.kernel_flavour if unfit else ""


@rule("gpu-dropped-by-driver", layer=Layer.GPU)
def dropped(ctx: Context) -> Iterator[Finding]:
    """The installed driver's branch no longer knows this GPU."""
    driver = ctx.machine.driver
    line = log_line(ctx, r"Legacy drivers")
    # Where no GPU is left to it the driver isn't loaded, and its log alone says which it was.
    named = re.search(r"The (\d+)\.[\d.]+ NVIDIA driver will ignore", line)
    branch = major(driver.version or driver.kernel_version) if driver else 0
    branch = branch or (int(named[1]) if named else 0)
    gpus = ctx.machine.gpus
    unseen = [g for g in gpus if not {"cuda", "nvml"} & {*g.seen_by}]
    if not branch:
        return
    lasts = {g.pci_bus: last_driver_branch(ctx.compat, g.compute) for g in unseen if g.compute}
    known = [(g, last) for g in unseen if (last := lasts.get(g.pci_bus)) and last < branch]
    if not known or (len(unseen) == len(gpus) and len(known) < len(gpus)):
        return
    gpu, last = max(known, key=lambda pair: pair[1])
    yield ctx.finding(
        "error" if len(known) == len(gpus) else "info",
        Manual(link=DRIVER_PAGE, page="nvidia", restart=True, administrator=True),
        f"{gpu.name}: {last}; {(driver.version if driver else '') or branch}",
        line,
        gpu=gpu.name,
        driver=str(branch),
        last_branch=last,
    )


@rule("gpu-does-not-start", layer=Layer.GPU)
def no_resources(ctx: Context) -> Iterator[Finding]:
    """The GPU is on the bus, but the driver can't start it."""
    line = log_line(ctx, r"RmInitAdapter failed|Cannot initialize GSP|GFW_BOOT")
    if _seen_by_driver(ctx) or log_line(ctx, r"open kernel modules|by open nvidia\.ko"):
        return
    if line or _problem(ctx, DeviceProblem.NORMAL_CONFLICT) or _none_started(ctx):
        remedy = Manual(link=DRIVER_PAGE, page="nvidia", restart=True)
        sure = bool(line) or _problem(ctx, DeviceProblem.NORMAL_CONFLICT)
        yield ctx.error(remedy, line or answers(ctx), sure=sure, gpu=first_name(ctx))


def _none_started(ctx: Context) -> bool:
    """The driver holds the GPUs of the bus, answers well, and lists none of them.

    Why stands in the kernel's log, which most people may not read.
    """
    driver, gpus = ctx.machine.driver, ctx.machine.gpus
    answers = (
        driver is not None and driver.nvml is not None and driver.nvml.code == NvmlReturn.SUCCESS
    )
    if gone(ctx):
        return False  # a file is missing, which says more
    held = bool(gpus) and all(g.kernel_driver == "nvidia" and not g.asleep for g in gpus)
    return answers and held and not ctx.runs


def gone(ctx: Context) -> str:
    """A file under /dev that is missing, and through which programs reach the GPU; "" if none."""
    nodes = ctx.machine.driver.nodes if ctx.machine.driver else ()
    meant = (n for n in nodes if re.fullmatch(r"/dev/nvidia(ctl|\d+)", n.path) and not n.exists)
    return next((n.path for n in meant), "")


_OF_MEMORY = frozenset((Xid.DOUBLE_BIT_ECC, Xid.ROW_REMAP_FAILURE, Xid.UNCONTAINED_ECC))


def _faulty(gpu: Gpu) -> bool:
    """Whether the GPU's memory counted faults that it could not repair."""
    counted = (gpu.ecc_uncorrected or 0) > 0 or bool(_OF_MEMORY & set(gpu.xids))
    return bool(gpu.remap_pending or gpu.remap_failed) or counted


@rule("gpu-memory-faulty", layer=Layer.GPU)
def memory_faulty(ctx: Context) -> Iterator[Finding]:
    """The GPU's memory has faults, and no spare part of it is left to take their place."""
    for gpu in ctx.machine.gpus:
        if gpu.remap_failed:
            yield _memory(ctx, gpu)


@rule("gpu-memory-needs-restart", layer=Layer.GPU)
def memory_needs_restart(ctx: Context) -> Iterator[Finding]:
    """The GPU's memory counted faults; at the next start spare parts take their place."""
    for gpu in ctx.machine.gpus:
        if _faulty(gpu) and not gpu.remap_failed:
            yield _memory(ctx, gpu)


def _memory(ctx: Context, gpu: Gpu) -> Finding:
    severity: Severity = "warning" if ctx.runs else "error"
    evidence = f"{gpu.name}: ECC {gpu.ecc_uncorrected or 0}"
    return ctx.finding(severity, Manual(restart=True), evidence, gpu=gpu.name)


@rule("gpu-slowed-down", layer=Layer.GPU)
def hot(ctx: Context) -> Iterator[Finding]:
    """Heat or power limits slow the GPU down now."""
    for gpu in ctx.machine.gpus:
        harmful = [t for t in gpu.throttled if t in ("hw-thermal", "power-brake", "hw-slowdown")]
        if harmful:
            heat = f"{gpu.temperature} °C" if gpu.temperature is not None else ""
            evidence = f"{gpu.name}: {', '.join(harmful)}"
            yield ctx.warning(Manual(), evidence, heat, gpu=gpu.name)


@rule("gpu-asleep", layer=Layer.GPU)
def asleep(ctx: Context) -> Iterator[Finding]:
    """A laptop's GPU sleeps; the first program that wants it wakes it up."""
    if ctx.runs:
        return
    for gpu in ctx.machine.gpus:
        if gpu.asleep and "cuda" not in gpu.seen_by:
            yield ctx.note(Manual(), gpu.pci_bus, gpu=gpu.name)
