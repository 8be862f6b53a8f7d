"""What a framework's own test proves: its convolution, run by its own Python, stopped."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal, NamedTuple, Unpack

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


class _Stop(NamedTuple):
    """A framework's own convolution that stopped, and what a second run showed."""

    trial: Trial
    helped: str
    """The one setting or call with which it ran; "": none did."""
    value: str
    """The text that the setting needs."""


def _stops(ctx: Context) -> list[_Stop]:
    stopped = (t for t in ctx.framework_trials if t.status != "ok" and not _for_processor(ctx, t))
    return [_Stop(trial, *trial.helped_by.partition("=")[::2]) for trial in stopped]


def _error(
    ctx: Context,
    stop: _Stop,
    remedy: Remedy,
    *evidence: Evidence,
    sure: bool = True,
    **facts: Unpack[Facts],
) -> Finding:
    facts |= {"program": titled(stop.trial.framework)}
    return ctx.error(remedy, *test_evidence(stop.trial), *evidence, sure=sure, **facts)


@rule("framework-must-preload", layer=Layer.FRAMEWORK_TEST, provable=False, of=_stops)
def must_preload(ctx: Context, stop: _Stop) -> Findings:
    """The convolution runs after a call that loads the libraries of the environment's packages."""
    call = stop.helped.removesuffix("()")
    if call != stop.helped:
        yield _error(ctx, stop, Manual(), call=call)


@rule("framework-takes-all-memory", layer=Layer.FRAMEWORK_TEST, provable=False, of=_stops)
def takes_all_memory(ctx: Context, stop: _Stop) -> Findings:
    """The convolution runs where the framework takes memory as it is needed."""
    if stop.value:
        edit = SetTo(variable=stop.helped, text=stop.value)
        yield _error(ctx, stop, Automatic(edits=(edit,)))


@rule("setting-stops-framework", layer=Layer.FRAMEWORK_TEST, provable=False, of=_stops)
def setting(ctx: Context, stop: _Stop) -> Findings:
    """The convolution runs without a variable that is set."""
    name = stop.helped
    if not name or stop.value or name.endswith("()") or _narrowed_down(ctx, name):
        return
    variable = lasting(ctx, name)
    shown = f"={variable.value.text} ({place(variable)})" if variable else ""
    yield _error(
        ctx,
        stop,
        set_to(ctx, variable, None) if variable is not None else Manual(),
        name + shown,
        variable=name,
        lists=_listed(name),
        place=variable.source if variable else "",
    )


@rule("cudnn-main-file-differs", layer=Layer.FRAMEWORK_TEST, provable=False, of=_stops)
def main_file_differs(ctx: Context, stop: _Stop) -> Findings:
    """A package's lone main library is older or newer than the parts it meets."""
    pair = None if stop.helped else _other_main_file(ctx, stop.trial)
    if pair is None:
        return
    lone, whole = pair
    yield _error(
        ctx,
        stop,
        Manual(),
        f"{lone.file}: {lone.version}, {lone.folder}",
        f"{whole.version}: {whole.folder}",
        sure=False,
        older=short(lone.version),
        newer=short(whole.version),
        folder=whole.folder,
    )


@rule("framework-lacks-package", layer=Layer.FRAMEWORK_TEST, provable=False, of=_stops)
def lacks_package(ctx: Context, stop: _Stop) -> Findings:
    """The framework's own import asks for a package that the environment doesn't have."""
    if lacks := _lacks(stop):
        yield _error(ctx, stop, Manual(), package=lacks)


def _lacks(stop: _Stop) -> str:
    return stop.trial.missing if stop.trial.status == "unloadable" else ""


def _package(ctx: Context, stop: _Stop, wants: str) -> Remedy:
    """By pip, together with the framework: only that one's metadata says what else it needs."""
    mine = [f"{f.package or f.name}=={f.version}" for f in _inside(ctx, stop)]
    others = [package for f in _inside(ctx, stop) for package in beside(ctx, f)]
    asked = dict.fromkeys((*mine, *others, wants))
    # A maker's own build, "2.5.0a0+872d972.nv24.08", is nowhere to be had.
    own = any("+" in one and not index_for(one) for one in mine)
    return install_packages(ctx, *asked) if wants and not own else Manual()


def _inside(ctx: Context, stop: _Stop) -> list[Framework]:
    return [f for f in ctx.frameworks if stop.trial in ctx.tests_in(f)]


_NAMED: dict[str, Callable[[Context, _Stop, str], Remedy]] = {
    "python-packages-conflict": _package,
    "cxx-library-too-old": lambda *_: Manual(),
    "msvc-runtime-missing": lambda ctx, *_: vc_runtime(ctx),
    "disk-or-network": lambda *_: Manual(),
}
"""Causes that no look at the computer shows: the framework's own words name them."""


@family({code: code for code in _NAMED}, layer=Layer.FRAMEWORK_TEST, provable=False, of=_stops)
def says_why(ctx: Context, stop: _Stop, code: str) -> Findings:
    """The framework stopped with a message that is known to say one thing."""
    said = named_by(stop.trial)
    if said.code == code and not stop.helped:
        # What is measured of this very release goes before what the message says of all.
        known = (p for f in _inside(ctx, stop) for p in beside(ctx, f))
        wants = next((p for p in known if project(p) == project(said.needs)), said.needs)
        yield _error(
            ctx,
            stop,
            _NAMED[code](ctx, stop, wants),
            "" if said.line in stop.trial.detail else said.line,
            sure=code != "msvc-runtime-missing",  # the file that Windows names is there
            package=project(wants),
            requirement=wants,
        )


@rule("framework-stopped", layer=Layer.UNEXPLAINED, provable=False, of=_stops)
def unexplained(ctx: Context, stop: _Stop) -> Findings:
    """The convolution stopped where cuDNN itself did not, and nothing helped."""
    known = stop.helped or ctx.stopped or _lacks(stop) or _other_main_file(ctx, stop.trial)
    if not known and named_by(stop.trial).code not in _NAMED:
        # Of one that crashed we say where: only a Python that can't start has said something.
        trial = stop.trial
        told = trial.output if trial.stage == "start" else ""
        told = told if trial.status == "crashed" else trial.detail
        said = " ".join(told.split())[:_MOST_SAID]
        yield _error(ctx, stop, Unknown(), sure=False, file=stop.trial.missing, said=said)


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
    builds = [f.gpu for f in ctx.frameworks if trial in ctx.tests_in(f)]
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
