"""The support report of a checkup, without names of people, computers and projects."""

from __future__ import annotations

import getpass
import os
import platform
import re
from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Literal

import msgspec

from cudnn_assistant.compat import Compat
from cudnn_assistant.machine import Family, Machine, OperatingSystem
from cudnn_assistant.plan import Entry, Plan
from cudnn_assistant.report.document import Block, Heading
from cudnn_assistant.report.log import write_log
from cudnn_assistant.report.page import page
from cudnn_assistant.report.reading import REPORT, pack
from cudnn_assistant.report.redaction import Line, Redactor
from cudnn_assistant.report.text import NOTHING, Extra, file_name, write_report, write_short
from cudnn_assistant.session.checkup import Checkup, think, without_plan
from cudnn_assistant.wording import say

Form = Literal["markdown", "html", "short", "log", "message"]


@dataclass(frozen=True)
class Forms:
    """A report redacted and judged once, to be written in several forms with the same marks."""

    _checkup: Checkup | None = None
    """``None``: there is nothing but the text of ``edited``."""
    _extra: Extra = NOTHING
    """Both redacted, but for the pasted text."""
    _lines: tuple[Line, ...] = ()
    _kept: frozenset[int] = frozenset()
    edited: str | None = None
    """The text as the person has changed it. No other form is made of anything else then: it could
    hold what was left out of the text."""

    @property
    def left_out(self) -> tuple[Line, ...]:
        """Lines of the pasted text in which something is left out, kept or not."""
        return tuple(line for line in self._lines if line.told != line.pasted)

    @property
    def name(self) -> str:
        """A name for the file."""
        return file_name(self._checkup.machine) if self._checkup else REPORT

    def keeping(self, numbers: Iterable[int]) -> Forms:
        """The report with these lines of the pasted text as they are: the person has read them."""
        return replace(self, _kept=frozenset(numbers))

    @cached_property
    def text(self) -> str:
        """Markdown: what is shown, copied and saved, to the byte."""
        return self("markdown")

    def __call__(self, form: Form) -> str:
        """The text of one form."""
        if self._checkup is None or self.edited is not None:
            return self._of_text(form)
        machine, extra = self._checkup.machine, self._extra
        seen = (machine, self._checkup.findings, self._checkup.verdict)
        if form == "short":
            return write_short(*seen)
        if form == "log":
            return write_log(machine, extra.entries)
        message = "\n".join(
            line.pasted if line.number in self._kept else line.told for line in self._lines
        )
        if form == "message":
            return message
        whole = msgspec.structs.replace(extra, text=message)
        return write_report(*seen, whole, html=form == "html")

    def _of_text(self, form: Form) -> str:
        text = self.edited or ""
        if form == "html":
            title = say("report.title")
            return page((Heading(1, (title,)), Block(text)), title)
        return text if form == "markdown" else ""

    def content(self, path: str, form: Form = "markdown") -> bytes:
        """What is saved under this name: a page, all of it packed, or else ``form``."""
        ending = os.path.splitext(path)[1].lower()
        if ending == ".zip":
            return pack({name: self(one) for name, one in _PACKED.items()})
        return self("html" if ending in (".html", ".htm") else form).encode()


_PACKED: dict[str, Form] = {
    REPORT: "markdown",
    "cudnn-report.html": "html",
    "cudnn-assistant.log": "log",
    "message.txt": "message",
}
"""What a packed report holds, by its names."""


def support_forms(checkup: Checkup, compat: Compat, extra: Extra = NOTHING) -> Forms:
    """A report without names; its redacted snapshot is judged anew.

    So no finding names what the snapshot doesn't.
    """
    redactor = _redactor(checkup.machine)
    clean = think(redactor.machine(), compat)
    entries, lines = redactor.entries(extra.entries), redactor.lines(extra.text)
    note, unknown = redactor.text(extra.note), redactor.unknown(checkup.unknown)
    told = Extra(entries, extra.data, note, unknown=unknown)
    return Forms(clean, told, lines)


def shareable(checkup: Checkup, plan: Plan, compat: Compat) -> tuple[Checkup, Plan]:
    """Both redacted with the same marks; the checkup is judged anew and has no plan."""
    redactor = _redactor(checkup.machine)
    (entry,) = redactor.entries([Entry(id="", when="", plan=plan)])
    return without_plan(think(redactor.machine(), compat)), entry.plan


_FRAME = re.compile(r'(?<=File ")[^"\n]{1,4096}(?=")')


def redacted_note(note: str, family: Family) -> str:
    """Text of a crash as a report has it, where nothing was looked at before."""
    return _redactor(Machine(os=OperatingSystem(family=family))).text(note)


def without_home(note: str) -> str:
    """A text in which the person's own folder is "~", and our own files are modules."""
    home = os.path.expanduser("~")
    known = _FRAME.sub(_our_module, note)
    return known.replace(home, "~") if len(home) > 1 else known


def _our_module(file: re.Match[str]) -> str:
    _folder, ours, name = file[0].replace("\\", "/").rpartition("/cudnn_assistant/")
    if not ours or not name.endswith(".py"):
        return file[0]
    return "cudnn_assistant." + name.removesuffix(".py").replace("/", ".")


def _redactor(machine: Machine) -> Redactor:
    home = os.path.expanduser("~")
    return Redactor(machine, home=home, user=_user(), host=platform.node())


def _user() -> str:
    try:
        return getpass.getuser()
    except (OSError, KeyError, ImportError):
        # No name in the environment and none for the number: a bare container.
        return ""
