"""The command ``report``: write the support report in the form that the file asks for."""

from __future__ import annotations

import argparse
import os
from collections.abc import Callable

from cudnn_assistant import places
from cudnn_assistant.checkup import Form, support_forms
from cudnn_assistant.cli.looking import CantRead, compat_data, look, saved_machine
from cudnn_assistant.cli.screen import Screen
from cudnn_assistant.journal import Journal
from cudnn_assistant.plan import Entry
from cudnn_assistant.report import LOG, MESSAGE, PAGE, REPORT, file_name, pack
from cudnn_assistant.report import compare as differences
from cudnn_assistant.wording import _

_SIGNS = {"added": "+", "removed": "-", "changed": "→"}


def write(told: argparse.Namespace, screen: Screen) -> int:
    """Look (or open a report), then write; 0 when it was written, 3 when it can't be."""
    text = _message(told.text)
    compat, data = compat_data(told.offline)
    checkup = look(told, screen, compat)
    as_form = support_forms(
        checkup,
        compat,
        # Changes belong to this computer, not to the one a report came from.
        entries=() if told.machine else entries(),
        data=f"{data.version} of {data.published} ({data.source})",
        text=text,
    )
    if told.file == "-" or (told.short and not told.file):
        screen.raw(as_form(_form(told)))
        return 0
    path = told.file or file_name(checkup.machine)
    content = _content(path, told, as_form)
    try:
        with open(path, "wb") as file:
            file.write(content)
    except OSError as trouble:
        why = trouble.strerror or str(trouble)
        screen.trouble(
            _("The report can't be written to {path}: {why}.").format(path=path, why=why)
        )
        return 3
    screen.trouble(_("Report written to {path}").format(path=os.path.abspath(path)))
    return 0


def _content(path: str, told: argparse.Namespace, as_form: Callable[[Form], str]) -> bytes:
    ending = os.path.splitext(path)[1].lower()
    if ending == ".zip":
        return pack(
            {
                REPORT: as_form("markdown"),
                PAGE: as_form("html"),
                LOG: as_form("log"),
                MESSAGE: as_form("message"),
            }
        )
    if ending in (".html", ".htm"):
        return as_form("html").encode()
    return as_form(_form(told)).encode()


def _form(told: argparse.Namespace) -> Form:
    return "short" if told.short else "html" if told.html else "markdown"


def entries() -> tuple[Entry, ...]:
    """The changes made so far; none when the journal can't be read."""
    try:
        return Journal(places.journal()).entries()
    except OSError:
        return ()


def _message(path: str) -> str:
    if not path:
        return ""
    try:
        with open(path, encoding="utf-8", errors="backslashreplace") as file:
            return file.read(200_000)
    except OSError as trouble:
        why = trouble.strerror or str(trouble)
        raise CantRead(_("{path} can't be read: {why}.").format(path=path, why=why)) from trouble


def compare(told: argparse.Namespace, screen: Screen) -> int:
    """Say what differs between two reports; 0 when nothing does, else 1."""
    old, new = (saved_machine(path) for path in told.compare)
    found = differences(old, new)
    if not found:
        screen.line(_("Nothing that matters here changed between the two reports."))
        return 0
    screen.line(_("What changed from {old} to {new}:").format(old=old.taken_at, new=new.taken_at))
    for one in found:
        screen.line(f"{_SIGNS[one.kind]} {one.where}")
        if one.before:
            screen.line(_("was {value}").format(value=one.before), indent=4)
        if one.after:
            screen.line(_("is {value}").format(value=one.after), indent=4)
    return 1
