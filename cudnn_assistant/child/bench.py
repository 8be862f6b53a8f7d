"""Running the test's convolutions on a GPU, one after the other, and proving each."""

from __future__ import annotations

from ctypes import c_void_p
from math import prod

from cudnn_assistant.child import convolution as plain
from cudnn_assistant.child import cudnn
from cudnn_assistant.child.channel import Channel, Stopped
from cudnn_assistant.child.convolution_cases import (
    CASES,
    JIT_CASES,
    Case,
    compare,
    operands,
    stored,
)
from cudnn_assistant.child.cudnn import Cudnn, CudnnStatus
from cudnn_assistant.child.device import Device, Memory
from cudnn_assistant.child.legacy import Legacy

_UNSUPPORTED = {8: {9}, 9: set(range(3000, 3005)) | {3007, 3010, 3011}}


class Bench:
    """A handle on a device, and the cases run on it."""

    def __init__(self, channel: Channel, library: Cudnn, device: Device, handle: c_void_p) -> None:
        self._channel = channel
        self._cudnn = library
        self._device = device
        self._handle = handle
        self._major = min(library.major, 9)

    def run(self, *, full: bool, jit: bool) -> None:
        """Run the first case, or all that this GPU and this cuDNN have; at least one must hold.

        Raises :class:`Stopped`, :class:`CudnnStatus` or :class:`CudaStatus`.
        """
        held, refused = False, None
        for case in JIT_CASES if jit else CASES:
            if held and not full:
                return
            self._channel.about(case.name)
            try:
                if self._has(case):
                    self._prove(case)
                    self._channel.say(checks=[case.name])
                    held = True
                    continue
            except CudnnStatus as refusal:
                if case.needed or refusal.code not in _UNSUPPORTED[max(self._major, 8)]:
                    raise
                refused = refusal
            self._channel.say(skipped=[case.name])
        if not held:
            raise refused or Stopped("not-run", detail="this GPU has none of the types")

    def _has(self, case: Case) -> bool:
        if self._device.compute < case.least:
            return False
        if case.kind == "bf16" and self._cudnn.number < 8100:
            return False
        if case.graph and self._major < 9:
            return False
        return case.name != "tf32" or self._major >= 8

    def _prove(self, case: Case) -> None:
        numbers = operands(case)
        got, algorithm = self._compute(case, numbers)
        trouble = compare(case, numbers, got, algorithm)
        if trouble:
            raise Stopped("wrong-result", detail=f"{case.name}: {trouble} (algorithm {algorithm})")

    def _compute(self, case: Case, numbers: dict[str, list[float]]) -> tuple[list[float], int]:
        dims = case.shape.dims
        target = next(operand for operand in "yxw" if operand not in numbers)
        way = self._by_graph if case.graph else self._by_legacy
        with Memory(self._device) as memory:
            addresses = {
                operand: memory.holding(stored(values, dims[operand], case))
                for operand, values in numbers.items()
            }
            size = prod(dims[target]) * (4 if case.kind == "fp32" else 2)
            addresses[target] = memory.blank(size)
            algorithm = way(case, addresses, memory)
            data = self._device.driver.read(addresses[target], size)
        values = plain.unpacked(data, case.kind)
        if case.layout == cudnn.NHWC:
            values = plain.channels_first(values, dims[target])
        return values, algorithm

    def _by_legacy(self, case: Case, addresses: dict[str, int], memory: Memory) -> int:
        with Legacy(self._cudnn, self._handle, case.direction) as legacy:
            kind = cudnn.DATA_TYPES[case.kind]
            # cuDNN 7 has no FMA_MATH, and no TF32 that would have to be forbidden.
            plain_math = self._major < 8 and case.math == cudnn.FMA_MATH
            legacy.describe(case.shape.dims, kind, case.layout, 0 if plain_math else case.math)
            algorithm = legacy.algorithm(exact=case.exact)
            space = legacy.workspace(algorithm)
            legacy.run(addresses, algorithm, memory.space(space), space)
            # Trouble of a launched kernel shows here.
            self._device.driver.call("cuCtxSynchronize")
        return algorithm

    def _by_graph(self, case: Case, addresses: dict[str, int], memory: Memory) -> int:
        # Imported here: most tests never need it.
        from cudnn_assistant.child.graph import Graph

        with Graph(self._cudnn, self._handle) as graph:
            described = graph.describe(case.shape, cudnn.DATA_TYPES[case.kind])
            plan, space = graph.plan(described)
            graph.run(plan, addresses, memory.space(space))
            self._device.driver.call("cuCtxSynchronize")
        return 0
