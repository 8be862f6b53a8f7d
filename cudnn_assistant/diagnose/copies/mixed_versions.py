"""Are the parts of cuDNN that come together in one program of one version?"""

from __future__ import annotations

import re

from cudnn_assistant.codes import Cudnn8Status, CudnnStatus
from cudnn_assistant.diagnose.copies.loaded_copy import (
    by_hand,
    copies_to_check,
    cudnn_files,
    inner_major,
    product,
    proven,
    replace,
)
from cudnn_assistant.diagnose.rule import Context, Findings, Layer, rule
from cudnn_assistant.finding import Facts
from cudnn_assistant.machine import CudnnCopy
from cudnn_assistant.versions import numbers

MIXED = (CudnnStatus.SUBLIBRARY_VERSION_MISMATCH, Cudnn8Status.VERSION_MISMATCH)
"""Status of a version check: sub-libraries of different versions, in cuDNN 9 and 8."""


@rule("cudnn-renamed", layer=Layer.WRONG_COPY, provable=False, of=copies_to_check)
def renamed(ctx: Context, copy: CudnnCopy) -> Findings:
    """The file's name says one major, its content another.

    A small test may pass with it; programs that want what the name says do not.
    """
    if not inner_major(copy) or inner_major(copy) == copy.major:
        return
    facts = Facts(file=copy.file, product=product(copy.version), folder=copy.folder)
    yield ctx.trouble(replace(ctx, copy), f"{copy.file}: {copy.version}", **facts)


@rule("cudnn-mixed-versions", layer=Layer.WRONG_COPY, of=copies_to_check)
def mixed(ctx: Context, copy: CudnnCopy) -> Findings:
    """Parts of different cuDNN versions came together in one program."""
    trial = ctx.trial
    if proven(ctx, copy):
        return
    versions = {numbers(p.version)[:3]: p for p in copy.parts if numbers(p.version)}
    stages = ("sublibraries", "handle", "convolution")
    refused = trial is not None and (
        (trial.code in MIXED and trial.stage in stages) or _strange(trial.detail)
    )
    check = copy.check
    words = [check.detail, *(p.detail for p in check.parts)] if check else []
    own = next(filter(_strange, words), check.detail if check and check.code in MIXED else "")
    checked = check is not None and (check.code in MIXED or bool(own))
    folders = _folders(ctx)
    if not (len(versions) > 1 or refused or checked or (len(folders) > 1 and ctx.stopped)):
        return
    evidence = (
        [f"{p.file}: {p.version}" for p in versions.values()] if len(versions) > 1 else folders
    )
    said = trial.detail if trial and refused else own
    remedy = replace(ctx, copy)
    facts = by_hand(ctx, copy, remedy) | {"count": max(len(versions), len(folders), 2)}
    if len(versions) > 1:
        facts["versions"] = tuple(".".join(map(str, v)) for v in sorted(versions))
    yield ctx.trouble(remedy, *evidence, said, **facts)


def _strange(said: str) -> bool:
    """Whether the loader found one part of cuDNN asking another for what that one hasn't got."""
    return re.search(r"libcudnn[\w.-]*: undefined symbol: [^;]*cudnn", said) is not None


def _folders(ctx: Context) -> list[str]:
    files = cudnn_files(ctx, ctx.trial) if ctx.trial else ()
    return list(dict.fromkeys(ctx.parent(p) for p in files))
