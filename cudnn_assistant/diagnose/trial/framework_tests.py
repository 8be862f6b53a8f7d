"""What a framework's own test proves: its convolution, run by its own Python, stopped."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal, NamedTuple

from cudnn_assistant.diagnose.needs import stopped
from cudnn_assistant.diagnose.remedies import unset
from cudnn_assistant.diagnose.rule import Context, Findings, Layer, rule
from cudnn_assistant.diagnose.trial.status import test_evidence
from cudnn_assistant.finding import Automatic, Facts, Manual, SetTo, Unknown
from cudnn_assistant.machine import CudnnCopy, Trial
from cudnn_assistant.versions import numbers, short
from cudnn_assistant.wording.products import titled


class _Stopped(NamedTuple):
    """A framework's own convolution that stopped, and what a second run shows to be why."""

    trial: Trial
    name: str
    """The one setting, or the call, without or with which it runs; "" when none helped."""
    value: str
    """The text that the setting needs."""

    @property
    def call(self) -> str:
        return self.name[:-2] if self.name.endswith("()") else ""


def _stopped(ctx: Context) -> Iterator[_Stopped]:
    for trial in ctx.machine.trials:
        mine = trial.subject == ctx.subject and trial.framework
        if mine and trial.status not in ("ok", "not-run") and not _for_processor(ctx, trial):
            name, _, value = trial.helped_by.partition("=")
            yield _Stopped(trial, name, value)


@rule("framework-must-preload", layer=Layer.FRAMEWORK_TEST, provable=False)
def must_preload(ctx: Context) -> Findings:
    """The convolution runs after a call that loads the libraries of the environment's packages."""
    for run in _stopped(ctx):
        if run.call:
            facts = Facts(
                call=run.call, program=titled(run.trial.framework), environment=ctx.subject
            )
            yield ctx.error(Manual(), *test_evidence(run.trial), **facts)


@rule("framework-takes-all-memory", layer=Layer.FRAMEWORK_TEST, provable=False)
def takes_all_memory(ctx: Context) -> Findings:
    """The convolution runs where the framework takes memory as it is needed."""
    for run in _stopped(ctx):
        if run.value and not run.call:
            remedy = Automatic(edits=(SetTo(variable=run.name, text=run.value),))
            facts = Facts(program=titled(run.trial.framework), environment=ctx.subject)
            yield ctx.error(remedy, *test_evidence(run.trial), **facts)


@rule("setting-stops-framework", layer=Layer.FRAMEWORK_TEST, provable=False)
def setting(ctx: Context) -> Findings:
    """The convolution runs without a variable that is set."""
    for run in _stopped(ctx):
        name = run.name
        if not name or run.value or run.call or _narrowed_down(ctx, name):
            continue
        variable = ctx.machine.variable(name, "user", "machine", "process")
        shown = f"={variable.value.text} ({variable.source or variable.scope})" if variable else ""
        yield ctx.error(
            unset(ctx, variable) if variable is not None else Unknown(),
            *test_evidence(run.trial),
            name + shown,
            variable=name,
            lists=_listed(name),
            place=variable.source if variable else "",
            program=titled(run.trial.framework),
            environment=ctx.subject,
        )


@rule("cudnn-main-file-differs", layer=Layer.FRAMEWORK_TEST, provable=False)
def main_file_differs(ctx: Context) -> Findings:
    """A package's lone main library is older or newer than the parts it meets."""
    for run in _stopped(ctx):
        pair = None if run.name else _other_main_file(ctx, run.trial)
        if pair is not None:
            lone, whole = pair
            yield ctx.error(
                Manual(),
                *test_evidence(run.trial),
                f"{lone.file}: {lone.version}, {lone.folder}",
                f"{whole.version}: {whole.folder}",
                sure=False,
                program=titled(run.trial.framework),
                older=short(lone.version),
                newer=short(whole.version),
                folder=whole.folder,
                environment=ctx.subject,
            )


@rule("framework-stopped", layer=Layer.FRAMEWORK_TEST, provable=False)
def unexplained(ctx: Context) -> Findings:
    """The convolution stopped where cuDNN itself passed its test, and nothing helped."""
    for run in _stopped(ctx) if not stopped(ctx.trial) else ():
        if not run.name and _other_main_file(ctx, run.trial) is None:
            facts = Facts(program=titled(run.trial.framework), environment=ctx.subject)
            yield ctx.error(Unknown(), *test_evidence(run.trial), sure=False, **facts)


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
