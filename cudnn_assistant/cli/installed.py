"""``installed``: the copies in our own folder, who uses them, and how to be rid of one."""

from __future__ import annotations

import argparse
import os

import msgspec

from cudnn_assistant import places
from cudnn_assistant.apply.copies import Copy, copies
from cudnn_assistant.cli.carrying import carry_out
from cudnn_assistant.cli.screen import Screen
from cudnn_assistant.journal import Journal
from cudnn_assistant.machine import SYSTEM, Machine
from cudnn_assistant.plan import naming, removal_plan
from cudnn_assistant.probe import probe
from cudnn_assistant.system import this_system
from cudnn_assistant.wording import _


class Told(msgspec.Struct, kw_only=True):
    """One copy, as ``--json`` prints it."""

    folder: str
    size: int
    """Bytes."""
    product: str = ""
    version: str = ""
    variables: tuple[str, ...] = ()
    """"user PATH": the stored variables that name it."""
    subjects: tuple[str, ...] = ()
    """Who gets their cuDNN from there by that: "system", and environments by their folder."""


def installed(told: argparse.Namespace, screen: Screen) -> int:
    """List our copies, or remove one."""
    journal = Journal(places.journal())
    root = str(places.own_libraries())
    try:
        found = copies(root, journal.entries())
    except OSError as trouble:
        screen.trouble(str(trouble))
        return 3
    screen.progress(_("Looking who uses them…"))
    system = this_system()
    machine = probe(system, trial=False, truth=False)
    screen.progress("")
    if not told.remove:
        return _list(found, root, machine, screen)
    chosen = _chosen(told.remove, found, root)
    if chosen is None or chosen.archive is None:
        screen.trouble(
            _("There is no copy of ours at {folder}.").format(folder=told.remove)
            if chosen is None
            else _("{folder} was not made by this program, so it is not removed by it.").format(
                folder=chosen.folder
            )
        )
        return 2
    plan = removal_plan(chosen.archive, machine)
    for subject in _told(chosen, machine).subjects:
        if not screen.json:
            screen.line(_("Used at present: {subject}").format(subject=_name(subject)))
    code = carry_out(plan, machine, system, journal, told, screen)
    if code is None and not screen.json:
        screen.line(_("It was removed. To take that back: cudnn-assistant undo"))
    return code or 0


def _chosen(name: str, found: tuple[Copy, ...], root: str) -> Copy | None:
    """By path, or by the name of the folder alone."""
    wanted = {os.path.normcase(os.path.abspath(name)), os.path.normcase(os.path.join(root, name))}
    return next((copy for copy in found if os.path.normcase(copy.folder) in wanted), None)


def _list(found: tuple[Copy, ...], root: str, machine: Machine, screen: Screen) -> int:
    listed = [_told(copy, machine) for copy in found]
    if screen.json:
        screen.raw(msgspec.json.encode(listed).decode() + "\n")
        return 0
    if not listed:
        screen.line(_("Nothing is installed in {folder}.").format(folder=root))
    for told in listed:
        what = f"{told.product} {told.version}".strip() or _("unknown to the journal")
        screen.line(f"{told.folder}  {told.size / 1e6:,.0f} MB  {what}")
        if told.variables:
            screen.line(_("named in: {names}").format(names=", ".join(told.variables)), indent=2)
        for subject in told.subjects:
            screen.line(_("used by: {subject}").format(subject=_name(subject)), indent=2)
        if not told.variables:
            screen.line(_("no setting names it"), indent=2)
    return 0


def _told(copy: Copy, machine: Machine) -> Told:
    variables = naming(copy.folder, machine)
    names = dict.fromkeys(f"{v.scope} {v.name}" for v in variables)
    return Told(
        folder=copy.folder,
        size=copy.size,
        product=copy.archive.product if copy.archive else "",
        version=copy.archive.version if copy.archive else "",
        variables=tuple(names),
        subjects=_subjects(machine) if names else (),
    )


def _subjects(machine: Machine) -> tuple[str, ...]:
    """Programs of the system, and the environments whose framework takes cuDNN from there."""
    users = (e.id for e in machine.pythons if any(f.uses_system_cudnn for f in e.frameworks))
    return (SYSTEM, *users)


def _name(subject: str) -> str:
    return _("programs that take cuDNN from the system") if subject == SYSTEM else subject
