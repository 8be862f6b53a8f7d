"""The driver API as far as the test needs it: start, devices, primary context, memory.

Calls have the names, arguments and answers that NVIDIA's cuda-python gives them. Its bindings make
them where they can be imported and find every one; else :class:`Direct`, one table over ctypes, for
drivers that are older than the bindings and for packages that leave those out. :func:`_bound` alone
tells them apart.

Who is there is always asked directly: a missing library is told from one that can't start on every
driver, and the bindings (60 to 110 ms and 13 MB to import; ctypes: 10 ms, 2 MB; cuInit itself about
200 ms, the whole test 560 to 880 ms on an H100) are imported only once a GPU is there.
"""

from __future__ import annotations

import ctypes
import sys
from ctypes import byref, c_char_p, c_int, c_size_t, c_ubyte, c_uint, c_uint64, c_void_p
from functools import partial

TYPE_CHECKING = False  # the module typing alone costs a tenth of the child's start
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

LIBRARY = "nvcuda.dll" if sys.platform == "win32" else "libcuda.so.1"
COMPUTE_MAJOR, COMPUTE_MINOR = 75, 76
"""Numbers of the device attributes."""
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
_LOOKS = 6
"""So many of them look who is there; the others work with a GPU."""


class CudaStatus(Exception):
    """A call of the driver API answered with a number other than 0."""

    def __init__(self, code: int, call: str) -> None:
        super().__init__(f"{call}: {code}")
        self.code = code
        self.call = call


class Direct:
    """The calls as cuda-python has them, each made through ctypes: a code, then what it gives."""

    def __init__(self) -> None:
        """Load the library by its bare name. Raises OSError when it can't be loaded."""
        self._library = ctypes.CDLL(LIBRARY)

    def __getattr__(self, name: str) -> Callable[..., tuple[Any, ...]]:
        """The call of this name."""
        return partial(self._call, name)

    def _call(self, name: str, *arguments: object) -> tuple[Any, ...]:
        results, takes = _CALLS[name]
        newer = getattr(self._library, f"{name}_v2", None) if name.startswith(_SECOND) else None
        function = newer or getattr(self._library, name, None)
        if function is None:
            return NOT_FOUND, *results
        given = [kind() for kind in results]
        passed = (make(one) for make, one in zip(takes, arguments, strict=True))
        code = function(*(byref(one) for one in given), *passed)
        return code, *(getattr(one, "value", one) for one in given)


class Driver:
    """The driver API. Every method raises :class:`CudaStatus`."""

    def __init__(self) -> None:
        """Load the library by its bare name. Raises OSError when it can't be loaded."""
        self._direct = Direct()
        self._calls: Any = self._direct

    def bind(self) -> None:
        """Work through cuda-python from here on, where this driver has all that it looks up."""
        self._calls = _bound(self.version()) or self._direct

    def start(self) -> None:
        """cuInit."""
        _ask(self._direct, "cuInit", 0)

    def version(self) -> int:
        """The CUDA version that the driver speaks: 13000 is 13.0. 0 when it does not say."""
        try:
            return int(_ask(self._direct, "cuDriverGetVersion")[0])
        except CudaStatus:
            return 0

    def count(self) -> int:
        """How many GPUs this process may see."""
        return int(_ask(self._direct, "cuDeviceGetCount")[0])

    def uuid(self, ordinal: int) -> str:
        """32 hexadecimal digits."""
        return bytes(_ask(self._direct, "cuDeviceGetUuid", ordinal)[0]).hex()

    def name(self, ordinal: int) -> str:
        """The GPU's name."""
        name: bytes = _ask(self._direct, "cuDeviceGetName", 256, ordinal)[0]
        return name.decode("utf-8", "replace")

    def attribute(self, which: int, ordinal: int) -> int:
        """A number about a device."""
        return int(_ask(self._direct, "cuDeviceGetAttribute", which, ordinal)[0])

    def enter(self, ordinal: int) -> None:
        """Make the device's primary context the current one: cuDNN works in that and no other."""
        (device,) = _ask(self._calls, "cuDeviceGet", ordinal)
        (self._context,) = _ask(self._calls, "cuDevicePrimaryCtxRetain", device)
        _ask(self._calls, "cuCtxSetCurrent", self._context)

    def memory(self) -> tuple[int, int]:
        """Bytes free and bytes altogether on the current device."""
        free, total = _ask(self._calls, "cuMemGetInfo")
        return int(free), int(total)

    def allocate(self, size: int) -> int:
        """Memory on the device; its address."""
        return int(_ask(self._calls, "cuMemAlloc", size)[0])

    def free(self, address: int) -> None:
        """Give memory back."""
        _ask(self._calls, "cuMemFree", address)

    def fill(self, address: int, byte: int, size: int) -> None:
        """Set every byte."""
        _ask(self._calls, "cuMemsetD8", address, byte, size)

    def write(self, address: int, data: bytes) -> None:
        """Copy to the device."""
        _ask(self._calls, "cuMemcpyHtoD", address, data, len(data))

    def read(self, address: int, size: int) -> bytes:
        """Copy from the device."""
        data = ctypes.create_string_buffer(size)
        _ask(self._calls, "cuMemcpyDtoH", data, address, size)
        return data.raw

    def wait(self) -> None:
        """Until all work is done; trouble of a launched kernel shows here."""
        _ask(self._calls, "cuCtxSynchronize")


def _ask(calls: Any, name: str, *arguments: object) -> tuple[Any, ...]:
    code, *values = getattr(calls, name)(*arguments)
    if int(code):
        raise CudaStatus(int(code), name)
    return tuple(values)


def _bound(version: int) -> object | None:
    """NVIDIA's bindings; None where they are absent or this driver is older than they are."""
    try:
        from cuda.bindings import driver

        for name in list(_CALLS)[_LOOKS:]:
            code, address, *_ = driver.cuGetProcAddress(name.encode(), version, 0)
            if int(code) or not address:
                return None
    except Exception:
        # Absent, built for another Python, or a driver older than what the bindings look up.
        return None
    found: object = driver
    return found
