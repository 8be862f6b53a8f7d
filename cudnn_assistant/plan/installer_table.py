"""The official installers that may be started for the person: these, and nothing else.

The data of the feed names none of them: a row is chosen by a rule, and of the feed only a version
number that matches the row's own pattern gets into an address. What a distribution's row holds is
run as root as it stands here.
"""

from __future__ import annotations

import msgspec

_MICROSOFT = frozenset({"aka.ms", "download.visualstudio.microsoft.com"})
"""Where Microsoft's permanent address stands, and where it leads."""
_NVIDIA = frozenset({"developer.download.nvidia.com"})
_NVIDIA_DRIVERS = frozenset({"us.download.nvidia.com"})
_BY_NVIDIA = "NVIDIA Corporation"


class Program(msgspec.Struct, frozen=True):
    """An installer for Windows. Its signature proves it, and its checksum where one is known."""

    name: str
    address: str
    """With ``{version}`` and ``{series}``, its first two numbers, where there is one."""
    hosts: frozenset[str]
    publisher: str
    """Organisation in the certificate that signed it."""
    arguments: tuple[str, ...] = ()
    """With ``{series}``. Without any it asks its own questions in its own window."""
    versions: str = ""
    """Pattern of a version; "": it has none."""
    licence: str = ""
    """Accepted by starting it with these arguments; "": it asks for that itself."""
    sha256: str = ""


NEWEST = "newest"


class Packages(msgspec.Struct, frozen=True):
    """What a distribution's package manager is told, line by line, as root."""

    name: str
    lines: tuple[str, ...]
    """With ``{version}`` and ``{branch}``, its first number, where there is a pattern for it."""
    back: str
    """The command by which a person takes it back."""
    versions: str = ""
    """Pattern of the driver's version, or of how its packages end ("570-server"); "": none."""
    branch: str = ""
    """The driver that they bring at least, NEWEST the newest; "": they choose it by the GPU."""
    only_closed: bool = False
    """They are for GPUs that the open kernel module doesn't run."""
    source: str = ""
    """Where the packages come from, if the distribution has that switched off at first."""
    signed: bool = False
    """Its kernel module is one that Secure Boot lets in."""
    kernel: str = ""
    """Pattern of the kernel release that they are for; "": any."""
    check: str = ""
    """Ends well only if they are there; "": the lines themselves tell. Run after them."""


_CUDA_SITE = "https://developer.download.nvidia.com/compute/cuda"
CUDA_LICENCE = "https://docs.nvidia.com/cuda/eula/index.html"


def _toolkit(address: str, versions: str, *, silent: bool = True) -> Program:
    """Naming the parts is how the display driver is left out ("CUDA Installation Guide").

    From CUDA 13 on it holds none, and silent parts have other names: it asks in its own window.
    The names of files and parts are those that public build scripts use for these versions.
    """
    parts = (
        "cudart", "nvcc", "nvrtc", "cublas", "cufft", "curand", "cusolver", "cusparse", "cupti",
    )  # fmt: skip
    return Program(
        "NVIDIA CUDA Toolkit {version}",
        _CUDA_SITE + address,
        _NVIDIA,
        _BY_NVIDIA,
        ("-s", "-n", *(f"{part}_{{series}}" for part in parts)) if silent else (),
        versions,
        CUDA_LICENCE if silent else "",
    )


_NETWORK = "/{version}/network_installers/cuda_{version}_"

TOOLKITS: dict[str, Program] = {
    "toolkit-10": _toolkit(
        "/{series}/Prod/network_installers/cuda_{version}_win10_network.exe",
        r"10\.1\.243|10\.2\.89",
    ),
    "toolkit-11": _toolkit(
        f"{_NETWORK}win10_network.exe",
        r"11\.0\.[23]|11\.1\.1|11\.2\.[0-2]|11\.3\.[01]|11\.4\.[0-3]|11\.5\.0",
    ),
    "toolkit": _toolkit(
        f"{_NETWORK}windows_network.exe",
        r"11\.4\.4|11\.5\.[12]|11\.[678]\.[0-9]|12\.[0-9]\.[0-9]",
    ),
    "toolkit-13": _toolkit(
        f"{_NETWORK}windows_network.exe", r"13\.0\.[0-2]|13\.1\.[01]|13\.2\.0", silent=False
    ),
    "toolkit-13-4": _toolkit(f"{_NETWORK}windows_x86_64_network.exe", r"13\.4\.2", silent=False),
}
"""One row for each way in which NVIDIA names the file."""

DRIVER = "580.88"
"""Of Windows' rows below: the branch that knows every GPU from Maxwell to Blackwell (the next one
drops Maxwell, Pascal and Volta), and speaks CUDA 13."""
_DRIVER_FILE = f"/{DRIVER}/{DRIVER}"


def _driver(file: str, sha256: str = "") -> Program:
    site = "https://us.download.nvidia.com/Windows"
    address = f"{site}{file}-win10-win11-64bit-international-dch-whql.exe"
    return Program(f"NVIDIA driver {DRIVER}", address, _NVIDIA_DRIVERS, _BY_NVIDIA, sha256=sha256)


def _vc_runtime(name: str, file: str) -> Program:
    return Program(
        f"Microsoft Visual C++ Redistributable ({name})",
        f"https://aka.ms/vs/17/release/{file}",
        _MICROSOFT,
        "Microsoft Corporation",
        ("/install", "/norestart"),
    )


PROGRAMS: dict[str, Program] = {
    "vc-runtime-x86_64": _vc_runtime("x64", "vc_redist.x64.exe"),
    "vc-runtime-aarch64": _vc_runtime("ARM64", "vc_redist.arm64.exe"),
    **TOOLKITS,
    "driver-windows-desktop": _driver(
        f"{_DRIVER_FILE}-desktop",
        "90c49f925b41ee062e02cc8094a16b6d057abfde4e85235a76d63ffe267f63a9",
    ),
    "driver-windows-notebook": _driver(f"{_DRIVER_FILE}-notebook"),
    "driver-windows-workstation": _driver(
        f"/Quadro_Certified{_DRIVER_FILE}-quadro-rtx-desktop-notebook"
    ),
}

_LINUX = "NVIDIA driver"


def _rhel(number: int, headers: str, module: str, driver: str) -> Packages:
    return Packages(
        _LINUX,
        (f"dnf install -y {headers} kernel-headers", f"dnf {module}install -y {driver}"),
        f"sudo dnf {module}remove {driver}",
        source="NVIDIA CUDA, EPEL",
        branch=NEWEST,
        kernel=rf"\.el{number}(_[0-9]+)?\.",
    )


def _suse(driver: str, branch: str, *, signed: bool = False, only_closed: bool = False) -> Packages:
    return Packages(
        _LINUX,
        (f"zypper --non-interactive install --auto-agree-with-licenses {driver}",),
        f"sudo zypper remove --clean-deps {driver}",
        source="NVIDIA (openSUSE-repos-Leap-NVIDIA, openSUSE-repos-Tumbleweed-NVIDIA)",
        branch=branch,
        signed=signed,
        only_closed=only_closed,
        kernel=r"-default$",
    )


PACKAGES: dict[str, Packages] = {
    "driver-ubuntu": Packages(
        _LINUX,
        (
            "apt-get update",
            "apt-get install -y ubuntu-drivers-common",
            "ubuntu-drivers install nvidia",
        ),
        "sudo apt-get remove --autoremove --purge 'nvidia-driver-*' 'linux-modules-nvidia-*'",
        signed=True,
        # Its last line ends well also where apt did not, or where it found no GPU.
        check=r"dpkg-query -W -f '${db:Status-Abbrev}\n' 'nvidia-driver-*' | grep -q '^ii'",
    ),
    "driver-debian": Packages(
        _LINUX,
        (
            "apt-get update",
            # The headers of an older kernel that runs are no longer to be had; after the restart
            # the newest one runs. libcuda1, through which programs compute, comes with nothing.
            "apt-get install -y linux-image-amd64 linux-headers-amd64 nvidia-driver libcuda1",
        ),
        # Not --autoremove: on Debian 13 it stops halfway, at sudo. And nvidia-persistenced, if it
        # stayed, would ask for a part of another driver.
        "sudo apt-get remove --purge nvidia-driver nvidia-kernel-dkms nvidia-kernel-support "
        "nvidia-alternative nvidia-persistenced libcuda1",
        branch="535",  # Debian 12; Debian 13 has 550.
        source="Debian non-free",
        kernel=r"^[0-9.]+(-[0-9]+|\+deb[0-9]+)?-amd64$",  # Not cloud, real-time, backports.
    ),
    "driver-fedora": Packages(
        _LINUX,
        (
            "dnf install -y akmod-nvidia xorg-x11-drv-nvidia-cuda",
            # Builds the module now: a restart before that would find none.
            "akmods --force",
        ),
        "sudo dnf remove 'akmod-nvidia*' 'xorg-x11-drv-nvidia*'",
        source="RPM Fusion nonfree",
        branch=NEWEST,
    ),
    "driver-fedora-ostree": Packages(
        _LINUX,
        (
            "rpm-ostree install akmod-nvidia xorg-x11-drv-nvidia-cuda",
            "rpm-ostree kargs --append-if-missing=rd.driver.blacklist=nouveau,nova_core",
            "rpm-ostree kargs --append-if-missing=modprobe.blacklist=nouveau,nova_core",
        ),
        "sudo rpm-ostree uninstall akmod-nvidia xorg-x11-drv-nvidia-cuda",
        source="RPM Fusion nonfree",
        branch=NEWEST,
    ),
    "driver-rhel8": _rhel(8, "kernel-devel-$(uname -r)", "module ", "nvidia-driver:open-dkms"),
    "driver-rhel9": _rhel(9, "kernel-devel-matched", "module ", "nvidia-driver:open-dkms"),
    "driver-rhel10": _rhel(10, "kernel-devel-matched", "", "nvidia-open"),
    "driver-arch": Packages(
        _LINUX,
        ("pacman -S --needed --noconfirm nvidia-open nvidia-utils",),
        "sudo pacman -Rs nvidia-open nvidia-utils",
        branch=NEWEST,
        kernel=r"-arch[0-9]",  # The other kernels have packages of their own.
    ),
    # The names with "meta" keep the module and the rest of the driver at one version (a post of
    # SUSE's maintainer of these packages, 2026-02).
    "driver-suse": _suse("nvidia-open-driver-G07-signed-kmp-meta", NEWEST, signed=True),
    "driver-suse-older": _suse("nvidia-driver-G06-kmp-meta", "550", only_closed=True),
}

PARTS = {
    "driver-compute-ubuntu": Packages(
        _LINUX,
        ("apt-get update", "apt-get install -y --reinstall libnvidia-compute-{version}"),
        "sudo apt-get remove libnvidia-compute-{version}",
        versions=r"[0-9]{3}(-server)?",
    ),
    "fabric-manager-ubuntu": Packages(
        "NVIDIA Fabric Manager",
        (
            "apt-get update",
            # Of exactly the driver's version, without which it refuses to start.
            "apt-get install -y 'nvidia-fabricmanager-{branch}={version}*'",
            "systemctl enable --now nvidia-fabricmanager",
        ),
        "sudo apt-get remove nvidia-fabricmanager-{branch}",
        versions=r"[0-9]{3}(\.[0-9]{1,4}){1,2}",
    ),
}
"""Parts of the driver that a distribution packs apart, by what they are and its family."""

PACKAGES |= PARTS

DRIVERS = {
    "ubuntu": ("driver-ubuntu",),
    "debian": ("driver-debian",),
    "fedora": ("driver-fedora",),
    "fedora-ostree": ("driver-fedora-ostree",),
    "rhel": ("driver-rhel9", "driver-rhel8", "driver-rhel10"),
    "arch": ("driver-arch",),
    "suse": ("driver-suse", "driver-suse-older"),
}
"""Rows by the family of a distribution."""

SAME_DRIVERS = frozenset({
    "ubuntu", "linuxmint", "debian", "fedora", "rhel", "rocky", "almalinux", "arch", "endeavouros",
    "opensuse-leap", "opensuse-tumbleweed",
})  # fmt: skip
"""Distributions, by os-release's own ID, that pack their drivers as their family does. Of the
others commands are shown, and nobody starts them."""
