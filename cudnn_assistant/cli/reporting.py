"""``report``: the support report in the form that the file asks for, or what many of them say."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

from cudnn_assistant.cli.looking import checkup_of_file, given, look
from cudnn_assistant.cli.options import Options
from cudnn_assistant.cli.saving import save
from cudnn_assistant.cli.screen import Screen, json_line
from cudnn_assistant.explain.reading import lines_of
from cudnn_assistant.machine import dump
from cudnn_assistant.report.compare import compare as differences
from cudnn_assistant.report.fleet import Fleet
from cudnn_assistant.report.fleet_page import (
    alike,
    changes,
    headline,
    states,
    value_lines,
    write_fleet_csv,
    write_fleet_page,
)
from cudnn_assistant.report.redaction import Line
from cudnn_assistant.session import Misuse, Session
from cudnn_assistant.session.given_file import LARGEST_MESSAGE
from cudnn_assistant.session.reports import Form
from cudnn_assistant.wording import listed, moment, say

_MOST_SHOWN = 20
"""Lines that are shown with what was left out of them; a log may hold thousands."""
_SIGNS = {"added": "+", "removed": "-", "changed": "→"}

_UNREAD = {
    "many": ("compare", "short", "text", "keep_lines", "machine", "python"),
    "compare": ("file", "short", "html", "text", "keep_lines", "machine", "python"),
    "short": ("html",),
    "html": ("csv", "json"),
    "csv": ("json",),
}
"""What would be passed over beside each. How to look makes no difference, but scripts say it."""


def report(session: Session, options: Options, screen: Screen) -> int:
    """Write the support report, compare two of them, or put many together."""
    for way, others in _UNREAD.items():
        if getattr(options, way) and (said := next(filter(partial(getattr, options), others), "")):
            raise Misuse("apart", option=_flag(said), other=_flag(way))
    # What such a file holds its name says.
    if options.short and options.file.lower().endswith((".html", ".htm", ".zip")):
        raise Misuse("apart", option="--short", other=options.file)
    if options.many:
        return _many(session, options, screen)
    if options.csv or options.json or options.earlier:
        raise Misuse("only-of-many")
    if options.compare is not None:
        return _compare(session, *options.compare, screen)
    return _write(session, options, screen)


def _flag(name: str) -> str:
    return "FILE" if name == "file" else f"--{name.replace('_', '-')}"


def _write(session: Session, options: Options, screen: Screen) -> int:
    """Look (or open a report), then write; 0 when it was written, 3 when it can't be."""
    message = given(options.text, LARGEST_MESSAGE, screen) if options.text else b""
    # As explain reads it: in any encoding, and without the colours of a terminal.
    text = "\n".join(lines_of(message))
    last = len(text.splitlines())
    if options.keep_lines and not 1 <= min(options.keep_lines) <= max(options.keep_lines) <= last:
        raise Misuse("no-such-lines", count=last)
    checkup = look(session, options, screen)
    forms = session.report(checkup, own=not options.machine, text=text)
    forms = forms.keeping(options.keep_lines)
    if options.file == "-" or (options.short and not options.file):
        screen.raw(forms(_form(options)))
        return 0
    path = options.file or (forms.name.replace(".md", ".html") if options.html else forms.name)
    code = save(path, forms.content(path, _form(options)), screen)
    if code == 0:
        _show_left_out(forms.left_out, options.keep_lines, screen)
    return code


def _show_left_out(lines: Sequence[Line], kept: Sequence[int], screen: Screen) -> None:
    """Both to the person at a terminal, to judge: their own words, and what the report says."""
    waiting = [line for line in lines if line.number not in kept]
    if not waiting:
        return
    if screen.err.isatty():
        for line in waiting[:_MOST_SHOWN]:
            screen.trouble(say("cli.line-pasted", number=line.number, text=line.pasted))
            screen.trouble(say("cli.line-told", number=line.number, text=line.told))
    numbers = ",".join(str(line.number) for line in waiting[:_MOST_SHOWN])
    screen.trouble(say("cli.lines-with-gaps", count=len(waiting), numbers=numbers))


def _form(options: Options) -> Form:
    return "short" if options.short else "html" if options.html else "markdown"


def _compare(session: Session, before: str, after: str, screen: Screen) -> int:
    """Say what differs between two reports; 0 when nothing does, else 1."""
    old, new = (checkup_of_file(session, path).machine for path in (before, after))
    found = differences(old, new)
    if all("folder-" in dump(one).decode() for one in (old, new)):
        screen.trouble(say("cli.folders-by-number"))
    if not found:
        screen.line(say("cli.no-difference"))
        return 0
    screen.line(say("cli.differences", old=moment(old.taken_at), new=moment(new.taken_at)))
    for one in found:
        screen.line(f"{_SIGNS[one.kind]} {one.where}")
        if one.before:
            screen.line(say("cli.value-was", value=one.before), indent=4)
        if one.after:
            screen.line(say("cli.value-is", value=one.after), indent=4)
    screen.line(say("cli.names-of-facts"))
    return 1


def _many(session: Session, options: Options, screen: Screen) -> int:
    """Read them all and write the answer; 0 when there is one, 3 when no report could be read."""
    form = _form_of_many(options)
    if form is None and options.file not in ("", "-"):
        raise Misuse("form-of-many", file=options.file)
    session.fetch_data(offline=options.offline)
    screen.progress(say("fleet.reading"))
    fleet = session.fleet(options.many, options.earlier)
    screen.progress("")
    for one in fleet.passed_over:
        screen.trouble(f"{one.file}: {one.why}")
    if not fleet.computers:
        screen.trouble(say("fleet.none-readable"))
        return 3
    if form is None:
        _show_many(fleet, screen)
        return 0
    if options.file not in ("", "-"):
        # Without its mark a spreadsheet takes UTF-8 for a code page.
        encoding = "utf-8-sig" if options.csv else "utf-8"
        return save(options.file, form(fleet).encode(encoding), screen)
    screen.raw(form(fleet))
    return 0


def _form_of_many(options: Options) -> Callable[[Fleet], str] | None:
    if options.html:
        return write_fleet_page
    if options.csv:
        return write_fleet_csv
    return (lambda fleet: json_line(fleet) + "\n") if options.json else None


def _show_many(fleet: Fleet, screen: Screen) -> None:
    screen.line(headline(fleet))
    screen.line(states(fleet))
    for told, names in changes(fleet.changed or ()):
        screen.line()
        screen.line(listed(names))
        screen.lines(told, indent=2)
    for cause in fleet.causes:
        screen.line()
        count = say("fleet.on", count=len(cause.computers))
        screen.line(f"{cause.title}  [{cause.code}]  {count}")
        for remedy in cause.remedies:
            screen.lines(filter(None, (remedy.fix, listed(remedy.computers))), indent=2)
            for command in remedy.commands:
                screen.verbatim(command)
        if cause.suspected:
            screen.line(say("fleet.suspected-on", names=listed(cause.suspected)), indent=2)
    for unlike in fleet.unlike:
        screen.line()
        screen.line(f"{alike(unlike)} · {unlike.fact}")
        screen.lines(value_lines(unlike), indent=2)
