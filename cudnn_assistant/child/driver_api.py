"""The CUDA driver API as far as the test needs it: start, devices, primary context, memory.

Two ways to the same calls. :class:`Bindings` goes through NVIDIA's cuda-python and is taken
where it can be imported; :class:`Plain` is ctypes on the very same library. Starting up always
goes through ctypes: it tells a missing library from one that can't start, on every driver, also
on one older than the bindings. Importing the bindings takes 60 to 110 ms and 13 MB (ctypes: 10 ms,
2 MB; cuInit itself about 200 ms, the whole test 560 to 880 ms on an H100), so they are imported
only when a GPU is there, and left out where every call can't be found.
"""

from __future__ import annotations

import ctypes
import sys
from ctypes import byref, c_char_p, c_int, c_size_t, c_uint, c_uint64, c_void_p

TYPE_CHECKING = False  # the module typing alone costs a tenth of the child's start
if TYPE_CHECKING:
    from types import ModuleType
    from typing import Any

LIBRARY = "nvcuda.dll" if sys.platform == "win32" else "libcuda.so.1"
COMPUTE_MAJOR, COMPUTE_MINOR = 75, 76
"""Numbers of the device attributes."""
OUT_OF_MEMORY, NO_DEVICE, NOT_FOUND = 2, 100, 500


class CudaStatus(Exception):
    """A call of the driver API answered with a number other than 0."""

    def __init__(self, code: int, call: str) -> None:
        super().__init__(f"{call}: {code}")
        self.code = code
        self.call = call


class Plain:
    """The driver API through ctypes. Every method raises :class:`CudaStatus`."""

    def __init__(self) -> None:
        """Load the library by its bare name. Raises OSError when it can't be loaded."""
        self._library = ctypes.CDLL(LIBRARY)

    def _call(self, name: str, *arguments: object) -> None:
        # The names with "_v2" are the present ones; those without are of the 32-bit days.
        function = getattr(self._library, name, None)
        code = function(*arguments) if function is not None else NOT_FOUND
        if code:
            raise CudaStatus(code, name)

    def start(self) -> None:
        """cuInit."""
        self._call("cuInit", c_uint(0))

    def version(self) -> int:
        """The CUDA version that the driver speaks: 13000 is 13.0. 0 when it does not say."""
        number = c_int()
        try:
            self._call("cuDriverGetVersion", byref(number))
        except CudaStatus:
            return 0
        return number.value

    def count(self) -> int:
        """How many GPUs this process may see."""
        number = c_int()
        self._call("cuDeviceGetCount", byref(number))
        return number.value

    def uuid(self, ordinal: int) -> str:
        """32 hexadecimal digits."""
        data = ctypes.create_string_buffer(16)
        newer = hasattr(self._library, "cuDeviceGetUuid_v2")  # CUDA 11.4: tells MIG slices apart
        name = "cuDeviceGetUuid_v2" if newer else "cuDeviceGetUuid"
        self._call(name, data, c_int(ordinal))
        return data.raw.hex()

    def name(self, ordinal: int) -> str:
        """The GPU's name."""
        text = ctypes.create_string_buffer(256)
        self._call("cuDeviceGetName", text, c_int(256), c_int(ordinal))
        return text.value.decode("utf-8", "replace")

    def attribute(self, which: int, ordinal: int) -> int:
        """A number about a device."""
        number = c_int()
        self._call("cuDeviceGetAttribute", byref(number), c_int(which), c_int(ordinal))
        return number.value

    def enter(self, ordinal: int) -> None:
        """Make the device's primary context the current one: cuDNN works in that and no other."""
        device, context = c_int(), c_void_p()
        self._call("cuDeviceGet", byref(device), c_int(ordinal))
        self._call("cuDevicePrimaryCtxRetain", byref(context), device)
        self._call("cuCtxSetCurrent", context)

    def memory(self) -> tuple[int, int]:
        """Bytes free and bytes altogether on the current device."""
        free, total = c_size_t(), c_size_t()
        self._call("cuMemGetInfo_v2", byref(free), byref(total))
        return free.value, total.value

    def allocate(self, size: int) -> int:
        """Memory on the device; its address."""
        address = c_uint64()
        self._call("cuMemAlloc_v2", byref(address), c_size_t(size))
        return address.value

    def free(self, address: int) -> None:
        """Give memory back."""
        self._call("cuMemFree_v2", c_uint64(address))

    def fill(self, address: int, byte: int, size: int) -> None:
        """Set every byte."""
        self._call("cuMemsetD8_v2", c_uint64(address), ctypes.c_ubyte(byte), c_size_t(size))

    def write(self, address: int, data: bytes) -> None:
        """Copy to the device."""
        self._call("cuMemcpyHtoD_v2", c_uint64(address), c_char_p(data), c_size_t(len(data)))

    def read(self, address: int, size: int) -> bytes:
        """Copy from the device."""
        data = ctypes.create_string_buffer(size)
        self._call("cuMemcpyDtoH_v2", data, c_uint64(address), c_size_t(size))
        return data.raw

    def wait(self) -> None:
        """Until all work is done; trouble of a launched kernel shows here."""
        self._call("cuCtxSynchronize")


class Bindings(Plain):
    """The driver API through cuda-python, which the caller has found importable."""

    def __init__(self, plain: Plain, driver: ModuleType) -> None:
        self._library = plain._library
        self._driver = driver

    def _ask(self, name: str, *arguments: object) -> tuple[Any, ...]:
        code, *values = getattr(self._driver, name)(*arguments)
        if int(code):
            raise CudaStatus(int(code), name)
        return tuple(values)

    def enter(self, ordinal: int) -> None:
        """Make the device's primary context the current one."""
        (device,) = self._ask("cuDeviceGet", ordinal)
        (self._context,) = self._ask("cuDevicePrimaryCtxRetain", device)
        self._ask("cuCtxSetCurrent", self._context)

    def memory(self) -> tuple[int, int]:
        """Bytes free and bytes altogether on the current device."""
        free, total = self._ask("cuMemGetInfo")
        return int(free), int(total)

    def allocate(self, size: int) -> int:
        """Memory on the device; its address."""
        (address,) = self._ask("cuMemAlloc", size)
        return int(address)

    def free(self, address: int) -> None:
        """Give memory back."""
        self._ask("cuMemFree", address)

    def fill(self, address: int, byte: int, size: int) -> None:
        """Set every byte."""
        self._ask("cuMemsetD8", address, byte, size)

    def write(self, address: int, data: bytes) -> None:
        """Copy to the device."""
        self._ask("cuMemcpyHtoD", address, data, len(data))

    def read(self, address: int, size: int) -> bytes:
        """Copy from the device."""
        data = bytearray(size)
        self._ask("cuMemcpyDtoH", data, address, size)
        return bytes(data)

    def wait(self) -> None:
        """Until all work is done."""
        self._ask("cuCtxSynchronize")


_CALLS = (
    "cuDeviceGet",
    "cuDevicePrimaryCtxRetain",
    "cuCtxSetCurrent",
    "cuCtxSynchronize",
    "cuMemGetInfo",
    "cuMemAlloc",
    "cuMemFree",
    "cuMemsetD8",
    "cuMemcpyHtoD",
    "cuMemcpyDtoH",
)
"""All that :class:`Bindings` calls."""


def with_bindings(plain: Plain) -> Plain:
    """The same driver through cuda-python where that can be imported and finds every call."""
    try:
        from cuda.bindings import driver

        for name in _CALLS:
            code, address, *_ = driver.cuGetProcAddress(name.encode(), plain.version(), 0)
            if int(code) or not address:
                return plain
    except Exception:
        # Absent, built for another Python, or a driver older than what the bindings look up.
        return plain
    return Bindings(plain, driver)
