"""What was tried: causes that an experiment has proven, and suspicions that it has refuted."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Unpack

import msgspec

from cudnn_assistant.diagnose.needs import passed, stopped
from cudnn_assistant.diagnose.remedies import take_out, unset
from cudnn_assistant.diagnose.rule import Context, Findings, Layer, rule
from cudnn_assistant.finding import (
    Automatic,
    Edit,
    Facts,
    Finding,
    Manual,
    Remedy,
    SetTo,
    Severity,
    StoppedAt,
    TakeOut,
    Unknown,
    texts,
)
from cudnn_assistant.machine import Difference, DifferenceKind, Experiment, Machine, PathEntry
from cudnn_assistant.wording.products import titled

_ULIMIT = {"AS": "v", "DATA": "d", "STACK": "s", "NOFILE": "n", "NPROC": "u", "MEMLOCK": "l"}
"""Options of the shell's ulimit for the limits of setrlimit(2)."""


def proven(ctx: Context, *kinds: DifferenceKind) -> Iterator[Experiment]:
    """Experiments of the subject that show what keeps it from working: a convolution ran."""
    for one in ctx.machine.experiments:
        ran = one.proven and one.after.status == "ok"
        if ran and one.subject == ctx.subject and one.difference.kind in kinds:
            yield one


def _entry(ctx: Context, text: str) -> PathEntry | None:
    listed = (e for e in ctx.machine.search if e.variable == ctx.variable)
    return next((e for e in listed if text in (e.text, e.folder)), None)


def _finding(ctx: Context, tried: Experiment, remedy: Remedy, **facts: Unpack[Facts]) -> Finding:
    left_out = ", ".join(tried.difference.without)
    named = f"{tried.difference.name}={left_out}" if tried.difference.name else left_out
    program = titled(tried.framework) if tried.framework else ""
    whose = ctx.subject if ctx.environment is not None else ""
    severity: Severity = "error" if ctx.environment is not None else ctx.serious
    evidence = (named, StoppedAt(stage=tried.before.stage), tried.before.missing)
    facts |= {"program": program, "environment": whose}
    return ctx.finding(severity, remedy, *evidence, **facts)


@rule("preload-stops-cudnn", layer=Layer.PROVEN, provable=False)
def preload(ctx: Context) -> Findings:
    """Without a library that LD_PRELOAD puts into every program, cuDNN works."""
    for one in proven(ctx, "preload"):
        variable = ctx.machine.variable("LD_PRELOAD", "user", "machine", "process")
        alone = variable is not None and variable.value.text.split() == [*one.difference.without]
        remedy = unset(ctx, variable) if variable is not None and alone else Manual()
        file, place = ", ".join(one.difference.without), variable.source if variable else ""
        yield _finding(ctx, one, remedy, file=file, place=place)


@rule("search-entry-stops-cudnn", layer=Layer.PROVEN, provable=False)
def entry(ctx: Context) -> Findings:
    """Without an entry of the list that is searched for libraries, cuDNN works."""
    for one in proven(ctx, "search-entry"):
        entries = [_entry(ctx, text) for text in one.difference.without]
        known = [found for found in entries if found is not None]
        remedies = [take_out(ctx, found) for found in known]
        edits = [e for r in remedies if isinstance(r, Automatic) for e in r.edits]
        whole = len(known) == len(entries) == len(edits)
        remedy = Automatic(edits=tuple(edits)) if whole and edits else _first(remedies)
        yield _finding(
            ctx,
            one,
            remedy,
            entry=", ".join(filter(None, one.difference.without)),
            relative_entry="" if all(one.difference.without) else one.difference.name,
            listed_in=one.difference.name,
            place=next((found.source for found in known if found.source), ""),
        )


def _first(remedies: list[Remedy]) -> Remedy:
    manual = (remedy for remedy in remedies if isinstance(remedy, Manual))
    return next(manual, Manual())


@rule("variable-stops-cudnn", layer=Layer.PROVEN, provable=False)
def variable(ctx: Context) -> Findings:
    """Without a variable as it is set now, cuDNN works."""
    for one in proven(ctx, "variable"):
        name, value = one.difference.name, one.difference.without[0]
        found = ctx.machine.variable(name, "user", "machine", "process")
        remedy = unset(ctx, found) if found is not None else Manual()
        place = found.source if found else ""
        yield _finding(ctx, one, remedy, variable=name, value=value, place=place)


def _shown(difference: Difference) -> str:
    """A limit as ulimit tells it: memory in KiB, the rest as a count."""
    number = difference.without[0]
    counted = difference.name in ("NOFILE", "NPROC") or not number.isdigit()
    return number if counted else str(int(number) // 1024)


@rule("limit-stops-cudnn", layer=Layer.PROVEN, provable=False)
def limit(ctx: Context) -> Findings:
    """With a limit of this account raised, cuDNN works."""
    for one in proven(ctx, "limit"):
        option = _ULIMIT.get(one.difference.name, "")
        commands = (f"ulimit -S -{option} $(ulimit -H -{option})",) if option else ()
        setting, value = f"ulimit -{option}", _shown(one.difference)
        yield _finding(ctx, one, Manual(commands=commands), setting=setting, value=value)


@rule("working-folder-stops-cudnn", layer=Layer.PROVEN, provable=False)
def working_folder(ctx: Context) -> Findings:
    """Started from another folder, cuDNN works: files beside the person take its place."""
    for one in proven(ctx, "working-folder"):
        yield _finding(ctx, one, Manual(), folder=one.difference.without[0])


@rule("settings-stop-cudnn", layer=Layer.PROVEN, provable=False)
def settings(ctx: Context) -> Findings:
    """Only without several settings at once cuDNN works."""
    for one in proven(ctx, "settings", "gpus"):
        yield _finding(ctx, one, Manual(), setting=", ".join(one.difference.without))


@rule("framework-spares-cudnn-fault", layer=Layer.FRAMEWORK_TEST, provable=False)
def spared(ctx: Context) -> Findings:
    """Our test of an environment's cuDNN stopped; its framework does without what is wrong."""
    trial = ctx.trial
    if trial is None or not stopped(trial) or not ctx.framework_passed:
        return
    ran = next(t for t in ctx.framework_trials if passed(t))
    yield ctx.warning(
        Unknown(),
        StoppedAt(stage=trial.stage),
        trial.missing,
        trial.detail[:400],
        program=titled(ran.framework),
        environment=ctx.subject,
        entry=next((", ".join(e.difference.without) for e in _proving(ctx)), ""),
    )


def _proving(ctx: Context) -> Iterator[Experiment]:
    return (e for e in ctx.machine.experiments if e.proven and e.subject == ctx.subject)


def with_experiments(ctx: Context, tried: list[Finding], found: list[Finding]) -> list[Finding]:
    """What stands after an experiment proved a cause: it, in the words of who suspected just that.

    Other errors were suspicions; what is fragile or worth knowing stays.
    """
    if not tried:
        return [finding for finding in found if not refuted(ctx, finding)]
    to_blame = blamed(ctx.machine, ctx.subject)
    lesser = [finding for finding in found if finding.severity != "error"]
    for finding in found:
        if finding.severity == "error" and to_blame & names(finding):
            evidence = (*finding.evidence, *tried[0].evidence)
            return [msgspec.structs.replace(finding, sure=True, evidence=evidence), *lesser]
    return [*tried, *lesser]


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
