"""What was tried: causes that an experiment has proven, and suspicions that it has refuted."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Unpack

import msgspec

from cudnn_assistant.diagnose.copies.loaded_copy import product
from cudnn_assistant.diagnose.needs import passed, stopped
from cudnn_assistant.diagnose.remedies import search_first, take_out, unset
from cudnn_assistant.diagnose.rule import Context, Findings, Layer, rule
from cudnn_assistant.diagnose.ulimit import ULIMIT, in_shell
from cudnn_assistant.finding import (
    Automatic,
    Edit,
    Facts,
    Finding,
    InstallCuda,
    InstallCudnn,
    InstallPackages,
    Manual,
    Remedy,
    SetTo,
    Severity,
    StoppedAt,
    TakeOut,
    Unknown,
    texts,
)
from cudnn_assistant.machine import (
    DifferenceKind,
    Experiment,
    Machine,
    PathEntry,
    Trial,
)
from cudnn_assistant.wording.products import titled


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
    named = "=".join(filter(None, (tried.difference.name, left_out)))
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


@rule("search-order-stops-cudnn", layer=Layer.PROVEN, provable=False)
def order(ctx: Context) -> Findings:
    """With an entry of that list behind all others, cuDNN works; without it, it doesn't."""
    for one in proven(ctx, "search-order"):
        name, text = one.difference.name, one.difference.without[0]
        found, good = _entry(ctx, text), ctx.parent(one.after.loaded)
        ours = ctx.windows and bool(good)
        remedy = search_first(ctx, good, found) if ours else Manual()
        place = found.source if found else ""
        yield _finding(ctx, one, remedy, entry=text, folder=good, listed_in=name, place=place)


def _first(remedies: list[Remedy]) -> Remedy:
    manual = (remedy for remedy in remedies if isinstance(remedy, Manual))
    return next(manual, Manual())


@rule("variable-stops-cudnn", layer=Layer.PROVEN, provable=False)
def variable(ctx: Context) -> Findings:
    """Without a variable as it is set now, cuDNN works."""
    for one in proven(ctx, "variable"):
        name, value = one.difference.name, "".join(one.difference.without)
        found = ctx.machine.variable(name, "user", "machine", "process")
        remedy = unset(ctx, found) if found is not None else Manual()
        facts = Facts(variable=name, value=value, place=found.source if found else "")
        if not value:
            facts["setting"] = name
        yield _finding(ctx, one, remedy, **facts)


@rule("limit-stops-cudnn", layer=Layer.PROVEN, provable=False)
def limit(ctx: Context) -> Findings:
    """With a limit of this account raised, cuDNN works."""
    for one in proven(ctx, "limit"):
        option = ULIMIT.get(one.difference.name, "")
        commands = (f"ulimit -S -{option} $(ulimit -H -{option})",) if option else ()
        number = one.difference.without[0]
        value = in_shell(one.difference.name, int(number)) if number.isdigit() else number
        setting = f"ulimit -{option}"
        yield _finding(ctx, one, Manual(commands=commands), setting=setting, value=value)


@rule("working-folder-stops-cudnn", layer=Layer.PROVEN, provable=False)
def working_folder(ctx: Context) -> Findings:
    """Started from another folder, cuDNN works: files beside the person, or beside the program
    where that is Windows, take its place."""
    for one in proven(ctx, "working-folder", "program-folder"):
        entries = (e for e in ctx.machine.search if e.variable == "LD_LIBRARY_PATH")
        below = next((e for e in entries if e.text and not e.text.startswith("/")), None)
        facts = Facts(folder=one.difference.without[0])
        if below is not None:
            facts |= {"entry": below.text, "listed_in": below.variable, "place": below.source}
        yield _finding(ctx, one, Manual(), **facts)


@rule("python-start-stops-framework", layer=Layer.PROVEN, provable=False)
def python_start(ctx: Context) -> Findings:
    """Without a file that Python runs by itself when it starts, the framework works."""
    for one in proven(ctx, "python-start"):
        yield _finding(ctx, one, Manual(), file=", ".join(one.difference.without))


@rule("settings-stop-cudnn", layer=Layer.PROVEN, provable=False)
def settings(ctx: Context) -> Findings:
    """Only without several settings at once cuDNN works."""
    for one in proven(ctx, "settings", "gpus"):
        yield _finding(ctx, one, Manual(), setting=", ".join(one.difference.without))


@rule("framework-spares-cudnn-fault", layer=Layer.FRAMEWORK_TEST, provable=False)
def spared(ctx: Context) -> Findings:
    """A part of cuDNN doesn't start that a convolution, or the framework's own, does without."""
    trial = ctx.trial
    if trial is None or not (_passed_without_parts(ctx, trial) or _framework_did(ctx, trial)):
        return
    ran = next((t for t in ctx.framework_trials if passed(t)), None)
    facts = Facts(entry=next((", ".join(e.difference.without) for e in _proving(ctx)), ""))
    if ran is not None:
        facts |= {"program": titled(ran.framework), "environment": ctx.subject}
    else:
        facts["product"] = product(trial.version)
    yield ctx.finding(
        "info" if ctx.serious == "info" else "warning",
        Unknown(),
        *([StoppedAt(stage=trial.stage)] if stopped(trial) else []),
        trial.missing,
        trial.detail[:400],
        *(f"{one.call}: {one.status} {one.detail}".strip() for one in trial.spared),
        **facts,
    )


def _passed_without_parts(ctx: Context, trial: Trial) -> bool:
    """Whether only calls of other parts didn't pass, and no missing or damaged file says why."""
    return passed(trial) and bool(trial.spared) and not (ctx.winner and ctx.winner.damaged)


def _framework_did(ctx: Context, trial: Trial) -> bool:
    return stopped(trial) and ctx.framework_passed


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
