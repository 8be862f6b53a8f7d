"""The processes below one of ours, and the memory that they hold (Linux)."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator

_MOST_PROCESSES = 500


def descendants(pid: int) -> list[int]:
    """``pid`` and the processes below it that live now, parents first."""
    found, at = [pid], 0
    while at < len(found) < _MOST_PROCESSES:
        found += _children(found[at])
        at += 1
    return found


def _children(pid: int) -> list[int]:
    found: list[int] = []
    with contextlib.suppress(OSError):
        for thread in os.listdir(f"/proc/{pid}/task"):
            with contextlib.suppress(OSError), open(f"/proc/{pid}/task/{thread}/children") as file:
                found += map(int, file.read().split())
    return found


def memory(pids: list[int]) -> int:
    """Bytes of memory that these processes hold; pages that they share are counted in each."""
    pages = 0
    for pid in pids:
        with contextlib.suppress(OSError, ValueError), open(f"/proc/{pid}/statm") as file:
            pages += int(file.read().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") if pages else 0


def started_with(assignment: bytes) -> Iterator[int]:
    """Processes that were started with ``NAME=value`` in their environment, or forked by one."""
    with contextlib.suppress(OSError):
        for pid in filter(str.isdigit, os.listdir("/proc")):
            with contextlib.suppress(OSError), open(f"/proc/{pid}/environ", "rb") as file:
                if assignment in file.read().split(b"\0"):
                    yield int(pid)
