"""What a golden computer is, and the table of all of them."""

from __future__ import annotations

from typing import NamedTuple

from cudnn_assistant.machine import Machine


class Computer(NamedTuple):
    """A computer, the right verdict, and "severity code [subject]" of each finding."""

    machine: Machine
    verdict: str
    expected: tuple[str, ...] = ()


COMPUTERS: dict[str, Computer] = {}


def case(name: str, verdict: str, whole: Machine, *expected: str) -> Machine:
    """Put a computer into the table; its machine, to make others of."""
    assert name not in COMPUTERS, name
    COMPUTERS[name] = Computer(whole, verdict, expected)
    return whole
