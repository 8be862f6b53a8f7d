"""Windows: display adapters, their driver and its trouble, from the registry and SetupAPI.

Importable on every system: elsewhere there is nothing.
"""

from __future__ import annotations

import platform
import re
import sys
from collections.abc import Iterator, Sequence
from itertools import starmap

import msgspec

from cudnn_assistant.machine import OperatingSystem, readable
from cudnn_assistant.probe.computer.kernel import KernelFacts
from cudnn_assistant.probe.computer.pci import NVIDIA, Adapter
from cudnn_assistant.probe.computer.windows_setup import present
from cudnn_assistant.probe.files.windows_registry import Registry
from cudnn_assistant.regex import regex

DISPLAY_CLASS = "{4d36e968-e325-11ce-bfc1-08002be10318}"
ACCELERATOR_CLASS = "{f01a9d53-3ff6-48d2-9f97-c8a7004be10c}"
_CLASSES = r"SYSTEM\CurrentControlSet\Control\Class"
_VERSION = r"SOFTWARE\Microsoft\Windows NT\CurrentVersion"
_SECURE_BOOT = r"SYSTEM\CurrentControlSet\Control\SecureBoot\State"
_IDS = regex(r"VEN_([0-9A-F]{4})&DEV_([0-9A-F]{4})", re.IGNORECASE)


class Device(msgspec.Struct, frozen=True):
    """One present device of a display class."""

    hardware_id: str
    name: str = ""
    problem: int = 0
    """Device Manager's problem code."""
    bus: str = ""


def look() -> KernelFacts:
    """Adapters, driver version and problem codes of this computer."""
    return facts(Registry(), [*starmap(Device, present((DISPLAY_CLASS, ACCELERATOR_CLASS)))])


def facts(registry: Registry, devices: Sequence[Device]) -> KernelFacts:
    """What registry and device list say, in the form of the other system's kernel."""
    version = next(_nvidia_drivers(registry), "")
    adapters = tuple(_adapter(device) for device in devices)
    ours = [d for d in devices if f"VEN_{NVIDIA}".upper() in d.hardware_id.upper()]
    problems = tuple(sorted({device.problem for device in ours if device.problem}))
    return KernelFacts(kernel_version=version, adapters=adapters, problem_codes=problems)


def _nvidia_drivers(registry: Registry) -> Iterator[str]:
    """Driver version of every NVIDIA adapter with a driver of NVIDIA's."""
    for group in (DISPLAY_CLASS, ACCELERATOR_CLASS):
        base = rf"{_CLASSES}\{group}"
        for key in registry.keys(base):
            maker = registry.text(rf"{base}\{key}", "ProviderName")
            told = registry.text(rf"{base}\{key}", "DriverVersion")
            version = nvidia_version(told) if re.fullmatch(r"\d{4}", key) else ""
            if "NVIDIA" in maker.upper() and version:
                yield version


def nvidia_version(windows: str) -> str:
    """NVIDIA's number of a Windows driver: "32.0.15.6094" is 560.94; "" for other texts."""
    if not re.fullmatch(r"([0-9]{1,9}\.){3}[0-9]{1,9}", windows):
        return ""
    digits = "".join(windows.split(".")[2:])[-5:]
    return f"{digits[:-2]}.{digits[-2:]}" if len(digits) == 5 else ""


def _adapter(device: Device) -> Adapter:
    match = _IDS.search(device.hardware_id)
    vendor, number = (match[1].lower(), match[2].lower()) if match else ("", "")
    return Adapter(bus=device.bus, vendor=vendor, device=number, name=readable(device.name))


def operating_system() -> OperatingSystem:
    """The Windows we run on."""
    return describe(Registry(), platform.machine(), administrator=_administrator())


def describe(registry: Registry, machine: str, *, administrator: bool) -> OperatingSystem:
    """The Windows that a registry tells of."""
    name = registry.text(_VERSION, "ProductName") or "Windows"
    build = registry.text(_VERSION, "CurrentBuildNumber")
    # Microsoft never renamed the product in the registry of Windows 11.
    if re.fullmatch("[0-9]{1,9}", build) and int(build) >= 22000:
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
