"""What numbers mean: statuses of cuDNN, CUDA and NVML, and how a process ended.

Their symbols stand in ``resources/codes.toml``, which is read when one is to be shown; the enums
hold the few that rules ask for. The same number means different things in cuDNN 8 and 9, so the
major of the loaded library chooses the table.
"""

from __future__ import annotations

import re
import tomllib
from enum import IntEnum
from functools import cache

import msgspec

from cudnn_assistant import places
from cudnn_assistant.machine import Family


@cache
def tables() -> dict[str, dict[str, int]]:
    """All symbols with their numbers: "cudnn8", "cudnn9", "cuda", "nvml", "ends-linux" …"""
    text = places.resource("codes.toml").read_text(encoding="utf-8")
    return msgspec.convert(tomllib.loads(text), dict[str, dict[str, int]])


def _name(table: str, code: int) -> str:
    """The symbol of a number, "" when the table has none."""
    return next((name for name, number in tables()[table].items() if number == code), "")


def numbers(table: str) -> frozenset[int]:
    """All numbers of a table."""
    return frozenset(tables()[table].values())


def cudnn_status(code: int, major: int) -> str:
    """The symbol of a cuDNN status: "CUDNN_STATUS_NOT_INITIALIZED".

    A number that is in no table of that major keeps itself in the name.
    """
    # Newer releases add numbers; the thousands say what kind they are.
    kind = _name("cudnn9", code // 1000 * 1000) if major >= 9 and code > 1000 else ""
    return _name("cudnn9" if major >= 9 else "cudnn8", code) or f"{kind or 'CUDNN_STATUS'}_{code}"


def cuda_result(code: int) -> str:
    """The symbol of a driver API result: "CUDA_ERROR_NO_DEVICE"; else the run-time API's."""
    return _name("cuda", code) or f"CUDA_ERROR_{code}"


def nvml_return(code: int) -> str:
    """The symbol of an NVML answer: "NVML_ERROR_LIB_RM_VERSION_MISMATCH"."""
    return _name("nvml", code) or f"NVML_ERROR_{code}"


def number(name: str, major: int) -> int | None:
    """The number of a symbol that a program printed; ``None`` when no table has it.

    ``major`` is cuDNN's; 0 when unknown, then the symbols of 9 count. The run-time API spells the
    driver's symbols otherwise: cudaErrorLaunchTimeout.
    """
    known = {**tables()["cuda"], **tables()["cudnn8" if 0 < major < 9 else "cudnn9"]}
    return known.get(name, known.get(re.sub("(?<=[a-z])(?=[A-Z])", "_", name).upper()))


def process_end(code: int, family: Family) -> str:
    """How a process ended, by its exit code: "SIGSEGV", "access violation"; "" for others."""
    if family == "windows":
        return _name("ends-windows", code & 0xFFFFFFFF)
    # A shell reports a signal as 128 + number, Python as its negative.
    return _name("ends-linux", -code if code < 0 else code - 128)


class Cudnn8Status(IntEnum):
    """Of cuDNN 7 and 8."""

    NOT_INITIALIZED = 1
    INTERNAL_ERROR = 4
    VERSION_MISMATCH = 14


class CudnnStatus(IntEnum):
    """Of cuDNN 9."""

    NOT_INITIALIZED = 1001
    SUBLIBRARY_VERSION_MISMATCH = 1002
    NOT_SUPPORTED_INCOMPATIBLE_CUDA_DRIVER = 3005
    NOT_SUPPORTED_RUNTIME_PREREQUISITE_MISSING = 3008
    INTERNAL_ERROR = 4000
    INTERNAL_ERROR_COMPILATION_FAILED = 4001
    EXECUTION_FAILED_CUBLAS = 5002


class CudaResult(IntEnum):
    """Of the driver API (CUresult)."""

    SUCCESS = 0
    OUT_OF_MEMORY = 2
    NOT_INITIALIZED = 3
    STUB_LIBRARY = 34
    DEVICE_UNAVAILABLE = 46
    NO_DEVICE = 100
    DEVICE_NOT_LICENSED = 102
    UNSUPPORTED_PTX_VERSION = 222
    ILLEGAL_ADDRESS = 700
    LAUNCH_TIMEOUT = 702
    HARDWARE_STACK_ERROR = 714
    ILLEGAL_INSTRUCTION = 715
    MISALIGNED_ADDRESS = 716
    INVALID_ADDRESS_SPACE = 717
    INVALID_PC = 718
    LAUNCH_FAILED = 719
    SYSTEM_NOT_READY = 802
    SYSTEM_DRIVER_MISMATCH = 803
    COMPAT_NOT_SUPPORTED_ON_DEVICE = 804
    MPS_CONNECTION_FAILED = 805
    MPS_MAX_CONNECTIONS_REACHED = 809
    UNKNOWN = 999


class NvmlReturn(IntEnum):
    """Of NVML (nvmlReturn_t)."""

    SUCCESS = 0
    NO_PERMISSION = 4
    LIBRARY_NOT_FOUND = 12
    GPU_IS_LOST = 15
    OPERATING_SYSTEM = 17
    LIB_RM_VERSION_MISMATCH = 18
    UNKNOWN = 999


INSUFFICIENT_DRIVER = 35
"""cudaErrorInsufficientDriver, which the driver API hasn't got."""


class Xid(IntEnum):
    """Faults of the GPU in the kernel's log. From NVIDIA's Xid catalogue."""

    GRAPHICS_ENGINE_EXCEPTION = 13
    MMU_FAULT = 31
    RESET_CHANNEL = 43
    DOUBLE_BIT_ECC = 48
    MICROCONTROLLER_HALT = 62
    ROW_REMAP_FAILURE = 64
    FALLEN_OFF_THE_BUS = 79
    UNCONTAINED_ECC = 95
    GSP_TIMEOUT = 119
    GSP_FAULT = 120


class DeviceProblem(IntEnum):
    """Codes of Windows' Device Manager; those with one remedy stand together in the table."""

    NORMAL_CONFLICT = 12
    NEED_RESTART = 14
    DISABLED = 22
    FAILED_INSTALL = 28
