"""What is tried to learn why the tests of subjects, and those inside their frameworks, stopped."""

from __future__ import annotations

import time
from collections.abc import Sequence
from contextlib import nullcontext
from functools import partial

from cudnn_assistant import places
from cudnn_assistant.machine import SYSTEM, Experiment, Gap, PythonEnvironment, Trial
from cudnn_assistant.probe.experiments.conditions import Conditions
from cudnn_assistant.probe.experiments.experiments import BUDGET, Test, experiments, unfinished
from cudnn_assistant.probe.files.disk import Disk
from cudnn_assistant.probe.pythons.layout import start_files
from cudnn_assistant.probe.pythons.records import with_contents
from cudnn_assistant.probe.subjects import Terms, WhichCudnn, asked_for, surroundings_of
from cudnn_assistant.probe.trials.child_environment import apart
from cudnn_assistant.probe.trials.framework import bare, run_framework
from cudnn_assistant.probe.trials.trial import run_trial
from cudnn_assistant.wording import met

BUDGET_OF_FRAMEWORKS = 30.0
"""Seconds for all repeated tests inside frameworks, each of which takes some."""


def explored(
    terms: Terms,
    pythons: Sequence[PythonEnvironment],
    trials: Sequence[Trial],
    budget: float = BUDGET,
) -> tuple[tuple[Experiment, ...], tuple[Gap, ...]]:
    """What was tried to learn why ``trials`` stopped; () where none did, or something has helped.

    ``budget`` is seconds for all of them; a gap where they were over and nothing was proven. What
    stops as one before it did, for which nothing helped, isn't explored again.
    """
    known = {one.id: one for one in pythons}
    until = time.monotonic() + budget
    found: list[Experiment] = []
    seen: set[tuple[object, ...]] = set()
    for trial in trials:
        words = trial.framework and trial.detail
        kind = (trial.stage, trial.status, trial.code, trial.missing, words)
        left = until - time.monotonic()
        # Of a list of folders an experiment says which one it is.
        helped = trial.helped_by not in ("", "LD_LIBRARY_PATH")
        explorable = trial.subject in (SYSTEM, *known) and not (trial.library or helped)
        if explorable and unfinished(trial) and kind not in seen and left > 0:
            seen.add(kind)
            here, test = _of(trial, terms, known.get(trial.subject))
            found += experiments(test, here, trial, terms.family, budget=left, cancel=terms.cancel)
    over = time.monotonic() >= until and not any(one.proven for one in found)
    why = met("experiments-cut-short", seconds=round(budget))
    return tuple(found), (Gap(what="experiments", why=why),) if over else ()


SECONDS_OF_CONTENTS = 20.0
_WITHOUT_A_CAUSE = ("unloadable", "status-code", "wrong-result", "crashed")
"""Ends to which a library of the right size and the wrong content can lead."""


def compared(
    terms: Terms,
    pythons: Sequence[PythonEnvironment],
    trials: Sequence[Trial],
    tried: Sequence[Experiment],
) -> tuple[PythonEnvironment, ...]:
    """The environments, those in which a test stopped for no reason that shows looked at closely.

    Their libraries are compared with what was installed, for :data:`SECONDS_OF_CONTENTS` at most.
    """
    unexplained = {t.subject for t in trials if t.status in _WITHOUT_A_CAUSE}
    unexplained -= {one.subject for one in tried if one.proven}
    until = time.monotonic() + SECONDS_OF_CONTENTS

    def over() -> bool:
        return terms.cancel() or time.monotonic() >= until

    def looked_at(one: PythonEnvironment) -> PythonEnvironment:
        off = any(package.changed or package.missing for package in one.packages)
        if off or one.id not in unexplained:
            return one
        return with_contents(Disk(terms.family), one, over)

    return tuple(looked_at(one) for one in pythons)


def _of(trial: Trial, terms: Terms, one: PythonEnvironment | None) -> tuple[Conditions, Test]:
    """The conditions of a test, and how it is run again under others."""
    environment = surroundings_of(terms.environment, one)
    here = Conditions(environment, terms.start_in, beside=places.program_folder())
    if one and trial.framework:
        here = here._replace(beside="", starts=start_files(Disk(terms.family), one.sites))
        return here, partial(_inside, trial, one, here.starts, terms)
    # Only now: what an environment's framework asks for is read from its libraries.
    return here, partial(_plainly, trial, asked_for(one), terms)


def _inside(
    first: Trial, one: PythonEnvironment, starts: tuple[str, ...], terms: Terms, now: Conditions
) -> Trial:
    changed = now.starts != starts
    return run_framework(
        bare(now.environment, one.sites, now.starts) if changed else now.environment,
        one.python,
        first.framework.split(" ")[0],
        subject=first.subject,
        family=terms.family,
        cancel=terms.cancel,
    )


def _plainly(first: Trial, which: WhichCudnn, terms: Terms, now: Conditions) -> Trial:
    with nullcontext("") if now.beside == places.program_folder() else apart() as python:
        return run_trial(
            now.environment,
            terms.family,
            subject=first.subject,
            start_in=now.folder,
            lifted=now.lifted,
            python=python,
            table=terms.table,
            cancel=terms.cancel,
            **which._asdict(),
        )
