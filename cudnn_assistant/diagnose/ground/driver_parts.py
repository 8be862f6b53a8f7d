"""Are all files of the driver there? Distributions pack it in several parts."""

from __future__ import annotations

from cudnn_assistant.codes import CudaResult, NvmlReturn
from cudnn_assistant.diagnose.remedies import (
    DRIVER_PAGE,
    driver_page,
    install_driver,
    install_part,
)
from cudnn_assistant.diagnose.rule import Context, Findings, Layer, rule
from cudnn_assistant.distributions import for_distribution
from cudnn_assistant.machine import Library
from cudnn_assistant.versions import numbers


@rule("driver-incomplete", layer=Layer.DRIVER)
def incomplete(ctx: Context) -> Findings:
    """The driver runs, and the library through which programs compute isn't there.

    Distributions pack it apart from the module and from what draws on the screen.
    """
    driver = ctx.driver
    if ctx.machine.os.wsl or ctx.machine.os.container or not ctx.judgeable:
        return
    if driver.cuda_library or driver.cuda_init is not None or not _runs(ctx):
        return
    file = "nvcuda.dll" if ctx.windows else "libcuda.so.1"
    by_hand = _commands(ctx, "libcuda1")
    packed = install_part(
        ctx, "driver-compute", *by_hand, link=DRIVER_PAGE, page="nvidia", restart=True
    )
    remedy = install_driver(ctx, instead=True) if ctx.windows else packed
    yield ctx.error(remedy, f"{file}: –", file=file)


@rule("driver-monitor-missing", layer=Layer.DRIVER)
def unmonitored(ctx: Context) -> Findings:
    """Programs compute, and the library through which the driver tells of itself is gone.

    nvidia-smi and what watches GPUs stop without it. Containers are given it or not on purpose,
    and NVIDIA's small boards, whose GPU is not on the bus, have none.
    """
    bare = ctx.windows or ctx.bare_linux
    on_bus = any(g.pci_bus for g in ctx.machine.gpus)
    if ctx.machine.unknown("driver") or not (bare and on_bus):
        return
    if ctx.driver.nvml_library or ctx.nvml_code not in (None, NvmlReturn.LIBRARY_NOT_FOUND):
        return
    if ctx.cuda_code != CudaResult.SUCCESS:
        return
    file = "nvml.dll" if ctx.windows else "libnvidia-ml.so.1"
    lines = _commands(ctx, "libnvidia-ml1")
    remedy = driver_page(commands=lines, restart=True, administrator=True)
    yield ctx.warning(remedy, f"{file}: –", file=file)


def _runs(ctx: Context) -> bool:
    """Module or libraries of the driver answer."""
    loaded = bool(ctx.driver.kernel_version) or "nvidia" in ctx.driver.modules
    return loaded or ctx.nvml_code == NvmlReturn.SUCCESS


def _commands(ctx: Context, debian: str) -> tuple[str, ...]:
    """What installs the part, where that is known."""
    branch = numbers(ctx.driver.version or ctx.driver.kernel_version)[:1]
    table = {
        "ubuntu": tuple(f"sudo apt install --reinstall libnvidia-compute-{n}" for n in branch),
        "debian": (f"sudo apt install --reinstall {debian}",),
        "fedora": ("sudo dnf install xorg-x11-drv-nvidia-cuda-libs",),
        "arch": ("sudo pacman -S nvidia-utils",),
    }
    return () if ctx.windows else for_distribution(ctx.machine.os.distribution, table) or ()


def unsearched(ctx: Context) -> Library | None:
    """The driver's library for computing, where it is there and no folder of it is searched."""
    driver = ctx.machine.driver
    if ctx.windows or driver is None or driver.cuda_library or driver.cuda_init is not None:
        return None
    return next((lib for lib in ctx.libraries("cuda") if _of_driver(ctx, lib)), None)


def _of_driver(ctx: Context, library: Library) -> bool:
    """Programs open the name with a 1; stubs, older and newer ones for builders aren't meant."""
    folder = ctx.parent(library.path)
    other = "stubs" in folder or "compat" in folder
    here = ctx.machine.os.architecture
    fits = library.architecture in ("", here) or not here
    of_others = ctx.finds(library) or ctx.in_environment(library) or other
    return library.major == 1 and fits and not of_others
