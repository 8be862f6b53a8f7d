"""What a recommendation starts from: the few facts that decide which releases fit."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal

from cudnn_assistant.compat.facts import Compat, Platform
from cudnn_assistant.compat.lookup import architecture, cuda_of_driver, gpu_by_pci
from cudnn_assistant.compat.names import gpu_compute
from cudnn_assistant.compat.releases import framework_name
from cudnn_assistant.envpath import inside
from cudnn_assistant.machine import (
    SYSTEM,
    CudnnCopy,
    Family,
    Framework,
    Machine,
    PythonEnvironment,
    Struct,
)
from cudnn_assistant.versions import numbers, series

_CUBLAS = ("cublas", "cublasLt")


class Situation(Struct, kw_only=True):
    """A computer (or an imagined one) and what is wanted of it. "" means unknown."""

    subject: str = SYSTEM
    family: Family = "linux"
    platform: Platform | Literal[""] = "linux-x86_64"
    driver_family: Family = "linux"
    """Whose driver numbers count: under WSL the driver is that of Windows."""
    has_gpu: bool | None = True
    computes: tuple[str, ...] = ()
    unknown_gpus: tuple[str, ...] = ()
    """Names of GPUs whose compute capability isn't known."""
    meant: tuple[str, ...] = ()
    """Products that the person may mean, where a name was sold with several chips."""
    maker: str = ""
    """The GPU isn't this program's field: "amd", "intel", "apple", "jetson"."""
    musl: str = ""
    """The system's name where it has another C library than NVIDIA's files need."""
    driver: str = ""
    has_driver: bool | None = True
    cuda: str = ""
    """Highest CUDA that the driver speaks."""
    toolkits: tuple[str, ...] = ()
    """CUDA versions ("12.4", or "12") whose cuBLAS is there for the subject's programs."""
    cudnns: tuple[CudnnCopy, ...] = ()
    """Those that are whole, and usable for the subject."""
    python: str = ""
    framework: str = ""
    framework_version: str = ""
    framework_allowed: str = ""
    """Where no version is named: the releases that are allowed, ">=2.5,<2.9"."""
    framework_cuda: str = ""
    """CUDA of the installed build, which is kept if it fits."""
    installed: bool = False
    """The framework is installed, which proves that it fits this Python."""
    want_cudnn: str = ""
    """A program needs this cuDNN: its major, or a series ("8", "9.1")."""
    want_cuda: str = ""
    """A program needs this CUDA major; a build is wished for this CUDA ("12", "12.6")."""
    cudnn_allowed: str = ""
    """What other packages of the same environment demand of the cuDNN that they share."""

    @property
    def arm(self) -> bool:
        """Whether the processor is a 64-bit Arm."""
        return self.platform not in ("", "linux-x86_64", "windows-x86_64")


def situation(
    machine: Machine,
    compat: Compat,
    subject: str = SYSTEM,
    *,
    want_cudnn: str = "",
    want_cuda: str = "",
) -> Situation:
    """The situation of one subject on a computer."""
    environment = machine.environment(subject)
    framework = _framework(environment)
    computes = tuple(
        gpu.compute or gpu_by_pci(compat, gpu.pci_id)[1] or gpu_compute(compat, gpu.name) or ""
        for gpu in machine.gpus
    )
    driver = machine.driver.version if machine.driver else ""
    unknown = machine.unknown("driver")
    driver_family: Family = "windows" if machine.os.wsl else machine.os.family
    return Situation(
        subject=subject,
        family=machine.os.family,
        platform=_platform(machine, compat, computes),
        driver_family=driver_family,
        musl=machine.os.name if machine.os.libc.startswith("musl") else "",
        has_gpu=True if machine.gpus else (None if machine.unknown("gpu") else False),
        computes=tuple(dict.fromkeys(filter(None, computes))),
        unknown_gpus=tuple(
            gpu.name for gpu, known in zip(machine.gpus, computes, strict=True) if not known
        ),
        driver=driver,
        has_driver=True if driver else (None if machine.driver or unknown else False),
        cuda=(machine.driver.cuda if machine.driver else "")
        or cuda_of_driver(compat, driver, driver_family),
        toolkits=tuple(_toolkits(machine, environment)),
        cudnns=tuple(_present(machine, subject)),
        python=environment.version if environment else "",
        framework=framework_name(framework.name) if framework else "",
        framework_version=framework.version if framework else "",
        framework_cuda=framework.cuda if framework else "",
        installed=framework is not None,
        want_cudnn=want_cudnn,
        want_cuda=want_cuda,
    )


def _framework(environment: PythonEnvironment | None) -> Framework | None:
    """The framework an environment is about: the first that may use the GPU."""
    found = environment.frameworks if environment else ()
    return next((one for one in found if one.gpu is not False), found[0] if found else None)


def _platform(
    machine: Machine, compat: Compat, computes: tuple[str, ...]
) -> Platform | Literal[""]:
    arm = {"aarch64": True, "arm64": True, "x86_64": False, "amd64": False}.get(
        machine.os.architecture.lower()
    )
    if arm is None:
        return ""
    board = any(architecture(compat, one).board for one in computes)
    of_board = arm and board and machine.os.family == "linux"
    return "linux-aarch64" if of_board else platform_name(machine.os.family, arm=arm)


def platform_name(family: Family, *, arm: bool) -> Platform:
    """NVIDIA's name of an ordinary computer's platform."""
    if family == "windows":
        return "windows-arm64" if arm else "windows-x86_64"
    return "linux-sbsa" if arm else "linux-x86_64"


_AS_WINDOWS_SAYS = {"x86_64": "AMD64", "aarch64": "ARM64"}


def in_markers(family: Family, processor: str, python: str) -> dict[str, str]:
    """What a package's marker asks of a computer and its Python (PEP 508), as far as known."""
    windows = family == "windows"
    told = {
        "platform_system": "Windows" if windows else "Linux",
        "sys_platform": "win32" if windows else "linux",
        "os_name": "nt" if windows else "posix",
        "platform_machine": _AS_WINDOWS_SAYS.get(processor, processor) if windows else processor,
    }
    version = {"python_version": series(python), "python_full_version": python}
    return told | (version if python else {})


def _toolkits(machine: Machine, environment: PythonEnvironment | None) -> Iterator[str]:
    """CUDA versions with cuBLAS: of the system, and of the subject's own environment."""
    for toolkit in machine.toolkits:
        if toolkit.version:
            yield series(toolkit.version)
    roots = [one.id for one in machine.pythons if one.kind != "system"]
    for library in machine.libraries:
        of_system = not any(inside(library.path, root, machine.os.family) for root in roots)
        if library.name in _CUBLAS and library.major is not None and of_system:
            yield str(library.major)
    for package in environment.packages if environment else ():
        if package.name.startswith("nvidia-cublas") and not package.files_missing:
            yield series(package.version)


def _present(machine: Machine, subject: str) -> Iterator[CudnnCopy]:
    """Whole copies that the subject may use: its own, or the system's."""
    wanted = "" if subject == SYSTEM else subject
    for copy in machine.cudnns:
        here = not copy.architecture or copy.architecture == machine.os.architecture
        usable = copy.environment in ("", wanted) and here and copy.flavour == "full"
        loads = copy.check is None or copy.check.status == "ok"
        if usable and loads and not copy.damaged and numbers(copy.version):
            yield copy
