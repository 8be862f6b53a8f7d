"""Which of the driver's libraries do programs load, and do they fit its kernel module?"""

from __future__ import annotations

from cudnn_assistant.codes import CudaResult, NvmlReturn
from cudnn_assistant.diagnose.ground.driver import versions_differ
from cudnn_assistant.diagnose.ground.driver_status import answers, cuda_code, judgeable, nvml_code
from cudnn_assistant.diagnose.remedies import CONTAINER_PAGE, take_out
from cudnn_assistant.diagnose.rule import Context, Findings, Layer, rule
from cudnn_assistant.finding import Facts, Manual
from cudnn_assistant.machine import Driver, PathEntry


@rule("stub-library-loaded", layer=Layer.DRIVER_LIBRARIES)
def stub(ctx: Context) -> Findings:
    """A link-time stub is loaded in place of the driver's library."""
    driver = ctx.machine.driver
    if driver is None or ctx.windows or ctx.runs:
        return
    stubs = [p for p in (driver.cuda_library, driver.nvml_library) if "/stubs/" in p]
    if not stubs and cuda_code(ctx) != CudaResult.STUB_LIBRARY:
        return
    folder = ctx.parent(stubs[0]) if stubs else ""
    entry = _entry(ctx, folder) or next(iter(_stub_entries(ctx)), None)
    yield ctx.error(
        take_out(ctx, entry),
        stubs[0] if stubs else answers(ctx),
        _shown(entry),
        folder=folder or (entry.folder if entry else ""),
        variable=entry.variable if entry else "",
        place=entry.source if entry else "",
    )


@rule("stub-folder-searched", layer=Layer.DRIVER_LIBRARIES)
def stub_searched(ctx: Context) -> Findings:
    """Not yet harmful: a folder of stubs is searched; nothing loaded from it so far."""
    driver = ctx.machine.driver
    if (
        driver is None
        or "/stubs/" in driver.cuda_library + driver.nvml_library
        or cuda_code(ctx) == CudaResult.STUB_LIBRARY
    ):
        return
    for entry in _stub_entries(ctx):
        facts = Facts(
            folder=entry.folder or entry.text, variable=entry.variable, place=entry.source
        )
        yield ctx.warning(take_out(ctx, entry), _shown(entry), **facts)


def _stub_entries(ctx: Context) -> list[PathEntry]:
    if ctx.windows:
        return []
    return [e for e in ctx.machine.search if ctx.name(ctx.key(e.folder or e.text)) == "stubs"]


@rule("compat-library-used", layer=Layer.DRIVER_LIBRARIES)
def compat_used(ctx: Context) -> Findings:
    """The forward-compatibility library is loaded where NVIDIA doesn't allow it."""
    driver = ctx.machine.driver
    if driver is None or cuda_code(ctx) in (CudaResult.SUCCESS, None) or ctx.runs:
        return
    inside = "/compat/" in driver.cuda_library
    if not inside and cuda_code(ctx) != CudaResult.COMPAT_NOT_SUPPORTED_ON_DEVICE:
        return
    folder = ctx.parent(driver.cuda_library) if inside else ""
    entry = _entry(ctx, folder)
    facts = Facts(folder=folder, place=entry.source if entry else "")
    yield ctx.error(take_out(ctx, entry), driver.cuda_library, answers(ctx), _shown(entry), **facts)


def _entry(ctx: Context, folder: str) -> PathEntry | None:
    return ctx.searched.get(ctx.key(folder)) if folder else None


def _shown(entry: PathEntry | None) -> str:
    if entry is None:
        return ""
    return f"{entry.variable}: {entry.text}" + (f" ({entry.source})" if entry.source else "")


def _differing(ctx: Context) -> Driver | None:
    """The driver, where its libraries and the module in the running kernel don't agree."""
    driver = ctx.machine.driver
    if driver is None or not judgeable(ctx) or "/compat/" in driver.cuda_library + "/":
        return None
    differ = versions_differ(driver) and not ctx.windows and not ctx.machine.os.wsl
    answered = (
        nvml_code(ctx) == NvmlReturn.LIB_RM_VERSION_MISMATCH
        or cuda_code(ctx) == CudaResult.SYSTEM_DRIVER_MISMATCH
    )
    return driver if answered or differ else None


@rule("driver-library-mismatch", layer=Layer.DRIVER_LIBRARIES)
def mismatch(ctx: Context) -> Findings:
    """The libraries were updated, the module in the running kernel was not."""
    if not ctx.machine.os.container:
        yield from _mismatch(ctx, Manual(restart=True))


@rule("container-brings-driver", layer=Layer.DRIVER_LIBRARIES)
def container_driver(ctx: Context) -> Findings:
    """The container's image holds libraries of another driver than its computer's."""
    if ctx.machine.os.container:
        yield from _mismatch(ctx, Manual(link=CONTAINER_PAGE, page="nvidia"))


def _mismatch(ctx: Context, remedy: Manual) -> Findings:
    if driver := _differing(ctx):
        yield ctx.error(
            remedy,
            f"kernel: {driver.kernel_version}; libraries: {driver.version}",
            answers(ctx),
            kernel=driver.kernel_version or "–",
            library=driver.version or "–",
        )
