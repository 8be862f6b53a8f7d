"""The way back: the plan that takes a plan back, given what is there now."""

from __future__ import annotations

import msgspec

from cudnn_assistant import envpath
from cudnn_assistant.machine import Family, Scope
from cudnn_assistant.plan.kinds import Read, kind_of
from cudnn_assistant.plan.overview import settings_of
from cudnn_assistant.plan.steps import Entry, Plan, Step


def undo_plan(entry: Entry, read: Read, family: Family) -> Plan:
    """The plan that takes back what ``entry`` did, in reverse order, given the present values.

    What others have changed since stays: from a list only our own change is taken out; a single
    value that is no longer the one we wrote is left alone. An archive whose folder a variable would
    still name stays. An empty plan: nothing is left to undo.
    Raises what ``read`` raises.
    """
    done = [
        step
        for step, state in zip(entry.plan.steps, entry.states, strict=False)
        if state in ("done", "planned")
    ]
    steps = [back for step in reversed(done) if (back := kind_of(step).undo(step, read, family))]
    plan = Plan(steps=tuple(steps), undoes=entry.id)
    kept = [step for step in steps if not _still_named(step, plan, read, family)]
    return msgspec.structs.replace(plan, steps=tuple(kept))


def _still_named(step: Step, plan: Plan, read: Read, family: Family) -> bool:
    """Whether the step would remove a folder that a search path names even after the plan."""
    archive = kind_of(step).archive(step)
    if archive is None or not kind_of(step).removes:
        return False
    changed = {(s.scope, s.name.upper()): s.after for s in settings_of(plan)}
    scopes: tuple[Scope, ...] = ("user", "machine") if family == "windows" else ("user",)
    folder = envpath.key(archive.search or archive.folder, family)
    for scope in scopes:
        for name in ("PATH", "LD_LIBRARY_PATH"):
            value = changed[scope, name] if (scope, name) in changed else read(scope, name)
            entries = envpath.split(value.text, family) if value else ()
            if any(envpath.key(entry, family) == folder for entry in entries):
                return True
    return False
