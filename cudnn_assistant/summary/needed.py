"""Whether anybody here needs the system's own cuDNN. Pure."""

from __future__ import annotations

from collections.abc import Iterable

from cudnn_assistant.finding import Finding
from cudnn_assistant.machine import Machine


def system_needed(machine: Machine, findings: Iterable[Finding]) -> bool:
    """Whether something may need the system's cuDNN, or nothing here is known to bring its own.

    Who takes it from there and has trouble of its own is told so in its own row.
    """
    troubled = {one.subject for one in findings if one.severity == "error"}
    taking = (e for e in machine.pythons if any(f.uses_system_cudnn for f in e.frameworks))
    if any(one.id not in troubled for one in taking):
        return True
    return not any(one.meant_for_gpu for one in machine.pythons)
