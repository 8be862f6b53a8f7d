"""Words for a finding: the templates of its cause, filled, and what follows from its remedy.

A sentence whose facts are unknown is left out, so that nothing is said that isn't known.
"""

from __future__ import annotations

import string
from collections.abc import Iterable, Mapping
from functools import cache

import msgspec

from cudnn_assistant.causes import Text, cause
from cudnn_assistant.distributions import families
from cudnn_assistant.finding import (
    Automatic,
    Edit,
    Finding,
    Having,
    Impossible,
    InstallPackages,
    Manual,
    PutFirst,
    Remedy,
    StoppedAt,
    Unknown,
    texts,
)
from cudnn_assistant.machine import SYSTEM, Machine
from cudnn_assistant.wording.facts import told
from cudnn_assistant.wording.language import pgettext
from cudnn_assistant.wording.numbers import listed, number, prose, sized
from cudnn_assistant.wording.sentences import rows, say, stage, symbol_means


class Words(msgspec.Struct, frozen=True):
    """What to say about one finding, in the language spoken now."""

    title: str
    """At most eight words; states the fact."""
    why: str
    fix: str
    """What we'll do, or what the person can do."""
    undo: str
    """How to go back; "" where there is nothing to go back from."""
    details: tuple[str, ...]
    """Evidence and codes, each with its plain meaning where it has one."""
    label_of_way_out: str
    """Words for the button that helps; "" where the way out is to review our changes."""


def words(finding: Finding, machine: Machine) -> Words:
    """The words for a finding on a machine.

    Raises KeyError for a code without a row in the table of causes.
    """
    code, text, facts = finding.code, _text(finding, machine), _facts(finding, machine)
    archive = _from_archive(finding)
    own = cause(_STRAY).own.fix if _before_path(finding) else text.fix
    told = _STRAY if _before_path(finding) else code
    fix = _steps_of_archive(finding, machine) if archive else filled(told, own, facts)
    undo = [] if archive else filled(code, text.undo, facts)
    label = say("remedies.open-archive") if archive else pgettext(code, text.way_out)
    return Words(
        title=next(iter(filled(code, text.title, facts)), code),
        why=prose(filled(code, text.why, facts)),
        fix=prose((*fix, *_closing(finding, machine))),
        undo=_undo(finding, prose(undo)),
        details=tuple(_details(finding)),
        label_of_way_out=label or _way_out(finding),
    )


def filled(code: str, templates: Iterable[str], facts: Mapping[str, str]) -> list[str]:
    """The sentences of a cause whose facts are known; a fact's own braces stay as they are."""
    return [pgettext(code, t).format(**facts) for t in templates if fields(t) <= facts.keys()]


@cache
def fields(template: str) -> frozenset[str]:
    """Names of the facts that a template needs."""
    return frozenset(name for _t, name, _s, _c in string.Formatter().parse(template) if name)


def _text(finding: Finding, machine: Machine) -> Text:
    system, form = machine.os, _form(finding.remedy)
    if _from_archive(finding):
        return cause(finding.code).text(f"@{system.family}")
    places = (system.container, machine.driver_from, *families(system.distribution), system.family)
    situations = (f"{form}@{place}" for place in places)
    return cause(finding.code).text(*situations, form, f"@{system.family}")


def _form(remedy: Remedy) -> str:
    """What a row calls its words for a remedy; for the loader's list they are those by hand."""
    if isinstance(remedy, Automatic) and remedy.on_loader_list:
        return "manual"
    return str(type(remedy).__struct_config__.tag)


def _from_archive(finding: Finding) -> bool:
    """The person fetches an old cuDNN that we may not fetch for them."""
    remedy = finding.remedy
    return isinstance(remedy, Manual) and remedy.page in ("cudnn-archive", "cudnn-file")


_STRAY = "stray-cudnn-first"


def _before_path(finding: Finding) -> bool:
    """Nothing but what that row says helps while Windows finds the copy before all others."""
    return isinstance(finding.remedy, Manual) and finding.remedy.page == "before-path"


def _steps_of_archive(finding: Finding, machine: Machine) -> list[str]:
    assert isinstance(finding.remedy, Manual)
    if finding.remedy.page == "cudnn-archive":
        release = finding.facts.get("product") or "cuDNN"
        fetch = say("remedies.old-release", release=release)
    else:
        fetch = say("remedies.archive", archive=finding.remedy.link.rsplit("/", 1)[-1])
    return [fetch, say(f"remedies.then-{machine.os.family}")]


def _facts(finding: Finding, machine: Machine) -> dict[str, str]:
    system = "Windows" if machine.os.family == "windows" else "Linux"
    facts = {"system": system, **texts(finding.facts, listed)}
    if "stage" in facts:
        facts["doing"] = stage(facts["stage"])
    if "length" in facts:
        facts["length"] = number(int(facts["length"].replace(",", "")))
    for name in facts.keys() & {"free", "total"}:
        facts[name] = sized(facts[name])
    if "gpu" in facts:
        facts["gpu"] = facts["gpu"].replace("NVIDIA ", "")
    return facts


def _closing(finding: Finding, machine: Machine) -> Iterable[str]:
    """Sentences that follow from the kind of remedy alone."""
    remedy = finding.remedy
    edits = remedy.edits if isinstance(remedy, Automatic) else ()
    one = machine.environment(finding.subject)
    if one and one.lock and _changes(edits, {p.name: p.version for p in one.packages}):
        yield say("remedies.uv-lock", file=one.lock)
    if isinstance(remedy, Manual) and remedy.commands:
        count = len(remedy.commands)
        yield say("remedies.commands", count=count)
        if remedy.own_environment:
            yield say("remedies.own-environment")
        if any("sudo " in command for command in remedy.commands):
            yield say("remedies.password", count=count)
    # Who is asked, and why, where a step is for all users.
    if isinstance(remedy, Automatic) and remedy.on_loader_list:
        yield say("remedies.administrator-linux")
    elif any(isinstance(e, PutFirst) and e.scope == "machine" for e in edits):
        yield say("remedies.administrator-windows")


def _changes(edits: Iterable[Edit], present: Mapping[str, str]) -> bool:
    """Whether a package comes in another version than the present one."""
    from packaging.requirements import Requirement

    wanted = [r for e in edits if isinstance(e, InstallPackages) for r in e.requirements]
    return any(
        r.name in present and not r.specifier.contains(present[r.name], prereleases=True)
        for r in map(Requirement, wanted)
    )


def _undo(finding: Finding, own: str) -> str:
    """How to go back. What we don't do ourselves can't be taken back by us."""
    if isinstance(finding.remedy, Automatic):
        return own or say("remedies.undo")
    if isinstance(finding.remedy, Manual) and finding.remedy.installer is not None:
        return say("remedies.undo-installer")
    if isinstance(finding.remedy, Manual | Unknown):
        return say("remedies.undo-nothing")
    return ""


def _way_out(finding: Finding) -> str:
    remedy = finding.remedy
    if isinstance(remedy, Manual) and remedy.link:
        makers = ("nvidia", "microsoft")
        return say(f"remedies.open-{remedy.page if remedy.page in makers else 'instructions'}")
    if isinstance(remedy, Manual) and remedy.commands:
        return say("remedies.copy-commands")
    if isinstance(remedy, Unknown | Impossible):
        return say("remedies.save-report")
    return ""


def _details(finding: Finding) -> Iterable[str]:
    if finding.subject != SYSTEM:
        yield say("remedies.environment", path=finding.subject)
    for line in finding.evidence:
        if isinstance(line, StoppedAt):
            yield say("remedies.stopped", doing=stage(line.stage))
            continue
        if isinstance(line, Having):
            yield f"{line.what}: {listed(line.names)}"
            continue
        file, _of, state = line.rpartition(": ")
        if file and f"part-{state}" in rows("summary"):
            yield f"{file}: {say(f'summary.part-{state}')}"
            continue
        symbol = line.split(" ", 1)[0]
        plain = symbol_means(symbol) if symbol.isupper() or symbol.startswith("cuda") else ""
        yield f"{line}: {plain}" if plain else sized(told(line))
    if not finding.sure:
        yield say("remedies.likely")
