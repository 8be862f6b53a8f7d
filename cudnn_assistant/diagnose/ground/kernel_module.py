"""Does the driver's kernel module know the GPU, and start it?"""

from __future__ import annotations

import re

from cudnn_assistant.codes import DeviceProblem, NvmlReturn
from cudnn_assistant.compat import architecture, first_driver, last_driver_branch
from cudnn_assistant.diagnose.ground.access import given_none, scheduler
from cudnn_assistant.diagnose.ground.gpu import missing_device_file
from cudnn_assistant.diagnose.remedies import commands_for, driver_page, install_driver
from cudnn_assistant.diagnose.rule import Context, Findings, Layer, family, rule
from cudnn_assistant.machine import Gpu
from cudnn_assistant.versions import major, numbers, older


def _unseen(ctx: Context) -> list[Gpu]:
    """The GPUs that the driver doesn't list."""
    return [g for g in ctx.machine.gpus if not {"cuda", "nvml"} & {*g.seen_by}]


def _seen(ctx: Context) -> bool:
    """Whether the driver lists any GPU."""
    return len(_unseen(ctx)) < len(ctx.machine.gpus)


@family({"gpu-needs-open-module": True, "gpu-needs-closed-module": False}, layer=Layer.GPU)
def other_flavour(ctx: Context, opens: bool) -> Findings:
    """The GPU runs with the other flavour of the kernel module alone: by the log, or by its age."""
    needs = ctx.log_line(r"requires use of the NVIDIA open kernel modules")
    unfit = r"not supported by open nvidia\.ko|does not include the required GPU System"
    line = needs or ctx.log_line(unfit)
    loaded = "" if line else _only_other_flavour(ctx)
    if _seen(ctx) or not (line or loaded):
        return
    if opens == (bool(needs) or loaded == "proprietary"):
        gpu, remedy = ctx.gpu_name, install_driver(ctx, instead=True)
        yield ctx.error(remedy, line or f"{gpu}: {loaded}", sure=bool(line), gpu=gpu)


def _only_other_flavour(ctx: Context) -> str:
    """The flavour of the loaded module when none of the GPUs can use it; "" otherwise.

    The newest GPUs have no closed module, the oldest no open one. Most people may not read the
    log that says so.
    """
    driver, gpus = ctx.driver, ctx.machine.gpus
    if not gpus or missing_device_file(ctx):
        return ""
    branch = major(driver.version or driver.kernel_version)
    if any(given_up(ctx, g, branch) for g in gpus):
        return ""  # no flavour of this driver knows the GPU
    only = {"proprietary": "open", "open": "closed"}.get(driver.kernel_flavour)
    unfit = all(architecture(ctx.compat, g.compute).kernel_module == only for g in gpus)
    return driver.kernel_flavour if unfit else ""


def given_up(ctx: Context, gpu: Gpu, branch: int) -> int:
    """The last branch of the driver that knows the GPU, where this one is newer; else 0."""
    last = last_driver_branch(ctx.compat, gpu.compute) if gpu.compute else 0
    return last if last and last < branch else 0


@rule("gpu-dropped-by-driver", layer=Layer.GPU)
def dropped(ctx: Context) -> Findings:
    """The installed driver's branch no longer knows this GPU."""
    driver = ctx.driver
    line = ctx.log_line(r"Legacy drivers")
    # Where no GPU is left to it the driver isn't loaded, and its log alone says which it was.
    named = re.search(r"The (\d+)\.[\d.]+ NVIDIA driver will ignore", line)
    branch = major(driver.version or driver.kernel_version) or (int(named[1]) if named else 0)
    gpus, unseen = ctx.machine.gpus, _unseen(ctx)
    known = [(g, last) for g in unseen if (last := given_up(ctx, g, branch))]
    if not known or (len(unseen) == len(gpus) and len(known) < len(gpus)):
        return
    gpu, last = max(known, key=lambda pair: pair[1])
    whole = len(known) == len(gpus)
    by_hand = driver_page(restart=True, administrator=True)
    yield ctx.finding(
        "error" if whole else "info",
        install_driver(ctx, instead=True) if whole else by_hand,
        f"{gpu.name}: {last}; {driver.version or branch}",
        line,
        gpu=gpu.name,
        driver=str(branch),
        last_branch=last,
    )


@rule("driver-too-old-for-gpu", layer=Layer.GPU)
def too_old(ctx: Context) -> Findings:
    """The installed driver is from before the GPU."""
    there = ctx.driver.version or ctx.driver.kernel_version
    known = (g for g in _unseen(ctx) if g.compute)
    needed = {g.name: first_driver(ctx.compat, g.compute, ctx.driver_family) for g in known}
    late = [(name, first) for name, first in needed.items() if older(there, first)]
    if not late or ctx.runs or len(late) < len({g.name for g in ctx.machine.gpus}):
        return
    name, first = max(late, key=lambda pair: numbers(pair[1]))
    yield ctx.error(
        install_driver(ctx, needed=first, instead=True),
        f"{name}: {first}; {there}",
        ctx.log_line(r"not supported by the NVIDIA"),
        gpu=name,
        driver=there,
        needed_version=first,
    )


@rule("driver-incomplete", layer=Layer.GPU)
def firmware_missing(ctx: Context) -> Findings:
    """The file isn't there with which the GPU's own processor starts. Some pack it apart."""
    line = ctx.log_line(r"firmware load for nvidia/\S*/gsp\S* failed")
    file = re.search(r"nvidia/\S+", line)
    if file and not _seen(ctx):
        lines = commands_for(ctx, "firmware")
        remedy = driver_page(commands=lines, restart=True, administrator=True)
        yield ctx.error(remedy, line, path=f"/lib/firmware/{file[0]}")


@rule("job-without-gpu", layer=Layer.GPU)
def fenced_off(ctx: Context) -> Findings:
    """A scheduler keeps every GPU of the bus from the job, so that the driver lists none."""
    if _none_started(ctx) and (who := scheduler(ctx)):
        yield given_none(ctx, who, "nvmlDeviceGetCount: 0")


@rule("gpu-does-not-start", layer=Layer.GPU)
def no_resources(ctx: Context) -> Findings:
    """The GPU is on the bus, but the driver can't start it."""
    line = ctx.log_line(r"RmInitAdapter failed|Cannot initialize GSP|GFW_BOOT")
    if _seen(ctx) or ctx.log_line(r"open kernel modules|by open nvidia\.ko"):
        return
    sure = bool(line) or DeviceProblem.NORMAL_CONFLICT in ctx.problems
    if sure or _none_started(ctx):
        yield ctx.error(driver_page(restart=True), line or ctx.answers, sure=sure, gpu=ctx.gpu_name)


def _none_started(ctx: Context) -> bool:
    """The driver holds the GPUs of the bus, answers well, and lists none of them.

    Why stands in the kernel's log, which most people may not read.
    """
    closed = any(n.openable is False for n in ctx.driver.nodes)
    if _seen(ctx) or closed or missing_device_file(ctx):
        return False  # a file is closed or missing, which says more
    gpus = ctx.machine.gpus
    held = bool(gpus) and all(g.kernel_driver == "nvidia" and not g.asleep for g in gpus)
    return ctx.nvml_code == NvmlReturn.SUCCESS and held and not ctx.runs
