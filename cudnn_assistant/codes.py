"""What numbers mean: statuses of cuDNN, CUDA and NVML, and how a process ended. Pure tables.

The same number means different things in cuDNN 8 and 9 (a 9 of the one and a 3000 of the other
are both NOT_SUPPORTED), so the major of the loaded library chooses the table.
"""

from __future__ import annotations

from enum import IntEnum

from cudnn_assistant.machine import Family


def cudnn_status(code: int, major: int) -> str:
    """The symbol of a cuDNN status: "CUDNN_STATUS_NOT_INITIALIZED".

    A number that is in no table of that major keeps itself in the name.
    """
    name = _name(CudnnStatus if major >= 9 else Cudnn8Status, code)
    if not name and major >= 9 and (kind := _name(CudnnStatus, code // 1000 * 1000)):
        # Newer releases add numbers; the thousands say what kind they are.
        return f"CUDNN_STATUS_{kind}_{code}" if code > 1000 else _odd(code)
    return f"CUDNN_STATUS_{name}" if name else _odd(code)


def _name(table: type[IntEnum], code: int) -> str:
    """The name of a number, "" when the table has none."""
    known = table._value2member_map_.get(code)
    return known.name if known is not None else ""


def _odd(code: int) -> str:
    return f"CUDNN_STATUS_{code}"


def cuda_result(code: int) -> str:
    """The symbol of a driver API result: "CUDA_ERROR_NO_DEVICE"; else the run-time API's."""
    name = _name(CudaResult, code)
    if code == 0:
        return "CUDA_SUCCESS"
    return f"CUDA_ERROR_{name}" if name else _CUDA_RUNTIME.get(code, f"CUDA_ERROR_{code}")


def nvml_return(code: int) -> str:
    """The symbol of an NVML answer: "NVML_ERROR_LIB_RM_VERSION_MISMATCH"."""
    if code == 0:
        return "NVML_SUCCESS"
    return f"NVML_ERROR_{_name(NvmlReturn, code) or code}"


def number(name: str, major: int) -> int | None:
    """The number of a symbol that a program printed; ``None`` when no table has it.

    ``major`` is cuDNN's; 0 when unknown, then the symbols of 9 count.
    """
    cudnn: type[IntEnum] = Cudnn8Status if 0 < major < 9 else CudnnStatus
    for prefix, table in (("CUDNN_STATUS_", cudnn), ("CUDA_ERROR_", CudaResult)):
        short = name.removeprefix(prefix)
        if name.startswith(prefix) and short in table.__members__:
            return table[short].value
    return next((code for code, known in _CUDA_RUNTIME.items() if known == name), None)


def process_end(code: int, family: Family) -> str:
    """How a process ended, by its exit code: "SIGSEGV", "access violation"; "" for others."""
    if family == "windows":
        return _WINDOWS_ENDS.get(code & 0xFFFFFFFF, "")
    # A shell reports a signal as 128 + number, Python as its negative.
    return _SIGNALS.get(-code if code < 0 else code - 128, "")


_SIGNALS = {
    1: "SIGHUP",
    2: "SIGINT",
    3: "SIGQUIT",
    4: "SIGILL",
    5: "SIGTRAP",
    6: "SIGABRT",
    7: "SIGBUS",
    8: "SIGFPE",
    9: "SIGKILL",
    11: "SIGSEGV",
    13: "SIGPIPE",
    14: "SIGALRM",
    15: "SIGTERM",
    24: "SIGXCPU",
    31: "SIGSYS",
}
"""Signals of Linux on x86-64 and AArch64."""

_WINDOWS_ENDS = {
    0xC0000005: "STATUS_ACCESS_VIOLATION",
    0xC0000006: "STATUS_IN_PAGE_ERROR",
    0xC0000017: "STATUS_NO_MEMORY",
    0xC000001D: "STATUS_ILLEGAL_INSTRUCTION",
    0xC000007B: "STATUS_INVALID_IMAGE_FORMAT",
    0xC00000FD: "STATUS_STACK_OVERFLOW",
    0xC0000135: "STATUS_DLL_NOT_FOUND",
    0xC0000139: "STATUS_ENTRYPOINT_NOT_FOUND",
    0xC000013A: "STATUS_CONTROL_C_EXIT",
    0xC0000142: "STATUS_DLL_INIT_FAILED",
    0xC0000374: "STATUS_HEAP_CORRUPTION",
    0xC0000409: "STATUS_STACK_BUFFER_OVERRUN",
    0xC0000428: "STATUS_INVALID_IMAGE_HASH",
}
"""Windows' NTSTATUS as exit codes; 0xC0000409 is also what abort() gives."""


class Cudnn8Status(IntEnum):
    """cuDNN 7 and 8 (7 ends at 13). From the headers of both."""

    SUCCESS = 0
    NOT_INITIALIZED = 1
    ALLOC_FAILED = 2
    BAD_PARAM = 3
    INTERNAL_ERROR = 4
    INVALID_VALUE = 5
    ARCH_MISMATCH = 6
    MAPPING_ERROR = 7
    EXECUTION_FAILED = 8
    NOT_SUPPORTED = 9
    LICENSE_ERROR = 10
    RUNTIME_PREREQUISITE_MISSING = 11
    RUNTIME_IN_PROGRESS = 12
    RUNTIME_FP_OVERFLOW = 13
    VERSION_MISMATCH = 14


class CudnnStatus(IntEnum):
    """cuDNN 9 up to 9.28; the thousands are the kind. From its header."""

    SUCCESS = 0
    NOT_INITIALIZED = 1001
    SUBLIBRARY_VERSION_MISMATCH = 1002
    SERIALIZATION_VERSION_MISMATCH = 1003
    DEPRECATED = 1004
    LICENSE_ERROR = 1005
    RUNTIME_IN_PROGRESS = 1006
    RUNTIME_FP_OVERFLOW = 1007
    SUBLIBRARY_LOADING_FAILED = 1008
    BAD_PARAM = 2000
    INVALID_VALUE = 2001
    BAD_PARAM_NULL_POINTER = 2002
    BAD_PARAM_MISALIGNED_POINTER = 2003
    BAD_PARAM_NOT_FINALIZED = 2004
    BAD_PARAM_OUT_OF_BOUND = 2005
    BAD_PARAM_SIZE_INSUFFICIENT = 2006
    BAD_PARAM_STREAM_MISMATCH = 2007
    BAD_PARAM_SHAPE_MISMATCH = 2008
    BAD_PARAM_DUPLICATED_ENTRIES = 2009
    BAD_PARAM_ATTRIBUTE_TYPE = 2010
    BAD_PARAM_CUDA_GRAPH_MISMATCH = 2011
    BAD_PARAM_DESCRIPTOR_TYPE = 2012
    NOT_SUPPORTED = 3000
    NOT_SUPPORTED_GRAPH_PATTERN = 3001
    NOT_SUPPORTED_SHAPE = 3002
    NOT_SUPPORTED_DATA_TYPE = 3003
    NOT_SUPPORTED_LAYOUT = 3004
    NOT_SUPPORTED_INCOMPATIBLE_CUDA_DRIVER = 3005
    NOT_SUPPORTED_INCOMPATIBLE_CUDART = 3006
    NOT_SUPPORTED_ARCH_MISMATCH = 3007
    NOT_SUPPORTED_RUNTIME_PREREQUISITE_MISSING = 3008
    NOT_SUPPORTED_SUBLIBRARY_UNAVAILABLE = 3009
    NOT_SUPPORTED_SHARED_MEMORY_INSUFFICIENT = 3010
    NOT_SUPPORTED_PADDING = 3011
    NOT_SUPPORTED_BAD_LAUNCH_PARAM = 3012
    NOT_SUPPORTED_CUDA_GRAPH_NATIVE_API = 3013
    NOT_SUPPORTED_INVALID_DYNAMIC_SHAPE = 3014
    INTERNAL_ERROR = 4000
    INTERNAL_ERROR_COMPILATION_FAILED = 4001
    INTERNAL_ERROR_UNEXPECTED_VALUE = 4002
    INTERNAL_ERROR_HOST_ALLOCATION_FAILED = 4003
    INTERNAL_ERROR_DEVICE_ALLOCATION_FAILED = 4004
    INTERNAL_ERROR_BAD_LAUNCH_PARAM = 4005
    INTERNAL_ERROR_TEXTURE_CREATION_FAILED = 4006
    EXECUTION_FAILED = 5000
    EXECUTION_FAILED_CUDA_DRIVER = 5001
    EXECUTION_FAILED_CUBLAS = 5002
    EXECUTION_FAILED_CUDART = 5003
    EXECUTION_FAILED_CURAND = 5004


class CudaResult(IntEnum):
    """Driver API (CUresult). From cuda-bindings 13.5.0."""

    SUCCESS = 0
    INVALID_VALUE = 1
    OUT_OF_MEMORY = 2
    NOT_INITIALIZED = 3
    DEINITIALIZED = 4
    PROFILER_DISABLED = 5
    PROFILER_NOT_INITIALIZED = 6
    PROFILER_ALREADY_STARTED = 7
    PROFILER_ALREADY_STOPPED = 8
    STUB_LIBRARY = 34
    CALL_REQUIRES_NEWER_DRIVER = 36
    DEVICE_UNAVAILABLE = 46
    MULTICAST_RESOURCE_FULL = 47
    NO_DEVICE = 100
    INVALID_DEVICE = 101
    DEVICE_NOT_LICENSED = 102
    INVALID_IMAGE = 200
    INVALID_CONTEXT = 201
    CONTEXT_ALREADY_CURRENT = 202
    MAP_FAILED = 205
    UNMAP_FAILED = 206
    ARRAY_IS_MAPPED = 207
    ALREADY_MAPPED = 208
    NO_BINARY_FOR_GPU = 209
    ALREADY_ACQUIRED = 210
    NOT_MAPPED = 211
    NOT_MAPPED_AS_ARRAY = 212
    NOT_MAPPED_AS_POINTER = 213
    ECC_UNCORRECTABLE = 214
    UNSUPPORTED_LIMIT = 215
    CONTEXT_ALREADY_IN_USE = 216
    PEER_ACCESS_UNSUPPORTED = 217
    INVALID_PTX = 218
    INVALID_GRAPHICS_CONTEXT = 219
    NVLINK_UNCORRECTABLE = 220
    JIT_COMPILER_NOT_FOUND = 221
    UNSUPPORTED_PTX_VERSION = 222
    JIT_COMPILATION_DISABLED = 223
    UNSUPPORTED_EXEC_AFFINITY = 224
    UNSUPPORTED_DEVSIDE_SYNC = 225
    CONTAINED = 226
    INSUFFICIENT_LOADER_VERSION = 227
    INVALID_SOURCE = 300
    FILE_NOT_FOUND = 301
    SHARED_OBJECT_SYMBOL_NOT_FOUND = 302
    SHARED_OBJECT_INIT_FAILED = 303
    OPERATING_SYSTEM = 304
    INVALID_HANDLE = 400
    ILLEGAL_STATE = 401
    LOSSY_QUERY = 402
    NOT_FOUND = 500
    NOT_READY = 600
    ILLEGAL_ADDRESS = 700
    LAUNCH_OUT_OF_RESOURCES = 701
    LAUNCH_TIMEOUT = 702
    LAUNCH_INCOMPATIBLE_TEXTURING = 703
    PEER_ACCESS_ALREADY_ENABLED = 704
    PEER_ACCESS_NOT_ENABLED = 705
    PRIMARY_CONTEXT_ACTIVE = 708
    CONTEXT_IS_DESTROYED = 709
    ASSERT = 710
    TOO_MANY_PEERS = 711
    HOST_MEMORY_ALREADY_REGISTERED = 712
    HOST_MEMORY_NOT_REGISTERED = 713
    HARDWARE_STACK_ERROR = 714
    ILLEGAL_INSTRUCTION = 715
    MISALIGNED_ADDRESS = 716
    INVALID_ADDRESS_SPACE = 717
    INVALID_PC = 718
    LAUNCH_FAILED = 719
    COOPERATIVE_LAUNCH_TOO_LARGE = 720
    TENSOR_MEMORY_LEAK = 721
    NOT_PERMITTED = 800
    NOT_SUPPORTED = 801
    SYSTEM_NOT_READY = 802
    SYSTEM_DRIVER_MISMATCH = 803
    COMPAT_NOT_SUPPORTED_ON_DEVICE = 804
    MPS_CONNECTION_FAILED = 805
    MPS_RPC_FAILURE = 806
    MPS_SERVER_NOT_READY = 807
    MPS_MAX_CLIENTS_REACHED = 808
    MPS_MAX_CONNECTIONS_REACHED = 809
    MPS_CLIENT_TERMINATED = 810
    CDP_NOT_SUPPORTED = 811
    CDP_VERSION_MISMATCH = 812
    STREAM_CAPTURE_UNSUPPORTED = 900
    STREAM_CAPTURE_INVALIDATED = 901
    STREAM_CAPTURE_MERGE = 902
    STREAM_CAPTURE_UNMATCHED = 903
    STREAM_CAPTURE_UNJOINED = 904
    STREAM_CAPTURE_ISOLATION = 905
    STREAM_CAPTURE_IMPLICIT = 906
    CAPTURED_EVENT = 907
    STREAM_CAPTURE_WRONG_THREAD = 908
    TIMEOUT = 909
    GRAPH_EXEC_UPDATE_FAILURE = 910
    EXTERNAL_DEVICE = 911
    INVALID_CLUSTER_SIZE = 912
    FUNCTION_NOT_LOADED = 913
    INVALID_RESOURCE_TYPE = 914
    INVALID_RESOURCE_CONFIGURATION = 915
    KEY_ROTATION = 916
    STREAM_DETACHED = 917
    GRAPH_RECAPTURE_FAILURE = 918
    FABRIC_NOT_READY = 919
    UNKNOWN = 999


_CUDA_RUNTIME: dict[int, str] = {
    9: "cudaErrorInvalidConfiguration",
    10: "cudaErrorVersionTranslation",
    12: "cudaErrorInvalidPitchValue",
    13: "cudaErrorInvalidSymbol",
    16: "cudaErrorInvalidHostPointer",
    17: "cudaErrorInvalidDevicePointer",
    18: "cudaErrorInvalidTexture",
    19: "cudaErrorInvalidTextureBinding",
    20: "cudaErrorInvalidChannelDescriptor",
    21: "cudaErrorInvalidMemcpyDirection",
    22: "cudaErrorAddressOfConstant",
    23: "cudaErrorTextureFetchFailed",
    24: "cudaErrorTextureNotBound",
    25: "cudaErrorSynchronizationError",
    26: "cudaErrorInvalidFilterSetting",
    27: "cudaErrorInvalidNormSetting",
    28: "cudaErrorMixedDeviceExecution",
    31: "cudaErrorNotYetImplemented",
    32: "cudaErrorMemoryValueTooLarge",
    35: "cudaErrorInsufficientDriver",
    37: "cudaErrorInvalidSurface",
    43: "cudaErrorDuplicateVariableName",
    44: "cudaErrorDuplicateTextureName",
    45: "cudaErrorDuplicateSurfaceName",
    49: "cudaErrorIncompatibleDriverContext",
    52: "cudaErrorMissingConfiguration",
    53: "cudaErrorPriorLaunchFailure",
    65: "cudaErrorLaunchMaxDepthExceeded",
    66: "cudaErrorLaunchFileScopedTex",
    67: "cudaErrorLaunchFileScopedSurf",
    68: "cudaErrorSyncDepthExceeded",
    69: "cudaErrorLaunchPendingCountExceeded",
    98: "cudaErrorInvalidDeviceFunction",
    103: "cudaErrorSoftwareValidityNotEstablished",
    127: "cudaErrorStartupFailure",
    10000: "cudaErrorApiFailureBase",
}
"""Numbers that the run-time API alone has, as its libraries print them."""


class NvmlReturn(IntEnum):
    """nvmlReturn_t. From nvidia-ml-py 13.615.71."""

    SUCCESS = 0
    UNINITIALIZED = 1
    INVALID_ARGUMENT = 2
    NOT_SUPPORTED = 3
    NO_PERMISSION = 4
    ALREADY_INITIALIZED = 5
    NOT_FOUND = 6
    INSUFFICIENT_SIZE = 7
    INSUFFICIENT_POWER = 8
    DRIVER_NOT_LOADED = 9
    TIMEOUT = 10
    IRQ_ISSUE = 11
    LIBRARY_NOT_FOUND = 12
    FUNCTION_NOT_FOUND = 13
    CORRUPTED_INFOROM = 14
    GPU_IS_LOST = 15
    RESET_REQUIRED = 16
    OPERATING_SYSTEM = 17
    LIB_RM_VERSION_MISMATCH = 18
    IN_USE = 19
    MEMORY = 20
    NO_DATA = 21
    VGPU_ECC_NOT_SUPPORTED = 22
    INSUFFICIENT_RESOURCES = 23
    FREQ_NOT_SUPPORTED = 24
    ARGUMENT_VERSION_MISMATCH = 25
    DEPRECATED = 26
    NOT_READY = 27
    GPU_NOT_FOUND = 28
    INVALID_STATE = 29
    RESET_TYPE_NOT_SUPPORTED = 30
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
    """Codes of Windows' Device Manager. From cfg.h (CM_PROB_…) of the Windows SDK."""

    FAILED_START = 10
    NORMAL_CONFLICT = 12
    NEED_RESTART = 14
    DISABLED = 22
    FAILED_INSTALL = 28
    FAILED_ADD = 31
    FAILED_DRIVER_ENTRY = 37
    DRIVER_FAILED_LOAD = 39
    FAILED_POST_START = 43
    UNSIGNED_DRIVER = 52


class WindowsRefusal(IntEnum):
    """Why Windows' loader kept a file from running. From winerror.h."""

    INVALID_IMAGE_HASH = 577
    ACCESS_DISABLED_BY_POLICY = 1260
    SYSTEM_INTEGRITY_POLICY_VIOLATION = 4551
