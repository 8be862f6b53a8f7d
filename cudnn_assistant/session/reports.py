"""The support report of a checkup, without names of people, computers and projects."""

from __future__ import annotations

import getpass
import os
import platform
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from cudnn_assistant.compat import Compat
from cudnn_assistant.machine import Family, Machine, OperatingSystem
from cudnn_assistant.plan import Entry, Plan
from cudnn_assistant.report import (
    LOG,
    MESSAGE,
    PAGE,
    REPORT,
    Redactor,
    file_name,
    pack,
    write_log,
    write_page,
    write_report,
    write_short,
)
from cudnn_assistant.session.checkup import Checkup, think, without_plan

Form = Literal["markdown", "html", "short", "log", "message"]


@dataclass(frozen=True)
class Written:
    """A report, ready to be saved."""

    text: str
    """Markdown: what is shown, copied and saved, to the byte."""
    page: str = ""
    """The same as HTML; "": to be made of the text as it is."""
    name: str = "cudnn-report.md"
    """A name for the file."""
    log: str = ""
    """What this program did, for a packed report. All of it stands in ``text`` as well."""
    message: str = ""
    """The error text that the person pasted, likewise."""

    def packed(self) -> bytes:
        """All of it as one ZIP file."""
        return pack({REPORT: self.text, PAGE: self.page, LOG: self.log, MESSAGE: self.message})


@dataclass(frozen=True)
class Extra:
    """What goes into a report beside the checkup."""

    entries: Sequence[Entry] = ()
    """Changes made on this computer."""
    data: str = ""
    """Which compatibility data was used."""
    note: str = ""
    """Text of a crash."""
    text: str = ""
    """The message that the person pasted."""


def written(checkup: Checkup, compat: Compat, extra: Extra) -> Written:
    """All forms of a report that can be saved."""
    form = support_forms(checkup, compat, extra)
    name = file_name(checkup.machine)
    return Written(form("markdown"), form("html"), name, form("log"), form("message"))


def support_forms(
    checkup: Checkup, compat: Compat, extra: Extra | None = None
) -> Callable[[Form], str]:
    """A report redacted and judged once, to be written in several forms with the same marks.

    The redacted snapshot is judged anew, so that no finding names what the snapshot doesn't.
    """
    extra = extra or Extra()
    redactor = _redactor(checkup.machine)
    clean = think(redactor.machine(), compat)
    machine, seen = clean.machine, (clean.machine, clean.findings, clean.verdict)
    changes, message = redactor.entries(extra.entries), redactor.text(extra.text)
    whole: dict[str, Any] = {
        "entries": changes,
        "data": extra.data,
        "note": redactor.text(extra.note),
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


def shareable(checkup: Checkup, plan: Plan, compat: Compat) -> tuple[Checkup, Plan]:
    """Both redacted with the same marks; the checkup is judged anew and has no plan."""
    redactor = _redactor(checkup.machine)
    (entry,) = redactor.entries([Entry(id="", when="", plan=plan)])
    return without_plan(think(redactor.machine(), compat)), entry.plan


_OUR_FRAME = re.compile(r"[^\"\n]{0,300}?(cudnn_assistant(?:[\\/]\w{1,40})+)\.py(?=\")")


def redacted_note(note: str, family: Family) -> str:
    """Text of a crash as a report has it, where nothing was looked at before."""
    return _redactor(Machine(os=OperatingSystem(family=family))).text(note)


def without_home(note: str) -> str:
    """A text in which the person's own folder is "~", and our own files are modules."""
    home = os.path.expanduser("~")
    known = _OUR_FRAME.sub(lambda frame: re.sub(r"[\\/]", ".", frame[1]), note)
    return known.replace(home, "~") if len(home) > 1 else known


def _redactor(machine: Machine) -> Redactor:
    home = os.path.expanduser("~")
    return Redactor(machine, home=home, user=_user(), host=platform.node())


def _user() -> str:
    try:
        return getpass.getuser()
    except (OSError, KeyError, ImportError):
        # No name in the environment and none for the number: a bare container.
        return ""
