"""The golden computers: what each is, and what has to be found on it.

Each fault stands beside its healthy twin: a computer that looks alike and is told nothing above
a note. ``expected`` is written by hand from the catalogue of causes, never taken from a run.
"""

from __future__ import annotations

from importlib import import_module

from machines.case import COMPUTERS, Computer

__all__ = ["COMPUTERS", "Computer"]

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
):
    import_module(f"machines.{_name}")
