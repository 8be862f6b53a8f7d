"""Are the driver's libraries there, do programs load them, and do they fit its kernel module?"""

from __future__ import annotations

from cudnn_assistant.codes import CudaResult, NvmlReturn
from cudnn_assistant.diagnose.ground.driver import versions_differ
from cudnn_assistant.diagnose.remedies import (
    CONTAINER_PAGE,
    DRIVER_PAGE,
    commands_for,
    driver_page,
    install_driver,
    install_part,
    search_first,
    take_out,
)
from cudnn_assistant.diagnose.rule import Context, Findings, Layer, family, rule
from cudnn_assistant.finding import Facts, Manual
from cudnn_assistant.machine import Library, PathEntry
from cudnn_assistant.shell import command


@rule("driver-not-searched", layer=Layer.DRIVER)
def not_searched(ctx: Context) -> Findings:
    """The driver's library is there, in a folder that programs don't look into.

    WSL without its line in the loader's list, NixOS, and containers of Kubernetes where
    LD_LIBRARY_PATH was replaced.
    """
    library = unsearched(ctx)
    if library is None or not ctx.judgeable:
        return
    folder = ctx.parent(library.path)
    facts = Facts(folder=folder, file=ctx.name(library.path))
    yield ctx.error(search_first(ctx, folder), library.path, **facts)


@rule("driver-incomplete", layer=Layer.DRIVER)
def incomplete(ctx: Context) -> Findings:
    """The driver runs, and the library through which programs compute isn't there.

    Distributions pack it apart from the module and from what draws on the screen.
    """
    driver = ctx.driver
    if ctx.machine.os.wsl or ctx.machine.os.container or not ctx.judgeable:
        return
    runs = ctx.module_loaded or ctx.nvml_code == NvmlReturn.SUCCESS
    if driver.cuda_library or driver.cuda_init is not None or not runs:
        return
    file = "nvcuda.dll" if ctx.windows else "libcuda.so.1"
    packed = install_part(ctx, "driver-compute", link=DRIVER_PAGE, page="nvidia", restart=True)
    remedy = install_driver(ctx, instead=True) if ctx.windows else packed
    yield ctx.error(remedy, f"{file}: –", file=file)


@rule("driver-monitor-missing", layer=Layer.DRIVER)
def unmonitored(ctx: Context) -> Findings:
    """Programs compute, and the library through which the driver tells of itself is gone.

    nvidia-smi and what watches GPUs stop without it. Containers are given it or not on purpose,
    and NVIDIA's small boards, whose GPU is not on the bus, have none.
    """
    on_bus = any(gpu.pci_bus for gpu in ctx.machine.gpus)
    if ctx.machine.unknown("driver") or ctx.machine.driver_from or not on_bus:
        return
    if ctx.driver.nvml_library or ctx.nvml_code not in (None, NvmlReturn.LIBRARY_NOT_FOUND):
        return
    if ctx.cuda_code != CudaResult.SUCCESS:
        return
    file = "nvml.dll" if ctx.windows else "libnvidia-ml.so.1"
    lines = commands_for(ctx, "driver-monitor")
    remedy = driver_page(commands=lines, restart=True, administrator=True)
    yield ctx.warning(remedy, f"{file}: –", file=file)


def unsearched(ctx: Context) -> Library | None:
    """The driver's library for computing, where it is there and no folder of it is searched."""
    driver = ctx.machine.driver
    if ctx.windows or driver is None or driver.cuda_library or driver.cuda_init is not None:
        return None
    return next((lib for lib in ctx.libraries("cuda") if _of_driver(ctx, lib)), None)


def _of_driver(ctx: Context, library: Library) -> bool:
    """Programs open the name with a 1; stubs, older and newer ones for builders aren't meant."""
    folder = ctx.parent(library.path)
    built = "stubs" in folder or "compat" in folder or ctx.foreign(library.architecture)
    return library.major == 1 and not (built or ctx.finds(library) or ctx.in_environment(library))


@rule("stub-library-loaded", layer=Layer.DRIVER_LIBRARIES)
def stub(ctx: Context) -> Findings:
    """A link-time stub is loaded in place of the driver's library."""
    if ctx.windows or ctx.runs:
        return
    stubs = [p for p in (ctx.driver.cuda_library, ctx.driver.nvml_library) if "/stubs/" in p]
    if not stubs and ctx.cuda_code != CudaResult.STUB_LIBRARY:
        return
    folder = ctx.parent(stubs[0]) if stubs else ""
    entry = ctx.searched.get(ctx.key(folder)) or next(iter(_stub_entries(ctx)), None)
    yield ctx.error(
        take_out(ctx, entry),
        stubs[0] if stubs else ctx.answers,
        _shown(entry),
        folder=folder or (entry.folder if entry else ""),
        variable=entry.variable if entry else "",
        place=entry.source if entry else "",
    )


@rule("stub-folder-searched", layer=Layer.DRIVER_LIBRARIES)
def stub_searched(ctx: Context) -> Findings:
    """Not yet harmful: a folder of stubs is searched; nothing loaded from it so far."""
    loaded = "/stubs/" in ctx.driver.cuda_library + ctx.driver.nvml_library
    if ctx.machine.driver is None or loaded or ctx.cuda_code == CudaResult.STUB_LIBRARY:
        return
    for entry in _stub_entries(ctx):
        folder = entry.folder or entry.text
        facts = Facts(folder=folder, variable=entry.variable, place=entry.source)
        yield ctx.warning(take_out(ctx, entry), _shown(entry), **facts)


def _stub_entries(ctx: Context) -> list[PathEntry]:
    if ctx.windows:
        return []
    there = (e for e in ctx.machine.search if e.exists is not False)
    return [e for e in there if ctx.name(ctx.key(e.folder or e.text)) == "stubs"]


@rule("compat-library-used", layer=Layer.DRIVER_LIBRARIES)
def compat_used(ctx: Context) -> Findings:
    """The forward-compatibility library is loaded where NVIDIA doesn't allow it."""
    folder = _compat_folder(ctx)
    if not folder or ctx.cuda_code in (CudaResult.SUCCESS, None) or ctx.runs:
        return
    entry = ctx.searched.get(ctx.key(folder))
    facts = Facts(folder=folder, place=entry.source if entry else "")
    shown = (ctx.driver.cuda_library, ctx.answers, _shown(entry))
    yield ctx.error(take_out(ctx, entry), *shown, **facts)


def _compat_folder(ctx: Context) -> str:
    """Where the forward-compatibility library lies that was loaded as the driver's; "" if none."""
    folder = ctx.parent(ctx.driver.cuda_library)
    return folder if "compat" in ctx.name(folder) else ""


def _shown(entry: PathEntry | None) -> str:
    if entry is None:
        return ""
    return f"{entry.variable}: {entry.text}" + (f" ({entry.source})" if entry.source else "")


def libraries_into_lxc(ctx: Context) -> Manual:
    """The driver's libraries of the computer's own version, for a container that is kept."""
    version = ctx.driver.kernel_version or "VERSION"
    name = f"NVIDIA-Linux-{ctx.machine.os.architecture}-{version}.run"
    return driver_page(commands=(command("sh", "sudo", "sh", name, "--no-kernel-module"),))


_MISMATCHES = (CudaResult.SYSTEM_DRIVER_MISMATCH, CudaResult.COMPAT_NOT_SUPPORTED_ON_DEVICE)
"""What CUDA answers to a library that isn't the module's; the second where it is a newer one."""


@family(
    {"driver-library-mismatch": False, "container-brings-driver": True},
    layer=Layer.DRIVER_LIBRARIES,
)
def mismatch(ctx: Context, contained: bool) -> Findings:
    """The libraries were updated, the module in the running kernel was not; or a container's image
    holds those of another driver."""
    here = contained is bool(ctx.machine.os.container)
    if not here or not ctx.judgeable or _compat_folder(ctx):
        return
    differ = versions_differ(ctx.driver) and ctx.driver_family == "linux"
    answered = ctx.nvml_code == NvmlReturn.LIB_RM_VERSION_MISMATCH or ctx.cuda_code in _MISMATCHES
    if answered or differ:
        kernel, library = ctx.driver.kernel_version, ctx.driver.version
        evidence = f"kernel: {kernel or '–'}; libraries: {library or '–'}"
        by_image = Manual(link=CONTAINER_PAGE, page="nvidia")
        own = libraries_into_lxc(ctx) if ctx.machine.os.container == "lxc" else by_image
        remedy = own if contained else Manual(restart=True)
        yield ctx.error(remedy, evidence, ctx.answers, kernel=kernel, library=library)
