"""One whole look and thought: what is there, what is wrong, what we would do about it."""

from __future__ import annotations

import getpass
import os
import platform
from typing import TYPE_CHECKING, Literal

from cudnn_assistant import probe
from cudnn_assistant.compat import Compat
from cudnn_assistant.diagnose import diagnose, verdict
from cudnn_assistant.finding import Finding, Verdict
from cudnn_assistant.machine import Machine, Struct
from cudnn_assistant.plan import Entry, Plan, make_plan
from cudnn_assistant.report import (
    redacted,
    redacted_text,
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


def think(machine: Machine, compat: Compat) -> Checkup:
    """Judge a snapshot of this or another computer. Pure: the same facts give the same answer."""
    findings = diagnose(machine, compat)
    return Checkup(
        machine=machine,
        findings=findings,
        verdict=verdict(machine, findings),
        plan=make_plan(findings, machine, compat),
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


def support_report(
    checkup: Checkup,
    compat: Compat,
    *,
    form: Literal["markdown", "html", "short"] = "markdown",
    entries: Sequence[Entry] = (),
    data: str = "",
    note: str = "",
    text: str = "",
) -> str:
    """The report of a checkup, without names of people, computers and projects.

    The redacted snapshot is judged anew, so that no finding names what the snapshot doesn't.
    ``note`` is text of a crash and ``text`` the message that the person pasted.
    """
    person = {"home": os.path.expanduser("~"), "user": _user(), "host": platform.node()}
    machine = redacted(checkup.machine, **person)
    clean = think(machine, compat)
    if form == "short":
        return write_short(machine, clean.findings, clean.verdict)
    write = write_page if form == "html" else write_report
    return write(
        machine,
        clean.findings,
        clean.verdict,
        entries=entries,
        data=data,
        note=redacted_text(note, machine, **person),
        text=redacted_text(text, machine, **person),
    )


def _user() -> str:
    try:
        return getpass.getuser()
    except (OSError, KeyError, ImportError):
        # No name in the environment and none for the number: a bare container.
        return ""
