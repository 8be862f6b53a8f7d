"""Is the copy of cuDNN that programs load whole, of one piece, and made for this computer?"""

from __future__ import annotations

import re

from cudnn_assistant.compat import parts_of
from cudnn_assistant.diagnose.copies.loaded_copy import (
    best,
    by_hand,
    candidates,
    copies_to_check,
    inner_major,
    product,
    proven,
    replace,
)
from cudnn_assistant.diagnose.needs import Need
from cudnn_assistant.diagnose.remedies import RENAME, before_path, fits, own_copy
from cudnn_assistant.diagnose.rule import Context, Findings, Layer, family, rule
from cudnn_assistant.finding import Facts, Finding, Manual
from cudnn_assistant.machine import CudnnCopy, Part, PartState
from cudnn_assistant.shell import command
from cudnn_assistant.versions import short


@rule("stray-cudnn-first", layer=Layer.INTEGRITY)
def stray(ctx: Context) -> Findings:
    """Single files in System32 come before, or into, a whole copy elsewhere."""
    trial = ctx.stopped
    if trial is None or ctx.environment is not None:
        return
    files = [p for p in dict.fromkeys((trial.loaded, *trial.mapped)) if "cudnn" in ctx.name(p)]
    file = next((p for p in files if before_path(ctx, ctx.parent(p))), "")
    here = next((c for c in ctx.copies if c.folder == ctx.parent(file)), None)
    match = re.search(r"64_(\d+)\.dll$", file, re.IGNORECASE)
    good = [c for c in candidates(ctx, Need(major=int(match[1]))) if fits(ctx, c)] if match else []
    if not good or (here is not None and not here.damaged):
        return
    whole = best(ctx, good)
    facts = Facts(stray_file=file, newer=short(whole.version), folder=whole.folder)
    yield ctx.trouble(RENAME, file, f"{product(whole.version)}: {whole.folder}", **facts)


@rule("cudnn-links-missing", layer=Layer.INTEGRITY, of=copies_to_check)
def unlinked(ctx: Context, copy: CudnnCopy) -> Findings:
    """The files are there without the short names that programs ask for."""
    lacking = [p for p in copy.parts if p.state == "missing" and p.name == "cudnn"]
    if ctx.windows or not lacking or copy.file == lacking[0].file or proven(ctx, copy):
        return
    home = copy.environment or copy.folder.startswith("/home/")
    program = ("/sbin/ldconfig",) if home else ("sudo", "ldconfig")
    line = command("sh", *program, "-n", copy.folder)
    remedy = own_copy(ctx, Manual(commands=(line,), administrator=not home))
    facts = Facts(
        product=product(copy.version),
        present_file=copy.file,
        file=lacking[0].file,
        folder=copy.folder,
    )
    yield ctx.trouble(remedy, f"{copy.file}: {copy.folder}", **facts)


@rule("cudnn-wrong-architecture", layer=Layer.INTEGRITY, of=copies_to_check)
def architecture(ctx: Context, copy: CudnnCopy) -> Findings:
    """The copy is made for another kind of processor."""
    if ctx.foreign(copy.architecture) and not proven(ctx, copy):
        here = ctx.machine.os.architecture
        yield ctx.trouble(
            replace(ctx, copy),
            f"{copy.file}: {copy.architecture}; {here}",
            product=product(copy.version),
            made_for=copy.architecture,
            this_architecture=here,
            folder=copy.folder,
        )


_BROKEN: tuple[PartState, ...] = ("empty", "truncated", "not-a-library", "damaged-link")
_WAYS: tuple[tuple[PartState, ...], ...] = (_BROKEN, ("unreadable",), ("missing",))


@family(
    {
        "cudnn-damaged": _BROKEN,
        "cudnn-unreadable": ("unreadable",),
        "cudnn-part-missing": ("missing",),
    },
    layer=Layer.INTEGRITY,
    of=copies_to_check,
)
def harmed(ctx: Context, copy: CudnnCopy, states: tuple[PartState, ...]) -> Findings:
    """Files of the copy are no libraries, can't be read by this user, or are missing.

    One finding for one copy: about a file that every program needs, if there is one.
    """
    if inner_major(copy) not in (0, copy.major):
        return  # the parts of the name's major are not what it needs
    needed = _for_convolutions(ctx, copy)
    harms = [[p for p in copy.damaged if p.state in way] for way in _WAYS]
    harms.sort(key=lambda parts: not any(p.name in needed for p in parts))
    first = next(filter(None, harms), [])
    if first and first[0].state in states:
        yield _damage(ctx, copy, first)


def _for_convolutions(ctx: Context, copy: CudnnCopy) -> tuple[str, ...]:
    """Names of the parts without which no convolution runs."""
    return ("cudnn", *parts_of(ctx.compat.parts, copy.major).needed)


def _damage(ctx: Context, copy: CudnnCopy, parts: list[Part]) -> Finding:
    asked = ctx.stopped.missing if ctx.stopped else ""
    needed = _for_convolutions(ctx, copy)
    harmful = [p for p in parts if p.name in needed or p.file == asked]
    part = (harmful or parts)[0]
    if parts[0].state == "unreadable":
        line = command("sh", "sudo", "chmod", "a+r", ctx.join(copy.folder, part.file))
        commands = () if ctx.windows else (line,)
        remedy = own_copy(ctx, Manual(commands=commands, administrator=True))
    else:
        remedy = replace(ctx, copy)
    dangling = part.state == "damaged-link"
    facts = Facts(file=part.file, count=len(parts), leads_nowhere=dangling)
    return ctx.finding(
        ctx.serious if harmful and not proven(ctx, copy) else ctx.lesser,
        remedy,
        *(f"{p.file}: {p.state}" for p in parts[:8]),
        copy.folder,
        **by_hand(ctx, copy, remedy) | facts,
    )
