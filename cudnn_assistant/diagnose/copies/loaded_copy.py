"""Which files of cuDNN a test met, also those that the loader refused."""

from __future__ import annotations

import re

from cudnn_assistant.diagnose.context import Context
from cudnn_assistant.machine import Trial

_FILE = re.compile(r"(?<![\w.])/[^\s:;,'\"]+/libcudnn[\w-]*\.so[.\d]*")
"""A file of cuDNN in what the loader of Linux says: one that it refused is never mapped."""


def touched(ctx: Context, trial: Trial) -> tuple[str, ...]:
    """cuDNN files that a test had mapped, or that its loader names in what it said."""
    named = _FILE.findall(trial.detail)
    files = (p for p in (*trial.mapped, *named) if "cudnn" in ctx.name(p).casefold())
    return tuple(dict.fromkeys(files))
