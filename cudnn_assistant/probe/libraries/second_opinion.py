"""What cuda-pathfinder, NVIDIA's own locator, finds: kept beside what we measured ourselves."""

from __future__ import annotations

from collections.abc import Mapping

import msgspec

from cudnn_assistant.machine import Library, readable
from cudnn_assistant.probe.running.children import Cancel, never, run_child

NAMES = ("cudnn", "cublasLt", "cublas", "cudart", "nvrtc")
"""In the words of cuda-pathfinder; cuDNN first, because it asks for the others."""
DEADLINE = 15.0


def second_opinion(
    environment: Mapping[str, str], *, deadline: float = DEADLINE, cancel: Cancel = never
) -> tuple[Library, ...]:
    """The libraries that cuda-pathfinder loads under ``environment``, with how it found each.

    Empty when it finds none, isn't installed, or came to no answer: an opinion is no fact that
    anything depends on.
    """
    try:
        ended = run_child("cuda_pathfinder", {"names": NAMES}, environment, deadline, cancel=cancel)
    except (OSError, ValueError):
        return ()
    told = (line["found"] for line in ended.lines if "found" in line)
    found = msgspec.convert([one | {"path": readable(one["path"])} for one in told], list[Library])
    return tuple(found)
