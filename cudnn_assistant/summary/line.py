"""One line of the summary."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import msgspec

from cudnn_assistant.machine import CudnnCopy, Toolkit
from cudnn_assistant.versions import numbers
from cudnn_assistant.wording import listed, say

Mark = Literal["ok", "note", "bad", "unknown", "wait"]
SIGNS: dict[Mark, str] = {"ok": "✓", "note": "!", "bad": "✗", "unknown": "?", "wait": "…"}


def card(name: str) -> str:
    """A GPU's name without the maker's, which the label says."""
    return name.removeprefix("NVIDIA ") or say("summary.nvidia-gpu")


def damaged(copy: CudnnCopy) -> str:
    """The files of a copy that aren't as they should be; "" for none."""
    return listed(
        say("report.part", file=part.file, state=say(f"summary.part-{part.state}"))
        for part in copy.damaged
    )


def newest(toolkits: Sequence[Toolkit]) -> Toolkit:
    """The toolkit that is named where there are several; there is at least one."""
    return max(toolkits, key=lambda one: (numbers(one.version), one.root))


class Line(msgspec.Struct, frozen=True):
    """One line: which part, how it is, its label and what to know about it."""

    part: str
    """gpu, cuda, cudnn, settings, trial; "python" for a line about one environment."""
    mark: Mark
    label: str
    text: str

    def __str__(self) -> str:
        return f"{SIGNS[self.mark]} {self.label}: {self.text}"
