"""What a framework's own test proves: its convolution, run by its own Python, stopped."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Literal

from msgspec.structs import replace

from cudnn_assistant.diagnose.remedies import unset
from cudnn_assistant.diagnose.rule import Check, Context, Findings, Layer, rule
from cudnn_assistant.diagnose.trial.status import test_evidence
from cudnn_assistant.finding import Automatic, Facts, Finding, Manual, SetTo, Unknown
from cudnn_assistant.machine import CudnnCopy, Trial
from cudnn_assistant.versions import numbers, short
from cudnn_assistant.wording.products import titled

Told = Callable[[Context, Trial, str, str], Finding | None]
"""With the one setting or call that helped, or "", and the text that the setting needs."""


def _of_stopped(told: Told) -> Check:
    """A rule about each framework's own convolution that stopped, and what a second run showed."""

    @wraps(told)
    def rule(ctx: Context) -> Findings:
        for trial in ctx.framework_trials:
            if trial.status != "ok" and not _for_processor(ctx, trial):
                name, _, value = trial.helped_by.partition("=")
                if found := told(ctx, trial, name, value):
                    whose = Facts(program=titled(trial.framework), environment=ctx.subject)
                    yield replace(found, facts=found.facts | whose)

    return rule


@rule("framework-must-preload", layer=Layer.FRAMEWORK_TEST, provable=False)
@_of_stopped
def must_preload(ctx: Context, trial: Trial, name: str, _value: str) -> Finding | None:
    """The convolution runs after a call that loads the libraries of the environment's packages."""
    call = name.removesuffix("()")
    return ctx.error(Manual(), *test_evidence(trial), call=call) if call != name else None


@rule("framework-takes-all-memory", layer=Layer.FRAMEWORK_TEST, provable=False)
@_of_stopped
def takes_all_memory(ctx: Context, trial: Trial, name: str, value: str) -> Finding | None:
    """The convolution runs where the framework takes memory as it is needed."""
    remedy = Automatic(edits=(SetTo(variable=name, text=value),))
    return ctx.error(remedy, *test_evidence(trial)) if value else None


@rule("setting-stops-framework", layer=Layer.FRAMEWORK_TEST, provable=False)
@_of_stopped
def setting(ctx: Context, trial: Trial, name: str, value: str) -> Finding | None:
    """The convolution runs without a variable that is set."""
    if not name or value or name.endswith("()") or _narrowed_down(ctx, name):
        return None
    variable = ctx.machine.variable(name, "user", "machine", "process")
    shown = f"={variable.value.text} ({variable.source or variable.scope})" if variable else ""
    return ctx.error(
        unset(ctx, variable) if variable is not None else Manual(),
        *test_evidence(trial),
        name + shown,
        variable=name,
        lists=_listed(name),
        place=variable.source if variable else "",
    )


@rule("cudnn-main-file-differs", layer=Layer.FRAMEWORK_TEST, provable=False)
@_of_stopped
def main_file_differs(ctx: Context, trial: Trial, name: str, _value: str) -> Finding | None:
    """A package's lone main library is older or newer than the parts it meets."""
    pair = None if name else _other_main_file(ctx, trial)
    if pair is None:
        return None
    lone, whole = pair
    return ctx.error(
        Manual(),
        *test_evidence(trial),
        f"{lone.file}: {lone.version}, {lone.folder}",
        f"{whole.version}: {whole.folder}",
        sure=False,
        older=short(lone.version),
        newer=short(whole.version),
        folder=whole.folder,
    )


@rule("framework-stopped", layer=Layer.FRAMEWORK_TEST, provable=False)
@_of_stopped
def unexplained(ctx: Context, trial: Trial, name: str, _value: str) -> Finding | None:
    """The convolution stopped where cuDNN itself passed its test, and nothing helped."""
    known = name or ctx.stopped or _other_main_file(ctx, trial)
    if known:
        return None
    return ctx.error(
        Unknown(),
        *test_evidence(trial),
        sure=False,
        said=" ".join(trial.detail.split())[:_MOST_SAID],
    )


_MOST_SAID = 300


def _narrowed_down(ctx: Context, variable: str) -> bool:
    """Whether an experiment has proven which entry of the variable it is."""
    mine = (e for e in ctx.machine.experiments if e.proven and e.subject == ctx.subject)
    return any(e.difference.kind == "search-entry" and e.difference.name == variable for e in mine)


def _listed(variable: str) -> Literal["", "folders", "gpus"]:
    """What a list that CUDA or the loader reads holds, by its name."""
    if variable.endswith("PATH"):
        return "folders"
    return "gpus" if variable.endswith("DEVICES") else ""


def _for_processor(ctx: Context, trial: Trial) -> bool:
    """Whether the framework can't use a GPU at all: that is told for itself."""
    builds = [f.gpu for f in ctx.frameworks if trial.framework.startswith(f"{f.name} ")]
    return bool(builds) and all(gpu is False for gpu in builds)


def _other_main_file(ctx: Context, trial: Trial) -> tuple[CudnnCopy, CudnnCopy] | None:
    """The lone main library that a test met, and the whole copy of another version beside it."""
    lone = next((c for c in ctx.copies if c.flavour == "shim"), None)
    same = (c for c in ctx.copies if c.flavour == "full" and lone and c.major == lone.major)
    whole = next(same, None)
    if lone is None or whole is None or numbers(lone.version)[:2] == numbers(whole.version)[:2]:
        return None
    if lone.folder not in {ctx.parent(p) for p in trial.mapped} and "cudnn" not in trial.missing:
        return None
    return lone, whole
