"""Windows: display adapters, their driver and its trouble, from the registry and SetupAPI.

Importable on every system: elsewhere there is nothing.
"""

from __future__ import annotations

import platform
import re
import sys
import uuid
from collections.abc import Iterator, Sequence
from functools import partial

from cudnn_assistant.machine import OperatingSystem, readable
from cudnn_assistant.probe.computer.kernel import KernelFacts
from cudnn_assistant.probe.computer.pci import NVIDIA, Adapter
from cudnn_assistant.probe.files.windows_registry import Registry
from cudnn_assistant.regex import regex
from cudnn_assistant.system.winapi import WindowsApi

DISPLAY_CLASS = "{4d36e968-e325-11ce-bfc1-08002be10318}"
ACCELERATOR_CLASS = "{f01a9d53-3ff6-48d2-9f97-c8a7004be10c}"
_CLASSES = r"SYSTEM\CurrentControlSet\Control\Class"
_VERSION = r"SOFTWARE\Microsoft\Windows NT\CurrentVersion"
_SECURE_BOOT = r"SYSTEM\CurrentControlSet\Control\SecureBoot\State"
_IDS = regex(r"VEN_([0-9A-F]{4})&DEV_([0-9A-F]{4})", re.IGNORECASE)
_PRESENT = 0x2
_HARDWARE_ID, _DESCRIPTION, _FRIENDLY_NAME = 1, 0, 12
_BUS, _ADDRESS = 0x15, 0x1C
_HAS_PROBLEM = 0x400
_MOST = 64


if sys.platform == "win32":
    import ctypes
    from ctypes import wintypes

    class _Info(ctypes.Structure):
        _fields_ = (
            ("size", wintypes.DWORD),
            ("group", ctypes.c_ubyte * 16),
            ("instance", wintypes.DWORD),
            ("reserved", ctypes.c_void_p),
        )

    def _present() -> Iterator[Adapter]:
        """The display adapters and accelerators that are there, through SetupAPI."""
        setup = ctypes.WinDLL("setupapi")
        setup.SetupDiGetClassDevsW.restype = wintypes.HANDLE
        for group in (DISPLAY_CLASS, ACCELERATOR_CLASS):
            guid = uuid.UUID(group).bytes_le
            handle = setup.SetupDiGetClassDevsW(guid, None, None, _PRESENT)
            if handle in (None, wintypes.HANDLE(-1).value):
                continue
            try:
                yield from _devices(setup, wintypes.HANDLE(handle))
            finally:
                setup.SetupDiDestroyDeviceInfoList(wintypes.HANDLE(handle))

    def _devices(setup: ctypes.WinDLL, handle: wintypes.HANDLE) -> Iterator[Adapter]:
        for index in range(_MOST):
            info = _Info(size=ctypes.sizeof(_Info))
            if not setup.SetupDiEnumDeviceInfo(handle, index, ctypes.byref(info)):
                return
            ask = partial(_property, setup, handle, info)
            name = _text(ask(_FRIENDLY_NAME)) or _text(ask(_DESCRIPTION))
            place = _place(ask(_BUS), ask(_ADDRESS))
            yield adapter(_text(ask(_HARDWARE_ID)), name, _problem(info.instance), place)

    def _property(setup: ctypes.WinDLL, handle: wintypes.HANDLE, info: _Info, which: int) -> bytes:
        data = ctypes.create_string_buffer(4096)
        size = wintypes.DWORD()
        done = setup.SetupDiGetDeviceRegistryPropertyW(
            handle, ctypes.byref(info), which, None, data, len(data), ctypes.byref(size)
        )
        return data.raw[: size.value] if done else b""

    def _text(data: bytes) -> str:
        # A list of texts ends each with a zero; the first is the most exact.
        return data.decode("utf-16-le", "replace").split("\0")[0]

    def _place(bus: bytes, address: bytes) -> str:
        if len(bus) < 4 or len(address) < 4:
            return ""
        number, place = (int.from_bytes(one[:4], "little") for one in (bus, address))
        return f"{number >> 8:04x}:{number & 0xFF:02x}:{place >> 16:02x}.{place & 0xFFFF:x}"

    def _problem(instance: int) -> int:
        manager = ctypes.WinDLL("cfgmgr32")
        status, problem = wintypes.ULONG(), wintypes.ULONG()
        failed = manager.CM_Get_DevNode_Status(
            ctypes.byref(status), ctypes.byref(problem), wintypes.DWORD(instance), 0
        )
        return int(problem.value) if not failed and status.value & _HAS_PROBLEM else 0


def look() -> KernelFacts:
    """Adapters, driver version and problem codes of this computer."""
    adapters: list[Adapter] = []
    if sys.platform == "win32":
        adapters += _present()
    return facts(Registry(), adapters)


def facts(registry: Registry, adapters: Sequence[Adapter]) -> KernelFacts:
    """What registry and device list say, in the form of the other system's kernel."""
    version = next(_nvidia_drivers(registry), "")
    problems = {one.problem for one in adapters if one.vendor == NVIDIA and one.problem}
    return KernelFacts(
        kernel_version=version, adapters=(*adapters,), problem_codes=(*sorted(problems),)
    )


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


def adapter(hardware_id: str, name: str = "", problem: int = 0, bus: str = "") -> Adapter:
    """One present device of a display class."""
    match = _IDS.search(hardware_id)
    vendor, number = (match[1].lower(), match[2].lower()) if match else ("", "")
    return Adapter(bus=bus, vendor=vendor, device=number, name=readable(name), problem=problem)


def operating_system() -> OperatingSystem:
    """The Windows we run on."""
    administrator = sys.platform == "win32" and WindowsApi().elevated()
    return describe(Registry(), platform.machine(), administrator=administrator)


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
