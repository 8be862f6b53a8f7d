"""The convolutions of the test: which types and layouts, on which GPUs, how exact they must be."""

from __future__ import annotations

from ctypes import c_void_p

from cudnn_assistant.child import convolution as plain
from cudnn_assistant.child import cudnn
from cudnn_assistant.child.channel import Channel, Stopped
from cudnn_assistant.child.convolution import TINY, WIDE, Shape
from cudnn_assistant.child.cudnn import Cudnn, CudnnStatus, Legacy
from cudnn_assistant.child.device import Device

Dims = tuple[int, int, int, int]
_NOT_A_NUMBER = 0xFF
"""A byte that makes every floating type not-a-number: shows what was never written."""


class Case:
    """One convolution of the test."""

    __slots__ = ("direction", "exact", "kind", "layout", "least", "math", "name", "needed", "shape")

    def __init__(
        self,
        name: str,
        kind: str = "fp32",
        *,
        direction: str = "forward",
        layout: int = cudnn.NCHW,
        math: int = cudnn.FMA_MATH,
        shape: Shape = TINY,
        exact: bool = True,
        least: tuple[int, int] = (0, 0),
        needed: bool = True,
    ) -> None:
        self.name = name
        self.kind = kind
        self.direction = direction
        self.layout = layout
        self.math = math
        self.shape = shape
        self.exact = exact
        self.least = least
        """Compute capability from which the hardware has this type."""
        self.needed = needed
        """Whether "not supported" from such hardware is trouble rather than a gap."""


_LAST = cudnn.NHWC
_TENSOR = cudnn.TENSOR_MATH
CASES = (
    # Nothing but multiplications and additions of fp32 (FMA math): the one that must always hold.
    Case("fp32"),
    Case("fp32 channels last", layout=_LAST, needed=False),
    # DEFAULT_MATH lets Ampere and later use TF32, which holds integers to 2048 exactly.
    Case("tf32", math=cudnn.DEFAULT_MATH, least=(8, 0)),
    Case("fp16", "fp16", math=_TENSOR, least=(5, 3), needed=False),
    Case("fp16 channels last", "fp16", layout=_LAST, math=_TENSOR, least=(7, 0), needed=False),
    Case("bf16", "bf16", math=_TENSOR, least=(8, 0), needed=False),
    Case("bf16 channels last", "bf16", layout=_LAST, math=_TENSOR, least=(8, 0), needed=False),
    Case("fp32 backward data", direction="data"),
    Case("fp32 backward filter", direction="filter"),
    # Wide enough that the heuristics reach for the engine libraries and the tensor cores.
    Case("fp32 wide", shape=WIDE),
    Case("fp16 wide", "fp16", layout=_LAST, math=_TENSOR, shape=WIDE, least=(7, 0), needed=False),
    # Fractions show lost precision, and the fastest algorithm may be Winograd or FFT.
    Case("fp32 fractions", exact=False),
)
_UNSUPPORTED = {8: {9}, 9: set(range(3000, 3005)) | {3007, 3010, 3011}}
_LOOSE = 50
"""Winograd and FFT trade precision for speed; their error bound is this many times wider."""


class Bench:
    """A handle on a device, and the cases run on it."""

    def __init__(self, channel: Channel, library: Cudnn, device: Device, handle: c_void_p) -> None:
        self._channel = channel
        self._cudnn = library
        self._device = device
        self._handle = handle
        self._major = min(library.major, 9)

    def run(self, *, full: bool) -> None:
        """Run the first case, or all that this GPU and this cuDNN have."""
        for case in CASES if full else CASES[:1]:
            self._channel.about(case.name)
            if not self._has(case):
                self._channel.say(skipped=[case.name])
                continue
            try:
                self._prove(case)
            except CudnnStatus as refusal:
                if case.needed or refusal.code not in _UNSUPPORTED[max(self._major, 8)]:
                    raise
                self._channel.say(skipped=[case.name])
            else:
                self._channel.say(checks=[case.name])

    def _has(self, case: Case) -> bool:
        if self._device.compute < case.least:
            return False
        if case.kind == "bf16" and self._cudnn.number < 8100:
            return False
        return case.name != "tf32" or self._major >= 8

    def _math(self, case: Case) -> int:
        # cuDNN 7 has no FMA_MATH, and no TF32 that would have to be forbidden.
        return 0 if self._major < 8 and case.math == cudnn.FMA_MATH else case.math

    def _prove(self, case: Case) -> None:
        operands = _operands(case)
        got, algorithm = self._compute(case, operands)
        trouble = _compare(case, operands, got, algorithm)
        if trouble:
            raise Stopped("wrong-result", detail=f"{case.name}: {trouble} (algorithm {algorithm})")

    def _compute(self, case: Case, operands: dict[str, list[float]]) -> tuple[list[float], int]:
        dims = {"x": case.shape.x, "w": case.shape.filter, "y": case.shape.y}
        target = next(operand for operand in "yxw" if operand not in operands)
        with Legacy(self._cudnn, self._handle, case.direction) as legacy:
            kind = cudnn.DATA_TYPES[case.kind]
            legacy.describe(dims, kind, case.layout, self._math(case))
            algorithm = legacy.algorithm(exact=case.exact)
            space = legacy.workspace(algorithm)
            with Memory(self._device) as memory:
                addresses = {
                    operand: memory.holding(_stored(values, dims[operand], case))
                    for operand, values in operands.items()
                }
                size = plain.size(dims[target]) * plain.width(case.kind)
                addresses[target] = memory.blank(size)
                legacy.run(addresses, algorithm, memory.space(space), space)
                self._device.driver.wait()
                data = self._device.driver.read(addresses[target], size)
        values = plain.unpacked(data, case.kind)
        if case.layout == cudnn.NHWC:
            values = plain.channels_first(values, dims[target])
        return values, algorithm


def _operands(case: Case) -> dict[str, list[float]]:
    """The two inputs of a case, as the numbers that the type can hold."""
    sizes = {"x": case.shape.x, "w": case.shape.filter, "y": case.shape.y}
    wanted = {"forward": "xw", "data": "yw", "filter": "xy"}[case.direction]
    if not case.exact:
        return {
            name: plain.unpacked(
                plain.packed(plain.fractions(seed, plain.size(sizes[name])), case.kind), case.kind
            )
            for seed, name in enumerate(wanted, 7)
        }
    # Sums stay below 256 in the wide shape too, which is what bf16 holds exactly.
    reach = 2 if case.shape is TINY else 1
    return {
        name: plain.integers(seed, plain.size(sizes[name]), reach)
        for seed, name in enumerate(wanted, 1)
    }


def _stored(values: list[float], dims: Dims, case: Case) -> bytes:
    if case.layout == cudnn.NHWC:
        values = plain.channels_last(values, dims)
    return plain.packed(values, case.kind)


def _compare(case: Case, operands: dict[str, list[float]], got: list[float], algorithm: int) -> str:
    shape = case.shape
    if case.direction == "data":
        return plain.disagreement(got, plain.backward_data(operands["y"], operands["w"], shape))
    if case.direction == "filter":
        return plain.disagreement(got, plain.backward_filter(operands["x"], operands["y"], shape))
    x, w = operands["x"], operands["w"]
    if shape is WIDE:
        return _compare_wide(x, w, got, shape)
    expected = plain.forward(x, w, shape)
    if case.exact:
        return plain.disagreement(got, expected)
    sizes = plain.forward([abs(v) for v in x], [abs(v) for v in w], shape)
    room = plain.bounds(expected, sizes, shape.c * 9, case.kind)
    if algorithm not in cudnn.EXACT["forward"]:
        room = [_LOOSE * bound for bound in room]
    return plain.disagreement(got, expected, room)


def _compare_wide(x: list[float], w: list[float], got: list[float], shape: Shape) -> str:
    """Every value through the sum of its plane, and some lines value by value."""
    plane = shape.h * shape.w
    sums = [sum(got[i : i + plane]) for i in range(0, len(got), plane)]
    trouble = plain.disagreement(sums, plain.plane_sums(x, w, shape))
    for n, k, p in ((0, 0, 0), (0, shape.k - 1, 1), (shape.n - 1, shape.k // 2, shape.h - 1)):
        start = ((n * shape.k + k) * shape.h + p) * shape.w
        line = plain.line_of(x, w, shape, n, k, p)
        trouble = trouble or plain.disagreement(got[start : start + shape.w], line)
    return trouble


class Memory:
    """Device memory that is given back at the end of a block, whatever happens in it."""

    def __init__(self, device: Device) -> None:
        self._driver = device.driver
        self._held: list[int] = []

    def __enter__(self) -> Memory:
        return self

    def __exit__(self, *trouble: object) -> None:
        for address in self._held:
            try:
                self._driver.free(address)
            except Exception:
                # After a fault of a kernel every call answers with the same code.
                return

    def space(self, size: int) -> int:
        """Memory with nothing particular in it; 0 for none."""
        if not size:
            return 0
        address = self._driver.allocate(size)
        self._held.append(address)
        return address

    def holding(self, data: bytes) -> int:
        """Memory with these bytes in it."""
        address = self.space(len(data))
        self._driver.write(address, data)
        return address

    def blank(self, size: int) -> int:
        """Memory full of not-a-number."""
        address = self.space(size)
        self._driver.fill(address, _NOT_A_NUMBER, size)
        return address
