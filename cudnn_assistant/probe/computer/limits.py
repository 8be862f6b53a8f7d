"""Limits of a process (setrlimit) that were seen to keep CUDA or cuDNN from starting."""

from __future__ import annotations

import sys
from collections.abc import Iterator

from cudnn_assistant.machine import Limit, LimitName

_ENOUGH: dict[LimitName, int | None] = {
    "AS": None, "DATA": None, "STACK": 1 << 20, "NOFILE": 256, "NPROC": 1024, "MEMLOCK": 64 << 10,
}  # fmt: skip
"""Limits that disturb nothing; of AS and DATA (``None``) only "none at all" does."""


def low_limits() -> Iterator[tuple[Limit, bool]]:
    """Limits of this process that are low now, and whether everybody can raise them.

    Programs that a person starts where they started us have the same.
    """
    if sys.platform == "win32":
        return
    import resource

    for name, enough in _ENOUGH.items():
        soft, hard = resource.getrlimit(getattr(resource, f"RLIMIT_{name}"))
        if soft != resource.RLIM_INFINITY and (enough is None or soft < enough):
            yield Limit(name=name, most=soft), soft != hard


def fixed_limits() -> tuple[Limit, ...]:
    """The low ones that can't be raised without the administrator."""
    return tuple(limit for limit, raisable in low_limits() if not raisable)
