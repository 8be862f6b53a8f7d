"""Limits of a process as the shell's ulimit tells them."""

from __future__ import annotations

ULIMIT = {"AS": "v", "DATA": "d", "STACK": "s", "NOFILE": "n", "NPROC": "u", "MEMLOCK": "l"}
"""Its options for the limits of setrlimit(2)."""


def in_shell(name: str, number: int) -> str:
    """Memory in KiB, the rest as a count."""
    return str(number if name in ("NOFILE", "NPROC") else number // 1024)
