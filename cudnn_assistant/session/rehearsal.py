"""A plan tried before anything is changed: a look at this computer as it would be afterwards.

It is the look that every check takes, over settings that nobody has stored, archives that have no
place yet and the shadow of an environment. What it finds is judged by the same rules, so that a
second fault behind the first shows before the change instead of after it.
"""

from __future__ import annotations

import re
import threading
from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

import msgspec
from msgspec.structs import replace

from cudnn_assistant.compat import Compat
from cudnn_assistant.diagnose import subjects
from cudnn_assistant.finding import Finding
from cudnn_assistant.machine import Machine, PythonEnvironment, Value
from cudnn_assistant.plan import (
    Plan,
    Rehearsal,
    Step,
    consents,
    kind_of,
    settings_of,
    widened,
    without_installers,
)
from cudnn_assistant.probe import Cancel, Say
from cudnn_assistant.probe.exploring import BUDGET_OF_FRAMEWORKS, explored
from cudnn_assistant.probe.subjects import Terms
from cudnn_assistant.probe.trust import Trust
from cudnn_assistant.session.checkup import Checkup, think, works_for
from cudnn_assistant.session.looking import LookRequest
from cudnn_assistant.session.trials import run_in_frameworks
from cudnn_assistant.system import Readable, System
from cudnn_assistant.system.planned import Planned

_ROUNDS = 3
"""Times that a plan may grow."""
_SHOWN = 3
"""Hindrances that are told."""

Staged = Mapping[int, str]
"""Folders in which steps of a plan are laid ready, by the steps' numbers."""


class Stage(NamedTuple):
    """What a rehearsal needs of its session."""

    system: System
    look_at: Callable[[Readable, LookRequest, Say, Cancel], Machine]
    request: LookRequest
    """How the checkup was asked for that the plan is for."""
    compat: Compat
    stop: threading.Event

    def look(self, system: Readable, shadow: str) -> Machine:
        """A computer with these settings, and with the environment at ``shadow`` besides."""
        named = (shadow,) if shadow else ()
        wish = replace(
            self.request,
            # Only those that the plan is about are asked, afterwards.
            frameworks=False,
            python=shadow or self.request.python,
            trusted=(*self.request.trusted, *named),
        )
        return self.look_at(system, wish, lambda *_: None, self.stop.is_set)


def rehearsed(plan: Plan, before: Checkup, stage: Stage, staged: Staged | None = None) -> Plan:
    """The plan with what came of trying it, grown by what the try has shown where that can be
    mended as well.

    Steps that bring something are tried once they are ``staged`` (``None``: not yet). Changes
    nothing.
    """
    ready = staged or {}
    if not plan.steps or plan.undoes:
        return plan
    if open_question := _not_now(plan, before, staged):
        return replace(plan, rehearsal=open_question)
    first = after = _afterwards(plan, before, stage, ready)
    grown, also = plan, tuple[Finding, ...]()
    for _round in range(_ROUNDS):
        if _helps(before, after):
            break
        wider = widened(grown, _in_place(after.plan, grown, ready))
        if wider.steps == grown.steps:
            break
        also += tuple(f for f in after.findings if f.code in after.plan.codes)
        grown = wider
        if open_question := _not_now(grown, before, staged):
            return replace(grown, rehearsal=replace(open_question, also=also))
        after = _afterwards(grown, before, stage, ready)
    if _helps(before, after):
        return replace(grown, rehearsal=_what_works(before, after, also))
    return replace(plan, rehearsal=_without_success(plan, before, first))


def _not_now(plan: Plan, before: Checkup, staged: Staged | None) -> Rehearsal | None:
    """Why it can't be tried, or not yet."""
    reason = _reason(without_installers(plan).steps, before)
    if reason:
        return Rehearsal(outcome="impossible", why=reason)
    ready = staged or {}
    waiting = [
        step
        for number, step in enumerate(plan.steps)
        if kind_of(step).staged
        and not kind_of(step).idle(step)
        and (number not in ready or kind_of(step).unrehearsed(step))
    ]
    if not waiting:
        return None
    if staged is not None and all(kind_of(step).python(step) for step in waiting):
        return Rehearsal(outcome="impossible", why="packages")
    return Rehearsal(outcome="later")


def _reason(steps: Sequence[Step], before: Checkup) -> str:
    windows = before.machine.os.family == "windows"
    environments = [step for step in steps if kind_of(step).python(step)]
    if not steps:
        return "installer"
    if not before.machine.trials:
        return "no-test"
    settings = [setting for step in steps if (setting := kind_of(step).setting(step))]
    if not windows and any(setting.scope == "machine" for setting in settings):
        return "loader-list"
    if windows and environments:
        return "windows-packages"
    return "environments" if len(environments) > 1 else ""


# --- The computer as it would be ------------------------------------------------------------


def _afterwards(plan: Plan, before: Checkup, stage: Stage, staged: Staged) -> Checkup:
    shadow, own = _shadow(plan, before.machine, staged)
    places = {**_places(plan, staged), **({own.id: shadow} if own else {})}
    values = {(step.scope, step.name): _moved(step.after, places) for step in settings_of(plan)}
    system = Planned(stage.system, values)
    machine = stage.look(system, shadow)
    served = {f.subject for f in before.findings if f.code in plan.codes}
    named = {shadow: own.id} if own else {}
    asked = {named.get(one.id, one.id): one for one in machine.pythons}
    # The shadow is ours to run, also of an environment that had no GPU support to be asked for.
    new = {own.id} & served if own and stage.request.frameworks else set()
    tests = [
        test
        for subject, one in asked.items()
        if subject in new or _asks(before.machine, subject, served)
        for test in run_in_frameworks(one, system, stage.request, stage.stop)
    ]
    terms = Terms(system.fresh_environment(), Trust(system.family), cancel=stage.stop.is_set)
    tried, _gaps = explored(terms, machine.pythons, tests, BUDGET_OF_FRAMEWORKS)
    known = (*machine.experiments, *tried)
    machine = replace(machine, trials=(*machine.trials, *tests), experiments=known)
    machine = _named(machine, shadow, own) if own else machine
    return think(machine, stage.compat, only=before.only)


def _asks(machine: Machine, subject: str, served: set[str]) -> bool:
    """Whether an environment's frameworks were asked at first, and have something to say now.

    That is where the plan is about it, and where only they have said that it works.
    """
    tests = machine.trials_of(subject)
    asked = any(t.framework for t in tests)
    alone = any(not t.framework and t.status != "ok" for t in tests)
    return asked and (subject in served or alone)


def _places(plan: Plan, staged: Staged) -> dict[str, str]:
    """Where the folders of archives are meanwhile."""
    archives = ((n, kind_of(step).archive(step)) for n, step in enumerate(plan.steps))
    return {one.folder: staged[n] for n, one in archives if one is not None and n in staged}


def _moved(value: Value | None, places: Mapping[str, str]) -> Value | None:
    if value is None:
        return None
    text = value.text
    for old, new in places.items():
        text = re.sub(re.escape(old) + r"(?=[/\\:;]|$)", new.replace("\\", r"\\"), text)
    return replace(value, text=text)


def _in_place(more: Plan, plan: Plan, staged: Staged) -> Plan:
    """The further steps as they are when each archive has its place."""
    back = {new: old for old, new in _places(plan, staged).items()}
    settings = ((step, kind_of(step).setting(step)) for step in more.steps)
    steps = (
        step if setting is None else replace(setting, after=_moved(setting.after, back))
        for step, setting in settings
    )
    return replace(more, steps=tuple(steps))


def _shadow(plan: Plan, machine: Machine, staged: Staged) -> tuple[str, PythonEnvironment | None]:
    """The root of the shadow, and the environment whose it is."""
    for number, step in enumerate(plan.steps):
        python = kind_of(step).python(step)
        if python and number in staged:
            own = next((one for one in machine.pythons if one.python == python), None)
            return staged[number], own
    return "", None


def _named(machine: Machine, shadow: str, own: PythonEnvironment) -> Machine:
    """The snapshot with the shadow in the place, and under the name, of its environment."""
    left = replace(
        machine,
        pythons=tuple(one for one in machine.pythons if one.id != own.id),
        cudnns=tuple(one for one in machine.cudnns if one.environment != own.id),
        trials=tuple(one for one in machine.trials if one.subject != own.id),
        experiments=tuple(one for one in machine.experiments if one.subject != own.id),
    )
    text = msgspec.json.encode(left).decode()
    renamed = msgspec.json.decode(text.replace(shadow, own.id), type=Machine)
    names = ("python", "kind", "active", "found_via")
    same = {name: getattr(own, name) for name in names}
    pythons = (replace(one, **same) if one.id == own.id else one for one in renamed.pythons)
    return replace(renamed, pythons=tuple(pythons))


# --- What came of it ------------------------------------------------------------------------


def _served(checkup: Checkup) -> list[str]:
    """For whom cuDNN starts."""
    named = dict.fromkeys((*subjects(checkup.machine), *(f.subject for f in checkup.findings)))
    return [one for one in named if works_for(checkup, one)]


def _gained(before: Checkup, after: Checkup) -> list[str]:
    was = _served(before)
    return [one for one in _served(after) if one not in was]


def _helps(before: Checkup, after: Checkup) -> bool:
    """Whether somebody is better off and nobody worse; or all is well, as it was."""
    if _gained(after, before):
        return False
    return after.verdict == "works" or bool(_gained(before, after))


def _what_works(before: Checkup, after: Checkup, also: tuple[Finding, ...]) -> Rehearsal:
    gained = tuple(_gained(before, after))
    passed = [trial for trial in after.machine.trials if trial.status == "ok"]
    # Of who gained by it, a framework's own says most.
    trial = min(passed, key=lambda o: (o.subject not in gained, not o.framework), default=None)
    return Rehearsal(
        outcome="works",
        milliseconds=round(trial.milliseconds, 1) if trial else 0.0,
        framework=trial.framework if trial else "",
        subjects=gained,
        also=also,
    )


def _without_success(plan: Plan, before: Checkup, after: Checkup) -> Rehearsal:
    if consents(plan):
        return Rehearsal(outcome="impossible", why="installer")
    lost = _gained(after, before)
    if after.verdict == "unknown" and not lost:
        return Rehearsal(outcome="impossible", why="no-test")
    errors = [f for f in after.findings if f.severity == "error"]
    worse = [f for f in errors if f.subject in lost]
    return Rehearsal(outcome="stopped", hindrances=tuple((worse or errors)[:_SHOWN]))
