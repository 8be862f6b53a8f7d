"""What README tells contributors is there."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

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


@pytest.mark.parametrize(("what", "path"), WAYS)
def test_where_to_change_something_is_there(what: str, path: str) -> None:
    assert (ROOT / path).exists()


@pytest.mark.parametrize("room", ROOMS)
def test_every_room_of_the_map_is_there(room: str) -> None:
    assert (ROOT / "cudnn_assistant" / room).exists()


def test_the_ten_commonest_changes_have_a_way() -> None:
    assert len({what for what, _path in WAYS}) == 10
    assert len(ROOMS) > 15
