"""The real things behind the window, as the functions it knows (see doing.py)."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator
from functools import cache, partial

from cudnn_assistant import apply as applying
from cudnn_assistant import checkup as checkups
from cudnn_assistant import places
from cudnn_assistant.checkup import Checkup
from cudnn_assistant.compat import Compat
from cudnn_assistant.feed import load_builtin
from cudnn_assistant.gui.doing import Doing, Standing
from cudnn_assistant.gui.job import Tell
from cudnn_assistant.journal import Journal
from cudnn_assistant.plan import Entry, Plan, SetVariable, make_plan, undo_plan
from cudnn_assistant.preview import preview
from cudnn_assistant.report import redacted, write_report
from cudnn_assistant.system import System, this_system
from cudnn_assistant.wording import _


def real() -> Doing:
    """Everything for this computer and this person. Reads nothing yet."""
    system = this_system()
    journal = Journal(places.state() / "journal.jsonl")
    return Doing(
        family=system.family,
        check=partial(_check, system),
        plan=lambda found, only: make_plan(found.findings, found.machine, _compat(), only=only),
        preview=lambda plan, machine: preview(plan, machine, touched=system.touched("user")),
        apply=partial(_apply, system, journal),
        recover=lambda: applying.recover(journal, system),
        entries=journal.entries,
        standing=partial(_standing, system),
        undo=lambda entry: undo_plan(entry, system.read, system.family),
        report=partial(_report, journal),
        glance=_glance,
        data=_data,
    )


@cache
def _compat() -> Compat:
    return load_builtin()


def _data() -> str:
    compat = _compat()
    return _("built-in data of {date}").format(date=compat.published)


def _check(system: System, tell: Tell) -> Checkup:
    return checkups.check(
        system, _compat(), say=lambda part, done, machine: tell((part, done, machine))
    )


def _apply(system: System, journal: Journal, plan: Plan, tell: Tell) -> Entry:
    return applying.apply(plan, system, journal, lambda number, _step, state: tell((number, state)))


def _standing(system: System, entry: Entry) -> Standing:
    if entry.undone_by:
        return "undone"
    settings = [step for step in entry.plan.steps if isinstance(step, SetVariable)]
    same = all(system.read(step.scope, step.name) == step.after for step in settings)
    return "in place" if same else "changed"


def _report(journal: Journal, checkup: Checkup | None, note: str) -> str:
    if checkup is None:
        return note
    try:
        entries = journal.entries()
    except OSError:
        entries = ()
    return write_report(
        redacted(checkup.machine), checkup.findings, checkup.verdict, entries=entries, note=note
    )


_WATCHED = (
    "/proc/driver/nvidia/version",
    "/etc/ld.so.cache",
    "/usr/local",
    "/usr/lib/x86_64-linux-gnu",
    "/usr/lib64",
    r"C:\Windows\System32\nvcuda.dll",
    r"C:\Program Files\NVIDIA\CUDNN",
    r"C:\Program Files\NVIDIA GPU Computing Toolkit\CUDA",
)


def _glance() -> object:
    """A mark that differs when a driver, a toolkit or a library was installed; milliseconds."""
    seen = hashlib.sha256()
    for name in _WATCHED:
        for mark in _marks(name):
            seen.update(mark.encode("utf-8", "surrogateescape"))
    return seen.hexdigest()


def _marks(name: str) -> Iterator[str]:
    try:
        found = os.stat(name)
        yield f"{name} {found.st_mtime_ns}"
        if name.startswith("/proc"):
            with open(name, encoding="utf-8", errors="replace") as file:
                yield file.read(500)
    except OSError:
        yield f"{name} -"
