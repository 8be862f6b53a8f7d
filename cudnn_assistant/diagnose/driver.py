"""Does the driver, which lets programs use the GPU, work? Its three parts must agree."""

from __future__ import annotations

from collections.abc import Iterator

from cudnn_assistant.codes import cuda_result, nvml_return
from cudnn_assistant.diagnose.context import Context, Rule, numbers, passed
from cudnn_assistant.diagnose.gpu import ACCESS, log_line
from cudnn_assistant.diagnose.remedies import (
    CONTAINER_PAGE,
    DRIVER_PAGE,
    HEADER_COMMANDS,
    INITRAMFS_COMMANDS,
    WSL_PAGE,
    distribution,
    install_driver,
    take_out,
)
from cudnn_assistant.finding import Finding, Manual, Remedy, Unknown
from cudnn_assistant.machine import DeviceNode, Driver, Gpu, PathEntry, Trial

SPACE = 600 * 1024 * 1024
"""Free GPU memory in bytes below which a test can't be expected to run (cudnn_test.md §11)."""


def _nvml(ctx: Context) -> int | None:
    driver = ctx.machine.driver
    return driver.nvml.code if driver and driver.nvml else None


def _cuda(ctx: Context) -> int | None:
    driver = ctx.machine.driver
    return driver.cuda_init.code if driver and driver.cuda_init else None


def _runs(ctx: Context) -> bool:
    """NVML or the driver API answered well: the kernel module is there."""
    return _nvml(ctx) == 0 or _cuda(ctx) == 0


def _known(ctx: Context) -> bool:
    """Whether it is known which driver there is, and whether a finding about it makes sense."""
    machine = ctx.machine
    return not (machine.unknown("driver") or ctx.runs) and bool(machine.gpus or machine.os.wsl)


def _bare(ctx: Context) -> bool:
    """Linux of its own: no WSL, no container, where the driver is installed elsewhere."""
    system = ctx.machine.os
    return system.family == "linux" and not system.wsl and not system.container


def _debian(ctx: Context) -> bool:
    return bool(set(ctx.machine.os.distribution) & {"ubuntu", "debian"})


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
    two = driver is not None and ctx.windows and not _runs(ctx) and _differ(driver)
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
    if not _known(ctx) or ctx.machine.os.wsl or ctx.machine.os.container or _runs(ctx):
        return
    if driver is not None and 28 not in driver.problem_codes and _has_parts(driver):
        return
    gpu = ctx.machine.gpus[0]
    held = f"{gpu.name}: {gpu.kernel_driver}" if gpu.kernel_driver else gpu.name
    yield ctx.finding("driver-missing", "error", install_driver(ctx), held, gpu=gpu.name)


def _has_parts(driver: Driver) -> bool:
    loaded = any(m.startswith("nvidia") for m in driver.modules)
    return bool(
        driver.nvml_library or driver.cuda_library or driver.kernel_version or loaded
        or driver.module_on_disk
    )  # fmt: skip


def _unloaded(ctx: Context) -> Driver | None:
    """The driver on bare Linux whose module isn't loaded, ``None`` for anything else."""
    driver = ctx.machine.driver
    if driver is None or not _bare(ctx) or not _known(ctx) or _runs(ctx):
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
    rebuild = distribution(ctx.machine.os, {k: (v,) for k, v in INITRAMFS_COMMANDS.items()})
    lines = f"blacklist {name}\\noptions {name} modeset=0\\n"
    blacklist = f"printf '{lines}' | sudo tee /etc/modprobe.d/blacklist-{name}.conf"
    remedy = Manual(commands=(blacklist, *rebuild), restart=True, administrator=True)
    yield ctx.finding("nouveau-active", "error", remedy, f"{holder.name}: {name}", holder=name)


def not_built(ctx: Context) -> Iterator[Finding]:
    """D11: the driver's module was never built for the kernel that runs now."""
    driver = _unloaded(ctx)
    if driver is not None and driver.module_on_disk is False:
        commands = distribution(ctx.machine.os, HEADER_COMMANDS)
        remedy = Manual(link=DRIVER_PAGE, commands=commands, restart=True, administrator=True)
        evidence = "kernel headers: –" if driver.kernel_headers is False else ""
        kernel = ctx.machine.os.version
        yield ctx.finding(
            "driver-module-not-built", "error", remedy, kernel, evidence, kernel=kernel
        )


def not_loaded(ctx: Context) -> Iterator[Finding]:
    """D12 where Secure Boot refused the module, else a module that is there and not loaded."""
    driver = _unloaded(ctx)
    if driver is None or driver.module_on_disk is not True:
        return
    line = log_line(ctx, r"key was rejected|unavailable key|module verification failed.*required")
    if line or ctx.machine.os.secure_boot:
        enrol = "sudo mokutil --import /var/lib/shim-signed/mok/MOK.der"
        commands = (enrol,) if _debian(ctx) else ()
        remedy = Manual(commands=commands, restart=True, administrator=True)
        evidence = line or "Secure Boot: on"
        yield ctx.finding("secure-boot-blocks-driver", "error", remedy, evidence, sure=bool(line))
        return
    remedy = Manual(commands=("sudo modprobe nvidia",), administrator=True)
    yield ctx.finding("driver-module-not-loaded", "error", remedy, ", ".join(driver.modules))


def mismatch(ctx: Context) -> Iterator[Finding]:
    """D10: the libraries were updated, the module in the running kernel was not."""
    driver = ctx.machine.driver
    if driver is None or not _known(ctx) or "/compat/" in driver.cuda_library + "/":
        return
    differ = _differ(driver) and not ctx.windows and not ctx.machine.os.wsl
    if _nvml(ctx) == 18 or _cuda(ctx) == 803 or differ:
        inside = bool(ctx.machine.os.container)
        yield ctx.finding(
            "container-brings-driver" if inside else "driver-library-mismatch",
            "error",
            Manual(link=CONTAINER_PAGE) if inside else Manual(restart=True),
            f"kernel: {driver.kernel_version}; libraries: {driver.version}",
            _answers(ctx),
            kernel=driver.kernel_version or "–",
            library=driver.version or "–",
        )


def _answers(ctx: Context) -> str:
    """What the driver's libraries answered, by name and number."""
    nvml, cuda = _nvml(ctx), _cuda(ctx)
    if cuda:
        return f"{cuda_result(cuda)} ({cuda})"
    return f"{nvml_return(nvml)} ({nvml})" if nvml else ""


def wsl_missing(ctx: Context) -> Iterator[Finding]:
    """C06: Windows gives its WSL no driver library: there is no (new enough) Windows driver."""
    driver = ctx.machine.driver
    if ctx.machine.os.wsl == 2 and _known(ctx) and (driver is None or not driver.cuda_library):
        remedy = Manual(link=DRIVER_PAGE, commands=("wsl --update", "wsl --shutdown"))
        yield ctx.finding("wsl-driver-missing", "error", remedy, "/usr/lib/wsl/lib")


def wsl_linux_driver(ctx: Context) -> Iterator[Finding]:
    """C02: a Linux driver was installed inside WSL and hides the one of Windows."""
    driver = ctx.machine.driver
    library = driver.cuda_library if driver else ""
    if ctx.machine.os.wsl != 2 or not library or _runs(ctx) or ctx.runs:
        return
    if (
        library.startswith(("/usr/lib/wsl/", "/mnt/"))
        or "/compat/" in library
        or "/stubs/" in library
    ):
        return
    purge = "sudo apt purge 'libnvidia-compute-*' 'nvidia-utils-*' cuda-drivers"
    commands = (purge,) if _debian(ctx) else ()
    remedy = Manual(link=WSL_PAGE, commands=commands, administrator=True)
    yield ctx.finding("wsl-linux-driver", "error", remedy, library, library=library)


def wsl_blocked(ctx: Context) -> Iterator[Finding]:
    """C03, C04: Windows refuses its GPU to WSL."""
    if ctx.machine.os.wsl == 2 and _nvml(ctx) == 17:
        remedy = Manual(link=DRIVER_PAGE, commands=("wsl --update", "wsl --shutdown"))
        yield ctx.finding("wsl-gpu-blocked", "error", remedy, _answers(ctx))


def stub(ctx: Context) -> Iterator[Finding]:
    """L25: a link-time stub is loaded in place of the driver's library."""
    driver = ctx.machine.driver
    if driver is None or ctx.windows or ctx.runs:
        return
    stubs = [p for p in (driver.cuda_library, driver.nvml_library) if "/stubs/" in p]
    if not stubs and _cuda(ctx) != 34:
        return
    folder = ctx.parent(stubs[0]) if stubs else ""
    entry = _entry(ctx, folder) or next((e for e in _stub_entries(ctx)), None)
    yield ctx.finding(
        "stub-library-loaded",
        "error",
        take_out(ctx, entry),
        stubs[0] if stubs else _answers(ctx),
        _shown(entry),
        folder=folder or (entry.folder if entry else ""),
        variable=entry.variable if entry else "",
        place=entry.source if entry else "",
    )


def stub_searched(ctx: Context) -> Iterator[Finding]:
    """L25, not yet harmful: a folder of stubs is searched; nothing loaded from it so far."""
    driver = ctx.machine.driver
    if driver is None or "/stubs/" in driver.cuda_library + driver.nvml_library or _cuda(ctx) == 34:
        return
    for entry in _stub_entries(ctx):
        yield ctx.finding(
            "stub-folder-searched",
            "warning",
            take_out(ctx, entry),
            _shown(entry),
            folder=entry.folder or entry.text,
            variable=entry.variable,
            place=entry.source,
        )


def _stub_entries(ctx: Context) -> list[PathEntry]:
    if ctx.windows:
        return []
    return [e for e in ctx.machine.search if ctx.name(ctx.key(e.folder or e.text)) == "stubs"]


def compat_used(ctx: Context) -> Iterator[Finding]:
    """C10: the forward-compatibility library is loaded where NVIDIA doesn't allow it."""
    driver = ctx.machine.driver
    if driver is None or _cuda(ctx) in (0, None) or ctx.runs:
        return
    inside = "/compat/" in driver.cuda_library
    if not inside and _cuda(ctx) != 804:
        return
    folder = ctx.parent(driver.cuda_library) if inside else ""
    entry = _entry(ctx, folder)
    yield ctx.finding(
        "compat-library-used",
        "error",
        take_out(ctx, entry),
        driver.cuda_library,
        _answers(ctx),
        _shown(entry),
        folder=folder,
        place=entry.source if entry else "",
    )


def _entry(ctx: Context, folder: str) -> PathEntry | None:
    return ctx.searched.get(ctx.key(folder)) if folder else None


def _shown(entry: PathEntry | None) -> str:
    if entry is None:
        return ""
    return f"{entry.variable}: {entry.text}" + (f" ({entry.source})" if entry.source else "")


def permission(ctx: Context) -> Iterator[Finding]:
    """D17: the device files exist, and this user may not open them. C09, C14 in containers."""
    driver = ctx.machine.driver
    if driver is None or ctx.windows or ctx.runs:
        return
    closed = [n for n in driver.nodes if n.exists and n.openable is False and _matters(n)]
    if not closed and _nvml(ctx) != 4:
        return
    node = closed[0] if closed else None
    evidence = f"{node.path} {node.mode} {node.owner}" if node else _answers(ctx)
    path = node.path if node else "/dev/nvidiactl"
    if ctx.machine.os.container:
        remedy = Manual(link=CONTAINER_PAGE)
        yield ctx.finding("device-permission-container", "error", remedy, evidence, path=path)
        return
    group = node.owner.split(":")[-1] if node and ":" in node.owner else "video"
    group = "video" if group in ("root", "") else group
    remedy = Manual(commands=(f'sudo usermod -aG {group} "$USER"',), administrator=True)
    yield ctx.finding("device-permission", "error", remedy, evidence, path=path, group=group)


def _matters(node: DeviceNode) -> bool:
    return node.path in ("/dev/nvidiactl", "/dev/nvidia-uvm", "/dev/nvidia0", "/dev/dxg")


def uvm(ctx: Context) -> Iterator[Finding]:
    """D18, D19: the module for unified memory is not there, or broke when the computer slept."""
    driver = ctx.machine.driver
    if driver is None or not _bare(ctx) or _cuda(ctx) not in (999, 100, 3) or ctx.runs:
        return
    node = next((n for n in driver.nodes if n.path == "/dev/nvidia-uvm"), None)
    if (node is not None and not node.exists) or "nvidia_uvm" not in driver.modules:
        commands = ("sudo modprobe nvidia_uvm", "sudo nvidia-modprobe -u -c=0")
        remedy = Manual(commands=commands, administrator=True)
        yield ctx.finding("uvm-missing", "error", remedy, _answers(ctx), "/dev/nvidia-uvm: –")
    elif _cuda(ctx) == 999 and log_line(ctx, r"suspend exit|resume"):
        commands = ("sudo rmmod nvidia_uvm", "sudo modprobe nvidia_uvm")
        remedy = Manual(commands=commands, restart=True, administrator=True)
        yield ctx.finding("cuda-stopped-after-sleep", "error", remedy, _answers(ctx))


def fabric(ctx: Context) -> Iterator[Finding]:
    """D22: GPUs behind NVSwitch wait for the Fabric Manager."""
    if _cuda(ctx) == 802 and not ctx.windows:
        remedy = Manual(
            commands=("sudo systemctl enable --now nvidia-fabricmanager",), administrator=True
        )
        yield ctx.finding("fabric-manager-missing", "error", remedy, _answers(ctx))


def compute_mode(ctx: Context) -> Iterator[Finding]:
    """D23, D24: the GPU admits no program, or one that is there already."""
    for gpu in ctx.machine.gpus:
        busy = [p for p in gpu.processes if p.kind == "compute"]
        prohibited = gpu.compute_mode == "prohibited"
        if ctx.runs or not (prohibited or (gpu.compute_mode == "exclusive-process" and busy)):
            continue
        index = gpu.nvml_index or 0
        prefix = "" if ctx.windows else "sudo "
        remedy = Manual(commands=(f"{prefix}nvidia-smi -i {index} -c DEFAULT",), administrator=True)
        code = "compute-mode-prohibited" if prohibited else "compute-mode-exclusive"
        evidence = f"{gpu.name}: {gpu.compute_mode}"
        program = ", ".join(_process(p.name, p.pid) for p in busy[:3])
        yield ctx.finding(code, "error", remedy, evidence, program, gpu=gpu.name, program=program)


def memory_taken(ctx: Context) -> Iterator[Finding]:
    """A02, A03, H07: nearly all of the GPU's memory is taken."""
    if any(passed(t) for t in ctx.machine.trials):
        return
    for gpu in ctx.machine.gpus:
        told = any(_full(t) and t.gpu in ("", gpu.uuid) for t in ctx.machine.trials)
        tight = gpu.memory_free is not None and gpu.memory_free < SPACE
        if (told or tight) and gpu.cuda_index is not None:
            yield _memory(ctx, gpu, sure=told)


def _memory(ctx: Context, gpu: Gpu, *, sure: bool) -> Finding:
    users = sorted(gpu.processes, key=lambda p: -(p.memory or 0))
    names = ", ".join(_process(p.name, p.pid) for p in users[:3])
    small = gpu.memory_total is not None and gpu.memory_total < 2 * SPACE
    code = "gpu-memory-taken" if names else "gpu-memory-small" if small else "gpu-memory-held"
    free, total = _mib(gpu.memory_free), _mib(gpu.memory_total)
    return ctx.finding(
        code,
        "error",
        Manual(restart=code == "gpu-memory-held"),
        f"{gpu.name}: {free} / {total}",
        *(f"{_process(p.name, p.pid)}: {_mib(p.memory)}" for p in users[:8]),
        gpu=gpu.name,
        free=free,
        total=total,
        programs=names,
        sure=sure,
    )


def _full(trial: Trial) -> bool:
    return trial.status == "out-of-memory"


def _process(name: str, pid: int) -> str:
    return f"{name} ({pid})" if name else str(pid)


def _mib(size: int | None) -> str:
    """A size as people read it; units are those of nvidia-smi, in powers of two."""
    if size is None:
        return "?"
    return f"{size / 1024**3:.1f} GB" if size >= 1024**3 else f"{size // 1024**2} MB"


def licence(ctx: Context) -> Iterator[Finding]:
    """D27: a virtual GPU whose licence was not found."""
    vgpu = next((g for g in ctx.machine.gpus if g.virtualization == "vgpu"), None)
    trials = [t for t in ctx.machine.trials if t.stage in ("driver", "context")]
    if vgpu and not ctx.runs and (any(t.code in (46, 102) for t in trials) or _cuda(ctx) == 102):
        yield ctx.finding("vgpu-licence", "error", Manual(), vgpu.name, gpu=vgpu.name, sure=False)


def not_answering(ctx: Context) -> Iterator[Finding]:
    """D11–D13 without their proof: libraries and module are there, and still no answer."""
    driver = ctx.machine.driver
    if driver is None or not _known(ctx) or _runs(ctx) or _cuda(ctx) is None:
        return
    gpu = ctx.machine.gpus[0].name if ctx.machine.gpus else ""
    yield ctx.finding("driver-not-answering", "error", Unknown(), _answers(ctx), gpu=gpu)


RULES = (
    Rule(restart_pending, ("driver-restart-pending",), ("D09",)),
    Rule(damaged, ("driver-damaged",), ("D07", "D30")),
    Rule(missing, ("driver-missing",), ("D02", "D03")),
    Rule(wsl_missing, ("wsl-driver-missing",), ("C06",)),
    Rule(held_by_other, ("nouveau-active", "gpu-kept-for-vm"), ("D13", "D30")),
    Rule(not_built, ("driver-module-not-built",), ("D11",)),
    Rule(not_loaded, ("secure-boot-blocks-driver", "driver-module-not-loaded"), ("D12",)),
    Rule(stub, ("stub-library-loaded",), ("L25",)),
    Rule(stub_searched, ("stub-folder-searched",), ("L25",)),
    Rule(compat_used, ("compat-library-used",), ("C10",)),
    Rule(wsl_linux_driver, ("wsl-linux-driver",), ("C02",)),
    Rule(wsl_blocked, ("wsl-gpu-blocked",), ("C03", "C04")),
    Rule(mismatch, ("driver-library-mismatch", "container-brings-driver"), ("D10",)),
    Rule(permission, ("device-permission", "device-permission-container"), ("D17", "C09", "C14")),
    Rule(uvm, ("uvm-missing", "cuda-stopped-after-sleep"), ("D18", "D19")),
    Rule(fabric, ("fabric-manager-missing",), ("D22",)),
    *ACCESS,
    Rule(compute_mode, ("compute-mode-prohibited", "compute-mode-exclusive"), ("D23", "D24")),
    Rule(licence, ("vgpu-licence",), ("D27",)),
    Rule(
        memory_taken,
        ("gpu-memory-taken", "gpu-memory-held", "gpu-memory-small"),
        ("A02", "A03", "H07"),
    ),
)
"""Rules about the driver and the way to the GPU, for the whole computer."""

LAST = (Rule(not_answering, ("driver-not-answering",), ()),)
"""Said only when no other rule of the layer explains the silence."""
