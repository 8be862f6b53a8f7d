"""The plan that removes one of our own copies: no search path names it any more, then it goes."""

from __future__ import annotations

from cudnn_assistant import envpath
from cudnn_assistant.finding import TakeOut
from cudnn_assistant.machine import Machine, Scope, Variable
from cudnn_assistant.plan.from_findings import settings
from cudnn_assistant.plan.steps import InstallArchive, Plan, RemoveArchive


def removal_plan(archive: InstallArchive, machine: Machine) -> Plan:
    """Take the copy's folder out of the variables that we may change, then remove it.

    Undoing installs it again, which downloads it again. What names the folder in the person's own
    start-up files stays; :func:`naming` tells of it.
    """
    scopes: tuple[Scope, ...] = ("user", "machine") if machine.os.family == "windows" else ("user",)
    wishes = [
        TakeOut(variable=name, folder=archive.search or archive.folder, scope=scope)
        for name in ("PATH", "LD_LIBRARY_PATH")
        for scope in scopes
    ]
    return Plan(steps=(*settings(wishes, machine), RemoveArchive(archive=archive)))


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
