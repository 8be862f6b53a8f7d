"""What a framework's own test proves: its convolution, run by its own Python, stopped."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal, Unpack

from cudnn_assistant.compat.packages import index_for
from cudnn_assistant.diagnose.needs import named_by, test_evidence
from cudnn_assistant.diagnose.remedies import beside, install_packages, set_to
from cudnn_assistant.diagnose.rule import Context, Findings, Layer, family, rule
from cudnn_assistant.diagnose.settings.variables import lasting, place
from cudnn_assistant.diagnose.trial.libraries import vc_runtime
from cudnn_assistant.finding import (
    Automatic,
    Evidence,
    Facts,
    Finding,
    Manual,
    Remedy,
    SetTo,
    Unknown,
)
from cudnn_assistant.machine import CudnnCopy, Framework, Trial
from cudnn_assistant.plan.kinds.packages import project
from cudnn_assistant.versions import numbers, short
from cudnn_assistant.wording.products import titled


def _stops(ctx: Context) -> list[Trial]:
    """Frameworks' own convolutions that stopped; that one is no build for a GPU is told itself."""
    stopped = (t for t in ctx.framework_trials if t.status != "ok")
    return [t for t in stopped if {f.gpu for f in _builds(ctx, t)} != {False}]


def _error(
    ctx: Context,
    trial: Trial,
    remedy: Remedy,
    *evidence: Evidence,
    sure: bool = True,
    **facts: Unpack[Facts],
) -> Finding:
    facts |= {"program": titled(trial.framework)}
    return ctx.error(remedy, *test_evidence(trial), *evidence, sure=sure, **facts)


@rule("framework-must-preload", layer=Layer.FRAMEWORK_TEST, provable=False, of=_stops)
def must_preload(ctx: Context, trial: Trial) -> Findings:
    """The convolution runs after a call that loads the libraries of the environment's packages."""
    call = trial.helped_by.removesuffix("()")
    if call != trial.helped_by:
        yield _error(ctx, trial, Manual(), call=call)


@rule("framework-takes-all-memory", layer=Layer.FRAMEWORK_TEST, provable=False, of=_stops)
def takes_all_memory(ctx: Context, trial: Trial) -> Findings:
    """The convolution runs where the framework takes memory as it is needed."""
    name, _, value = trial.helped_by.partition("=")
    if value:
        edit = SetTo(variable=name, text=value)
        yield _error(ctx, trial, Automatic(edits=(edit,)))


@rule("setting-stops-framework", layer=Layer.FRAMEWORK_TEST, provable=False, of=_stops)
def setting(ctx: Context, trial: Trial) -> Findings:
    """The convolution runs without a variable that is set."""
    name = trial.helped_by
    if not name or "=" in name or name.endswith("()") or _narrowed_down(ctx, name):
        return
    variable = lasting(ctx, name)
    shown = f"={variable.value.text} ({place(variable)})" if variable else ""
    yield _error(
        ctx,
        trial,
        set_to(ctx, variable, None) if variable is not None else Manual(),
        name + shown,
        variable=name,
        lists=_listed(name),
        place=variable.source if variable else "",
    )


@rule("cudnn-main-file-differs", layer=Layer.FRAMEWORK_TEST, provable=False, of=_stops)
def main_file_differs(ctx: Context, trial: Trial) -> Findings:
    """A package's lone main library is older or newer than the parts it meets."""
    pair = None if trial.helped_by else _other_main_file(ctx, trial)
    if pair is None:
        return
    lone, whole = pair
    yield _error(
        ctx,
        trial,
        Manual(),
        f"{lone.file}: {lone.version}, {lone.folder}",
        f"{whole.version}: {whole.folder}",
        sure=False,
        older=short(lone.version),
        newer=short(whole.version),
        folder=whole.folder,
    )


@rule("framework-lacks-package", layer=Layer.FRAMEWORK_TEST, provable=False, of=_stops)
def lacks_package(ctx: Context, trial: Trial) -> Findings:
    """The framework's own import asks for a package that the environment doesn't have."""
    if lacks := _lacks(trial):
        yield _error(ctx, trial, Manual(), package=lacks)


def _lacks(trial: Trial) -> str:
    return trial.missing if trial.status == "unloadable" else ""


def _package(ctx: Context, trial: Trial, wants: str) -> Remedy:
    """By pip, together with the framework: only that one's metadata says what else it needs."""
    mine = [f"{f.package or f.name}=={f.version}" for f in _builds(ctx, trial)]
    others = [package for f in _builds(ctx, trial) for package in beside(ctx, f)]
    asked = dict.fromkeys((*mine, *others, wants))
    # A maker's own build, "2.5.0a0+872d972.nv24.08", is nowhere to be had.
    own = any("+" in one and not index_for(one) for one in mine)
    return install_packages(ctx, *asked) if wants and not own else Manual()


def _builds(ctx: Context, trial: Trial) -> list[Framework]:
    return [f for f in ctx.frameworks if trial in ctx.tests_in(f)]


_NAMED: dict[str, Callable[[Context, Trial, str], Remedy]] = {
    "python-packages-conflict": _package,
    "cxx-library-too-old": lambda *_: Manual(),
    "msvc-runtime-missing": lambda ctx, *_: vc_runtime(ctx),
    "disk-or-network": lambda *_: Manual(),
}
"""Causes that no look at the computer shows: the framework's own words name them."""


@family({code: code for code in _NAMED}, layer=Layer.FRAMEWORK_TEST, provable=False, of=_stops)
def says_why(ctx: Context, trial: Trial, code: str) -> Findings:
    """The framework stopped with a message that is known to say one thing."""
    said = named_by(trial)
    if said.code == code and not trial.helped_by:
        # What is measured of this very release goes before what the message says of all.
        known = (p for f in _builds(ctx, trial) for p in beside(ctx, f))
        wants = next((p for p in known if project(p) == project(said.needs)), said.needs)
        yield _error(
            ctx,
            trial,
            _NAMED[code](ctx, trial, wants),
            "" if said.line in trial.detail else said.line,
            sure=code != "msvc-runtime-missing",  # the file that Windows names is there
            package=project(wants),
            requirement=wants,
        )


@rule("framework-stopped", layer=Layer.UNEXPLAINED, provable=False, of=_stops)
def unexplained(ctx: Context, trial: Trial) -> Findings:
    """The convolution stopped where cuDNN itself did not, and nothing helped."""
    known = trial.helped_by or ctx.stopped or _lacks(trial) or _other_main_file(ctx, trial)
    if not known and named_by(trial).code not in _NAMED:
        # Of one that crashed we say where: only a Python that can't start has said something.
        told = trial.output if trial.stage == "start" else ""
        told = told if trial.status == "crashed" else trial.detail
        said = " ".join(told.split())[:_MOST_SAID]
        yield _error(ctx, trial, Unknown(), sure=False, file=trial.missing, said=said)


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
