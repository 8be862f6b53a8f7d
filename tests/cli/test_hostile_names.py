"""No terminal obeys what the command line shows, whatever the facts of a computer hold."""

from __future__ import annotations

import io
import re

import msgspec
import pytest
from machines.computers import NAMES, golden, redacted
from machines.each import each_computer

from cudnn_assistant.cli.looking import show
from cudnn_assistant.cli.options import Options
from cudnn_assistant.cli.screen import Screen
from cudnn_assistant.feed import load_builtin
from cudnn_assistant.feed.source import Source
from cudnn_assistant.machine import Machine, dump, load
from cudnn_assistant.report.text import write_report
from cudnn_assistant.session.checkup import think
from cudnn_assistant.session.json_output import encoded

PLANTED = "\x1b[8m\x9b8m\u202e\x07\r\u2066\x85"
COMPAT = load_builtin()
SOURCE = Source(kind="built-in", version=1, published="2026-01-01")


def hostile(machine: Machine) -> Machine:
    """The machine with the characters in every folder, and behind every text with a blank."""

    def planted(value: object) -> object:
        if isinstance(value, dict):
            return {k: planted(v) for k, v in value.items()}
        if isinstance(value, list | tuple):
            return [planted(v) for v in value]
        if not isinstance(value, str):
            return value
        folder = re.sub(r"(?<=[\w:])[/\\](?=\w)", lambda m: m[0] + PLANTED, value, count=1)
        return folder + PLANTED if " " in value else folder

    return load(msgspec.json.encode(planted(msgspec.to_builtins(machine))))


@each_computer
def test_no_terminal_obeys_a_name(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    checkup = think(hostile(golden(name)), COMPAT)
    screen = Screen(color="never")
    screen.out = io.StringIO()
    show(checkup, SOURCE, screen, Options(verbose=True))
    seen = screen.out.getvalue()
    assert all(c.isprintable() or c == "\n" for c in seen)


@pytest.mark.parametrize("name", NAMES[::6])
def test_neither_json_nor_a_report_holds_one(name: str) -> None:
    checkup = think(hostile(golden(name)), COMPAT)
    screen = Screen(json=True)
    screen.out = io.TextIOWrapper(io.BytesIO(), encoding="utf-8")
    screen.as_json(msgspec.Raw(encoded(checkup, SOURCE)))
    told = screen.out.buffer.getvalue().decode()
    assert load(msgspec.json.encode(msgspec.json.decode(told)["machine"])) == checkup.machine
    assert len(dump(checkup.machine)) > 0
    clean = redacted(checkup.machine)
    texts = (write_report(clean, checkup.findings, "unknown", html=html) for html in (False, True))
    for text in (told, *texts):
        assert [c for c in text if not (c.isprintable() or c == "\n")] == []
