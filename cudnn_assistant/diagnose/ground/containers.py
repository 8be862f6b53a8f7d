"""Linux inside something else: is the GPU let in? WSL, containers, sandboxes."""

from __future__ import annotations

from cudnn_assistant.codes import CudaResult, NvmlReturn
from cudnn_assistant.diagnose.ground.access import given_none, scheduler
from cudnn_assistant.diagnose.ground.driver_libraries import libraries_into_lxc, unsearched
from cudnn_assistant.diagnose.remedies import CONTAINER_PAGE, UPDATE_WSL, WSL_PAGE, commands_for
from cudnn_assistant.diagnose.rule import Context, Findings, Layer, rule
from cudnn_assistant.finding import Facts, Manual, Unknown
from cudnn_assistant.plan.installer_table import BY_HAND
from cudnn_assistant.shell import command


@rule("wsl-version-1", layer=Layer.CONTAINER)
def wsl_one(ctx: Context) -> Findings:
    """WSL 1 has no GPU at all."""
    if ctx.machine.os.wsl == 1:
        name = (ctx.machine.os.distribution or ("Ubuntu",))[0].capitalize()
        line = command("powershell", "wsl", "--set-version", name, "2")
        yield ctx.error(Manual(commands=("wsl --list --verbose", line)), name, system=name)


@rule("wsl-no-gpu", layer=Layer.CONTAINER, provable=False)
def wsl_no_device(ctx: Context) -> Findings:
    """WSL 2 offers no GPU: Windows, WSL or the Windows driver is too old."""
    bare = ctx.machine.os.wsl == 2 and not ctx.machine.os.container
    meant = bare and not _linux_driver_in_wsl(ctx.driver.cuda_library)
    if meant and _without_device(ctx):
        yield ctx.error(UPDATE_WSL, "/dev/dxg: –")


def _without_device(ctx: Context) -> bool:
    """Whether the file through which WSL reaches the GPU is known to be missing."""
    return any(n.path == "/dev/dxg" and not n.exists for n in ctx.driver.nodes)


def _linux_driver_in_wsl(library: str) -> bool:
    """Whether a file is a driver library of Linux that somebody put into a WSL."""
    known = ("/usr/lib/wsl/", "/mnt/")
    meant = library.startswith(known) or "/compat/" in library or "/stubs/" in library
    return bool(library) and not meant


_CAPABILITY = "NVIDIA_DRIVER_CAPABILITIES"


def _without_gpu(ctx: Context) -> bool:
    """Whether a container reaches no GPU: no device of it, or nothing that speaks to it."""
    machine = ctx.machine
    unknown = machine.unknown("gpu") or machine.unknown("driver")
    if not machine.os.container or unknown:
        return False
    # An image may hold driver libraries of its own, which reach no GPU from in there.
    answers = ctx.cuda_code in (CudaResult.SUCCESS, None)
    library = bool(ctx.driver.cuda_library) and answers
    return not (library or any(n.exists for n in ctx.driver.nodes))


@rule("job-without-gpu", layer=Layer.CONTAINER)
def pod_without_gpu(ctx: Context) -> Findings:
    """Kubernetes started the container without a GPU."""
    if _without_gpu(ctx) and (who := scheduler(ctx)) == "Kubernetes":
        yield given_none(ctx, who, ctx.machine.os.container)


@rule("container-no-gpu", layer=Layer.CONTAINER)
def container_no_gpu(ctx: Context) -> Findings:
    """The container was started without GPU, or without the capability CUDA needs."""
    if not _without_gpu(ctx):
        return
    name, there = ctx.machine.os.container, bool(ctx.machine.gpus)
    seen = ctx.machine.variable("NVIDIA_VISIBLE_DEVICES")
    kind = "jetson" if ctx.machine.small_board else name
    flag, *shown = BY_HAND["container"].get(kind, ("--gpus all",))
    yield ctx.error(
        Manual(link=CONTAINER_PAGE, page="nvidia", commands=tuple(shown)),
        name,
        f"NVIDIA_VISIBLE_DEVICES={seen.value.text}" if seen else "",
        sure=there,
        flag=flag,
        flag_unsure=not there,
    )


@rule("container-no-compute", layer=Layer.CONTAINER)
def container_capability(ctx: Context) -> Findings:
    """The container got the GPU, but not the libraries for computing."""
    given = ctx.machine.variable(_CAPABILITY)
    text = given.value.text if given else ""
    container = ctx.machine.os.container
    if not container or ctx.driver.cuda_library or ctx.runs or unsearched(ctx):
        return
    devices = any(n.exists for n in ctx.driver.nodes)
    if not devices or {"all", "compute"} & {p.strip() for p in text.split(",")}:
        return
    lines, evidence = [f"-e {_CAPABILITY}=compute,utility"], f"{_CAPABILITY}={text or '–'}"
    facts = Facts(value=text, absent="" if given else _CAPABILITY, setting=_CAPABILITY)
    if container in BY_HAND["container"] and container != "docker" and not given:
        flag, *lines = BY_HAND["container"][container]
        evidence, facts = f"{container}: libcuda.so.1: –", Facts(flag=flag)
        if container == "lxc":
            lines = [lines[1], *libraries_into_lxc(ctx).commands]
    remedy = Manual(link=CONTAINER_PAGE, page="nvidia", commands=tuple(lines))
    yield ctx.error(remedy, evidence, **facts)


@rule("sandbox-hides-gpu", layer=Layer.CONTAINER)
def sandbox(ctx: Context) -> Findings:
    """We run inside a snap or flatpak, which may hide the GPU from us and from it."""
    name, nodes = ctx.machine.os.sandbox, ctx.driver.nodes
    absent = [n.path for n in nodes if n.path == "/dev/nvidia-uvm" and not n.exists]
    kept = bool(absent) and ctx.cuda_code not in (CudaResult.SUCCESS, None)
    if name and (kept or not ctx.machine.gpus) and not ctx.runs:
        shown = (f"{path}: –" for path in absent)
        yield ctx.error(Unknown(), name, *shown, sure=kept, sandbox=name)


@rule("wsl-driver-missing", layer=Layer.WSL)
def wsl_missing(ctx: Context) -> Findings:
    """Windows gives its WSL no driver library: there is no (new enough) Windows driver."""
    if ctx.machine.os.wsl == 2 and ctx.judgeable and not ctx.driver.cuda_library:
        yield ctx.error(UPDATE_WSL, "/usr/lib/wsl/lib")


@rule("wsl-linux-driver", layer=Layer.WSL, provable=False)
def wsl_linux_driver(ctx: Context) -> Findings:
    """A Linux driver was installed inside WSL and hides the one of Windows."""
    library = ctx.driver.cuda_library
    if ctx.machine.os.wsl != 2 or ctx.machine.os.container or not _linux_driver_in_wsl(library):
        return
    # Without WSL's device no library reaches a GPU, whatever answers in its place.
    if not _without_device(ctx) and (ctx.answering or ctx.runs):
        return
    commands = commands_for(ctx, "out-of-wsl")
    remedy = Manual(link=WSL_PAGE, page="nvidia", commands=commands, administrator=True)
    yield ctx.error(remedy, library, library=library)


@rule("wsl-gpu-blocked", layer=Layer.WSL)
def wsl_blocked(ctx: Context) -> Findings:
    """Windows refuses its GPU to WSL."""
    if ctx.machine.os.wsl == 2 and ctx.nvml_code == NvmlReturn.OPERATING_SYSTEM:
        yield ctx.error(UPDATE_WSL, ctx.answers)
