"""The golden computers: what each is, and what has to be found on it.

Each fault stands beside its healthy twin: a computer that looks alike and is told nothing above
a note. ``expected`` is written by hand from the catalogue of causes, never taken from a run.
"""

from __future__ import annotations

from functools import lru_cache
from importlib import import_module

from machines.case import COMPUTERS, Computer

from cudnn_assistant.feed import load_builtin
from cudnn_assistant.machine import Machine
from cudnn_assistant.report.redaction import Redactor
from cudnn_assistant.session.checkup import Checkup, think

__all__ = ["AT_ONCE", "COMPUTERS", "NAMES", "Computer", "golden", "redacted", "thought"]

for _name in (
    "windows",
    "windows_python",
    "linux",
    "elsewhere",
    "linux_python",
    "rarer",
    "inside",
    "classic",
    "planted",
    "unusual",
    "ground",
    "further",
    "by_cause",
    "tried",
):
    import_module(f"machines.{_name}")

NAMES = sorted(COMPUTERS)
AT_ONCE = 14
"""Computers that one test looks at (each.py)."""


def golden(name: str) -> Machine:
    """The machine of a golden computer."""
    return COMPUTERS[name].machine


@lru_cache(maxsize=2 * AT_ONCE)
def thought(name: str) -> Checkup:
    """What is found on a golden computer, and the plan. The same facts give the same answer, so
    the tests of a handful of them, which one process gets (conftest.py), ask once."""
    return think(golden(name), load_builtin())


def redacted(machine: Machine, *, home: str = "", user: str = "", host: str = "") -> Machine:
    """A machine as a report shows it."""
    return Redactor(machine, home=home, user=user, host=host).machine()
