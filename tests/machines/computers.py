"""The golden computers: what each is, and what has to be found on it.

Each fault stands beside its healthy twin: a computer that looks alike and is told nothing above
a note. ``expected`` is written by hand from the catalogue of causes, never taken from a run.
"""

from __future__ import annotations

from importlib import import_module

from machines.case import COMPUTERS, Computer

from cudnn_assistant.machine import Machine
from cudnn_assistant.report import Redactor

__all__ = ["COMPUTERS", "NAMES", "Computer", "golden", "redacted"]

for _name in (
    "windows",
    "windows_python",
    "linux",
    "elsewhere",
    "linux_python",
    "rarer",
    "classic",
    "planted",
    "unusual",
    "further",
    "by_cause",
    "tried",
):
    import_module(f"machines.{_name}")

NAMES = sorted(COMPUTERS)


def golden(name: str) -> Machine:
    """The machine of a golden computer."""
    return COMPUTERS[name].machine


def redacted(machine: Machine, *, home: str = "", user: str = "", host: str = "") -> Machine:
    """A machine as a report shows it."""
    return Redactor(machine, home=home, user=user, host=host).machine()
