"""What README tells contributors is there."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from cudnn_assistant.cli.carrying import DONE
from cudnn_assistant.cli.data import NO_ADDRESS
from cudnn_assistant.cli.ending import STOPPED
from cudnn_assistant.cli.looking import EXIT
from cudnn_assistant.wording import sentences

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text(encoding="utf-8")
WAYS = [
    (row[1].strip(), path)
    for row in re.finditer(r"\n\| ([^|]+)\| ([^|]+)\|", README.partition("| to change |")[2])
    for path in re.findall(r"`((?:cudnn_assistant|resources|installer|tests)/[^`*]*)`", row[2])
]
ROOMS = re.findall(
    r"`(\w+(?:\.py|/))`", README.partition("| room |")[2].partition("| to change")[0]
)


def test_exit_codes_are_those_that_the_help_tells() -> None:
    """One truth in two places: a script is written by either."""
    rows = re.findall(r"\n\| (\d+) \| ([^|]+) \|", README)
    ends = re.findall(r"\n(`watch` ends [^.\n]+)\.", README)
    listed = "; ".join([*(f"{code} {meaning}" for code, meaning in rows), *ends])
    told = " ".join(str(sentences.rows("cli")["exit-codes"]).split())
    assert told == "exit codes: " + listed.replace("`", "")
    assert {DONE, NO_ADDRESS, STOPPED, *EXIT.values()} <= {int(code) for code, _meaning in rows}


@pytest.mark.parametrize(("what", "path"), WAYS)
def test_where_to_change_something_is_there(what: str, path: str) -> None:
    assert (ROOT / path).exists()


@pytest.mark.parametrize("room", ROOMS)
def test_every_room_of_the_map_is_there(room: str) -> None:
    assert (ROOT / "cudnn_assistant" / room).exists()


def test_the_ten_commonest_changes_have_a_way() -> None:
    assert len({what for what, _path in WAYS}) == 10
    assert len(ROOMS) > 15
