"""Which copies of cuDNN would serve, which one programs load, and which files a test met."""

from __future__ import annotations

from cudnn_assistant.diagnose.context import Context
from cudnn_assistant.diagnose.needs import Need
from cudnn_assistant.diagnose.remedies import fits
from cudnn_assistant.machine import CudnnCopy, Trial
from cudnn_assistant.regex import regex
from cudnn_assistant.versions import numbers, short

_FILE = regex(r"(?<![\w.])/[^\s:;,'\"]+/libcudnn[\w-]*\.so[.\d]*")
"""A file of cuDNN in what the loader of Linux says: one that it refused is never mapped."""


def cudnn_files(ctx: Context, trial: Trial) -> tuple[str, ...]:
    """cuDNN files that a test had mapped, or that its loader names in what it said."""
    named = _FILE.findall(trial.detail)
    files = (p for p in (*trial.mapped, *named) if "cudnn" in ctx.name(p).casefold())
    return tuple(dict.fromkeys(files))


def candidates(ctx: Context, need: Need) -> list[CudnnCopy]:
    """The subject's full copies of the needed major."""
    return [c for c in ctx.copies if need.major in (0, c.major) and c.flavour == "full"]


def best(ctx: Context, copies: list[CudnnCopy]) -> CudnnCopy:
    """The copy to prefer: one that fits, then the newest."""
    return max(copies, key=lambda c: (fits(ctx, c), numbers(c.version), -ctx.rank(c.folder)))


def product(version: str) -> str:
    """The name people know: "cuDNN 9.8", "cuDNN" when the version is unknown."""
    return f"cuDNN {short(version)}".strip()


def loaded_copy(ctx: Context) -> tuple[CudnnCopy | None, bool]:
    """The copy that programs load and whether that was measured.

    Without a test the first copy in search order is assumed.
    """
    if ctx.winner is not None:
        return ctx.winner, True
    if ctx.stopped or ctx.environment is not None:
        return None, False
    found = [c for c in ctx.copies if c.flavour == "full" and ctx.reachable(c.folder, c.found_via)]
    return min(found, key=lambda c: ctx.rank(c.folder), default=None), False
