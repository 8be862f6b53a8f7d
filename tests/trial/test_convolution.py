"""The reference must be right by itself: held against the definition, written differently."""

from __future__ import annotations

import math
import struct

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cudnn_assistant.child import convolution as plain
from cudnn_assistant.child.convolution import TINY, Shape

SMALL = Shape(2, 3, 4, 5, 2)


def x_at(x, s, n, c, i, j):
    inside = 0 <= i < s.h and 0 <= j < s.w
    return x[((n * s.c + c) * s.h + i) * s.w + j] if inside else 0.0


def defined(x, w, s):
    return [
        sum(
            x_at(x, s, n, c, p + r - 1, q + t - 1) * w[((k * s.c + c) * 3 + r) * 3 + t]
            for c in range(s.c)
            for r in range(3)
            for t in range(3)
        )
        for n in range(s.n)
        for k in range(s.k)
        for p in range(s.h)
        for q in range(s.w)
    ]


def operands(s, seed=1):
    x = plain.integers(seed, math.prod(s.dims["x"]), 3)
    w = plain.integers(seed + 1, math.prod(s.dims["w"]), 3)
    y = plain.integers(seed + 2, math.prod(s.dims["y"]), 3)
    return x, w, y


@pytest.mark.parametrize("shape", [SMALL, TINY, Shape(1, 1, 1, 1, 1), Shape(1, 2, 1, 7, 3)])
def test_forward_is_the_definition(shape):
    x, w, _ = operands(shape)
    assert plain.forward(x, w, shape) == defined(x, w, shape)


def test_backward_is_the_adjoint_of_forward():
    """<forward(x, w), dy> = <x, backward_data(dy, w)> = <w, backward_filter(x, dy)>."""
    x, w, dy = operands(SMALL)
    y = plain.forward(x, w, SMALL)
    dx = plain.backward_data(dy, w, SMALL)
    dw = plain.backward_filter(x, dy, SMALL)

    def inner(a, b):
        return sum(p * q for p, q in zip(a, b, strict=True))

    assert inner(y, dy) == inner(x, dx) == inner(w, dw)
    assert (len(dx), len(dw)) == (len(x), len(w))


def test_backward_is_the_derivative_element_by_element():
    x, w, dy = operands(SMALL)
    dx, dw = plain.backward_data(dy, w, SMALL), plain.backward_filter(x, dy, SMALL)
    for at in (0, 7, len(x) - 1):
        moved = [value + (i == at) for i, value in enumerate(x)]
        change = zip(plain.forward(moved, w, SMALL), plain.forward(x, w, SMALL), dy, strict=True)
        assert sum((a - b) * d for a, b, d in change) == dx[at]
    for at in (0, 8, len(w) - 1):
        moved = [value + (i == at) for i, value in enumerate(w)]
        change = zip(plain.forward(x, moved, SMALL), plain.forward(x, w, SMALL), dy, strict=True)
        assert sum((a - b) * d for a, b, d in change) == dw[at]


def test_sums_of_planes_and_single_lines():
    x, w, _ = operands(SMALL)
    y = plain.forward(x, w, SMALL)
    plane = SMALL.h * SMALL.w
    assert plain.plane_sums(x, w, SMALL) == [sum(y[i : i + plane]) for i in range(0, len(y), plane)]
    start = ((1 * SMALL.k + 1) * SMALL.h + 2) * SMALL.w
    assert plain.line_of(x, w, SMALL, 1, 1, 2) == y[start : start + SMALL.w]


def test_numbers_are_small_repeatable_and_unlike():
    assert plain.integers(1, 5000, 2) == plain.integers(1, 5000, 2) != plain.integers(2, 5000, 2)
    assert set(plain.integers(1, 5000, 2)) == {-2.0, -1.0, 0.0, 1.0, 2.0}
    assert all(-1 <= value < 1 for value in plain.fractions(1, 5000))
    rows = plain.integers(1, 64 * 1024, 1)
    assert len({tuple(rows[i : i + 32]) for i in range(0, len(rows), 32)}) > 2000


@pytest.mark.parametrize("name", ["x", "w"])
def test_sums_of_the_wide_case_are_exact_in_every_type(name):
    """bf16 holds integers to 256, fp16 to 2048: the largest possible sum must not pass either."""
    from cudnn_assistant.child.convolution import WIDE
    from cudnn_assistant.child.convolution_cases import CASES, operands

    case = next(case for case in CASES if case.name == "fp16 wide")
    found = operands(case)
    sizes = [plain.line_of(found["x"], found["w"], WIDE, n, k, 5) for n in (0, 1) for k in (0, 9)]
    assert max(abs(value) for line in sizes for value in line) < 256


# -- types ----------------------------------------------------------------------------------------

floats = st.floats(-60000, 60000, width=32)


@given(st.lists(floats, min_size=1, max_size=50))
def test_fp32_and_fp16_are_as_struct_has_them(values):
    assert plain.packed(values, "fp32") == struct.pack(f"<{len(values)}f", *values)
    assert plain.packed(values, "fp16") == struct.pack(f"<{len(values)}e", *values)
    assert plain.unpacked(plain.packed(values, "fp32"), "fp32") == values


@given(floats)
def test_bf16_is_rounded_to_the_nearest_and_ties_to_even(value):
    got = plain.unpacked(plain.packed([value], "bf16"), "bf16")[0]
    (bits,) = struct.unpack("<I", struct.pack("<f", value))
    below = struct.unpack("<f", struct.pack("<I", bits & 0xFFFF0000))[0]
    above = struct.unpack("<f", struct.pack("<I", (bits & 0xFFFF0000) + 0x10000))[0]
    assert got in (below, above)
    nearest = min(abs(value - below), abs(value - above))
    assert abs(value - got) == nearest
    if abs(value - below) == abs(value - above):
        even = below if bits >> 16 & 1 == 0 else above
        assert got == even


@given(st.integers(1, 3), st.integers(1, 4), st.integers(1, 4), st.integers(1, 4))
def test_channels_last_and_back(n, c, h, w):
    dims = (n, c, h, w)
    values = [float(i) for i in range(math.prod(dims))]
    last = plain.channels_last(values, dims)
    assert plain.channels_first(last, dims) == values
    for at, value in enumerate(last):
        i, channel = divmod(at, c)
        picture, pixel = divmod(i, h * w)
        assert value == values[(picture * c + channel) * h * w + pixel]


# -- comparing ------------------------------------------------------------------------------------


@pytest.mark.parametrize("bad", [math.nan, math.inf, -math.inf, 1.5])
def test_one_wrong_value_is_seen_wherever_it_is(bad):
    for at in range(4):
        got = [1.0, 2.0, 3.0, 4.0]
        got[at] = bad
        assert plain.disagreement(got, [1.0, 2.0, 3.0, 4.0])
        assert plain.disagreement(got, [1.0, 2.0, 3.0, 4.0], [0.1] * 4)
    assert plain.disagreement([1.0], [1.0]) == ""


@given(st.lists(floats, min_size=1), st.floats())
def test_nan_never_agrees(values, room):
    allowed = [room] * len(values)
    assert plain.disagreement([math.nan] * len(values), values, allowed)


def test_all_zero_is_not_close_enough():
    x, w, _ = operands(TINY)
    assert plain.disagreement([0.0] * 512, plain.forward(x, w, TINY))


def test_another_number_of_values():
    assert "3 values instead of 2" in plain.disagreement([1.0] * 3, [1.0] * 2)


@settings(max_examples=20, deadline=None)
@given(st.integers(1, 1 << 30))
def test_the_bound_holds_for_fp32_sums_and_not_for_tf32_inputs(seed):
    """Sums in fp32 in any order pass; inputs cut to TF32's ten bits don't."""
    shape = Shape(1, 8, 4, 4, 2)
    x = plain.unpacked(
        plain.packed(plain.fractions(seed, math.prod(shape.dims["x"])), "fp32"), "fp32"
    )
    w = plain.unpacked(
        plain.packed(plain.fractions(seed + 1, math.prod(shape.dims["w"])), "fp32"), "fp32"
    )
    expected = plain.forward(x, w, shape)
    sizes = plain.forward([abs(v) for v in x], [abs(v) for v in w], shape)
    room = plain.bounds(expected, sizes, shape.c * 9, "fp32")
    rounded = plain.unpacked(plain.packed(expected, "fp32"), "fp32")
    assert plain.disagreement(rounded, expected, room) == ""
    assert plain.disagreement(plain.forward(cut(x), cut(w), shape), expected, room)


def cut(values):
    words = [struct.unpack("<I", struct.pack("<f", value))[0] & 0xFFFFE000 for value in values]
    return [struct.unpack("<f", struct.pack("<I", word))[0] for word in words]
