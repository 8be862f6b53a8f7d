"""The kernel's side of the NVIDIA driver on Linux: modules, device files, adapters, log."""

from __future__ import annotations

import contextlib
import os
import re
import stat
from typing import Literal

from cudnn_assistant.machine import DeviceNode, Driver, Gap, SwitchedOff
from cudnn_assistant.probe.computer import kernel_log, pci, switched_off
from cudnn_assistant.probe.files.disk import Disk
from cudnn_assistant.regex import regex

_MODULES = ("nvidia", "nvidia_uvm", "nvidia_modeset", "nvidia_drm", "nouveau", "nova_core")
_VERSION = regex(r"Kernel Module(?: for \S+)?\s+(\d+(?:\.\d+)+)")
_MOST_NODES = 64
Flavour = Literal["", "open", "proprietary"]


class KernelFacts(Driver, kw_only=True):
    """What the kernel tells without any library: its part of the driver, and of the computer."""

    adapters: tuple[pci.Adapter, ...] = ()
    switched_off: SwitchedOff | None = None
    gaps: tuple[Gap, ...] = ()


def look(disk: Disk, kernel: str, wsl: int = 0) -> KernelFacts:
    """Everything the kernel tells; ``kernel`` is its release. Under WSL there is only /dev/dxg."""
    if wsl:
        return KernelFacts(nodes=(node(disk, "/dev/dxg"),))
    version, flavour = loaded(disk)
    adapters = pci.adapters(disk)
    ours = [one for one in adapters if one.vendor == pci.NVIDIA]
    modules = tuple(name for name in _MODULES if disk.is_folder(f"/sys/module/{name}"))
    lines, gap = kernel_log.read(disk) if ours or modules else ((), None)
    return KernelFacts(
        kernel_version=version,
        kernel_flavour=flavour,
        modules=modules,
        module_on_disk=module_on_disk(disk, kernel),
        module_elsewhere=module_elsewhere(disk, kernel),
        kernel_replaced=replaced(disk, kernel),
        kernel_headers=headers(disk, kernel),
        nodes=nodes(disk, bool(version or ours)),
        log=lines,
        adapters=adapters,
        switched_off=None if version else switched_off.look(disk),
        gaps=(gap,) if gap else (),
    )


def loaded(disk: Disk) -> tuple[str, Flavour]:
    """Version and flavour of the loaded module; empty when none is loaded."""
    text = disk.text("/proc/driver/nvidia/version", 4096)
    match = _VERSION.search(text)
    if not match:
        return disk.text("/sys/module/nvidia/version", 64).strip(), ""
    return match[1], "open" if "Open Kernel Module" in text else "proprietary"


def module_on_disk(disk: Disk, kernel: str) -> bool | None:
    """Whether nvidia.ko exists for the running kernel; ``None`` without a modules folder."""
    folders = (disk.join(base, kernel) for base in _MODULES_OF_KERNELS if kernel)
    return next((_has_module(disk, one) for one in folders if disk.is_folder(one)), None)


def _has_module(disk: Disk, folder: str) -> bool:
    """Whether a kernel's folder of modules has NVIDIA's."""
    listing = disk.text(disk.join(folder, "modules.dep"), 8 << 20)
    listed = re.findall(r"(?m)^(?:\S*/)?([^/\s]+):", listing)
    folders = (disk.join(folder, below) for below in _MODULE_FOLDERS)
    names = (name for one in folders for name in disk.names(one))
    return any(map(_MODULE.fullmatch, (*listed, *names)))


def module_elsewhere(disk: Disk, kernel: str) -> bool:
    """Whether another kernel has the module, or what it is built from lies ready (DKMS, akmods)."""
    sources = (name for folder in _SOURCES for name in disk.names(folder))
    others = (disk.join(base, name) for base in _MODULES_OF_KERNELS
              for name in disk.names(base) if name != kernel)  # fmt: skip
    return any(one.startswith("nvidia") for one in sources) or any(
        _has_module(disk, one) for one in others
    )


def replaced(disk: Disk, kernel: str) -> bool:
    """Whether other kernels have their modules, and the running one has lost its own."""
    folders = [(name, disk.join(base, name)) for base in _MODULES_OF_KERNELS
               for name in disk.names(base)]  # fmt: skip
    whole = {name for name, folder in folders if disk.exists(disk.join(folder, "modules.dep"))}
    return bool(kernel and whole) and kernel not in whole


_MODULE = regex(r"nvidia(?:-(?:current|tesla|legacy)(?:-open|-\d+\w*)*)?\.ko(?:\.\w+)?")
"""Debian's has the name of its branch, "nvidia-current.ko"."""
_SOURCES = ("/usr/src", "/usr/src/akmods", "/var/lib/dkms")
_MODULES_OF_KERNELS = ("/lib/modules", "/usr/lib/modules")
_MODULE_FOLDERS = ("updates/dkms", "updates", "extra", "extra/nvidia", "kernel/drivers/video",
                   "kernel/nvidia", "video", "weak-updates/nvidia", "extramodules")  # fmt: skip
"""Where packages and DKMS put it; looked at because modules.dep may not have been made anew."""


def headers(disk: Disk, kernel: str) -> bool | None:
    """Whether the running kernel's headers are there (a module can be built)."""
    if not kernel:
        return None
    places = (f"/lib/modules/{kernel}/build", f"/usr/src/linux-headers-{kernel}",
              f"/usr/src/kernels/{kernel}")  # fmt: skip
    return any(disk.exists(disk.join(place, "Makefile")) for place in places)


def nodes(disk: Disk, expected: bool) -> tuple[DeviceNode, ...]:
    """The device files that a CUDA program opens: those there, and the missing ones if wanted."""
    present = [name for name in disk.names("/dev") if re.fullmatch(r"nvidia\d+", name)]
    present.sort(key=lambda name: int(name.removeprefix("nvidia")))
    names = ["nvidiactl", "nvidia-uvm", *(present[:_MOST_NODES] or ["nvidia0"])]
    found = [node(disk, f"/dev/{name}") for name in names]
    return tuple(one for one in found if one.exists or expected)


def node(disk: Disk, path: str) -> DeviceNode:
    """One device file: whether this user may open it, its mode and owner."""
    try:
        status = os.stat(disk.real(path))
    except OSError as trouble:
        hidden = isinstance(trouble, PermissionError)
        return DeviceNode(path=path, exists=hidden, openable=False if hidden else None)
    return DeviceNode(
        path=path,
        exists=True,
        openable=_openable(disk.real(path), status.st_mode),
        mode=f"{stat.S_IMODE(status.st_mode):04o}",
        owner=_owner(status.st_uid, status.st_gid),
    )


def _openable(path: str, mode: int) -> bool:
    if not os.access(path, os.R_OK | os.W_OK):
        return False
    if not stat.S_ISCHR(mode) or not path.endswith(("nvidiactl", "nvidia-uvm", "dxg")):
        return True  # opening a GPU's own file would wake the GPU
    # A container's device rules are not in the mode bits: only an attempt tells.
    try:
        os.close(os.open(path, os.O_RDWR | os.O_CLOEXEC | os.O_NONBLOCK))
    except OSError:
        return False
    return True


def _owner(uid: int, gid: int) -> str:
    user, group = str(uid), str(gid)
    with contextlib.suppress(ImportError, KeyError, OSError):
        import grp
        import pwd

        group = grp.getgrgid(gid).gr_name
        user = pwd.getpwuid(uid).pw_name
    return f"{user}:{group}"
