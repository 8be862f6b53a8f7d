"""Which of the driver's libraries do programs load, and do they fit its kernel module?"""

from __future__ import annotations

from cudnn_assistant.codes import CudaResult, NvmlReturn
from cudnn_assistant.diagnose.ground.driver import versions_differ
from cudnn_assistant.diagnose.remedies import CONTAINER_PAGE, take_out
from cudnn_assistant.diagnose.rule import Context, Findings, Layer, rule
from cudnn_assistant.finding import Facts, Finding, Manual
from cudnn_assistant.machine import PathEntry


@rule("stub-library-loaded", layer=Layer.DRIVER_LIBRARIES)
def stub(ctx: Context) -> Findings:
    """A link-time stub is loaded in place of the driver's library."""
    if ctx.windows or ctx.runs:
        return
    stubs = [p for p in (ctx.driver.cuda_library, ctx.driver.nvml_library) if "/stubs/" in p]
    if not stubs and ctx.cuda_code != CudaResult.STUB_LIBRARY:
        return
    folder = ctx.parent(stubs[0]) if stubs else ""
    entry = _entry(ctx, folder) or next(iter(_stub_entries(ctx)), None)
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
    if ctx.cuda_code in (CudaResult.SUCCESS, None) or ctx.runs:
        return
    inside = "/compat/" in ctx.driver.cuda_library
    if not inside and ctx.cuda_code != CudaResult.COMPAT_NOT_SUPPORTED_ON_DEVICE:
        return
    folder = ctx.parent(ctx.driver.cuda_library) if inside else ""
    entry = _entry(ctx, folder)
    facts = Facts(folder=folder, place=entry.source if entry else "")
    shown = (ctx.driver.cuda_library, ctx.answers, _shown(entry))
    yield ctx.error(take_out(ctx, entry), *shown, **facts)


def _entry(ctx: Context, folder: str) -> PathEntry | None:
    return ctx.searched.get(ctx.key(folder)) if folder else None


def _shown(entry: PathEntry | None) -> str:
    if entry is None:
        return ""
    return f"{entry.variable}: {entry.text}" + (f" ({entry.source})" if entry.source else "")


def _differ(ctx: Context) -> bool:
    """Whether the driver's libraries and the module in the running kernel don't agree."""
    if not ctx.judgeable or "/compat/" in ctx.driver.cuda_library + "/":
        return False
    differ = versions_differ(ctx.driver) and not ctx.windows and not ctx.machine.os.wsl
    answered = (
        ctx.nvml_code == NvmlReturn.LIB_RM_VERSION_MISMATCH
        or ctx.cuda_code == CudaResult.SYSTEM_DRIVER_MISMATCH
    )
    return answered or differ


@rule("driver-library-mismatch", layer=Layer.DRIVER_LIBRARIES)
def mismatch(ctx: Context) -> Findings:
    """The libraries were updated, the module in the running kernel was not."""
    if not ctx.machine.os.container and _differ(ctx):
        yield _mismatch(ctx, Manual(restart=True))


@rule("container-brings-driver", layer=Layer.DRIVER_LIBRARIES)
def container_driver(ctx: Context) -> Findings:
    """The container's image holds libraries of another driver than its computer's."""
    if ctx.machine.os.container and _differ(ctx):
        yield _mismatch(ctx, Manual(link=CONTAINER_PAGE, page="nvidia"))


def _mismatch(ctx: Context, remedy: Manual) -> Finding:
    kernel, library = ctx.driver.kernel_version, ctx.driver.version
    evidence = f"kernel: {kernel}; libraries: {library}"
    facts = Facts(kernel=kernel or "–", library=library or "–")
    return ctx.error(remedy, evidence, ctx.answers, **facts)
