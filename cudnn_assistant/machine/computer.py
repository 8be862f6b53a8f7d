"""The computer itself: its system, the driver and the GPUs."""

from __future__ import annotations

from typing import Literal

from cudnn_assistant.machine.base import Family, Struct

LimitName = Literal["AS", "DATA", "STACK", "NOFILE", "NPROC", "MEMLOCK"]


class Limit(Struct, kw_only=True):
    """A limit of this account's programs (setrlimit) that is low, and that they can't raise."""

    name: LimitName
    most: int
    """Bytes; of NOFILE and NPROC a count."""


class OperatingSystem(Struct, kw_only=True):
    """The system the snapshot was taken on."""

    family: Family
    name: str = ""
    """As the system calls itself: "Ubuntu 24.04.1 LTS", "Windows 11 Pro"."""
    version: str = ""
    """Kernel release on Linux, build number on Windows."""
    distribution: tuple[str, ...] = ()
    """Linux: ID and ID_LIKE of os-release, most specific first; "fedora-ostree" alone where the
    system is one image that is replaced as a whole."""
    architecture: str = ""
    """"x86_64" or "aarch64", of the system, whatever runs us."""
    libc: str = ""
    """Linux: "glibc 2.39" or "musl"."""
    wsl: int = 0
    """0, 1 or 2."""
    container: str = ""
    """"docker", "podman", "lxc" …, "" when none was seen."""
    sandbox: str = ""
    """"snap" or "flatpak", "" when none was seen."""
    administrator: bool = False
    """This program runs elevated (root, or an elevated token)."""
    secure_boot: bool | None = None
    """UEFI Secure Boot is on."""
    desktop: bool | None = None
    """A display is there to open a window on."""
    main_alone: str = ""
    """Debian: address and release of the source of packages, where its sections contrib and
    non-free, which hold the driver, are switched off; "" where they aren't, or elsewhere."""
    limits: tuple[Limit, ...] = ()
    """Linux: low limits that no experiment can lift."""


class Answer(Struct, kw_only=True):
    """What a library call returned: the number and its symbolic name."""

    code: int
    name: str = ""
    text: str = ""


class DeviceNode(Struct, kw_only=True):
    """A file under /dev that a driver library must be able to open."""

    path: str
    exists: bool
    openable: bool | None = None
    mode: str = ""
    owner: str = ""


class Driver(Struct, kw_only=True):
    """The NVIDIA driver as its three parts see it: kernel, NVML, driver API."""

    version: str = ""
    """Of the user-space libraries, by NVML or by their file name."""
    kernel_version: str = ""
    """Of the loaded kernel module (Linux: /proc/driver/nvidia/version; Windows: the registry)."""
    kernel_flavour: Literal["", "open", "proprietary"] = ""
    cuda: str = ""
    """Highest CUDA version that the driver speaks ("13.0"); not an installed toolkit."""
    nvml: Answer | None = None
    """Answer of nvmlInit. ``None``: not asked or unknown."""
    cuda_init: Answer | None = None
    """Answer of cuInit. ``None``: not asked or unknown."""
    nvml_library: str = ""
    """The file NVML was loaded from; "" when there is none."""
    cuda_library: str = ""
    """The file the driver API was loaded from; "" when there is none."""
    modules: tuple[str, ...] = ()
    """Loaded kernel modules among nvidia, nvidia_uvm, nvidia_modeset, nouveau, nova_core."""
    module_on_disk: bool | None = None
    """Linux: a module file for the running kernel exists."""
    module_elsewhere: bool | None = None
    """Linux: a module file for another kernel exists, or what such a file is built from."""
    kernel_replaced: bool = False
    """Linux: an update took away the modules of the kernel that still runs."""
    kernel_headers: bool | None = None
    """Linux: the headers of the running kernel are installed."""
    nodes: tuple[DeviceNode, ...] = ()
    problem_codes: tuple[int, ...] = ()
    """Windows: Device Manager problem codes of NVIDIA devices (22 disabled, 28 no driver, 43 …)."""
    log: tuple[str, ...] = ()
    """Telling lines of the kernel log (NVRM, Xid, module rejected), prefixes stripped."""


SwitchTool = Literal["", "prime-select", "envycontrol", "supergfxctl", "system76-power"]


class SwitchedOff(Struct, kw_only=True):
    """A setting that keeps NVIDIA's GPU, or its driver, off: the processor draws alone."""

    tool: SwitchTool = ""
    """Who wrote it; "": no tool that is known, so a person or a package."""
    file: str
    line: str = ""
    """What stands there: "off", "blacklist nvidia", a rule that takes the GPU off the bus."""


class GpuProcess(Struct, kw_only=True):
    """A process that holds memory on a GPU."""

    pid: int
    name: str = ""
    memory: int | None = None
    """Bytes; ``None`` under WDDM, which does not say."""
    kind: Literal["compute", "graphics"] = "compute"


class Gpu(Struct, kw_only=True):
    """One NVIDIA GPU, joined by UUID (NVML and CUDA number GPUs differently)."""

    uuid: str = ""
    name: str = ""
    pci_bus: str = ""
    """"0000:01:00.0"."""
    pci_id: str = ""
    """Vendor and device, "10de:2684"."""
    compute: str = ""
    """Compute capability, "8.9"."""
    architecture: str = ""
    """"Ada", "Hopper" …"""
    memory_total: int | None = None
    memory_free: int | None = None
    memory_used: int | None = None
    memory_reserved: int | None = None
    processes: tuple[GpuProcess, ...] = ()
    compute_mode: Literal["", "default", "prohibited", "exclusive-process"] = ""
    driver_model: Literal["", "wddm", "tcc", "mcdm"] = ""
    kernel_driver: str = ""
    """Linux: the driver bound to the device: nvidia, nouveau, nova_core, vfio-pci, "" for none."""
    mig: bool | None = None
    mig_instances: tuple[str, ...] = ()
    """UUIDs of MIG instances."""
    virtualization: Literal["", "none", "passthrough", "vgpu", "host-vgpu", "host-vsga"] = ""
    ecc: bool | None = None
    ecc_uncorrected: int | None = None
    remap_pending: bool | None = None
    remap_failed: bool | None = None
    xids: tuple[int, ...] = ()
    """Xid numbers of this boot's kernel log for this GPU."""
    throttled: tuple[str, ...] = ()
    """Harmful clock reasons now: hw-thermal, sw-thermal, power-brake, hw-slowdown."""
    temperature: int | None = None
    """Degrees Celsius."""
    display: bool | None = None
    asleep: bool | None = None
    """Linux: runtime-suspended (hybrid laptop)."""
    nvml_index: int | None = None
    cuda_index: int | None = None
    """Ordinal in a CUDA program under the person's environment; ``None``: CUDA doesn't see it."""
    seen_by: tuple[Literal["nvml", "cuda", "pci"], ...] = ()
