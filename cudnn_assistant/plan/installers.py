"""The official installers that may be started for the person: this table, and nothing else.

The data of the feed names none of them: a row is chosen by a rule, and of the feed only a version
number that matches the row's own pattern gets into an address. What a distribution's row holds is
run as root as it stands here.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from cudnn_assistant.finding import Finding, Installer, Manual
from cudnn_assistant.machine import Machine, OperatingSystem
from cudnn_assistant.plan.steps import RunInstaller

MICROSOFT = frozenset({"aka.ms", "download.visualstudio.microsoft.com"})
"""Where Microsoft's permanent address stands, and where it leads."""
NVIDIA = frozenset({"developer.download.nvidia.com"})


class Program(NamedTuple):
    """An installer for Windows. It has no lasting checksum: its signature is what proves it."""

    name: str
    address: str
    """With ``{version}``, where there is one."""
    hosts: frozenset[str]
    publisher: str
    """Organisation in the certificate that signed it."""
    arguments: tuple[str, ...] = ()
    """With ``{series}``, the first two numbers of the version."""
    versions: str = ""
    """Pattern of a version; "": it has none."""
    licence: str = ""
    """Accepted by starting it with these arguments; "": it asks for that itself."""


class Packages(NamedTuple):
    """What a distribution's package manager is told, line by line, as root."""

    name: str
    lines: tuple[str, ...]
    back: str
    """The command by which a person takes it back."""
    oldest: tuple[int, int] = (0, 0)
    """Compute capability from which on the packages know a GPU; (0, 0): they choose by the GPU."""
    below: tuple[int, int] = (99, 0)
    """Compute capability from which on they know it no more, or not yet."""
    source: str = ""
    """Where the packages come from, if the distribution has that switched off at first."""
    signed: bool = False
    """Its kernel module is one that Secure Boot lets in."""
    kernel: str = ""
    """Pattern of the kernel release that they are for; "": any."""


_DRIVER = "NVIDIA driver"
_CUDA_SOURCE = "NVIDIA CUDA, EPEL"
_CUDA_PARTS = (
    "cudart", "nvcc", "nvrtc", "cublas", "cufft", "curand", "cusolver", "cusparse", "cupti",
)  # fmt: skip

PROGRAMS: dict[str, Program] = {
    "vc-runtime-x86_64": Program(
        "Microsoft Visual C++ Redistributable (x64)",
        "https://aka.ms/vs/17/release/vc_redist.x64.exe",
        MICROSOFT,
        "Microsoft Corporation",
        ("/install", "/norestart"),
    ),
    "vc-runtime-aarch64": Program(
        "Microsoft Visual C++ Redistributable (ARM64)",
        "https://aka.ms/vs/17/release/vc_redist.arm64.exe",
        MICROSOFT,
        "Microsoft Corporation",
        ("/install", "/norestart"),
    ),
    "toolkit": Program(
        "NVIDIA CUDA Toolkit {version}",
        "https://developer.download.nvidia.com/compute/cuda/{version}/network_installers/"
        "cuda_{version}_windows_network.exe",
        NVIDIA,
        "NVIDIA Corporation",
        # Naming the parts is how the display driver is left out (nvidia_redist.md 2.1).
        ("-s", "-n", *(f"{part}_{{series}}" for part in _CUDA_PARTS)),
        # The name of the file before and after these is another one.
        r"11\.[678]\.[0-9]|12\.[0-9]\.[0-9]",
        "https://docs.nvidia.com/cuda/eula/index.html",
    ),
}

PACKAGES: dict[str, Packages] = {
    "driver-ubuntu": Packages(
        _DRIVER,
        (
            "apt-get update",
            "apt-get install -y ubuntu-drivers-common",
            "ubuntu-drivers install",
        ),
        "sudo apt-get remove --autoremove --purge 'nvidia-driver-*' 'linux-modules-nvidia-*'",
        signed=True,
    ),
    "driver-debian": Packages(
        _DRIVER,
        (
            "apt-get update",
            # libcuda1, through which programs compute, comes with nothing else.
            "apt-get install -y linux-headers-$(uname -r) nvidia-driver libcuda1",
        ),
        "sudo apt-get remove --autoremove --purge nvidia-driver nvidia-kernel-dkms libcuda1",
        oldest=(5, 0),
        source="Debian non-free",
        below=(10, 0),  # Debian 12 has driver 535 and Debian 13 has 550.
    ),
    "driver-fedora": Packages(
        _DRIVER,
        (
            "dnf install -y akmod-nvidia xorg-x11-drv-nvidia-cuda",
            # Builds the module now: a restart before that would find none.
            "akmods --force",
        ),
        "sudo dnf remove 'akmod-nvidia*' 'xorg-x11-drv-nvidia*'",
        source="RPM Fusion nonfree",
        oldest=(7, 5),
    ),
    "driver-rhel": Packages(
        _DRIVER,
        ("dnf module install -y nvidia-driver:open-dkms",),
        "sudo dnf module remove nvidia-driver:open-dkms",
        source=_CUDA_SOURCE,
        oldest=(7, 5),
        kernel=r"\.el[89](_[0-9]+)?\.",
    ),
    "driver-rhel10": Packages(
        _DRIVER,
        ("dnf install -y nvidia-open",),
        "sudo dnf remove nvidia-open",
        source=_CUDA_SOURCE,
        oldest=(7, 5),
        kernel=r"\.el10(_[0-9]+)?\.",
    ),
    "driver-arch": Packages(
        _DRIVER,
        ("pacman -S --needed --noconfirm nvidia-open nvidia-utils",),
        "sudo pacman -Rs nvidia-open nvidia-utils",
        oldest=(7, 5),
        kernel=r"-arch[0-9]",  # The other kernels have packages of their own.
    ),
}

_DRIVERS = {
    "ubuntu": ("driver-ubuntu",),
    "linuxmint": ("driver-ubuntu",),
    "debian": ("driver-debian",),
    "fedora": ("driver-fedora",),
    "rhel": ("driver-rhel", "driver-rhel10"),
    "rocky": ("driver-rhel", "driver-rhel10"),
    "almalinux": ("driver-rhel", "driver-rhel10"),
    "arch": ("driver-arch",),
    "endeavouros": ("driver-arch",),
}
"""By os-release's own ID. What is merely like one of them may pack its drivers in another way."""


def driver(machine: Machine) -> Installer | None:
    """The row that brings a driver for every GPU of this Linux; ``None`` where none surely does.

    Never inside WSL or a container, whose driver is the host's.
    """
    system = machine.os
    bare = system.family == "linux" and not (system.wsl or system.container or system.sandbox)
    if not bare or system.architecture != "x86_64":
        return None
    for row in _DRIVERS.get(next(iter(system.distribution), ""), ()):
        if _is_for(PACKAGES[row], machine):
            return Installer(row=row)
    return None


def commands(system: OperatingSystem) -> tuple[str, ...]:
    """What a person would type for a driver, whether or not it is started from here."""
    for row in _DRIVERS.get(next(iter(system.distribution), ""), ()):
        if re.search(PACKAGES[row].kernel, system.version):
            return step_of(Installer(row=row)).commands
    return ()


def _is_for(packages: Packages, machine: Machine) -> bool:
    system = machine.os
    if not re.search(packages.kernel, system.version):
        return False
    if system.secure_boot is not False and not packages.signed:
        # A module without a known signature would leave the computer without any driver.
        return False
    if packages.oldest == (0, 0):
        return True
    known = [_numbers(gpu.compute) for gpu in machine.gpus]
    return bool(known) and all(packages.oldest <= one < packages.below for one in known)


def _numbers(compute: str) -> tuple[int, int]:
    first, _dot, second = compute.partition(".")
    whole = first.isdecimal() and second.isdecimal()
    return (int(first), int(second)) if whole else (-1, 0)


def vc_runtime(system: OperatingSystem) -> Installer | None:
    """Microsoft's run-time files for this processor."""
    row = f"vc-runtime-{system.architecture}"
    return Installer(row=row) if system.family == "windows" and row in PROGRAMS else None


def toolkit(system: OperatingSystem, versions: Sequence[str]) -> Installer | None:
    """The newest of these CUDA toolkits that has an installer for this Windows."""
    if system.family != "windows" or system.architecture != "x86_64":
        return None
    pattern = PROGRAMS["toolkit"].versions
    known = [version for version in versions if re.fullmatch(pattern, version)]
    newest = max(known, key=lambda text: [int(part) for part in text.split(".")], default="")
    return Installer(row="toolkit", version=newest) if newest else None


def installer_steps(findings: Sequence[Finding], machine: Machine) -> Iterator[RunInstaller]:
    """One step for each installer that findings wish, where somebody can say yes to it here."""
    if not (machine.os.administrator or machine.os.desktop):
        return
    wishes: dict[Installer, list[tuple[str, bool]]] = {}
    for finding in findings:
        remedy = finding.remedy
        if isinstance(remedy, Manual) and remedy.installer is not None:
            wishes.setdefault(remedy.installer, []).append((finding.code, remedy.restart))
    for wish, served in wishes.items():
        codes = tuple(dict.fromkeys(code for code, _restart in served))
        restart = any(restart for _code, restart in served)
        yield step_of(wish, restart=restart, why=codes)


def step_of(wish: Installer, *, restart: bool = False, why: tuple[str, ...] = ()) -> RunInstaller:
    """The step with all that the person is shown of it. Raises :class:`KeyError` or ValueError."""
    row, version = wish.row, wish.version
    if row in PACKAGES:
        packages = PACKAGES[row]
        return RunInstaller(
            name=packages.name,
            commands=tuple(f"sudo {line}" for line in packages.lines),
            restart=restart,
            row=row,
            back=packages.back,
            why=why,
        )
    program = PROGRAMS[row]
    if not re.fullmatch(program.versions, version):
        raise ValueError(version)
    return RunInstaller(
        name=program.name.format(version=version),
        link=program.address.format(version=version),
        restart=restart,
        row=row,
        version=version,
        licence=program.licence,
        why=why,
    )


def arguments_of(step: RunInstaller) -> tuple[str, ...]:
    """What a program of the table is started with."""
    series = ".".join(step.version.split(".")[:2])
    return tuple(text.format(series=series) for text in PROGRAMS[step.row].arguments)


def is_of_the_table(step: RunInstaller) -> bool:
    """Whether what the person was shown is what the table says."""
    try:
        known = step_of(Installer(row=step.row, version=step.version))
    except (KeyError, ValueError):
        return False
    shown = (step.name, step.link, step.commands, step.licence, step.back)
    return shown == (known.name, known.link, known.commands, known.licence, known.back)
