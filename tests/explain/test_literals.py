"""Literals are told without looking for each of them, and a large log without a look at each line.

What a log costs is counted in calls, as a clock measures other programs too.
"""

from __future__ import annotations

import random
import sys
from collections.abc import Callable
from types import FrameType

import pytest

from cudnn_assistant.explain import explain
from cudnn_assistant.explain.literals import Literals, find
from cudnn_assistant.explain.patterns import literals, patterns

AROUND = ("", " ", "x", "é", "\U0001f600", "\0", "_", "日")
CHANCE = random.Random(18)


def test_every_literal_is_told_wherever_it_stands() -> None:
    every = {literal for pattern in patterns() for literal in pattern.find}
    assert len(every) > 2000
    sieve = Literals(sorted(every))
    for literal in sorted(every):
        for before in AROUND:
            for more in ("", "."):
                text = f"{before}{more}{literal}{CHANCE.choice(AROUND)}"
                assert literal in sieve.possible(text), text
                assert find(text, literal) == len(before + more)


def test_what_is_in_no_text_is_not_told() -> None:
    words = "the quick brown fox jumps over a lazy dog, 1234567 times or 89 percent of it"
    assert len(literals().possible(words)) < 3


def test_a_number_is_a_whole_one() -> None:
    codes = Literals(["35", "(8)", "2.10", "k8s"])
    assert codes.possible("took 1350 of 355, (18) and (81), 12.101 or 2.101") == []
    assert codes.possible("error 35") == ["35"]
    assert find("1350 or 35", "35", 0) == 8
    assert find("355 or 135", "35", 0) == -1
    assert find("torch 12.10, 2.101, 2.10+cu", "2.10", 0) == 20
    assert "k8s" in codes.possible("on k8s18")


def calls(text: bytes) -> int:
    """How many functions are called, also those of the interpreter's own, to explain a text."""
    count = 0

    def hear(_frame: FrameType, event: str, _of: object) -> None:
        nonlocal count
        count += event in ("call", "c_call")

    sys.setprofile(hear)
    try:
        explain(text)
    finally:
        sys.setprofile(None)
    return count


def numbers(size: int) -> bytes:
    return b"\n".join(
        " ".join(f"{CHANCE.random() * 1000:.4f}" for _ in range(8)).encode()
        for _line in range(size // 70)
    )


def letters(size: int) -> bytes:
    return b"\n".join(CHANCE.randbytes(30).hex().encode() for _line in range(size // 61))


def empty(size: int) -> bytes:
    return b"\r\n" * (size // 2)


def one(size: int) -> bytes:
    return b"CUDNN_STATUS_EXECUTION_FAILED\n" * (size // 30)


def carriage(size: int) -> bytes:
    return b"\r".join(f"{n % 100}% of it".encode() for n in range(size // 11))


@pytest.mark.parametrize(
    ("kind", "most"), [(numbers, 200), (letters, 200), (empty, 10), (one, 20), (carriage, 20)]
)
def test_a_longer_log_takes_few_more_calls(kind: Callable[[int], bytes], most: int) -> None:
    """For each thousand bytes; where each line is looked at, it is three to a thousand times as
    many."""
    explain(kind(10_000))
    assert calls(kind(900_000)) - calls(kind(300_000)) < most * 600
