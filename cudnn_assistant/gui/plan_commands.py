"""A plan as commands, for those who would rather type: the same values, nothing else."""

from __future__ import annotations

from cudnn_assistant.machine import Family
from cudnn_assistant.plan import Plan, kind_of


def commands(plan: Plan, family: Family) -> str:
    """One command a line: PowerShell on Windows, a POSIX shell on Linux."""
    return "\n".join(line for step in plan.steps for line in kind_of(step).commands(step, family))
