"""What is tried to learn why the tests of subjects, and those inside their frameworks, stopped."""

from __future__ import annotations

import time
from collections.abc import Sequence

from cudnn_assistant.compat import PartsTable
from cudnn_assistant.machine import SYSTEM, Experiment, Family, PythonEnvironment, Trial
from cudnn_assistant.probe.experiments.conditions import Conditions
from cudnn_assistant.probe.experiments.experiments import (
    BUDGET,
    Test,
    experiments,
    stopped,
    unfinished,
)
from cudnn_assistant.probe.files.disk import Disk
from cudnn_assistant.probe.pythons.contents import with_contents
from cudnn_assistant.probe.pythons.start_files import start_files
from cudnn_assistant.probe.running.children import Cancel, never
from cudnn_assistant.probe.subjects import Wish, asked_for, surroundings_of
from cudnn_assistant.probe.trials.framework import Bare, run_framework
from cudnn_assistant.probe.trials.trial import run_trial

MOST_EXPLORED = 3
"""Subjects whose stopped tests are repeated with differences; most share one cause."""


def explored(
    conditions: Conditions,
    family: Family,
    pythons: Sequence[PythonEnvironment],
    trials: Sequence[Trial],
    *,
    budget: float = BUDGET,
    table: PartsTable = (),
    cancel: Cancel = never,
) -> tuple[Experiment, ...]:
    """What was tried to learn why tests of subjects stopped; () where none did.

    ``budget`` is seconds for all of them. A subject that stops as one before it did, for which
    nothing helped, isn't explored again.
    """
    known = {one.id: one for one in pythons}
    until = time.monotonic() + budget
    found: list[Experiment] = []
    seen: set[tuple[object, ...]] = set()
    for trial in trials:
        kind = (trial.stage, trial.status, trial.code, trial.missing)
        left = until - time.monotonic()
        explorable = trial.subject in (SYSTEM, *known) and not (trial.framework or trial.library)
        if not (explorable and unfinished(trial)) or kind in seen or left <= 0:
            continue
        seen.add(kind)
        # Only now: what an environment's framework asks for is read from its libraries.
        wish = asked_for(known[trial.subject]) if trial.subject in known else Wish()
        test = _test_of(trial, wish, family, table, cancel)
        here = _once_active(conditions, known.get(trial.subject))
        found += experiments(test, here, trial, family, budget=left, cancel=cancel)
        if len(seen) == MOST_EXPLORED:
            break
    return tuple(found)


BUDGET_OF_FRAMEWORKS = 30.0
"""Seconds for the repeated tests inside frameworks, each of which takes some."""


def explored_in_frameworks(
    conditions: Conditions,
    family: Family,
    pythons: Sequence[PythonEnvironment],
    trials: Sequence[Trial],
    *,
    cancel: Cancel = never,
) -> tuple[Experiment, ...]:
    """The same for frameworks that stopped themselves, where nothing has helped them yet.

    What stops as one before it did isn't explored again.
    """
    known = {one.id: one for one in pythons}
    asked = [t for t in trials if t.framework and t.subject in known]
    until = time.monotonic() + BUDGET_OF_FRAMEWORKS
    found: list[Experiment] = []
    seen: set[tuple[object, ...]] = set()
    for first in (t for t in asked if stopped(t) and not t.helped_by):
        kind = (first.stage, first.status, first.code, first.missing, first.detail)
        if kind not in seen:
            seen.add(kind)
            one = known[first.subject]
            starts = start_files(Disk(family), one.sites)
            here = _once_active(conditions, one)._replace(starts=starts)
            test, left = _test_inside(first, one, starts, family, cancel), until - time.monotonic()
            found += experiments(test, here, first, family, budget=left, cancel=cancel)
    return tuple(found)


SECONDS_OF_CONTENTS = 20.0
_WITHOUT_A_CAUSE = ("unloadable", "status-code", "wrong-result", "crashed")
"""Ends to which a library of the right size and the wrong content can lead."""


def compared(
    disk: Disk,
    pythons: Sequence[PythonEnvironment],
    trials: Sequence[Trial],
    tried: Sequence[Experiment],
    *,
    cancel: Cancel = never,
) -> tuple[PythonEnvironment, ...]:
    """The environments, those in which a test stopped for no reason that shows looked at closely.

    Their libraries are compared with what was installed, for :data:`SECONDS_OF_CONTENTS` at most.
    """
    unexplained = {t.subject for t in trials if t.status in _WITHOUT_A_CAUSE}
    unexplained -= {one.subject for one in tried if one.proven}
    until = time.monotonic() + SECONDS_OF_CONTENTS

    def over() -> bool:
        return cancel() or time.monotonic() >= until

    def looked_at(one: PythonEnvironment) -> PythonEnvironment:
        off = any(package.changed or package.missing for package in one.packages)
        return with_contents(disk, one, over) if one.id in unexplained and not off else one

    return tuple(looked_at(one) for one in pythons)


def _once_active(conditions: Conditions, one: PythonEnvironment | None) -> Conditions:
    if one is None:
        return conditions
    return conditions._replace(environment=surroundings_of(conditions.environment, one))


def _test_inside(
    first: Trial, one: PythonEnvironment, starts: tuple[str, ...], family: Family, cancel: Cancel
) -> Test:
    def test(changed: Conditions) -> Trial:
        return run_framework(
            changed.environment,
            one.python,
            first.framework.split(" ")[0],
            subject=first.subject,
            family=family,
            bare=Bare(one.sites, changed.starts) if changed.starts != starts else None,
            cancel=cancel,
        )

    return test


def _test_of(trial: Trial, wish: Wish, family: Family, table: PartsTable, cancel: Cancel) -> Test:
    def test(conditions: Conditions) -> Trial:
        return run_trial(
            conditions.environment,
            family,
            subject=trial.subject,
            start_in=conditions.folder,
            lifted=conditions.lifted,
            table=table,
            cancel=cancel,
            **wish._asdict(),
        )

    return test
