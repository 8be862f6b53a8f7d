"""The command ``report``: write the support report in the form that the file asks for."""

from __future__ import annotations

import os
from collections.abc import Callable

from cudnn_assistant.cli.looking import checkup_of_file, look, unreadable
from cudnn_assistant.cli.options import Options
from cudnn_assistant.cli.saving import save
from cudnn_assistant.cli.screen import Screen
from cudnn_assistant.report import compare as differences
from cudnn_assistant.report import file_name
from cudnn_assistant.session import Checkup, Misuse, Session
from cudnn_assistant.session.reports import Form
from cudnn_assistant.wording import say

_SIGNS = {"added": "+", "removed": "-", "changed": "→"}


def report(session: Session, options: Options, screen: Screen) -> int:
    """Write the support report, compare two of them, or put many together."""
    if options.many:
        from cudnn_assistant.cli.fleet import many

        return many(session, options, screen)
    if options.csv or options.json or options.earlier:
        raise Misuse("only-of-many")
    if options.compare is not None:
        return _compare(session, *options.compare, screen)
    return _write(session, options, screen)


def _write(session: Session, options: Options, screen: Screen) -> int:
    """Look (or open a report), then write; 0 when it was written, 3 when it can't be."""
    text = _message(options.text)
    checkup = look(session, options, screen)
    if options.file == "-" or (options.short and not options.file):
        screen.raw(_forms(session, checkup, options, text)(_form(options)))
        return 0
    path = options.file or file_name(checkup.machine)
    content = _content(session, checkup, options, path, text)
    return save(path, content, screen)


def _content(session: Session, checkup: Checkup, options: Options, path: str, text: str) -> bytes:
    ending = os.path.splitext(path)[1].lower()
    if ending == ".zip":
        return session.report(checkup, own=not options.machine, text=text).packed()
    form: Form = "html" if ending in (".html", ".htm") else _form(options)
    return _forms(session, checkup, options, text)(form).encode()


def _forms(
    session: Session, checkup: Checkup, options: Options, text: str
) -> Callable[[Form], str]:
    return session.report_forms(checkup, own=not options.machine, text=text)


def _form(options: Options) -> Form:
    return "short" if options.short else "html" if options.html else "markdown"


def _message(path: str) -> str:
    if not path:
        return ""
    try:
        with open(path, encoding="utf-8", errors="backslashreplace") as file:
            return file.read(200_000)
    except OSError as trouble:
        raise unreadable(path, trouble) from trouble


def _compare(session: Session, before: str, after: str, screen: Screen) -> int:
    """Say what differs between two reports; 0 when nothing does, else 1."""
    old, new = (checkup_of_file(session, path).machine for path in (before, after))
    found = differences(old, new)
    if not found:
        screen.line(say("cli.no-difference"))
        return 0
    screen.line(say("cli.differences", old=old.taken_at, new=new.taken_at))
    for one in found:
        screen.line(f"{_SIGNS[one.kind]} {one.where}")
        if one.before:
            screen.line(say("cli.value-was", value=one.before), indent=4)
        if one.after:
            screen.line(say("cli.value-is", value=one.after), indent=4)
    return 1
