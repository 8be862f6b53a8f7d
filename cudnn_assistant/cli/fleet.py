"""``report --many``: the reports of many computers in one answer."""

from __future__ import annotations

from collections.abc import Callable

from cudnn_assistant.cli.options import Options
from cudnn_assistant.cli.saving import save
from cudnn_assistant.cli.screen import Screen, json_line
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
from cudnn_assistant.session import Misuse, Session
from cudnn_assistant.wording import listed, say


def many(session: Session, options: Options, screen: Screen) -> int:
    """Read them all and write the answer; 0 when there is one, 3 when no report could be read."""
    form = _form(options)
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
        _show(fleet, screen)
        return 0
    if options.file not in ("", "-"):
        # Without its mark a spreadsheet takes UTF-8 for a code page.
        encoding = "utf-8-sig" if options.csv else "utf-8"
        return save(options.file, form(fleet).encode(encoding), screen)
    screen.raw(form(fleet))
    return 0


def _form(options: Options) -> Callable[[Fleet], str] | None:
    if options.html:
        return write_fleet_page
    if options.csv:
        return write_fleet_csv
    return (lambda fleet: json_line(fleet) + "\n") if options.json else None


def _show(fleet: Fleet, screen: Screen) -> None:
    screen.line(headline(fleet))
    screen.line(states(fleet))
    for told, names in changes(fleet.changed or ()):
        screen.line()
        screen.line(listed(names))
        for line in told:
            screen.line(line, indent=2)
    for cause in fleet.causes:
        screen.line()
        count = say("fleet.on", count=len(cause.computers))
        screen.line(f"{cause.title}  [{cause.code}]  {count}")
        for remedy in cause.remedies:
            for text in (remedy.fix, listed(remedy.computers)):
                if text:
                    screen.line(text, indent=2)
        if cause.suspected:
            screen.line(say("fleet.suspected-on", names=listed(cause.suspected)), indent=2)
    for unlike in fleet.unlike:
        screen.line()
        screen.line(f"{alike(unlike)} · {unlike.fact}")
        for line in value_lines(unlike):
            screen.line(line, indent=2)
