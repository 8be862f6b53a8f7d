"""What a person tells of a computer beside a text: checked before anything is made of it."""

from __future__ import annotations

import re
from collections.abc import Mapping

from cudnn_assistant.compat import Compat
from cudnn_assistant.explain.facts import facts
from cudnn_assistant.explain.features import features
from cudnn_assistant.explain.understood import understood
from cudnn_assistant.trouble import Misuse

EXAMPLES: Mapping[str, tuple[str, ...]] = {
    "gpu": ("RTX 3060", "A100", "8.6"),
    "driver": ("580.65.06", "not installed"),
    "cuda": ("12.8", "not installed"),
    "cudnn": ("9.8", "not installed"),
    "python": ("3.12",),
    "framework": ("torch 2.8", "tensorflow", "jax", "onnxruntime", "cupy", "paddle", "ctranslate2"),
    "os": ("windows", "linux", "wsl", "macos"),
}
"""Facts that can be given, with values."""
_OLDEST_DRIVER = 100
"""Below stand versions of CUDA, which nvidia-smi shows beside the driver's."""


def refuse_unread(given: Mapping[str, str], compat: Compat) -> None:
    """Raise :class:`Misuse` for a fact that isn't asked for, and a value that says nothing of it.

    Reports of others have more, and all sorts of words: :func:`explain` takes what it finds there.
    """
    for name, value in given.items():
        if name not in EXAMPLES:
            raise Misuse("given-unknown", name=name, known=tuple(EXAMPLES))
        if not _read(name, value, compat):
            raise Misuse("given-unreadable", fact=name, value=value, examples=EXAMPLES[name])


def _read(name: str, value: str, compat: Compat) -> bool:
    read = facts(compat, (), (), {name: value})
    if name == "gpu":  # One that is newer than the data has a number all the same.
        return bool(read.compute or re.search(r"\d", value))
    if read.driver:
        return read.driver[0] >= _OLDEST_DRIVER
    return bool(understood(read)) or any(one.startswith(f"{name}:") for one in features(read))
