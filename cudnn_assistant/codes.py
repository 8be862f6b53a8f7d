"""What numbers mean: statuses of cuDNN, CUDA and NVML, and how a process ended. Pure tables.

The same number means different things in cuDNN 8 and 9 (a 9 of the one and a 3000 of the other
are both NOT_SUPPORTED), so the major of the loaded library chooses the table.
"""

from __future__ import annotations

from cudnn_assistant.machine import Family


def cudnn_status(code: int, major: int) -> str:
    """The symbol of a cuDNN status: "CUDNN_STATUS_NOT_INITIALIZED".

    A number that is in no table of that major keeps itself in the name.
    """
    name = (_CUDNN_9 if major >= 9 else _CUDNN_8).get(code)
    if name is None and major >= 9 and code // 1000 * 1000 in _CUDNN_9:
        # Newer releases add numbers; the thousands say what kind they are.
        return f"CUDNN_STATUS_{_CUDNN_9[code // 1000 * 1000]}_{code}" if code > 1000 else _odd(code)
    return f"CUDNN_STATUS_{name}" if name else _odd(code)


def _odd(code: int) -> str:
    return f"CUDNN_STATUS_{code}"


def cuda_result(code: int) -> str:
    """The symbol of a driver API result: "CUDA_ERROR_NO_DEVICE"; else the run-time API's."""
    name = _CUDA.get(code)
    if code == 0:
        return "CUDA_SUCCESS"
    return f"CUDA_ERROR_{name}" if name else _CUDA_RUNTIME.get(code, f"CUDA_ERROR_{code}")


def nvml_return(code: int) -> str:
    """The symbol of an NVML answer: "NVML_ERROR_LIB_RM_VERSION_MISMATCH"."""
    if code == 0:
        return "NVML_SUCCESS"
    return f"NVML_ERROR_{_NVML.get(code, code)}"


def number(name: str, major: int) -> int | None:
    """The number of a symbol that a program printed; ``None`` when no table has it.

    ``major`` is cuDNN's; 0 when unknown, then the symbols of 9 count.
    """
    cudnn = _CUDNN_8 if 0 < major < 9 else _CUDNN_9
    for prefix, table in (("CUDNN_STATUS_", cudnn), ("CUDA_ERROR_", _CUDA), ("", _CUDA_RUNTIME)):
        for code, short in table.items():
            if name == prefix + short:
                return code
    return None


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

_CUDNN_8: dict[int, str] = {
    0: "SUCCESS",
    1: "NOT_INITIALIZED",
    2: "ALLOC_FAILED",
    3: "BAD_PARAM",
    4: "INTERNAL_ERROR",
    5: "INVALID_VALUE",
    6: "ARCH_MISMATCH",
    7: "MAPPING_ERROR",
    8: "EXECUTION_FAILED",
    9: "NOT_SUPPORTED",
    10: "LICENSE_ERROR",
    11: "RUNTIME_PREREQUISITE_MISSING",
    12: "RUNTIME_IN_PROGRESS",
    13: "RUNTIME_FP_OVERFLOW",
    14: "VERSION_MISMATCH",
}
"""cuDNN 7 and 8 (7 ends at 13). From the headers of both."""

_CUDNN_9: dict[int, str] = {
    0: "SUCCESS",
    1001: "NOT_INITIALIZED",
    1002: "SUBLIBRARY_VERSION_MISMATCH",
    1003: "SERIALIZATION_VERSION_MISMATCH",
    1004: "DEPRECATED",
    1005: "LICENSE_ERROR",
    1006: "RUNTIME_IN_PROGRESS",
    1007: "RUNTIME_FP_OVERFLOW",
    1008: "SUBLIBRARY_LOADING_FAILED",
    2000: "BAD_PARAM",
    2001: "INVALID_VALUE",
    2002: "BAD_PARAM_NULL_POINTER",
    2003: "BAD_PARAM_MISALIGNED_POINTER",
    2004: "BAD_PARAM_NOT_FINALIZED",
    2005: "BAD_PARAM_OUT_OF_BOUND",
    2006: "BAD_PARAM_SIZE_INSUFFICIENT",
    2007: "BAD_PARAM_STREAM_MISMATCH",
    2008: "BAD_PARAM_SHAPE_MISMATCH",
    2009: "BAD_PARAM_DUPLICATED_ENTRIES",
    2010: "BAD_PARAM_ATTRIBUTE_TYPE",
    2011: "BAD_PARAM_CUDA_GRAPH_MISMATCH",
    2012: "BAD_PARAM_DESCRIPTOR_TYPE",
    3000: "NOT_SUPPORTED",
    3001: "NOT_SUPPORTED_GRAPH_PATTERN",
    3002: "NOT_SUPPORTED_SHAPE",
    3003: "NOT_SUPPORTED_DATA_TYPE",
    3004: "NOT_SUPPORTED_LAYOUT",
    3005: "NOT_SUPPORTED_INCOMPATIBLE_CUDA_DRIVER",
    3006: "NOT_SUPPORTED_INCOMPATIBLE_CUDART",
    3007: "NOT_SUPPORTED_ARCH_MISMATCH",
    3008: "NOT_SUPPORTED_RUNTIME_PREREQUISITE_MISSING",
    3009: "NOT_SUPPORTED_SUBLIBRARY_UNAVAILABLE",
    3010: "NOT_SUPPORTED_SHARED_MEMORY_INSUFFICIENT",
    3011: "NOT_SUPPORTED_PADDING",
    3012: "NOT_SUPPORTED_BAD_LAUNCH_PARAM",
    3013: "NOT_SUPPORTED_CUDA_GRAPH_NATIVE_API",
    3014: "NOT_SUPPORTED_INVALID_DYNAMIC_SHAPE",
    4000: "INTERNAL_ERROR",
    4001: "INTERNAL_ERROR_COMPILATION_FAILED",
    4002: "INTERNAL_ERROR_UNEXPECTED_VALUE",
    4003: "INTERNAL_ERROR_HOST_ALLOCATION_FAILED",
    4004: "INTERNAL_ERROR_DEVICE_ALLOCATION_FAILED",
    4005: "INTERNAL_ERROR_BAD_LAUNCH_PARAM",
    4006: "INTERNAL_ERROR_TEXTURE_CREATION_FAILED",
    5000: "EXECUTION_FAILED",
    5001: "EXECUTION_FAILED_CUDA_DRIVER",
    5002: "EXECUTION_FAILED_CUBLAS",
    5003: "EXECUTION_FAILED_CUDART",
    5004: "EXECUTION_FAILED_CURAND",
}
"""cuDNN 9 up to 9.28; the thousands are the kind. From its header."""

_CUDA: dict[int, str] = {
    0: "SUCCESS",
    1: "INVALID_VALUE",
    2: "OUT_OF_MEMORY",
    3: "NOT_INITIALIZED",
    4: "DEINITIALIZED",
    5: "PROFILER_DISABLED",
    6: "PROFILER_NOT_INITIALIZED",
    7: "PROFILER_ALREADY_STARTED",
    8: "PROFILER_ALREADY_STOPPED",
    34: "STUB_LIBRARY",
    36: "CALL_REQUIRES_NEWER_DRIVER",
    46: "DEVICE_UNAVAILABLE",
    47: "MULTICAST_RESOURCE_FULL",
    100: "NO_DEVICE",
    101: "INVALID_DEVICE",
    102: "DEVICE_NOT_LICENSED",
    200: "INVALID_IMAGE",
    201: "INVALID_CONTEXT",
    202: "CONTEXT_ALREADY_CURRENT",
    205: "MAP_FAILED",
    206: "UNMAP_FAILED",
    207: "ARRAY_IS_MAPPED",
    208: "ALREADY_MAPPED",
    209: "NO_BINARY_FOR_GPU",
    210: "ALREADY_ACQUIRED",
    211: "NOT_MAPPED",
    212: "NOT_MAPPED_AS_ARRAY",
    213: "NOT_MAPPED_AS_POINTER",
    214: "ECC_UNCORRECTABLE",
    215: "UNSUPPORTED_LIMIT",
    216: "CONTEXT_ALREADY_IN_USE",
    217: "PEER_ACCESS_UNSUPPORTED",
    218: "INVALID_PTX",
    219: "INVALID_GRAPHICS_CONTEXT",
    220: "NVLINK_UNCORRECTABLE",
    221: "JIT_COMPILER_NOT_FOUND",
    222: "UNSUPPORTED_PTX_VERSION",
    223: "JIT_COMPILATION_DISABLED",
    224: "UNSUPPORTED_EXEC_AFFINITY",
    225: "UNSUPPORTED_DEVSIDE_SYNC",
    226: "CONTAINED",
    227: "INSUFFICIENT_LOADER_VERSION",
    300: "INVALID_SOURCE",
    301: "FILE_NOT_FOUND",
    302: "SHARED_OBJECT_SYMBOL_NOT_FOUND",
    303: "SHARED_OBJECT_INIT_FAILED",
    304: "OPERATING_SYSTEM",
    400: "INVALID_HANDLE",
    401: "ILLEGAL_STATE",
    402: "LOSSY_QUERY",
    500: "NOT_FOUND",
    600: "NOT_READY",
    700: "ILLEGAL_ADDRESS",
    701: "LAUNCH_OUT_OF_RESOURCES",
    702: "LAUNCH_TIMEOUT",
    703: "LAUNCH_INCOMPATIBLE_TEXTURING",
    704: "PEER_ACCESS_ALREADY_ENABLED",
    705: "PEER_ACCESS_NOT_ENABLED",
    708: "PRIMARY_CONTEXT_ACTIVE",
    709: "CONTEXT_IS_DESTROYED",
    710: "ASSERT",
    711: "TOO_MANY_PEERS",
    712: "HOST_MEMORY_ALREADY_REGISTERED",
    713: "HOST_MEMORY_NOT_REGISTERED",
    714: "HARDWARE_STACK_ERROR",
    715: "ILLEGAL_INSTRUCTION",
    716: "MISALIGNED_ADDRESS",
    717: "INVALID_ADDRESS_SPACE",
    718: "INVALID_PC",
    719: "LAUNCH_FAILED",
    720: "COOPERATIVE_LAUNCH_TOO_LARGE",
    721: "TENSOR_MEMORY_LEAK",
    800: "NOT_PERMITTED",
    801: "NOT_SUPPORTED",
    802: "SYSTEM_NOT_READY",
    803: "SYSTEM_DRIVER_MISMATCH",
    804: "COMPAT_NOT_SUPPORTED_ON_DEVICE",
    805: "MPS_CONNECTION_FAILED",
    806: "MPS_RPC_FAILURE",
    807: "MPS_SERVER_NOT_READY",
    808: "MPS_MAX_CLIENTS_REACHED",
    809: "MPS_MAX_CONNECTIONS_REACHED",
    810: "MPS_CLIENT_TERMINATED",
    811: "CDP_NOT_SUPPORTED",
    812: "CDP_VERSION_MISMATCH",
    900: "STREAM_CAPTURE_UNSUPPORTED",
    901: "STREAM_CAPTURE_INVALIDATED",
    902: "STREAM_CAPTURE_MERGE",
    903: "STREAM_CAPTURE_UNMATCHED",
    904: "STREAM_CAPTURE_UNJOINED",
    905: "STREAM_CAPTURE_ISOLATION",
    906: "STREAM_CAPTURE_IMPLICIT",
    907: "CAPTURED_EVENT",
    908: "STREAM_CAPTURE_WRONG_THREAD",
    909: "TIMEOUT",
    910: "GRAPH_EXEC_UPDATE_FAILURE",
    911: "EXTERNAL_DEVICE",
    912: "INVALID_CLUSTER_SIZE",
    913: "FUNCTION_NOT_LOADED",
    914: "INVALID_RESOURCE_TYPE",
    915: "INVALID_RESOURCE_CONFIGURATION",
    916: "KEY_ROTATION",
    917: "STREAM_DETACHED",
    918: "GRAPH_RECAPTURE_FAILURE",
    919: "FABRIC_NOT_READY",
    999: "UNKNOWN",
}
"""Driver API (CUresult). From cuda-bindings 13.5.0."""

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

_NVML: dict[int, str] = {
    0: "SUCCESS",
    1: "UNINITIALIZED",
    2: "INVALID_ARGUMENT",
    3: "NOT_SUPPORTED",
    4: "NO_PERMISSION",
    5: "ALREADY_INITIALIZED",
    6: "NOT_FOUND",
    7: "INSUFFICIENT_SIZE",
    8: "INSUFFICIENT_POWER",
    9: "DRIVER_NOT_LOADED",
    10: "TIMEOUT",
    11: "IRQ_ISSUE",
    12: "LIBRARY_NOT_FOUND",
    13: "FUNCTION_NOT_FOUND",
    14: "CORRUPTED_INFOROM",
    15: "GPU_IS_LOST",
    16: "RESET_REQUIRED",
    17: "OPERATING_SYSTEM",
    18: "LIB_RM_VERSION_MISMATCH",
    19: "IN_USE",
    20: "MEMORY",
    21: "NO_DATA",
    22: "VGPU_ECC_NOT_SUPPORTED",
    23: "INSUFFICIENT_RESOURCES",
    24: "FREQ_NOT_SUPPORTED",
    25: "ARGUMENT_VERSION_MISMATCH",
    26: "DEPRECATED",
    27: "NOT_READY",
    28: "GPU_NOT_FOUND",
    29: "INVALID_STATE",
    30: "RESET_TYPE_NOT_SUPPORTED",
    999: "UNKNOWN",
}
"""nvmlReturn_t. From nvidia-ml-py 13.615.71."""
