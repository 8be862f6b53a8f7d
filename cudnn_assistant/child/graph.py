"""One forward convolution through cuDNN's graph (backend) calls.

The only way in cuDNN JIT, which has the graph library and its run-time compiler alone, and the
way that today's PyTorch goes. Numbers of descriptors and attributes are those of the 9.28 header
(cudnn_graph.h).
"""

from __future__ import annotations

from contextlib import ExitStack
from ctypes import byref, c_float, c_int, c_int64, c_void_p

from cudnn_assistant.child import cudnn
from cudnn_assistant.child.convolution import Dims, Shape
from cudnn_assistant.child.cudnn import Cudnn, CudnnStatus

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

_HANDLE, _DATA_TYPE, _INT64, _FLOAT, _POINTER, _MODE, _HEURISTIC = 0, 1, 3, 4, 6, 7, 8
_DESCRIPTOR = 15
_CTYPES: dict[int, Any] = {
    _HANDLE: c_void_p,
    _DATA_TYPE: c_int,
    _INT64: c_int64,
    _FLOAT: c_float,
    _POINTER: c_void_p,
    _MODE: c_int,
    _HEURISTIC: c_int,
    _DESCRIPTOR: c_void_p,
}
_CONVOLUTION, _ENGINE_CONFIG, _HEURISTICS, _PLAN, _FORWARD, _GRAPH, _PACK, _TENSOR = (
    1, 3, 4, 5, 10, 15, 16, 17,
)  # fmt: skip
_MODES = (3, 2, 0)
"""Heuristics A, fallback, instant: JIT has no heuristics library, so A may have no answer."""
_CONFIGS = 16
_ALIGNMENT = 16
_IDS = {"x": 1, "w": 2, "y": 3}


class Graph(ExitStack):
    """A planned convolution; every descriptor is given back at the end of its block."""

    def __init__(self, library: Cudnn, handle: c_void_p) -> None:
        super().__init__()
        self._cudnn = library
        self._handle = handle

    # -- descriptors --------------------------------------------------------------------------

    def _create(self, kind: int) -> c_void_p:
        made = c_void_p()
        self._cudnn.call("cudnnBackendCreateDescriptor", kind, byref(made))
        self.callback(self._cudnn.library.cudnnBackendDestroyDescriptor, made)
        return made

    def _set(self, descriptor: c_void_p, name: int, kind: int, *values: object) -> None:
        array = (_CTYPES[kind] * len(values))(*values)
        self._cudnn.call("cudnnBackendSetAttribute", descriptor, name, kind, len(values), array)

    def _finish(self, descriptor: c_void_p) -> c_void_p:
        self._cudnn.call("cudnnBackendFinalize", descriptor)
        return descriptor

    def _tensor(self, operand: str, dims: Dims, kind: int) -> c_void_p:
        _, c, h, w = dims
        tensor = self._create(_TENSOR)
        self._set(tensor, 906, _INT64, _IDS[operand])
        self._set(tensor, 901, _DATA_TYPE, kind)
        self._set(tensor, 900, _INT64, _ALIGNMENT)
        self._set(tensor, 902, _INT64, *dims)
        channels_last = (h * w * c, 1, w * c, c)
        self._set(tensor, 903, _INT64, *channels_last)
        return self._finish(tensor)

    def _convolution(self) -> c_void_p:
        made = self._create(_CONVOLUTION)
        self._set(made, 100, _DATA_TYPE, cudnn.FLOAT)
        self._set(made, 101, _MODE, cudnn.CROSS_CORRELATION)
        self._set(made, 106, _INT64, 2)
        dilation_stride_padding = (102, 103, 104, 105)
        for name in dilation_stride_padding:
            self._set(made, name, _INT64, 1, 1)
        return self._finish(made)

    def describe(self, shape: Shape, kind: int) -> c_void_p:
        """The operation graph of one convolution, channels last, sums in fp32."""
        operation = self._create(_FORWARD)
        self._set(operation, 700, _FLOAT, 1.0)
        self._set(operation, 701, _FLOAT, 0.0)
        self._set(operation, 702, _DESCRIPTOR, self._convolution())
        for name, operand in ((703, "w"), (704, "x"), (705, "y")):
            tensor = self._tensor(operand, shape.dims[operand], kind)
            self._set(operation, name, _DESCRIPTOR, tensor)
        self._finish(operation)
        graph = self._create(_GRAPH)
        self._set(graph, 800, _HANDLE, self._handle)
        self._set(graph, 801, _DESCRIPTOR, operation)
        return self._finish(graph)

    # -- a plan -------------------------------------------------------------------------------

    def plan(self, graph: c_void_p) -> tuple[c_void_p, int]:
        """The first plan that can be made and fits, with its workspace.

        Raises :class:`CudnnStatus` of the last one that could not be made.
        """
        refusal = CudnnStatus("cudnnBackendGetAttribute", 3000, "no engine was offered")
        for mode in _MODES:
            try:
                configs = self._configs(graph, mode)
            except CudnnStatus as trouble:
                refusal = trouble
                continue
            for config in configs:
                try:
                    plan, workspace = self._plan(config)
                except CudnnStatus as trouble:
                    refusal = trouble
                    continue
                if workspace <= cudnn.WORKSPACE:
                    return plan, workspace
        raise refusal

    def _configs(self, graph: c_void_p, mode: int) -> list[c_void_p]:
        heuristics = self._create(_HEURISTICS)
        self._set(heuristics, 201, _DESCRIPTOR, graph)
        self._set(heuristics, 200, _HEURISTIC, mode)
        self._finish(heuristics)
        configs = [self._create(_ENGINE_CONFIG) for _ in range(_CONFIGS)]
        array = (c_void_p * _CONFIGS)(*configs)
        count = c_int64()
        self._cudnn.call(
            "cudnnBackendGetAttribute", heuristics, 202, _DESCRIPTOR, _CONFIGS, byref(count), array
        )
        return configs[: count.value]

    def _plan(self, config: c_void_p) -> tuple[c_void_p, int]:
        plan = self._create(_PLAN)
        self._set(plan, 400, _HANDLE, self._handle)
        self._set(plan, 401, _DESCRIPTOR, config)
        self._finish(plan)
        size, count = c_int64(), c_int64()
        self._cudnn.call(
            "cudnnBackendGetAttribute", plan, 402, _INT64, 1, byref(count), byref(size)
        )
        return plan, size.value

    def run(self, plan: c_void_p, addresses: dict[str, int], workspace: int) -> None:
        """Launch. Success says only that it was launched."""
        pack = self._create(_PACK)
        self._set(pack, 1000, _INT64, *_IDS.values())
        self._set(pack, 1001, _POINTER, *(addresses[operand] for operand in _IDS))
        self._set(pack, 1003, _POINTER, workspace or None)
        self._finish(pack)
        self._cudnn.call("cudnnBackendExecute", self._handle, plan, pack)
