"""Windows: display adapters, their driver and its trouble, from the registry and SetupAPI.

Importable on every system. What is read goes through :class:`Registry` and a list of devices,
so that the reading itself can be tested anywhere; the two functions at the end are the real ones.
"""

from __future__ import annotations

import platform
import re
import sys
from collections.abc import Sequence
from typing import NamedTuple, Protocol

from cudnn_assistant.machine import OperatingSystem
from cudnn_assistant.probe.computer.kernel import KernelFacts
from cudnn_assistant.probe.computer.pci import NVIDIA, Adapter

DISPLAY_CLASS = "{4d36e968-e325-11ce-bfc1-08002be10318}"
ACCELERATOR_CLASS = "{f01a9d53-3ff6-48d2-9f97-c8a7004be10c}"
_CLASSES = r"SYSTEM\CurrentControlSet\Control\Class"
_VERSION = r"SOFTWARE\Microsoft\Windows NT\CurrentVersion"
_SECURE_BOOT = r"SYSTEM\CurrentControlSet\Control\SecureBoot\State"
_IDS = re.compile(r"VEN_([0-9A-F]{4})&DEV_([0-9A-F]{4})", re.IGNORECASE)


class Registry(Protocol):
    """HKEY_LOCAL_MACHINE, read only; what can't be read is as good as empty."""

    def keys(self, path: str) -> Sequence[str]:
        """Names of the keys below a key."""

    def value(self, path: str, name: str) -> object:
        """One value, ``None`` when there is none."""


class Device(NamedTuple):
    """One present device of a display class."""

    hardware_id: str
    name: str = ""
    problem: int = 0
    """Device Manager's problem code."""
    bus: str = ""


def look() -> KernelFacts:
    """Adapters, driver version and problem codes of this computer."""
    return facts(real_registry(), real_devices())


def facts(registry: Registry, devices: Sequence[Device]) -> KernelFacts:
    """What registry and device list say, in the form of the other system's kernel."""
    version = next((v for _, v in _nvidia_drivers(registry)), "")
    adapters = tuple(_adapter(device) for device in devices)
    ours = [d for d in devices if f"VEN_{NVIDIA}".upper() in d.hardware_id.upper()]
    problems = tuple(sorted({device.problem for device in ours if device.problem}))
    return KernelFacts(version=version, adapters=adapters, problems=problems)


def _nvidia_drivers(registry: Registry) -> list[tuple[str, str]]:
    """Name and driver version of every NVIDIA adapter with a driver of NVIDIA's."""
    found = []
    for group in (DISPLAY_CLASS, ACCELERATOR_CLASS):
        base = rf"{_CLASSES}\{group}"
        for key in registry.keys(base):
            if not re.fullmatch(r"\d{4}", key):
                continue
            path = rf"{base}\{key}"
            maker = str(registry.value(path, "ProviderName") or "")
            version = nvidia_version(str(registry.value(path, "DriverVersion") or ""))
            if "NVIDIA" in maker.upper() and version:
                found.append((str(registry.value(path, "DriverDesc") or ""), version))
    return found


def nvidia_version(windows: str) -> str:
    """NVIDIA's number of a Windows driver: "32.0.15.6094" is 560.94; "" for other texts."""
    if not re.fullmatch(r"\d+\.\d+\.\d+\.\d+", windows):
        return ""
    digits = "".join(windows.split(".")[2:])[-5:]
    return f"{digits[:-2]}.{digits[-2:]}" if len(digits) == 5 else ""


def _adapter(device: Device) -> Adapter:
    match = _IDS.search(device.hardware_id)
    vendor, number = (match[1].lower(), match[2].lower()) if match else ("", "")
    return Adapter(bus=device.bus, vendor=vendor, device=number, name=device.name)


def operating_system() -> OperatingSystem:
    """The Windows we run on."""
    return describe(real_registry(), platform.machine(), administrator=_administrator())


def describe(registry: Registry, machine: str, *, administrator: bool) -> OperatingSystem:
    """The Windows that a registry tells of."""
    name = str(registry.value(_VERSION, "ProductName") or "Windows")
    build = str(registry.value(_VERSION, "CurrentBuildNumber") or "")
    # Microsoft never renamed the product in the registry of Windows 11.
    if build.isdigit() and int(build) >= 22000:
        name = name.replace("Windows 10", "Windows 11")
    secure = registry.value(_SECURE_BOOT, "UEFISecureBootEnabled")
    return OperatingSystem(
        family="windows",
        name=name,
        version=build,
        architecture={"amd64": "x86_64", "arm64": "aarch64"}.get(machine.lower(), machine),
        administrator=administrator,
        secure_boot=bool(secure) if isinstance(secure, int) else None,
        desktop=True,
    )


def _administrator() -> bool:
    if sys.platform == "win32":
        import ctypes

        return bool(ctypes.windll.shell32.IsUserAnAdmin())
    return False


class _Nothing:
    """The registry of a system that has none."""

    def keys(self, path: str) -> Sequence[str]:  # noqa: ARG002
        """None."""
        return ()

    def value(self, path: str, name: str) -> object:  # noqa: ARG002
        """None."""
        return None


def real_registry() -> Registry:
    """This computer's; an empty one elsewhere than on Windows."""
    if sys.platform == "win32":
        from cudnn_assistant.probe.computer.windows_registry import LocalMachine

        return LocalMachine()
    return _Nothing()


def real_devices() -> Sequence[Device]:
    """This computer's present display devices; none elsewhere than on Windows."""
    if sys.platform == "win32":
        from cudnn_assistant.probe.computer.windows_setup import present

        return [Device(*one) for one in present((DISPLAY_CLASS, ACCELERATOR_CLASS))]
    return ()
