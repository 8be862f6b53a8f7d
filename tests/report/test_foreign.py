"""A report of somebody else's ends in an answer or a sentence, whatever it holds; nothing else."""

from __future__ import annotations

from pathlib import Path

import pytest
from machines.computers import golden
from report.foreign_forms import DAMAGED, HOSTILE

from cudnn_assistant.cli import run
from cudnn_assistant.machine import dump

DOORS = {
    "check": ("check", "--offline", "--machine", "{file}"),
    "compare, as the later": ("report", "--compare", "{good}", "{file}"),
    "compare, as the earlier": ("report", "--compare", "{file}", "{good}"),
    "every fact": ("check", "-v", "--offline", "--machine", "{file}"),
    "JSON": ("check", "--json", "--offline", "--machine", "{file}"),
    "report": ("report", "-", "--offline", "--machine", "{file}"),
    "short": ("report", "--short", "--offline", "--machine", "{file}"),
    "page": ("report", "-", "--html", "--offline", "--machine", "{file}"),
    "many": ("report", "-", "--many", "{file}", "{good}", "--offline"),
    "recommend": ("recommend", "--offline", "--machine", "{file}"),
}
ALWAYS = ("check", "compare, as the later")
"""The other doors take turns."""
CODES = {"check": {0, 1, 3}, "report": {0, 1}, "recommend": {0, 1, 3}}
"""What a command documents for a computer that it can judge."""


def doors(number: int) -> list[str]:
    """Those that a form comes to."""
    turns = [name for name in DOORS if name not in ALWAYS]
    return [*ALWAYS, turns[number % len(turns)], turns[(number + 3) % len(turns)]]


def tree(*folders: Path) -> dict[str, bytes]:
    """All files below the folders."""
    found = (path for folder in folders for path in folder.rglob("*"))
    return {str(path): path.read_bytes() for path in found if path.is_file()}


def test_the_forms_are_many() -> None:
    assert len(DAMAGED) >= 60
    assert len(HOSTILE) >= 30
    assert {name for number in range(len(HOSTILE)) for name in doors(number)} == {*DOORS}


@pytest.mark.spread(3)
@pytest.mark.parametrize("name", [*DAMAGED, *HOSTILE])
def test_each_ends_in_an_answer_or_a_sentence(
    name: str,
    tmp_path: Path,
    own_home: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    file, good = tmp_path / "report.md", tmp_path / "good.json"
    file.write_bytes((DAMAGED | HOSTILE)[name])
    good.write_bytes(dump(golden("linux-healthy")))
    monkeypatch.chdir(tmp_path)
    before = tree(tmp_path, own_home)
    for door in doors([*DAMAGED, *HOSTILE].index(name)):
        words = [word.format(file=file, good=good) for word in DOORS[door]]
        code = run(words)
        told = capsys.readouterr()
        text = told.out + told.err
        assert [c for c in text if not (c.isprintable() or c in "\n\t")] == [], door
        if name in HOSTILE or door == "many":
            assert code in CODES[words[0]], (door, told.err)
            assert told.out
        else:
            assert (code, told.out) == (2, ""), door
            sentence = told.err.strip()
            assert sentence, door
            assert str(file) in sentence
            assert len(sentence) < 400
    assert tree(tmp_path, own_home) == before
