"""One convolution through the calls that cuDNN 7, 8 and 9 share."""

from __future__ import annotations

import ctypes
from contextlib import ExitStack
from ctypes import byref, c_float, c_int, c_size_t, c_void_p

from cudnn_assistant.child import cudnn
from cudnn_assistant.child.cudnn import Cudnn, CudnnStatus

EXACT = {"forward": (0, 1, 2), "data": (0, 1), "filter": (0, 1, 3)}
"""Algorithms that add up products as they are: no FFT, no Winograd."""


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


_DIRECTIONS = {
    # what: (name of the calls, operands before the convolution descriptor, operand after it)
    "forward": ("Forward", "xw", "y"),
    "data": ("BackwardData", "wy", "x"),
    "filter": ("BackwardFilter", "xy", "w"),
}


class Legacy(ExitStack):
    """One convolution; every descriptor is given back at the end of its block.

    The three operands are called x, w and y in every direction; going backward, y and the result
    stand for gradients.
    """

    def __init__(self, cudnn: Cudnn, handle: c_void_p, direction: str) -> None:
        super().__init__()
        self._cudnn = cudnn
        self._handle = handle
        self._direction = direction
        self._name, self._sources, self._target = _DIRECTIONS[direction]
        self._descriptors: dict[str, c_void_p] = {}

    def _create(self, kind: str) -> c_void_p:
        made = self._cudnn.create(f"{kind}Descriptor")
        self.callback(getattr(self._cudnn.library, f"cudnnDestroy{kind}Descriptor"), made)
        return made

    def describe(
        self, dims: dict[str, tuple[int, int, int, int]], data_type: int, layout: int, math: int
    ) -> None:
        """Set up all descriptors and see that the library agrees on the output's size."""
        call = self._cudnn.call
        for operand in "xy":
            made = self._descriptors[operand] = self._create("Tensor")
            call("cudnnSetTensor4dDescriptor", made, layout, data_type, *dims[operand])
        self._descriptors["w"] = self._create("Filter")
        # The filter takes the type before the layout.
        call("cudnnSetFilter4dDescriptor", self._descriptors["w"], data_type, layout, *dims["w"])
        self._convolution = self._create("Convolution")
        padding_stride_dilation = (1, 1, 1, 1, 1, 1)
        call(
            "cudnnSetConvolution2dDescriptor",
            self._convolution,
            *padding_stride_dilation,
            cudnn.CROSS_CORRELATION,
            cudnn.FLOAT,
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

    def algorithm(self, *, exact: bool) -> int:
        """The fastest algorithm by the library's own list that fits; 0 when none is listed.

        Raises :class:`CudnnStatus` when the library lists none that it supports.
        """
        listed, count = (Algorithm * 8)(), c_int()
        name = f"cudnnGetConvolution{self._name}Algorithm_v7"
        self._cudnn.call(name, self._handle, *self._four(), 8, byref(count), listed)
        rows = list(listed[: count.value])
        fit = [row for row in rows if row.status == 0 and row.memory <= cudnn.WORKSPACE]
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
