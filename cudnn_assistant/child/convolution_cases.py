"""The convolutions of the test: which types and layouts, on which GPUs, how exact they must be.

A table and what belongs to it: making the numbers, and holding the results against the CPU's.
"""

from __future__ import annotations

from math import prod

from cudnn_assistant.child import convolution as plain
from cudnn_assistant.child import cudnn
from cudnn_assistant.child.convolution import TINY, WIDE, Dims, Shape
from cudnn_assistant.child.legacy import EXACT


class Case:
    """One convolution of the test: what it changes of the plainest one."""

    kind = "fp32"
    direction = "forward"
    layout = cudnn.NCHW
    math = cudnn.FMA_MATH
    shape = TINY
    exact = True
    least = (0, 0)
    """Compute capability from which the hardware has this type."""
    needed = True
    """Whether "not supported" from such hardware is trouble rather than a gap."""
    graph = False
    """Through the graph calls instead of the legacy ones; always channels last."""

    def __init__(self, name: str, **changes: object) -> None:
        self.name = name
        vars(self).update(changes)


_LAST = cudnn.NHWC
_TENSOR = cudnn.TENSOR_MATH
CASES = (
    # Nothing but multiplications and additions of fp32 (FMA math): the one that must always hold.
    Case("fp32"),
    Case("fp32 channels last", layout=_LAST, needed=False),
    # DEFAULT_MATH lets Ampere and later use TF32, which holds integers to 2048 exactly.
    Case("tf32", math=cudnn.DEFAULT_MATH, least=(8, 0)),
    Case("fp16", kind="fp16", math=_TENSOR, least=(5, 3), needed=False),
    Case("fp16 channels last", kind="fp16", layout=_LAST, math=_TENSOR, least=(7, 0), needed=False),
    Case("bf16", kind="bf16", math=_TENSOR, least=(8, 0), needed=False),
    Case("bf16 channels last", kind="bf16", layout=_LAST, math=_TENSOR, least=(8, 0), needed=False),
    Case("fp32 backward data", direction="data"),
    Case("fp32 backward filter", direction="filter"),
    # Wide enough that the heuristics reach for the engine libraries and the tensor cores.
    Case("fp32 wide", shape=WIDE),
    Case(
        "fp16 wide", kind="fp16", layout=_LAST, math=_TENSOR, shape=WIDE, least=(7, 0), needed=False
    ),
    # Fractions show lost precision, and the fastest algorithm may be Winograd or FFT.
    Case("fp32 fractions", exact=False),
    # The way of today's PyTorch.
    Case("fp16 graph", kind="fp16", layout=_LAST, least=(8, 0), needed=False, graph=True),
)
JIT_CASES = (
    Case("fp16 graph", kind="fp16", layout=_LAST, needed=False, graph=True),
    Case("bf16 graph", kind="bf16", layout=_LAST, least=(8, 0), needed=False, graph=True),
    Case("tf32 graph", layout=_LAST, least=(8, 0), needed=False, graph=True),
)
"""What cuDNN JIT can be asked: it has no legacy convolution. One of them must hold."""
_LOOSE = 50
"""Winograd and FFT trade precision for speed; their error bound is this many times wider."""


def operands(case: Case) -> dict[str, list[float]]:
    """The two inputs of a case, as the numbers that the type can hold."""
    sizes = case.shape.dims
    wanted = {"forward": "xw", "data": "yw", "filter": "xy"}[case.direction]
    if not case.exact:
        return {
            name: plain.unpacked(
                plain.packed(plain.fractions(seed, prod(sizes[name])), case.kind), case.kind
            )
            for seed, name in enumerate(wanted, 7)
        }
    # Sums stay below 256 in the wide shape too, which is what bf16 holds exactly.
    reach = 2 if case.shape is TINY else 1
    return {
        name: plain.integers(seed, prod(sizes[name]), reach) for seed, name in enumerate(wanted, 1)
    }


def stored(values: list[float], dims: Dims, case: Case) -> bytes:
    """The bytes of a tensor in the case's type and layout."""
    if case.layout == cudnn.NHWC:
        values = plain.channels_last(values, dims)
    return plain.packed(values, case.kind)


def compare(case: Case, operands: dict[str, list[float]], got: list[float], algorithm: int) -> str:
    """What is wrong with a result, "" when nothing is."""
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
    if algorithm not in EXACT["forward"]:
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
