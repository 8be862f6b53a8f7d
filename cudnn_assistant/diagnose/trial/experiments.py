"""What was tried: causes that an experiment has proven, and suspicions that it has refuted."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Unpack

import msgspec

from cudnn_assistant.diagnose.copies.loaded_copy import product
from cudnn_assistant.diagnose.ground.gpu_in_use import ULIMIT, in_shell
from cudnn_assistant.diagnose.needs import passed, stopped
from cudnn_assistant.diagnose.remedies import read_before_ours, search_first, set_to, take_out
from cudnn_assistant.diagnose.rule import Context, Findings, Layer, Rule, rule
from cudnn_assistant.diagnose.settings.variables import lasting
from cudnn_assistant.finding import (
    Automatic,
    Edit,
    Facts,
    Finding,
    InstallCuda,
    InstallCudnn,
    InstallPackages,
    Manual,
    PutFirst,
    Remedy,
    SetTo,
    StoppedAt,
    TakeOut,
    Unknown,
    texts,
)
from cudnn_assistant.machine import DifferenceKind, Experiment, Machine, PathEntry
from cudnn_assistant.wording.products import titled


def _proof(code: str, *kinds: DifferenceKind) -> Callable[[Callable[..., Findings]], Rule]:
    """A rule about experiments that have shown what is in the way: a convolution ran."""

    def found(ctx: Context) -> list[Experiment]:
        ran = (tried for tried in _proving(ctx) if tried.after.status == "ok")
        return [tried for tried in ran if tried.difference.kind in kinds]

    return rule(code, layer=Layer.PROVEN, of=found)


def _told(ctx: Context, tried: Experiment, remedy: Remedy, **facts: Unpack[Facts]) -> Finding:
    """What helps against what an experiment has shown to be in the way, and what is told of it."""
    name, without = tried.difference.name, tried.difference.without
    variable = lasting(ctx, name) if name else None
    facts.setdefault("place", variable.source if variable else "")
    facts["program"] = titled(tried.framework) if tried.framework else ""
    here = ctx.environment if not ctx.windows else None
    for one in here.set_by_kernels if here else ():
        if one.name == name and all(text in one.value.text for text in without):
            remedy, facts["place"] = Manual(), one.source
    return ctx.trouble(
        remedy,
        *("=".join(filter(None, (name, one))) for one in without or ("",)),
        StoppedAt(stage=tried.before.stage),
        tried.before.missing,
        **facts,
    )


def _entry(ctx: Context, text: str) -> PathEntry | None:
    listed = (e for e in ctx.machine.search if e.variable == ctx.variable)
    return next((e for e in listed if text in (e.text, e.folder)), None)


def _all_of(remedies: list[Remedy]) -> Remedy:
    """Every one of them by us, or none."""
    edits = [e for r in remedies if isinstance(r, Automatic) for e in r.edits]
    if edits and all(isinstance(remedy, Automatic) for remedy in remedies):
        return Automatic(edits=tuple(edits))
    return next((remedy for remedy in remedies if isinstance(remedy, Manual)), Manual())


@_proof("preload-stops-cudnn", "preload")
def preload(ctx: Context, tried: Experiment) -> Findings:
    """Without a library that LD_PRELOAD puts into every program, cuDNN works."""
    without = tried.difference.without
    remedy = _without(ctx, "LD_PRELOAD", " ".join(without))
    yield _told(ctx, tried, remedy, file=without)


@_proof("search-entry-stops-cudnn", "search-entry")
def entry(ctx: Context, tried: Experiment) -> Findings:
    """Without an entry of the list that is searched for libraries, cuDNN works."""
    without = tried.difference.without
    found = [_entry(ctx, text) for text in without]
    yield _told(
        ctx,
        tried,
        _all_of([take_out(ctx, one) for one in found]),
        entry=tuple(filter(None, without)),
        relative_entry="" if all(without) else tried.difference.name,
        listed_in=tried.difference.name,
        place=next((one.source for one in found if one and one.source), ""),
    )


@_proof("search-order-stops-cudnn", "search-order")
def order(ctx: Context, tried: Experiment) -> Findings:
    """With an entry of that list behind all others, cuDNN works; without it, it doesn't."""
    text, good = "".join(tried.difference.without), ctx.parent(tried.after.loaded)
    found = _entry(ctx, text)
    remedy: Remedy = Manual()
    if ctx.windows and good:
        remedy = search_first(ctx, good, found)
    elif found and read_before_ours(found.source) and _entry(ctx, good):
        remedy = Automatic(edits=(PutFirst(variable=found.variable, folder=good),))
    place, name = found.source if found else "", tried.difference.name
    yield _told(ctx, tried, remedy, entry=text, folder=good, listed_in=name, place=place)


@_proof("variable-stops-cudnn", "variable")
def variable(ctx: Context, tried: Experiment) -> Findings:
    """Without a variable as it is set now, cuDNN works."""
    name, value = tried.difference.name, "".join(tried.difference.without)
    found = lasting(ctx, name)
    remedy = set_to(ctx, found, None) if found else Manual()
    yield _told(ctx, tried, remedy, variable=name, value=value, setting="" if value else name)


@_proof("limit-stops-cudnn", "limit")
def limit(ctx: Context, tried: Experiment) -> Findings:
    """With a limit of this account raised, cuDNN works."""
    name, number = tried.difference.name, "".join(tried.difference.without)
    option = ULIMIT.get(name, "")
    commands = (f"ulimit -S -{option} $(ulimit -H -{option})",) if option else ()
    value = in_shell(name, int(number)) if number.isdigit() else number
    remedy = Manual(commands=commands)
    yield _told(ctx, tried, remedy, setting=f"ulimit -{option}", value=value)


@_proof("working-folder-stops-cudnn", "working-folder", "program-folder")
def working_folder(ctx: Context, tried: Experiment) -> Findings:
    """Started from another folder, cuDNN works: files beside the person, or beside the program
    where that is Windows, take its place."""
    entries = (e for e in ctx.machine.search if e.variable == "LD_LIBRARY_PATH")
    below = next((e for e in entries if e.text and not e.text.startswith("/")), None)
    facts = Facts(folder="".join(tried.difference.without))
    if below is not None:
        facts |= {"entry": below.text, "listed_in": below.variable, "place": below.source}
    yield _told(ctx, tried, Manual(), **facts)


@_proof("python-start-stops-framework", "python-start")
def python_start(ctx: Context, tried: Experiment) -> Findings:
    """Without a file that Python runs by itself when it starts, the framework works."""
    yield _told(ctx, tried, Manual(), file=tried.difference.without)


@_proof("settings-stop-cudnn", "settings", "gpus")
def settings(ctx: Context, tried: Experiment) -> Findings:
    """Only without several settings at once cuDNN works."""
    without = tried.difference.without
    remedies = [_without(ctx, *text.partition("=")[::2]) for text in without]
    yield _told(ctx, tried, _all_of(remedies), setting=without)


def _without(ctx: Context, name: str, text: str) -> Remedy:
    if name == ctx.variable:
        return take_out(ctx, _entry(ctx, text))
    variable = lasting(ctx, name)
    alone = variable and variable.value.text.split() == text.split()
    return set_to(ctx, variable, None) if variable and alone else Manual()


@rule("framework-spares-cudnn-fault", layer=Layer.FRAMEWORK_TEST, provable=False)
def spared(ctx: Context) -> Findings:
    """A part of cuDNN doesn't start that a convolution, or the framework's own, does without."""
    trial = ctx.trial
    if trial is None or trial.status == "out-of-memory" or trial.stage in ("driver", "context"):
        return  # before cuDNN was asked, or for want of the GPU's memory
    did_without = stopped(trial) and ctx.framework_passed
    # Only calls of other parts didn't pass, and no missing or damaged file says why.
    others = passed(trial) and trial.spared and not (ctx.winner and ctx.winner.damaged)
    if not (did_without or others):
        return
    ran = next((t for t in ctx.framework_trials if passed(t)), None)
    facts = Facts(entry=next((e.difference.without for e in _proving(ctx)), ""))
    if ran is not None:
        facts |= {"program": titled(ran.framework)}
    else:
        facts["product"] = product(trial.version)
    yield ctx.finding(
        "info" if ctx.serious == "info" else "warning",
        Unknown(),
        StoppedAt(stage=trial.stage) if stopped(trial) else "",
        trial.missing,
        trial.detail[:400],
        *(f"{one.call}: {one.status} {one.detail}".strip() for one in trial.spared),
        **facts,
    )


def _proving(ctx: Context) -> Iterator[Experiment]:
    """What has been shown, once, though cuDNN's own test and one in a framework showed it."""
    mine = [e for e in ctx.machine.experiments if e.proven and e.subject == ctx.subject]
    known = [e.difference for e in mine]
    return (e for n, e in enumerate(mine) if e.difference not in known[:n])


def with_experiments(ctx: Context, tried: list[Finding], found: list[Finding]) -> list[Finding]:
    """What stands after an experiment proved a cause: it, in the words of who suspected just that.

    Other errors were suspicions; what is fragile or worth knowing stays.
    """
    if not tried:
        return [finding for finding in found if not refuted(ctx, finding)]
    to_blame = blamed(ctx.machine, ctx.subject)
    lesser = [finding for finding in found if finding.severity != "error"]
    for finding in found:
        same = bool(to_blame & names(finding)) and not _brings(finding)
        if finding.severity == "error" and same:
            evidence = (*finding.evidence, *tried[0].evidence)
            return [msgspec.structs.replace(finding, sure=True, evidence=evidence), *lesser]
    return [*tried, *lesser]


def _brings(finding: Finding) -> bool:
    """Whether it would bring new files, where leaving something out was seen to be enough."""
    remedy = finding.remedy
    edits = remedy.edits if isinstance(remedy, Automatic) else ()
    return any(isinstance(edit, InstallCudnn | InstallCuda | InstallPackages) for edit in edits)


def blamed(machine: Machine, subject: str = "") -> frozenset[str]:
    """Names and values of what experiments have proven to be in the way, of one subject or all."""
    proving = (e for e in machine.experiments if e.proven and subject in ("", e.subject))
    left_out = (w for e in proving for w in (*e.difference.without, e.difference.name))
    return frozenset(filter(None, left_out))


def names(finding: Finding) -> frozenset[str]:
    """Everything that a finding is about, word by word; "NAME=VALUE" is about both."""
    whole = {*texts(finding.facts).values(), *map(str, finding.evidence)}
    return frozenset(whole | {part for text in whole for part in text.split("=", 1)})


def refuted(ctx: Context, finding: Finding) -> bool:
    """Whether leaving out just what a suspicion blames was tried, and did not help."""
    if finding.sure or not isinstance(finding.remedy, Automatic):
        return False
    blamed = set(map(_left_out, finding.remedy.edits))
    tried = [
        e
        for e in ctx.machine.experiments
        if e.subject == ctx.subject and e.after.status != "ok" and e.after.stage == e.before.stage
    ]
    return any({(e.difference.name, w) for w in e.difference.without} == blamed for e in tried)


def _left_out(edit: Edit) -> tuple[str, str]:
    if isinstance(edit, TakeOut):
        return edit.variable, edit.folder
    if isinstance(edit, SetTo) and edit.text is None:
        return edit.variable, ""
    return "", ""
