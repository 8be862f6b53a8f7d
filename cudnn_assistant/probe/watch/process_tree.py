"""A process as it runs: the libraries it has mapped, its words and its environment (Linux)."""

from __future__ import annotations

import contextlib
import os

from cudnn_assistant.child.mapped import files_of, interesting


def libraries(pid: int) -> list[str]:
    """CUDA's and cuDNN's files that a process has mapped; [] where it may not be looked at."""
    with contextlib.suppress(OSError):
        return interesting(files_of(pid))
    return []


def readable(pid: int) -> bool:
    """Whether the process is there and ours to look at."""
    with contextlib.suppress(OSError), open(f"/proc/{pid}/maps") as maps:
        return bool(maps.readline())
    return False


def environment(pid: int) -> dict[str, str]:
    """The environment that a process was started with; {} where it may not be read."""
    pairs = (text.partition("=") for text in _texts(pid, "environ") if "=" in text)
    return {name: text for name, _equal, text in pairs}


def command(pid: int) -> list[str]:
    """The words a process was started with; [] where they may not be read."""
    return [word for word in _texts(pid, "cmdline") if word]


def _texts(pid: int, name: str) -> list[str]:
    try:
        with open(f"/proc/{pid}/{name}", "rb") as file:
            return [os.fsdecode(text) for text in file.read().split(b"\0")]
    except OSError:
        return []
