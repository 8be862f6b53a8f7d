"""Does the driver, which lets programs use the GPU, work? Its three parts must agree."""

from __future__ import annotations

from cudnn_assistant import codes
from cudnn_assistant.codes import INSUFFICIENT_DRIVER, CudaResult, DeviceProblem, NvmlReturn
from cudnn_assistant.compat import current_cuda_majors, last_driver_branch
from cudnn_assistant.diagnose.ground.gpu import FOR_VMS
from cudnn_assistant.diagnose.ground.kernel_module import given_up
from cudnn_assistant.diagnose.remedies import UPDATE_WSL, commands_for, driver_page, install_driver
from cudnn_assistant.diagnose.rule import Context, Findings, Layer, family, rule
from cudnn_assistant.finding import Facts, Manual, Unknown
from cudnn_assistant.machine import Driver
from cudnn_assistant.shell import Syntax, command
from cudnn_assistant.versions import major, numbers


@rule("driver-restart-pending", layer=Layer.DRIVER)
def restart_pending(ctx: Context) -> Findings:
    """The system waits for a restart before it uses the new driver, or the kernel that it's for."""
    kernel = ctx.machine.os.version
    if found := ctx.problems & codes.numbers("device-restart"):
        code = min(found)
        yield ctx.error(Manual(restart=True), f"Device Manager: {code}", problem_code=code)
    elif ctx.driver.kernel_replaced and _unloaded(ctx):
        yield ctx.error(Manual(restart=True), f"/lib/modules/{kernel}: –", kernel=kernel)


@rule("driver-damaged", layer=Layer.DRIVER)
def damaged(ctx: Context) -> Findings:
    """Windows could not start the installed driver, or its parts are of two versions."""
    driver, found = ctx.driver, ctx.problems & codes.numbers("device-driver")
    if not (found or (ctx.windows and not ctx.answering and versions_differ(driver))):
        return
    evidence = (
        f"Device Manager: {min(found)}" if found else f"{driver.version}; {driver.kernel_version}"
    )
    remedy = install_driver(ctx, instead=True)
    yield ctx.error(remedy, evidence, problem_code=min(found, default=0))


def versions_differ(driver: Driver) -> bool:
    """The loaded part and the libraries are known and of different versions."""
    one, other = numbers(driver.kernel_version), numbers(driver.version)
    return bool(one and other) and one != other


@rule("driver-missing", layer=Layer.DRIVER)
def missing(ctx: Context) -> Findings:
    """No part of NVIDIA's driver is installed."""
    if not ctx.judgeable or ctx.machine.os.wsl or ctx.machine.os.container or ctx.answering:
        return
    failed = DeviceProblem.FAILED_INSTALL in ctx.problems
    if ctx.driver_there and not failed:
        return
    gpu = ctx.machine.gpus[0]
    held = f"{gpu.name}: {gpu.kernel_driver}" if gpu.kernel_driver else gpu.name
    last = last_driver_branch(ctx.compat, gpu.compute) or 0
    yield ctx.error(install_driver(ctx, first=True), held, gpu=gpu.name, last_branch=last)


def _unloaded(ctx: Context) -> bool:
    """Whether the driver is there, on bare Linux, and its module isn't loaded."""
    unheard = ctx.bare_linux and ctx.judgeable and not ctx.answering
    return unheard and ctx.driver_there and not ctx.module_loaded


@family({"gpu-kept-for-vm": True, "nouveau-active": False}, layer=Layer.DRIVER)
def held(ctx: Context, for_vm: bool) -> Findings:
    """Another kernel driver owns the GPU: nouveau or nova, or one that keeps it for a virtual
    machine."""
    others = [g for g in ctx.machine.gpus if g.kernel_driver not in ("", "nvidia")]
    there = ctx.bare_linux and ctx.judgeable and ctx.driver_there
    if not others or not (_unloaded(ctx) or (there and len(others) == len(ctx.machine.gpus))):
        return
    gpu, name = others[0], others[0].kernel_driver
    # Where the driver was not built for this kernel, or refused, the other one is all that draws.
    needed = not for_vm and (ctx.driver.module_on_disk is False or ctx.log_line(_REFUSED))
    if not needed and for_vm is (name in FOR_VMS):
        by_hand = Manual(restart=True, administrator=True)
        remedy = by_hand if for_vm else _keep_from_starting(ctx, name)
        yield ctx.error(remedy, f"{gpu.name}: {name}", holder=name)


@rule("nouveau-active", layer=Layer.DRIVER)
def second_held(ctx: Context) -> Findings:
    """Another kernel driver owns one of several GPUs. One kept for a VM is so on purpose, and
    one that NVIDIA's no longer knows has no other."""
    if not ctx.bare_linux or not ctx.runs:
        return
    branch = major(ctx.driver.version)
    held = [g for g in ctx.machine.gpus if g.kernel_driver in ("nouveau", "nova_core")]
    for gpu in held:
        if gpu.seen_by == ("pci",) and not given_up(ctx, gpu, branch):
            name = gpu.kernel_driver
            facts = Facts(gpu=gpu.name, holder=name, other_gpu_runs=True)
            yield ctx.note(_keep_from_starting(ctx, name), f"{gpu.name}: {name}", **facts)


def _keep_from_starting(ctx: Context, name: str) -> Manual:
    lines = (f"blacklist {name}", f"options {name} modeset=0")
    file = f"/etc/modprobe.d/blacklist-{name}.conf"
    blacklist, modeset = (
        command("sh", "echo", line, Syntax("|"), "sudo", "tee", *more, file)
        for line, more in zip(lines, ((), ("-a",)), strict=True)
    )
    rebuild = commands_for(ctx, "initramfs")
    return Manual(commands=(blacklist, modeset, *rebuild), restart=True, administrator=True)


@rule("driver-module-not-built", layer=Layer.DRIVER)
def not_built(ctx: Context) -> Findings:
    """The driver's module was never built for the kernel that runs now."""
    other = ctx.log_line(r"nvidia.*(?:version magic|disagrees about version of symbol)")
    if _unloaded(ctx) and (ctx.driver.module_on_disk is False or other):
        commands = commands_for(ctx, "headers")
        remedy = driver_page(commands=commands, restart=True, administrator=True)
        evidence = "kernel headers: –" if ctx.driver.kernel_headers is False else ""
        kernel = ctx.machine.os.version
        yield ctx.error(remedy, kernel, evidence, other, kernel=kernel)


def _refusal(ctx: Context) -> str:
    """Why the kernel refused the module on the disk, or is likely to; "" where nothing says so."""
    likely = _SECURE_BOOT if ctx.machine.os.secure_boot else ""
    return ctx.log_line(_REFUSED) or likely


_REFUSED = r"key was rejected|unavailable key|unsigned module"
_SECURE_BOOT = "Secure Boot: on"


@rule("secure-boot-blocks-driver", layer=Layer.DRIVER)
def secure_boot(ctx: Context) -> Findings:
    """Secure Boot refused the module, or is likely to."""
    refusal = _refusal(ctx)
    if _unloaded(ctx) and ctx.driver.module_on_disk and refusal:
        remedy = Manual(commands=commands_for(ctx, "enrol"), restart=True, administrator=True)
        yield ctx.error(remedy, refusal, sure=refusal != _SECURE_BOOT)


@rule("driver-module-not-loaded", layer=Layer.DRIVER)
def not_loaded(ctx: Context) -> Findings:
    """The module is there and not loaded, and nobody knows why."""
    if _unloaded(ctx) and ctx.driver.module_on_disk and not _refusal(ctx):
        remedy = Manual(commands=("sudo modprobe nvidia",), administrator=True)
        yield ctx.error(remedy, *(ctx.driver.modules or ("/sys/module/nvidia: –",)))


_SHARING = range(CudaResult.MPS_CONNECTION_FAILED, CudaResult.MPS_MAX_CONNECTIONS_REACHED + 1)


@rule("mps-not-answering", layer=Layer.NO_ANSWER)
def sharing_silent(ctx: Context) -> Findings:
    """Programs are to share the GPU through NVIDIA's MPS, and its service doesn't answer."""
    code = ctx.cuda_code
    if ctx.runs or ctx.windows or code is None or code not in _SHARING:
        return
    named = ctx.machine.variable("CUDA_MPS_PIPE_DIRECTORY")
    evidence = f"{named.name}={named.value.text} ({named.source or named.scope})" if named else ""
    remedy = Manual(commands=("nvidia-cuda-mps-control -d",))
    yield ctx.error(remedy, ctx.answers, evidence, variable=named.name if named else "")


@rule("driver-not-answering", layer=Layer.NO_ANSWER)
def not_answering(ctx: Context) -> Findings:
    """Libraries and module are there, and still no answer."""
    if ctx.judgeable and not ctx.answering and ctx.cuda_code is not None:
        yield ctx.error(Unknown(), ctx.answers, gpu=ctx.gpu_name)


_FINE = (CudaResult.SUCCESS, CudaResult.OUT_OF_MEMORY, None)
"""CUDA started, has no memory left, or wasn't asked."""


@family({"wsl-cuda-does-not-start": True, "cuda-does-not-start": False}, layer=Layer.NO_ANSWER)
def cuda_silent(ctx: Context, in_wsl: bool) -> Findings:
    """NVML lists the GPU, and CUDA doesn't start: on a computer, or in a WSL that has the GPU."""
    code = ctx.cuda_code
    if in_wsl is not bool(ctx.machine.os.wsl) or not ctx.judgeable:
        return
    if ctx.nvml_code != NvmlReturn.SUCCESS or code in _FINE:
        return
    # An old driver: what programs ask of it is told with them.
    oldest = min(current_cuda_majors(ctx.compat), default=0)
    if code != INSUFFICIENT_DRIVER or major(ctx.driver.cuda) >= oldest:
        remedy, gpu = (UPDATE_WSL, "") if in_wsl else (driver_page(restart=True), ctx.gpu_name)
        yield ctx.error(remedy, ctx.answers, sure=False, gpu=gpu)
