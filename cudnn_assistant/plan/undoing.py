"""The way back: the plan that takes a plan back, and the one that is rid of a copy of our own."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product

import msgspec

from cudnn_assistant import envpath
from cudnn_assistant.finding import TakeOut
from cudnn_assistant.machine import Family, Machine, Scope, Variable
from cudnn_assistant.plan.from_findings import variable_steps
from cudnn_assistant.plan.kinds import kind_of, same_place
from cudnn_assistant.plan.kinds.row import Read
from cudnn_assistant.plan.kinds.variable import back_to
from cudnn_assistant.plan.overview import settings_of
from cudnn_assistant.plan.steps import Entry, InstallArchive, Plan, RemoveArchive, Step


def undo_plan(entry: Entry, read: Read, family: Family, entries: Sequence[Entry] = ()) -> Plan:
    """The plan that takes back what ``entry`` did, in reverse order, given the present values.

    What others have changed since stays: from a list only our own change is taken out, and a
    single value that is no longer the one we wrote is left alone. Changes among ``entries`` that
    were taken back since are not brought back. An archive whose folder a variable would still name
    stays. An empty plan: nothing is left to undo. Raises what ``read`` raises.
    """
    order = [one.id for one in entries]
    now = order.index(entry.id) if entry.id in order else 0
    gone = [one.plan for one in reversed(entries[:now]) if one.undone_by in order[now + 1 :]]
    done = [
        _behind_undone(step, gone, family)
        for step, state in zip(entry.plan.steps, entry.states, strict=True)
        if state in ("done", "planned") and not _brought_by(gone, step)
    ]
    steps = [back for step in reversed(done) if (back := kind_of(step).undo(step, read, family))]
    plan = Plan(steps=tuple(steps), undoes=entry.id)
    kept = [step for step in steps if not _still_named(step, plan, read, family)]
    return msgspec.structs.replace(plan, steps=tuple(kept))


def _brought_by(gone: Sequence[Plan], step: Step) -> bool:
    """Whether the step removed what these plans had brought, which is wanted no more."""
    archive = None if kind_of(step).staged else kind_of(step).archive(step)
    return archive is not None and any(archive in plan.steps for plan in gone)


def _behind_undone(step: Step, gone: Sequence[Plan], family: Family) -> Step:
    """The step between the values that there would be without the plans before it which were
    taken back after it, and found their own gone."""
    setting = kind_of(step).setting(step)
    if setting is None:
        return step
    for earlier in (one for plan in gone for one in settings_of(plan)):
        if same_place(earlier, setting):
            if back := back_to(earlier, setting.before, family):
                setting = msgspec.structs.replace(setting, before=back.after)
            if back := back_to(earlier, setting.after, family):
                setting = msgspec.structs.replace(setting, after=back.after)
    return setting


def _still_named(step: Step, plan: Plan, read: Read, family: Family) -> bool:
    """Whether the step would remove a folder that a search path names even after the plan."""
    archive = kind_of(step).archive(step)
    if archive is None or kind_of(step).staged:
        return False  # Nothing is removed.
    changed = {(s.scope, s.name.upper()): s.after for s in settings_of(plan)}
    folder = archive.search or archive.folder
    for where in _search_paths(family):
        value = changed[where] if where in changed else read(*where)
        entries = envpath.split(value.text, family) if value else ()
        if any(envpath.same_folder(entry, folder, family) for entry in entries):
            return True
    return False


def _search_paths(family: Family) -> tuple[tuple[Scope, str], ...]:
    """Those that we may change."""
    scopes: tuple[Scope, ...] = ("user", "machine") if family == "windows" else ("user",)
    return tuple(product(scopes, ("PATH", "LD_LIBRARY_PATH")))


def removal_plan(archive: InstallArchive, machine: Machine) -> Plan:
    """Take the copy's folder out of the variables that we may change, then remove it.

    Undoing installs it again, which downloads it again. What names the folder in the person's own
    start-up files stays; :func:`naming` tells of it.
    """
    wishes = [
        (TakeOut(variable=name, folder=archive.search or archive.folder, scope=scope), "")
        for scope, name in _search_paths(machine.os.family)
    ]
    return Plan(steps=(*variable_steps(wishes, machine), RemoveArchive(archive=archive)))


def naming(folder: str, machine: Machine) -> tuple[Variable, ...]:
    """The stored variables whose value names ``folder`` or something in it."""
    family = machine.os.family
    return tuple(
        variable
        for variable in machine.variables
        if variable.scope != "process"
        and any(
            envpath.inside(e, folder, family) for e in envpath.split(variable.value.text, family)
        )
    )
