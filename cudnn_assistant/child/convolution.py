"""Convolutions in plain Python: the reference that the GPU's numbers are held against.

Tensors are flat lists in the order n, c, h, w (filters k, c, r, s). All convolutions here have
a 3 x 3 filter, one row of zeros around the picture and step one, as cross-correlation, which is
what frameworks compute. Small integers keep every sum exact in every type, so equality of bits
may be asked for whatever the order of summation was.
"""

from __future__ import annotations

import struct
from array import array
from operator import mul

Dims = tuple[int, int, int, int]
_SIDE = 3
"""Side of the filter."""


class Shape:
    """Sizes of one convolution: x is n,c,h,w; w is k,c,3,3; y is n,k,h,w."""

    __slots__ = ("c", "h", "k", "n", "w")

    def __init__(self, n: int, c: int, h: int, w: int, k: int) -> None:
        self.n, self.c, self.h, self.w, self.k = n, c, h, w, k

    @property
    def dims(self) -> dict[str, Dims]:
        """Dimensions of the three operands."""
        n, c, h, w, k = self.n, self.c, self.h, self.w, self.k
        return {"x": (n, c, h, w), "w": (k, c, _SIDE, _SIDE), "y": (n, k, h, w)}


TINY = Shape(1, 8, 8, 8, 8)
"""36,864 multiplications: plain Python does them in some milliseconds."""
WIDE = Shape(2, 64, 32, 32, 64)
"""Wide enough for tensor cores and the engine libraries; too much for plain Python: sums only."""


_PERIOD = 4093
"""Numbers repeat after this many: a prime, so that no two lines or channels are alike."""


def integers(seed: int, count: int, reach: int) -> list[float]:
    """``count`` repeatable integers from -reach to reach."""
    span = 2 * reach + 1
    noise = _noise(seed, min(count, _PERIOD))
    few = [float(value * span // 4294967296 - reach) for value in noise]
    return (few * (count // len(few) + 1))[:count]


def fractions(seed: int, count: int) -> list[float]:
    """``count`` repeatable numbers from -1 up to 1."""
    return [value / 2147483648 - 1 for value in _noise(seed, count)]


def _noise(seed: int, count: int) -> list[int]:
    found = []
    state = seed
    for _ in range(count):
        state = (state * 6364136223846793005 + 1442695040888963407) % 18446744073709551616
        found.append(state >> 32)
    return found


# -- the three convolutions ---------------------------------------------------------------------


def forward(x: list[float], w: list[float], shape: Shape) -> list[float]:
    """y[n,k,p,q] = sum over c,r,s of x[n,c,p+r-1,q+s-1] * w[k,c,r,s]."""
    rows = _bordered(x, shape.n * shape.c, shape.h, shape.w)
    y: list[float] = []
    for n in range(shape.n):
        planes = rows[n * shape.c : (n + 1) * shape.c]
        for k in range(shape.k):
            taps = w[k * shape.c * 9 : (k + 1) * shape.c * 9]
            for p in range(shape.h):
                y += _line(planes, taps, p, shape.w)
    return y


def _line(planes: list[list[list[float]]], taps: list[float], p: int, width: int) -> list[float]:
    total = [0.0] * width
    for c, plane in enumerate(planes):
        for r in range(_SIDE):
            row = plane[p + r]
            a, b, d = taps[c * 9 + r * 3 : c * 9 + r * 3 + 3]
            total = [
                t + a * left + b * middle + d * right
                for t, left, middle, right in zip(total, row, row[1:], row[2:], strict=False)
            ]
    return total


def backward_data(dy: list[float], w: list[float], shape: Shape) -> list[float]:
    """The gradient of x: a forward convolution with the filter turned and its channels swapped."""
    turned: list[float] = []
    for c in range(shape.c):
        for k in range(shape.k):
            start = (k * shape.c + c) * 9
            turned += w[start : start + 9][::-1]
    return forward(dy, turned, Shape(shape.n, shape.k, shape.h, shape.w, shape.c))


def backward_filter(x: list[float], dy: list[float], shape: Shape) -> list[float]:
    """dw[k,c,r,s] = sum over n,p,q of dy[n,k,p,q] * x[n,c,p+r-1,q+s-1]."""
    rows = _bordered(x, shape.n * shape.c, shape.h, shape.w)
    plane = shape.h * shape.w
    dw: list[float] = []
    for k in range(shape.k):
        for c in range(shape.c):
            for tap in range(9):
                total = 0.0
                for n in range(shape.n):
                    start = (n * shape.k + k) * plane
                    shifted = _shifted(rows[n * shape.c + c], tap, shape)
                    total += sum(map(mul, dy[start : start + plane], shifted))
                dw.append(total)
    return dw


def _shifted(plane: list[list[float]], tap: int, shape: Shape) -> list[float]:
    r, s = divmod(tap, 3)
    return [value for row in plane[r : r + shape.h] for value in row[s : s + shape.w]]


def _bordered(x: list[float], planes: int, height: int, width: int) -> list[list[list[float]]]:
    empty = [0.0] * (width + 2)
    found = []
    for plane in range(planes):
        start = plane * height * width
        inner = [x[start + i * width : start + (i + 1) * width] for i in range(height)]
        found.append([empty, *([0.0, *row, 0.0] for row in inner), empty])
    return found


def plane_sums(x: list[float], w: list[float], shape: Shape) -> list[float]:
    """The sum of each output plane n,k of ``forward``, without computing the planes.

    Every output takes part in one of the sums, so one wrong number anywhere shows, at a
    thousandth of the work: the sum over a plane only needs the sums of x's nine shifted planes.
    """
    rows = _bordered(x, shape.n * shape.c, shape.h, shape.w)
    shifts = [[sum(_shifted(plane, tap, shape)) for tap in range(9)] for plane in rows]
    sums: list[float] = []
    for n in range(shape.n):
        near = [value for plane in shifts[n * shape.c : (n + 1) * shape.c] for value in plane]
        taps = shape.c * 9
        sums += [sum(map(mul, near, w[k * taps : (k + 1) * taps])) for k in range(shape.k)]
    return sums


def line_of(x: list[float], w: list[float], shape: Shape, n: int, k: int, p: int) -> list[float]:
    """One line of ``forward``: y[n,k,p]."""
    plane = shape.c * shape.h * shape.w
    rows = _bordered(x[n * plane : (n + 1) * plane], shape.c, shape.h, shape.w)
    return _line(rows, w[k * shape.c * 9 : (k + 1) * shape.c * 9], p, shape.w)


# -- types and layouts --------------------------------------------------------------------------


def packed(values: list[float], kind: str) -> bytes:
    """``values`` in the bytes of fp32, fp16 or bf16, rounded to nearest, ties to even."""
    if kind == "fp32":
        return array("f", values).tobytes()
    if kind == "fp16":
        return struct.pack(f"<{len(values)}e", *values)
    words = array("I", array("f", values).tobytes())
    return array("H", [(word + 0x7FFF + (word >> 16 & 1)) >> 16 for word in words]).tobytes()


def unpacked(data: bytes, kind: str) -> list[float]:
    """The numbers in such bytes."""
    if kind == "fp32":
        return array("f", data).tolist()
    if kind == "fp16":
        return list(struct.unpack(f"<{len(data) // 2}e", data))
    return array("f", array("I", [word << 16 for word in array("H", data)]).tobytes()).tolist()


def channels_last(values: list[float], dims: Dims) -> list[float]:
    """From the order n,c,h,w to n,h,w,c."""
    return _turned(values, dims[0], dims[2] * dims[3])


def channels_first(values: list[float], dims: Dims) -> list[float]:
    """From the order n,h,w,c to n,c,h,w; ``dims`` are those of the result."""
    return _turned(values, dims[0], dims[1])


def _turned(values: list[float], pictures: int, width: int) -> list[float]:
    """The columns of each picture, whose lines have that width, one after the other."""
    size = len(values) // pictures
    parts = (values[i * size : (i + 1) * size] for i in range(pictures))
    return [v for part in parts for at in range(width) for v in part[at::width]]


# -- comparing ----------------------------------------------------------------------------------

_STEP = {"fp32": 2.0**-24, "fp16": 2.0**-11, "bf16": 2.0**-8}
"""Unit roundoff of the type that the result is stored in."""


def bounds(expected: list[float], sizes: list[float], terms: int, kind: str) -> list[float]:
    """How far each result may be off when the inputs are fractions.

    ``sizes`` are the sums of the absolute products. Inputs count as rounded already; the sum of
    ``terms`` products in fp32 is off by at most terms * 2^-24 of that size, storing the result
    by its type's step. Four times that leaves room for how sums are split up.
    """
    step = _STEP[kind]
    return [
        4 * (terms * 2.0**-24 * s + step * abs(e)) for e, s in zip(expected, sizes, strict=True)
    ]


def disagreement(
    got: list[float], expected: list[float], allowed: list[float] | None = None
) -> str:
    """What is wrong with ``got``, "" when nothing is. Not-a-number never agrees."""
    if len(got) != len(expected):
        return f"{len(got)} values instead of {len(expected)}"
    room = allowed or [0.0] * len(got)
    rows = enumerate(zip(got, expected, room, strict=True))
    # Written so that a comparison with not-a-number counts as a difference.
    wrong = [i for i, (g, e, b) in rows if not abs(g - e) <= b]
    if not wrong:
        return ""
    if all(value != value for value in got):
        return "the result was never written"
    first = wrong[0]
    return (
        f"{len(wrong)} of {len(got)} values differ; "
        f"value {first} is {got[first]:g} instead of {expected[first]:g}"
    )
