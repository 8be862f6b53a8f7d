"""Processes as they run: who is below one, the memory they hold, what they have mapped (Linux)."""

from __future__ import annotations

import contextlib
import os
import re
import signal
import time
from collections.abc import Iterable, Iterator

from cudnn_assistant.child.mapped import files_of, interesting

_MOST_PROCESSES = 500
_ROUNDS = 50
"""Times that we look for what is left of a program; what forks faster than that outruns us."""


def descendants(pid: int) -> list[int]:
    """``pid`` and the processes below it that live now, parents first."""
    found, at = [pid], 0
    while at < len(found) < _MOST_PROCESSES:
        found += _children(found[at])
        at += 1
    return found


def _children(pid: int) -> list[int]:
    of_each = (_read(f"{pid}/task/{thread}/children") for thread in threads(pid))
    return [int(child) for children in of_each for child in children.split()]


def threads(pid: int) -> list[int]:
    """The threads of a process by their numbers; [] where it is gone."""
    with contextlib.suppress(OSError):
        return [*map(int, os.listdir(f"/proc/{pid}/task"))]
    return []


def memory(pids: list[int]) -> int:
    """Bytes of memory that these processes hold; pages that they share are counted in each."""
    pages = 0
    for pid in pids:
        with contextlib.suppress(IndexError):
            pages += int(_read(f"{pid}/statm").split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") if pages else 0


def memory_kills() -> int | None:
    """Programs of our control group that the kernel has ended for their memory; ``None``: unknown.

    Beside others each group counts its own (cgroups(7), both versions).
    """
    for line in _read("self/cgroup").decode("utf-8", "replace").splitlines():
        _number, kind, group = line.split(":", 2)
        file = {"": "memory.events", "memory": "memory.oom_control"}.get(kind)
        with contextlib.suppress(OSError), open(f"/sys/fs/cgroup/{kind}{group}/{file}") as counts:
            if killed := re.search(r"(?m)^oom_kill (\d+)$", counts.read()):
                return int(killed[1])
    return None


def send(pids: Iterable[int], name: str) -> None:
    """Linux: a signal to each of these that is still there and ours."""
    for pid in pids if hasattr(signal, name) else ():
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.kill(pid, getattr(signal, name))


def end_all(pids: Iterable[int], assignment: str) -> None:
    """Kill these, and whatever was started with ``NAME=value`` in its environment."""
    for _round in range(_ROUNDS):
        send(pids, "SIGKILL")
        pids = tuple(started_with(assignment))
        if not pids:
            return
        time.sleep(0.01)


def started_with(assignment: str) -> Iterator[int]:
    """Processes that were started with ``NAME=value`` in their environment, or forked by one."""
    with contextlib.suppress(OSError):
        for pid in map(int, filter(str.isdigit, os.listdir("/proc"))):
            if assignment in _texts(pid, "environ"):
                yield pid


def libraries(pid: int) -> list[str]:
    """CUDA's and cuDNN's files that a process has mapped; [] where it may not be looked at."""
    with contextlib.suppress(OSError):
        return interesting(files_of(pid))
    return []


def alive(pid: int) -> bool:
    """Whether a process is there and hasn't ended; that may be asked of everybody's."""
    return bool(re.match(rb"\d+ \(.*\) [^ZX]", _read(f"{pid}/stat"), re.DOTALL))


def readable(pid: int) -> bool:
    """Whether the process is there and ours to look at."""
    return bool(_read(f"{pid}/maps"))


def command(pid: int) -> list[str]:
    """The words a process was started with; [] where they may not be read."""
    return [word for word in _texts(pid, "cmdline") if word]


def _texts(pid: int, name: str) -> list[str]:
    return os.fsdecode(_read(f"{pid}/{name}")).split("\0")


def _read(path: str) -> bytes:
    with contextlib.suppress(OSError), open(f"/proc/{path}", "rb") as file:
        return file.read()
    return b""
