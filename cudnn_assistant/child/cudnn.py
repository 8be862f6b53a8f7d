"""cuDNN 7, 8 and 9 through ctypes: loading, versions, the calls of a legacy convolution.

Prototypes are those of the headers 7.2.1, 8.9.7 and 9.28, where they are the same. cuDNN itself
is called through ctypes because a copy must be loaded the way the person's programs load it.
"""

from __future__ import annotations

import ctypes
import sys
from ctypes import POINTER, byref, c_float, c_int, c_size_t, c_void_p

FLOAT, HALF, BFLOAT16 = 0, 2, 9
NCHW, NHWC = 0, 1
CROSS_CORRELATION = 1
DEFAULT_MATH, TENSOR_MATH, FMA_MATH = 0, 1, 3
DATA_TYPES = {"fp32": FLOAT, "fp16": HALF, "bf16": BFLOAT16}

EXACT = {"forward": (0, 1, 2), "data": (0, 1), "filter": (0, 1, 3)}
"""Algorithms that add up products as they are: no FFT, no Winograd."""
WORKSPACE = 64 << 20
"""Most workspace that a test may take, bytes."""

_PTR, _INT, _SIZE = c_void_p, c_int, c_size_t
_OUT = POINTER(c_int)
_CONVOLVE = (_PTR, _PTR, _PTR, _PTR, _PTR, _PTR, _PTR, _INT, _PTR, _SIZE, _PTR, _PTR, _PTR)
_PROTOTYPES: dict[str, tuple[object, ...]] = {
    "cudnnCreate": (_PTR,),
    "cudnnDestroy": (_PTR,),
    "cudnnCreateTensorDescriptor": (_PTR,),
    "cudnnSetTensor4dDescriptor": (_PTR, _INT, _INT, _INT, _INT, _INT, _INT),
    "cudnnDestroyTensorDescriptor": (_PTR,),
    "cudnnCreateFilterDescriptor": (_PTR,),
    "cudnnSetFilter4dDescriptor": (_PTR, _INT, _INT, _INT, _INT, _INT, _INT),
    "cudnnDestroyFilterDescriptor": (_PTR,),
    "cudnnCreateConvolutionDescriptor": (_PTR,),
    "cudnnSetConvolution2dDescriptor": (_PTR, *(_INT,) * 8),
    "cudnnSetConvolutionMathType": (_PTR, _INT),
    "cudnnDestroyConvolutionDescriptor": (_PTR,),
    "cudnnGetConvolution2dForwardOutputDim": (_PTR, _PTR, _PTR, _OUT, _OUT, _OUT, _OUT),
    "cudnnConvolutionForward": _CONVOLVE,
    "cudnnConvolutionBackwardData": _CONVOLVE,
    "cudnnConvolutionBackwardFilter": _CONVOLVE,
    **{
        f"cudnnGetConvolution{way}Algorithm_v7": (_PTR, _PTR, _PTR, _PTR, _PTR, _INT, _OUT, _PTR)
        for way in ("Forward", "BackwardData", "BackwardFilter")
    },
    **{
        f"cudnnGetConvolution{way}WorkspaceSize": (_PTR, _PTR, _PTR, _PTR, _PTR, _INT, _PTR)
        for way in ("Forward", "BackwardData", "BackwardFilter")
    },
    "cudnnBackendCreateDescriptor": (_INT, _PTR),
    "cudnnBackendDestroyDescriptor": (_PTR,),
    "cudnnBackendFinalize": (_PTR,),
    "cudnnBackendSetAttribute": (_PTR, _INT, _INT, ctypes.c_int64, _PTR),
    "cudnnBackendGetAttribute": (_PTR, _INT, _INT, ctypes.c_int64, _PTR, _PTR),
    "cudnnBackendExecute": (_PTR, _PTR, _PTR),
}

_CHECKS = {
    8: ("OpsInfer", "OpsTrain", "CnnInfer", "CnnTrain", "AdvInfer", "AdvTrain"),
    9: ("Graph", "Cnn", "Adv", "Ops"),
}
"""Each names a sub-library; the call loads it and compares its version with the others'.

In cuDNN 9 ``ops`` comes last: asked first, it would be loaded by the main library from its own
folder, which hides that ``cnn`` and ``adv`` take it from LD_LIBRARY_PATH (their RUNPATH loses).
"""


class CudnnStatus(Exception):
    """A call of cuDNN answered with a number other than 0."""

    def __init__(self, call: str, code: int, reason: str) -> None:
        super().__init__(f"{call}: {code} {reason}")
        self.call = call
        self.code = code
        self.reason = reason


class NotCudnn(Exception):
    """The library lacks a function that every cuDNN has; its name is the text."""


class Algorithm(ctypes.Structure):
    """cudnnConvolutionFwdAlgoPerf_t and its twins, 48 bytes."""

    _fields_ = (
        ("algorithm", c_int),
        ("status", c_int),
        ("time", c_float),
        ("memory", c_size_t),
        ("determinism", c_int),
        ("math", c_int),
        ("reserved", c_int * 3),
    )


def load(name: str) -> ctypes.CDLL:
    """Open a library as a native program does: PATH counts on Windows. Raises OSError."""
    if sys.platform == "win32":
        return ctypes.CDLL(name, winmode=0)
    return ctypes.CDLL(name)


def dotted(number: int) -> str:
    """ "9.10.2" of 91002, "8.9.7" of 8907: from 9 on each part has two digits."""
    if number >= 90000:
        return f"{number // 10000}.{number % 10000 // 100}.{number % 100}"
    return f"{number // 1000}.{number % 1000 // 100}.{number % 100}"


def dotted_cuda(number: int) -> str:
    """ "12.9" of 12090."""
    return f"{number // 1000}.{number % 1000 // 10}" if number else ""


class Cudnn:
    """A loaded cuDNN."""

    def __init__(self, library: ctypes.CDLL) -> None:
        self.library = library
        self.number = 0
        for name, arguments in _PROTOTYPES.items():
            function = getattr(library, name, None)
            if function is not None:
                function.argtypes = arguments
                function.restype = c_int
        for name in ("cudnnGetVersion", "cudnnGetCudartVersion"):
            self._function(name).restype = c_size_t

    def _function(self, name: str) -> ctypes._FuncPointer:
        try:
            return getattr(self.library, name)  # type: ignore[no-any-return]
        except AttributeError as trouble:
            raise NotCudnn(name) from trouble

    @property
    def major(self) -> int:
        """Of the version that the library itself tells; ``versions`` must have been called."""
        return self.number // (10000 if self.number >= 90000 else 1000)

    def versions(self) -> tuple[str, str]:
        """cuDNN's version and the CUDA version it was built with. May abort the process."""
        self.number = int(self.library.cudnnGetVersion())
        return dotted(self.number), dotted_cuda(int(self.library.cudnnGetCudartVersion()))

    def checks(self) -> list[str]:
        """The version checks that this library has, in the order of what needs what."""
        names = (f"cudnn{part}VersionCheck" for part in _CHECKS.get(min(self.major, 9), ()))
        return [name for name in names if hasattr(self.library, name)]

    def call(self, name: str, *arguments: object) -> None:
        """Call a function that answers with a status. Raises :class:`CudnnStatus`."""
        code = self._function(name)(*arguments)
        if code:
            raise CudnnStatus(name, code, self._reason())

    def _reason(self) -> str:
        # Kept per thread and cleared by reading: so here, once, at once.
        ask = getattr(self.library, "cudnnGetLastErrorString", None)
        if ask is None:
            return ""
        text = ctypes.create_string_buffer(1024)
        ask(text, c_size_t(len(text)))
        return text.value.decode("utf-8", "replace").strip()

    def create(self, kind: str) -> c_void_p:
        """A new handle ("") or descriptor ("Tensor", "Filter", "Convolution")."""
        made = c_void_p()
        self.call(f"cudnnCreate{kind}Descriptor" if kind else "cudnnCreate", byref(made))
        return made

    def destroy(self, kind: str, made: c_void_p) -> None:
        """Give it back."""
        self.call(f"cudnnDestroy{kind}Descriptor" if kind else "cudnnDestroy", made)


_DIRECTIONS = {
    # what: (name of the calls, operands before the convolution descriptor, operand after it)
    "forward": ("Forward", "xw", "y"),
    "data": ("BackwardData", "wy", "x"),
    "filter": ("BackwardFilter", "xy", "w"),
}


class Legacy:
    """One convolution through the calls that cuDNN 7, 8 and 9 share.

    The three operands are called x, w and y in every direction; going backward, y and the result
    stand for gradients.
    """

    def __init__(self, cudnn: Cudnn, handle: c_void_p, direction: str) -> None:
        self._cudnn = cudnn
        self._handle = handle
        self._direction = direction
        self._name, self._sources, self._target = _DIRECTIONS[direction]
        self._made: list[tuple[str, c_void_p]] = []
        self._descriptors: dict[str, c_void_p] = {}

    def __enter__(self) -> Legacy:
        return self

    def __exit__(self, *trouble: object) -> None:
        for kind, made in reversed(self._made):
            getattr(self._cudnn.library, f"cudnnDestroy{kind}Descriptor")(made)

    def _create(self, kind: str) -> c_void_p:
        made = self._cudnn.create(kind)
        self._made.append((kind, made))
        return made

    def describe(
        self,
        dims: dict[str, tuple[int, int, int, int]],
        data_type: int,
        layout: int,
        math: int,
    ) -> None:
        """Set up all descriptors and see that the library agrees on the output's size."""
        call = self._cudnn.call
        for operand in "xy":
            self._descriptors[operand] = self._create("Tensor")
            call(
                "cudnnSetTensor4dDescriptor",
                self._descriptors[operand],
                layout,
                data_type,
                *dims[operand],
            )
        self._descriptors["w"] = self._create("Filter")
        # The filter takes the type before the layout.
        call("cudnnSetFilter4dDescriptor", self._descriptors["w"], data_type, layout, *dims["w"])
        self._convolution = self._create("Convolution")
        padding_stride_dilation = (1, 1, 1, 1, 1, 1)
        call(
            "cudnnSetConvolution2dDescriptor",
            self._convolution,
            *padding_stride_dilation,
            CROSS_CORRELATION,
            FLOAT,
        )
        call("cudnnSetConvolutionMathType", self._convolution, math)
        self._compare_output(dims["y"])

    def _compare_output(self, expected: tuple[int, int, int, int]) -> None:
        sizes = [c_int() for _ in range(4)]
        self._cudnn.call(
            "cudnnGetConvolution2dForwardOutputDim",
            self._convolution,
            self._descriptors["x"],
            self._descriptors["w"],
            *map(byref, sizes),
        )
        if tuple(size.value for size in sizes) != expected:
            raise CudnnStatus("cudnnGetConvolution2dForwardOutputDim", 0, "another output size")

    def _four(self) -> list[c_void_p]:
        """The descriptors in the order of the questions about algorithms."""
        first, second = (self._descriptors[operand] for operand in self._sources)
        return [first, second, self._convolution, self._descriptors[self._target]]

    def algorithm(self, *, exact: bool = True) -> int:
        """The fastest algorithm by the library's own list that fits; 0 when none is listed.

        Raises :class:`CudnnStatus` when the library lists none that it supports.
        """
        listed, count = (Algorithm * 8)(), c_int()
        name = f"cudnnGetConvolution{self._name}Algorithm_v7"
        self._cudnn.call(name, self._handle, *self._four(), 8, byref(count), listed)
        rows = list(listed[: count.value])
        fit = [row for row in rows if row.status == 0 and row.memory <= WORKSPACE]
        if rows and all(row.status for row in rows):
            raise CudnnStatus(name, rows[0].status, "no algorithm is supported")
        allowed = [row for row in fit if not exact or row.algorithm in EXACT[self._direction]]
        return int(allowed[0].algorithm) if allowed else 0

    def workspace(self, algorithm: int) -> int:
        """Bytes of workspace that an algorithm needs."""
        size = c_size_t()
        name = f"cudnnGetConvolution{self._name}WorkspaceSize"
        self._cudnn.call(name, self._handle, *self._four(), algorithm, byref(size))
        return size.value

    def run(self, addresses: dict[str, int], algorithm: int, workspace: int, size: int) -> None:
        """Launch. Success says only that it was launched."""
        one, zero = c_float(1), c_float(0)
        operands: list[object] = []
        for operand in self._sources:
            operands += [self._descriptors[operand], addresses[operand]]
        self._cudnn.call(
            f"cudnnConvolution{self._name}",
            self._handle,
            byref(one),
            *operands,
            self._convolution,
            algorithm,
            workspace or None,
            size,
            byref(zero),
            self._descriptors[self._target],
            addresses[self._target],
        )
