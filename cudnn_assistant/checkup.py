"""One whole look and thought: what is there, what is wrong, what we would do about it."""

from __future__ import annotations

import getpass
import os
import platform
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Literal

from cudnn_assistant import probe
from cudnn_assistant.compat import Compat
from cudnn_assistant.diagnose import diagnose, verdict
from cudnn_assistant.finding import Finding, Verdict
from cudnn_assistant.machine import Family, Machine, OperatingSystem, Struct
from cudnn_assistant.plan import Entry, Plan, make_plan
from cudnn_assistant.report import (
    Redactor,
    Unknown,
    write_log,
    write_page,
    write_report,
    write_short,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from cudnn_assistant.system import System


class Checkup(Struct, kw_only=True):
    """Everything that window, command line and report show about one computer."""

    machine: Machine
    findings: tuple[Finding, ...] = ()
    """Most serious first, from the ground up."""
    verdict: Verdict
    plan: Plan
    """All that we can do ourselves; empty when nothing is automatic."""
    unknown: tuple[Unknown, ...] = ()
    """What a newer program wrote into the report that this was opened from."""


def think(machine: Machine, compat: Compat, unknown: tuple[Unknown, ...] = ()) -> Checkup:
    """Judge a snapshot of this or another computer. Pure: the same facts give the same answer."""
    findings = diagnose(machine, compat)
    return Checkup(
        machine=machine,
        findings=findings,
        verdict=verdict(machine, findings),
        plan=make_plan(findings, machine, compat),
        unknown=unknown,
    )


def check(
    system: System,
    compat: Compat,
    *,
    trial: bool = True,
    say: probe.Say | None = None,
    python: str = "",
    folders: Sequence[str] = (),
) -> Checkup:
    """Look at this computer and judge it. ``say`` hears each part from the calling thread."""
    machine = probe.probe(system, trial=trial, say=say, python=python, folders=folders)
    return think(machine, compat)


Form = Literal["markdown", "html", "short", "log", "message"]


def support_report(
    checkup: Checkup,
    compat: Compat,
    *,
    form: Form = "markdown",
    entries: Sequence[Entry] = (),
    data: str = "",
    note: str = "",
    text: str = "",
) -> str:
    """The report of a checkup, without names of people, computers and projects.

    The redacted snapshot is judged anew, so that no finding names what the snapshot doesn't.
    ``note`` is text of a crash and ``text`` the message that the person pasted.
    """
    write = support_forms(checkup, compat, entries=entries, data=data, note=note, text=text)
    return write(form)


def support_forms(
    checkup: Checkup,
    compat: Compat,
    *,
    entries: Sequence[Entry] = (),
    data: str = "",
    note: str = "",
    text: str = "",
) -> Callable[[Form], str]:
    """The same, redacted and judged once, to be written in several forms with the same marks."""
    redactor = _redactor(checkup.machine)
    clean = think(redactor.machine(), compat)
    machine, seen = clean.machine, (clean.machine, clean.findings, clean.verdict)
    changes, message = redactor.entries(entries), redactor.text(text)
    whole: dict[str, Any] = {
        "entries": changes,
        "data": data,
        "note": redactor.text(note),
        "text": message,
        "unknown": redactor.unknown(checkup.unknown),
    }
    forms: dict[Form, Callable[[], str]] = {
        "markdown": lambda: write_report(*seen, **whole),
        "html": lambda: write_page(*seen, **whole),
        "short": lambda: write_short(*seen),
        "log": lambda: write_log(machine, changes),
        "message": lambda: message,
    }
    return lambda form: forms[form]()


def redacted_note(note: str, family: Family) -> str:
    """Text of a crash as a report has it, where nothing was looked at before."""
    return _redactor(Machine(os=OperatingSystem(family=family))).text(note)


def _redactor(machine: Machine) -> Redactor:
    home = os.path.expanduser("~")
    return Redactor(machine, home=home, user=_user(), host=platform.node())


def _user() -> str:
    try:
        return getpass.getuser()
    except (OSError, KeyError, ImportError):
        # No name in the environment and none for the number: a bare container.
        return ""
