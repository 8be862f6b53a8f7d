"""The driver API as far as the test needs it: start, devices, primary context, memory.

One table over ctypes. NVIDIA's bindings for Python do the same and take 60 to 110 ms and 13 MB to
import (ctypes: 10 ms, 2 MB), and a driver that is older than they are they can't call at all.
"""

from __future__ import annotations

import ctypes
import sys
from ctypes import byref, c_char_p, c_int, c_size_t, c_ubyte, c_uint, c_uint64, c_void_p

TYPE_CHECKING = False  # the module typing alone costs a tenth of the child's start
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

LIBRARY = "nvcuda.dll" if sys.platform == "win32" else "libcuda.so.1"
COMPUTE_MAJOR, COMPUTE_MINOR = 75, 76
PLACE = (50, 33, 34)
"""Numbers of the device attributes; a place on the bus is its domain, bus and slot."""
OUT_OF_MEMORY, NO_DEVICE, NOT_FOUND = 2, 100, 500

_CALLS: dict[str, tuple[tuple[type, ...], tuple[Callable[..., object], ...]]] = {
    "cuInit": ((), (c_uint,)),
    "cuDriverGetVersion": ((c_int,), ()),
    "cuDeviceGetCount": ((c_int,), ()),
    "cuDeviceGetUuid": ((c_ubyte * 16,), (c_int,)),
    "cuDeviceGetName": ((ctypes.c_char * 256,), (c_int, c_int)),
    "cuDeviceGetAttribute": ((c_int,), (c_int, c_int)),
    "cuDeviceGet": ((c_int,), (c_int,)),
    "cuDevicePrimaryCtxRetain": ((c_void_p,), (c_int,)),
    "cuCtxSetCurrent": ((), (c_void_p,)),
    "cuCtxSynchronize": ((), ()),
    "cuMemGetInfo": ((c_size_t, c_size_t), ()),
    "cuMemAlloc": ((c_uint64,), (c_size_t,)),
    "cuMemFree": ((), (c_uint64,)),
    "cuMemsetD8": ((), (c_uint64, c_ubyte, c_size_t)),
    "cuMemcpyHtoD": ((), (c_uint64, c_char_p, c_size_t)),
    "cuMemcpyDtoH": ((), (byref, c_uint64, c_size_t)),
}
"""What each call gives back, and what it takes. In C the former are pointers, and come first."""
_SECOND = ("cuMem", "cuDeviceGetUuid")
"""Calls whose second version is the present one: the first is of the 32-bit days, or (UUID, before
CUDA 11.4) doesn't tell MIG slices apart. Others' second versions take other arguments."""


class CudaStatus(Exception):
    """A call of the driver API answered with a number other than 0."""

    def __init__(self, code: int, call: str) -> None:
        super().__init__(f"{call}: {code}")
        self.code = code
        self.call = call


class Driver:
    """The driver API. Every method raises :class:`CudaStatus`."""

    def __init__(self) -> None:
        """Load the library by its bare name. Raises OSError when it can't be loaded."""
        self._library = ctypes.CDLL(LIBRARY)

    def call(self, name: str, *arguments: object) -> tuple[Any, ...]:
        """What a function gives back."""
        results, takes = _CALLS[name]
        newer = getattr(self._library, f"{name}_v2", None) if name.startswith(_SECOND) else None
        function = newer or getattr(self._library, name, None)
        if function is None:
            raise CudaStatus(NOT_FOUND, name)
        given = [kind() for kind in results]
        passed = (make(one) for make, one in zip(takes, arguments, strict=True))
        if code := function(*(byref(one) for one in given), *passed):
            raise CudaStatus(code, name)
        return tuple(getattr(one, "value", one) for one in given)

    def version(self) -> int:
        """The CUDA version that the driver speaks: 13000 is 13.0. 0 when it does not say."""
        try:
            return int(self.call("cuDriverGetVersion")[0])
        except CudaStatus:
            return 0

    def count(self) -> int:
        """How many GPUs this process may see."""
        return int(self.call("cuDeviceGetCount")[0])

    def uuid(self, ordinal: int) -> str:
        """What stands behind "GPU-" or "MIG-": hexadecimal digits, with dashes."""
        digits = bytes(self.call("cuDeviceGetUuid", ordinal)[0]).hex()
        return "-".join((digits[:8], digits[8:12], digits[12:16], digits[16:20], digits[20:]))

    def name(self, ordinal: int) -> str:
        """The GPU's name."""
        name: bytes = self.call("cuDeviceGetName", 256, ordinal)[0]
        return name.decode("utf-8", "replace")

    def attribute(self, which: int, ordinal: int) -> int:
        """A number about a device."""
        return int(self.call("cuDeviceGetAttribute", which, ordinal)[0])

    def enter(self, ordinal: int) -> None:
        """Make the device's primary context the current one: cuDNN works in that and no other."""
        (device,) = self.call("cuDeviceGet", ordinal)
        (self._context,) = self.call("cuDevicePrimaryCtxRetain", device)
        self.call("cuCtxSetCurrent", self._context)

    def memory(self) -> tuple[int, int]:
        """Bytes free and bytes altogether on the current device."""
        free, total = self.call("cuMemGetInfo")
        return int(free), int(total)

    def read(self, address: int, size: int) -> bytes:
        """Copy from the device."""
        data = ctypes.create_string_buffer(size)
        self.call("cuMemcpyDtoH", data, address, size)
        return data.raw
