"""Are all files of the driver there? Distributions pack it in several parts."""

from __future__ import annotations

from cudnn_assistant.codes import CudaResult, NvmlReturn
from cudnn_assistant.diagnose.ground.driver_status import (
    bare_linux,
    cuda_code,
    judgeable,
    nvml_code,
)
from cudnn_assistant.diagnose.remedies import (
    DRIVER_PAGE,
    driver_page,
    install_driver,
    install_part,
)
from cudnn_assistant.diagnose.rule import Context, Findings, Layer, rule
from cudnn_assistant.distributions import for_distribution
from cudnn_assistant.machine import Driver
from cudnn_assistant.versions import numbers


@rule("driver-incomplete", layer=Layer.DRIVER)
def incomplete(ctx: Context) -> Findings:
    """The driver runs, and the library through which programs compute isn't there.

    Distributions pack it apart from the module and from what draws on the screen.
    """
    driver = ctx.machine.driver
    if driver is None or ctx.machine.os.wsl or ctx.machine.os.container or not judgeable(ctx):
        return
    if driver.cuda_library or driver.cuda_init is not None or not _runs(driver):
        return
    file = "nvcuda.dll" if ctx.windows else "libcuda.so.1"
    by_hand = _commands(ctx, driver, "libcuda1")
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
    driver = ctx.machine.driver
    bare = ctx.windows or bare_linux(ctx)
    on_bus = any(g.pci_bus for g in ctx.machine.gpus)
    if driver is None or ctx.machine.unknown("driver") or not (bare and on_bus):
        return
    if driver.nvml_library or nvml_code(ctx) not in (None, NvmlReturn.LIBRARY_NOT_FOUND):
        return
    if cuda_code(ctx) != CudaResult.SUCCESS:
        return
    file = "nvml.dll" if ctx.windows else "libnvidia-ml.so.1"
    lines = _commands(ctx, driver, "libnvidia-ml1")
    remedy = driver_page(commands=lines, restart=True, administrator=True)
    yield ctx.warning(remedy, f"{file}: –", file=file)


def _runs(driver: Driver) -> bool:
    """Module or libraries of the driver answer."""
    answered = driver.nvml is not None and driver.nvml.code == NvmlReturn.SUCCESS
    return answered or bool(driver.kernel_version) or "nvidia" in driver.modules


def _commands(ctx: Context, driver: Driver, debian: str) -> tuple[str, ...]:
    """What installs the part, where that is known."""
    branch = numbers(driver.version or driver.kernel_version)[:1]
    table = {
        "ubuntu": tuple(f"sudo apt install --reinstall libnvidia-compute-{n}" for n in branch),
        "debian": (f"sudo apt install --reinstall {debian}",),
        "fedora": ("sudo dnf install xorg-x11-drv-nvidia-cuda-libs",),
        "arch": ("sudo pacman -S nvidia-utils",),
    }
    return () if ctx.windows else for_distribution(ctx.machine.os.distribution, table) or ()
