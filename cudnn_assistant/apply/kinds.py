"""The table of kinds, second half: which functions carry out which step.

The first half, all that can be known without touching the computer, is ``plan.kinds``.
"""

from __future__ import annotations

from collections.abc import Callable
from threading import Event
from typing import Any, NamedTuple

from cudnn_assistant.apply import archives, packages, run_installer, variables
from cudnn_assistant.apply.tools import Tools
from cudnn_assistant.plan import (
    InstallArchive,
    InstallPackage,
    RemoveArchive,
    RunInstaller,
    SetVariable,
    Step,
)
from cudnn_assistant.plan.kinds.row import itself, nothing


class StepActions(NamedTuple):
    """What can be done with one kind of step. All raise ``Refused`` or ``OSError``."""

    do: Callable[[Any, Tools], Step | None]
    """Carry it out and look whether it worked; the step with what is only known afterwards."""
    put_back: Callable[[Any, Tools, bool], bool]
    """Undo it if it reached the computer; True when it had. The third argument: it was broken
    off halfway."""
    compare: Callable[[Any, Tools], object] = nothing
    """Refuse a step that no longer fits the present state."""
    reached: Callable[[Any], bool | None] = nothing
    """Whether a step that the journal calls planned was in fact completed; never said of what may
    be done by half: a write, a run of pip."""
    prepare: Callable[[Any, Tools], Step] = itself
    """The step with what the way back needs to know, before the journal is written."""
    rehearse: Callable[[Any, Event], Step] = itself
    """The step with what it would change, or why it can't be; the event stops it. Changes
    nothing."""
    stage: Callable[[Any, Tools], str | None] = nothing
    """Fetch what it needs and lay it where it can be tried, out of everybody's way; the folder,
    none for a step that needs none or can't be tried."""
    fetches: Callable[[Any], bool | None] = nothing
    """Whether it gets something from a server."""


ACTIONS: dict[type, StepActions] = {
    SetVariable: StepActions(variables.do, variables.put_back, variables.compare),
    InstallArchive: StepActions(
        archives.do,
        archives.put_back,
        archives.compare,
        archives.reached,
        stage=archives.stage,
        fetches=archives.fetches,
    ),
    RemoveArchive: StepActions(
        archives.do_removal,
        archives.put_back_removal,
        archives.refuse_theirs,
        archives.removal_reached,
        rehearse=archives.refuse_theirs,
    ),
    InstallPackage: StepActions(
        packages.do,
        packages.put_back,
        packages.compare,
        prepare=packages.prepare,
        rehearse=packages.rehearse,
        stage=packages.stage,
        fetches=packages.fetches,
    ),
    RunInstaller: StepActions(
        run_installer.do,
        run_installer.put_back,
        run_installer.compare,
        run_installer.reached,
        prepare=run_installer.prepare,
        fetches=run_installer.fetches,
    ),
}


def actions_of(step: Step) -> StepActions:
    """The functions for a step."""
    return ACTIONS[type(step)]
