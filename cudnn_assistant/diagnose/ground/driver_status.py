"""What the driver's libraries answered, as rules ask for it."""

from __future__ import annotations

from cudnn_assistant.codes import CudaResult, NvmlReturn, cuda_result, nvml_return
from cudnn_assistant.diagnose.context import Context
from cudnn_assistant.distributions import descends_from
from cudnn_assistant.machine import Library


def nvml_code(ctx: Context) -> int | None:
    """What nvmlInit answered; ``None`` when it wasn't asked."""
    driver = ctx.machine.driver
    return driver.nvml.code if driver and driver.nvml else None


def cuda_code(ctx: Context) -> int | None:
    """What cuInit answered; ``None`` when it wasn't asked."""
    driver = ctx.machine.driver
    return driver.cuda_init.code if driver and driver.cuda_init else None


def answering(ctx: Context) -> bool:
    """NVML or the driver API answered well: the kernel module is there."""
    return nvml_code(ctx) == NvmlReturn.SUCCESS or cuda_code(ctx) == CudaResult.SUCCESS


def judgeable(ctx: Context) -> bool:
    """Whether it is known which driver there is, and whether a finding about it makes sense."""
    machine = ctx.machine
    return not (machine.unknown("driver") or ctx.runs) and bool(machine.gpus or machine.os.wsl)


def bare_linux(ctx: Context) -> bool:
    """Linux of its own: no WSL, no container, where the driver is installed elsewhere."""
    system = ctx.machine.os
    return system.family == "linux" and not system.wsl and not system.container


def debian(ctx: Context) -> bool:
    """Debian, Ubuntu or a child of theirs."""
    return descends_from(ctx.machine.os.distribution, "debian")


def answers(ctx: Context) -> str:
    """What the driver's libraries answered, by name and number."""
    nvml, cuda = nvml_code(ctx), cuda_code(ctx)
    if cuda:
        return f"{cuda_result(cuda)} ({cuda})"
    return f"{nvml_return(nvml)} ({nvml})" if nvml else ""


def unsearched(ctx: Context) -> Library | None:
    """The driver's library for computing, where it is there and no folder of it is searched."""
    driver = ctx.machine.driver
    if ctx.windows or driver is None or driver.cuda_library or driver.cuda_init is not None:
        return None
    here = ctx.machine.os.architecture
    return next((lib for lib in ctx.libraries("cuda") if _of_driver(ctx, lib, here)), None)


def _of_driver(ctx: Context, library: Library, architecture: str) -> bool:
    """Programs open the name with a 1; stubs, older and newer ones for builders aren't meant."""
    folder = ctx.parent(library.path)
    other = "stubs" in folder or "compat" in folder
    fits = library.architecture in ("", architecture) or not architecture
    hidden = not ctx.reachable(folder, library.found_via)
    brought = any(ctx.belongs(library.path, e) for e in ctx.machine.pythons)
    return library.major == 1 and fits and hidden and not other and not brought
