"""Present devices of a class and Device Manager's problem codes, through SetupAPI (Windows)."""

from __future__ import annotations

import sys
import uuid
from collections.abc import Iterator, Sequence

_PRESENT = 0x2
_HARDWARE_ID, _DESCRIPTION, _FRIENDLY_NAME = 1, 0, 12
_BUS, _ADDRESS = 0x15, 0x1C
_HAS_PROBLEM = 0x400
_MOST = 64

if sys.platform == "win32":
    import ctypes
    from ctypes import wintypes

    class _Guid(ctypes.Structure):
        _fields_ = (("bytes", ctypes.c_ubyte * 16),)

    class _Info(ctypes.Structure):
        _fields_ = (
            ("size", wintypes.DWORD),
            ("group", _Guid),
            ("instance", wintypes.DWORD),
            ("reserved", ctypes.c_void_p),
        )

    def present(classes: Sequence[str]) -> Iterator[tuple[str, str, int, str]]:
        """Hardware id, name, problem code (0: none) and bus address of each present device."""
        setup = ctypes.WinDLL("setupapi")
        setup.SetupDiGetClassDevsW.restype = wintypes.HANDLE
        for group in classes:
            guid = _Guid.from_buffer_copy(uuid.UUID(group).bytes_le)
            handle = setup.SetupDiGetClassDevsW(ctypes.byref(guid), None, None, _PRESENT)
            if handle in (None, wintypes.HANDLE(-1).value):
                continue
            try:
                yield from _devices(setup, wintypes.HANDLE(handle))
            finally:
                setup.SetupDiDestroyDeviceInfoList(wintypes.HANDLE(handle))

    def _devices(
        setup: ctypes.WinDLL, handle: wintypes.HANDLE
    ) -> Iterator[tuple[str, str, int, str]]:
        for index in range(_MOST):
            info = _Info(size=ctypes.sizeof(_Info))
            if not setup.SetupDiEnumDeviceInfo(handle, index, ctypes.byref(info)):
                return
            name = _text(setup, handle, info, _FRIENDLY_NAME)
            yield (
                _text(setup, handle, info, _HARDWARE_ID),
                name or _text(setup, handle, info, _DESCRIPTION),
                _problem(info.instance),
                _bus(setup, handle, info),
            )

    def _property(setup: ctypes.WinDLL, handle: wintypes.HANDLE, info: _Info, which: int) -> bytes:
        data = ctypes.create_string_buffer(4096)
        size = wintypes.DWORD()
        done = setup.SetupDiGetDeviceRegistryPropertyW(
            handle, ctypes.byref(info), which, None, data, len(data), ctypes.byref(size)
        )
        return data.raw[: size.value] if done else b""

    def _text(setup: ctypes.WinDLL, handle: wintypes.HANDLE, info: _Info, which: int) -> str:
        # A list of texts ends each with a zero; the first is the most exact.
        return _property(setup, handle, info, which).decode("utf-16-le", "replace").split("\0")[0]

    def _bus(setup: ctypes.WinDLL, handle: wintypes.HANDLE, info: _Info) -> str:
        bus = _property(setup, handle, info, _BUS)
        address = _property(setup, handle, info, _ADDRESS)
        if len(bus) < 4 or len(address) < 4:
            return ""
        number = int.from_bytes(bus[:4], "little")
        place = int.from_bytes(address[:4], "little")
        return f"{number >> 8:04x}:{number & 0xFF:02x}:{place >> 16:02x}.{place & 0xFFFF:x}"

    def _problem(instance: int) -> int:
        manager = ctypes.WinDLL("cfgmgr32")
        status, problem = wintypes.ULONG(), wintypes.ULONG()
        failed = manager.CM_Get_DevNode_Status(
            ctypes.byref(status), ctypes.byref(problem), wintypes.DWORD(instance), 0
        )
        return int(problem.value) if not failed and status.value & _HAS_PROBLEM else 0

else:

    def present(classes: Sequence[str]) -> Iterator[tuple[str, str, int, str]]:  # noqa: ARG001
        """None."""
        return iter(())
