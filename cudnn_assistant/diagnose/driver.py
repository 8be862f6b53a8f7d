"""Does the driver, which lets programs use the GPU, work? Its three parts must agree."""

from __future__ import annotations

from collections.abc import Iterator

from cudnn_assistant.diagnose import driver_parts
from cudnn_assistant.diagnose.answers import (
    answering,
    answers,
    bare_linux,
    cuda_code,
    debian,
    judgeable,
    nvml_code,
    unsearched,
)
from cudnn_assistant.diagnose.context import Context, Rule
from cudnn_assistant.diagnose.gpu import log_line
from cudnn_assistant.diagnose.remedies import (
    DRIVER_PAGE,
    HEADER_COMMANDS,
    INITRAMFS_COMMANDS,
    distribution,
    install_driver,
    search_first,
)
from cudnn_assistant.finding import Finding, Manual, Remedy, Unknown
from cudnn_assistant.machine import Driver
from cudnn_assistant.versions import numbers


def restart_pending(ctx: Context) -> Iterator[Finding]:
    """D09: Windows waits for a restart before it uses the new driver."""
    driver = ctx.machine.driver
    if driver and 14 in driver.problem_codes:
        yield ctx.finding(
            "driver-restart-pending", "error", Manual(restart=True), "Device Manager: 14"
        )


def damaged(ctx: Context) -> Iterator[Finding]:
    """D07: Windows could not start the installed driver, or its parts are of two versions."""
    driver = ctx.machine.driver
    codes = {10, 31, 37, 39, 43, 52} & set(driver.problem_codes if driver else ())
    two = driver is not None and ctx.windows and not answering(ctx) and _differ(driver)
    if driver is None or not (codes or two):
        return
    number = str(min(codes)) if codes else ""
    evidence = (
        f"Device Manager: {number}" if codes else f"{driver.version}; {driver.kernel_version}"
    )
    remedy = Manual(link=DRIVER_PAGE, restart=True, administrator=True)
    yield ctx.finding("driver-damaged", "error", remedy, evidence, number=number)


def _differ(driver: Driver) -> bool:
    """The loaded part and the libraries are known and of different versions."""
    one, other = numbers(driver.kernel_version), numbers(driver.version)
    return bool(one and other) and one != other


def missing(ctx: Context) -> Iterator[Finding]:
    """D02, D03: no part of NVIDIA's driver is installed."""
    driver = ctx.machine.driver
    if not judgeable(ctx) or ctx.machine.os.wsl or ctx.machine.os.container or answering(ctx):
        return
    if driver is not None and 28 not in driver.problem_codes and _has_parts(driver):
        return
    gpu = ctx.machine.gpus[0]
    held = f"{gpu.name}: {gpu.kernel_driver}" if gpu.kernel_driver else gpu.name
    yield ctx.finding(
        "driver-missing", "error", install_driver(ctx, first=True), held, gpu=gpu.name
    )


def _has_parts(driver: Driver) -> bool:
    loaded = any(m.startswith("nvidia") for m in driver.modules)
    return bool(
        driver.nvml_library or driver.cuda_library or driver.kernel_version or loaded
        or driver.module_on_disk
    )  # fmt: skip


def _unloaded(ctx: Context) -> Driver | None:
    """The driver on bare Linux whose module isn't loaded, ``None`` for anything else."""
    driver = ctx.machine.driver
    if driver is None or not bare_linux(ctx) or not judgeable(ctx) or answering(ctx):
        return None
    loaded = driver.kernel_version or any(m.startswith("nvidia") for m in driver.modules)
    return None if loaded or not _has_parts(driver) else driver


def held_by_other(ctx: Context) -> Iterator[Finding]:
    """D13, D30: another kernel driver owns the GPU: nouveau, nova, or one kept for a VM."""
    driver = _unloaded(ctx)
    holder = next((g for g in ctx.machine.gpus if g.kernel_driver not in ("", "nvidia")), None)
    if driver is None or holder is None:
        return
    name = holder.kernel_driver
    if name in ("vfio-pci", "pci-stub"):
        remedy: Remedy = Manual(restart=True, administrator=True)
        yield ctx.finding("gpu-kept-for-vm", "error", remedy, f"{holder.name}: {name}", holder=name)
        return
    remedy = _keep_from_starting(ctx, name)
    yield ctx.finding("nouveau-active", "error", remedy, f"{holder.name}: {name}", holder=name)


def second_held(ctx: Context) -> Iterator[Finding]:
    """D13 for one of several GPUs. One that is kept for a virtual machine is so on purpose."""
    if not bare_linux(ctx) or not ctx.runs:
        return
    for gpu in ctx.machine.gpus:
        if gpu.kernel_driver in ("nouveau", "nova_core") and gpu.seen_by == ("pci",):
            name = gpu.kernel_driver
            yield ctx.finding(
                "nouveau-active", "info", _keep_from_starting(ctx, name), f"{gpu.name}: {name}",
                gpu=gpu.name, held=name,
            )  # fmt: skip


def _keep_from_starting(ctx: Context, name: str) -> Manual:
    rebuild = distribution(ctx.machine.os, {k: (v,) for k, v in INITRAMFS_COMMANDS.items()})
    lines = f"blacklist {name}\\noptions {name} modeset=0\\n"
    blacklist = f"printf '{lines}' | sudo tee /etc/modprobe.d/blacklist-{name}.conf"
    return Manual(commands=(blacklist, *rebuild), restart=True, administrator=True)


def not_built(ctx: Context) -> Iterator[Finding]:
    """D11: the driver's module was never built for the kernel that runs now."""
    driver = _unloaded(ctx)
    other = log_line(ctx, r"nvidia.*(?:version magic|disagrees about version of symbol)")
    if driver is not None and (driver.module_on_disk is False or other):
        commands = distribution(ctx.machine.os, HEADER_COMMANDS)
        remedy = Manual(link=DRIVER_PAGE, commands=commands, restart=True, administrator=True)
        evidence = "kernel headers: –" if driver.kernel_headers is False else ""
        kernel = ctx.machine.os.version
        yield ctx.finding(
            "driver-module-not-built", "error", remedy, kernel, evidence, other, kernel=kernel
        )


def not_loaded(ctx: Context) -> Iterator[Finding]:
    """D12 where Secure Boot refused the module, else a module that is there and not loaded."""
    driver = _unloaded(ctx)
    if driver is None or driver.module_on_disk is not True:
        return
    line = log_line(
        ctx,
        r"key was rejected|unavailable key|module verification failed.*required|unsigned module",
    )
    if line or ctx.machine.os.secure_boot:
        enrol = "sudo mokutil --import /var/lib/shim-signed/mok/MOK.der"
        commands = (enrol,) if debian(ctx) else ()
        remedy = Manual(commands=commands, restart=True, administrator=True)
        evidence = line or "Secure Boot: on"
        yield ctx.finding("secure-boot-blocks-driver", "error", remedy, evidence, sure=bool(line))
        return
    remedy = Manual(commands=("sudo modprobe nvidia",), administrator=True)
    evidence = ", ".join(driver.modules) or "/sys/module/nvidia: –"
    yield ctx.finding("driver-module-not-loaded", "error", remedy, evidence)


def not_searched(ctx: Context) -> Iterator[Finding]:
    """C06, L34: the driver's library is there, in a folder that programs don't look into.

    WSL without its line in the loader's list, NixOS, and containers of Kubernetes where
    LD_LIBRARY_PATH was replaced.
    """
    library = unsearched(ctx)
    if library is None or not judgeable(ctx):
        return
    folder = ctx.parent(library.path)
    yield ctx.finding(
        "driver-not-searched", "error", search_first(ctx, folder), library.path,
        folder=folder, file=ctx.name(library.path),
    )  # fmt: skip


def sharing_silent(ctx: Context) -> Iterator[Finding]:
    """D24: programs are to share the GPU through NVIDIA's MPS, and its service doesn't answer."""
    code = cuda_code(ctx)
    if ctx.runs or ctx.windows or code is None or code not in range(805, 810):
        return
    named = ctx.machine.variable("CUDA_MPS_PIPE_DIRECTORY")
    evidence = f"{named.name}={named.value.text} ({named.source or named.scope})" if named else ""
    remedy = Manual(commands=("nvidia-cuda-mps-control -d",))
    yield ctx.finding(
        "mps-not-answering", "error", remedy, answers(ctx), evidence,
        variable=named.name if named else "",
    )  # fmt: skip


def cuda_silent(ctx: Context) -> Iterator[Finding]:
    """D07, D18, D19 without their proof: NVML lists the GPU, and CUDA doesn't start."""
    code, driver = cuda_code(ctx), ctx.machine.driver
    if not judgeable(ctx) or nvml_code(ctx) != 0 or code in (0, 2, None) or driver is None:
        return
    if code == 35 and numbers(driver.cuda) < (12,):
        return  # an old driver: what programs ask of it is told with them
    gpu = ctx.machine.gpus[0].name if ctx.machine.gpus else ""
    if ctx.machine.os.wsl:
        remedy = Manual(link=DRIVER_PAGE, commands=("wsl --update", "wsl --shutdown"))
        yield ctx.finding("wsl-cuda-does-not-start", "error", remedy, answers(ctx), sure=False)
        return
    remedy = Manual(link=DRIVER_PAGE, restart=True)
    yield ctx.finding("cuda-does-not-start", "error", remedy, answers(ctx), gpu=gpu, sure=False)


def not_answering(ctx: Context) -> Iterator[Finding]:
    """D11–D13 without their proof: libraries and module are there, and still no answer."""
    driver = ctx.machine.driver
    if driver is None or not judgeable(ctx) or answering(ctx) or cuda_code(ctx) is None:
        return
    gpu = ctx.machine.gpus[0].name if ctx.machine.gpus else ""
    yield ctx.finding("driver-not-answering", "error", Unknown(), answers(ctx), gpu=gpu)


RULES = (
    Rule(restart_pending, ("driver-restart-pending",), ("D09",)),
    Rule(damaged, ("driver-damaged",), ("D07", "D30")),
    Rule(missing, ("driver-missing",), ("D02", "D03")),
    Rule(held_by_other, ("nouveau-active", "gpu-kept-for-vm"), ("D13", "D30")),
    Rule(second_held, ("nouveau-active",), ("D13",)),
    Rule(not_built, ("driver-module-not-built",), ("D11",)),
    Rule(not_loaded, ("secure-boot-blocks-driver", "driver-module-not-loaded"), ("D12",)),
    Rule(not_searched, ("driver-not-searched",), ("C06", "L34")),
    *driver_parts.RULES,
)

LAST = (
    Rule(sharing_silent, ("mps-not-answering",), ("D24",)),
    Rule(not_answering, ("driver-not-answering",), ()),
    Rule(cuda_silent, ("cuda-does-not-start", "wsl-cuda-does-not-start"), ("D07", "C04", "C06")),
)
"""Said only when no other rule explains the silence."""
