"""WSL 2 uses the driver of Windows; what stands between the two?"""

from __future__ import annotations

from cudnn_assistant.codes import NvmlReturn
from cudnn_assistant.diagnose.ground.containers import linux_driver_in_wsl, without_device
from cudnn_assistant.diagnose.remedies import UPDATE_WSL, WSL_PAGE
from cudnn_assistant.diagnose.rule import Context, Findings, Layer, rule
from cudnn_assistant.finding import Manual


@rule("wsl-driver-missing", layer=Layer.WSL)
def wsl_missing(ctx: Context) -> Findings:
    """Windows gives its WSL no driver library: there is no (new enough) Windows driver."""
    if ctx.machine.os.wsl == 2 and ctx.judgeable and not ctx.driver.cuda_library:
        yield ctx.error(UPDATE_WSL, "/usr/lib/wsl/lib")


@rule("wsl-linux-driver", layer=Layer.WSL, provable=False)
def wsl_linux_driver(ctx: Context) -> Findings:
    """A Linux driver was installed inside WSL and hides the one of Windows."""
    library = ctx.driver.cuda_library
    if ctx.machine.os.wsl != 2 or ctx.machine.os.container or not linux_driver_in_wsl(library):
        return
    # Without WSL's device no library reaches a GPU, whatever answers in its place.
    if not without_device(ctx) and (ctx.answering or ctx.runs):
        return
    purge = "sudo apt purge 'libnvidia-compute-*' 'nvidia-utils-*' cuda-drivers"
    commands = (purge,) if ctx.debian else ()
    remedy = Manual(link=WSL_PAGE, page="nvidia", commands=commands, administrator=True)
    yield ctx.error(remedy, library, library=library)


@rule("wsl-gpu-blocked", layer=Layer.WSL)
def wsl_blocked(ctx: Context) -> Findings:
    """Windows refuses its GPU to WSL."""
    if ctx.machine.os.wsl == 2 and ctx.nvml_code == NvmlReturn.OPERATING_SYSTEM:
        yield ctx.error(UPDATE_WSL, ctx.answers)
