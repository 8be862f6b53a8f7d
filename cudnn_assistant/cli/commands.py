"""The commands that only look: check, explain, report, test, feed, recommend, installed."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable

import msgspec

from cudnn_assistant import places
from cudnn_assistant.checkup import Checkup, think
from cudnn_assistant.cli.changing import fix, undo
from cudnn_assistant.cli.looking import EXIT, CantRead, compat_data, look, saved_machine, show
from cudnn_assistant.cli.screen import Screen
from cudnn_assistant.wording import _

Command = Callable[[argparse.Namespace, Screen], int]


def _guarded(command: Command) -> Command:
    def run(told: argparse.Namespace, screen: Screen) -> int:
        try:
            return command(told, screen)
        except CantRead as trouble:
            screen.trouble(str(trouble))
            return 2

    return run


def check(told: argparse.Namespace, screen: Screen) -> int:
    """Look, test, say what is wrong."""
    compat, data = compat_data(told.offline)
    checkup = look(told, screen, compat)
    show(checkup, data, screen, told)
    if not told.machine and _interrupted():
        screen.trouble(_("A change was interrupted. To take it back, run: cudnn-assistant undo"))
    return EXIT[checkup.verdict]


def _interrupted() -> bool:
    from cudnn_assistant.journal import Journal

    try:
        return bool(Journal(places.journal()).unfinished())
    except OSError:
        return False


def explain(told: argparse.Namespace, screen: Screen) -> int:
    """Say what an error text means, most likely cause first."""
    from cudnn_assistant import explain as explaining

    given = dict(_given(word) for word in told.given)
    compat = compat_data(True)[0]
    seen: Checkup | None = None
    if told.machine:
        seen = think(saved_machine(told.machine), compat)
    elif not told.no_look and not given:
        told.python, told.no_test = "", True
        seen = look(told, screen, compat)
    machine = seen.machine if seen else None
    findings = seen.findings if seen else ()
    found = explaining.explain(_text(told.file), machine, given, compat, findings=findings)
    if screen.json:
        screen.raw(msgspec.json.encode(found).decode() + "\n")
    else:
        for line in explaining.text_lines(found):
            screen.line(line)
    return 0 if found.causes else 3


def _given(word: str) -> tuple[str, str]:
    name, sign, value = word.partition("=")
    if not sign or not name.strip():
        raise CantRead(_("--given needs NAME=VALUE, like driver=512.15."))
    return name, value


def _text(path: str) -> bytes:
    limit = 64 * 1024 * 1024
    if path == "-":
        return sys.stdin.buffer.read(limit)
    try:
        with open(path, "rb") as file:
            return file.read(limit)
    except OSError as trouble:
        why = trouble.strerror or str(trouble)
        raise CantRead(_("{path} can't be read: {why}.").format(path=path, why=why)) from trouble


def feed(told: argparse.Namespace, screen: Screen) -> int:
    """Show where the compatibility data is from, or fetch it."""
    from cudnn_assistant.feed import current, describe

    update = told.action == "update"
    _compat, source = current(offline=not update, insist=update)
    if told.json:
        screen.raw(msgspec.json.encode(source).decode() + "\n")
    else:
        screen.line(describe(source))
    return 3 if update and source.trouble else 0


def report(told: argparse.Namespace, screen: Screen) -> int:
    """Write the support report, or compare two of them."""
    from cudnn_assistant.cli.reporting import compare, write

    return compare(told, screen) if told.compare else write(told, screen)


def test(told: argparse.Namespace, screen: Screen) -> int:
    """Only the cuDNN test."""
    from cudnn_assistant.cli.testing import run

    return run(told, screen)


def recommend(told: argparse.Namespace, screen: Screen) -> int:
    """What fits together."""
    from cudnn_assistant.cli.recommending import recommend as run

    return run(told, screen)


def integrate(told: argparse.Namespace, screen: Screen) -> int:
    """The menus."""
    from cudnn_assistant.cli.integrate import integrate as run

    return run(told, screen)


def installed(told: argparse.Namespace, screen: Screen) -> int:
    """What lies in our own folder."""
    from cudnn_assistant.cli.installed import installed as run

    return run(told, screen)


COMMANDS_BY_NAME: dict[str, Command] = {
    name: _guarded(command)
    for name, command in {
        "check": check,
        "explain": explain,
        "fix": fix,
        "undo": undo,
        "report": report,
        "test": test,
        "feed": feed,
        "recommend": recommend,
        "installed": installed,
        "integrate": integrate,
    }.items()
}
