"""The table of causes: whole, in plain words, and named by everything that knows a cause."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path
from typing import Any

import msgspec
import pytest
from plain_words import FORBIDDEN

from cudnn_assistant import causes as room
from cudnn_assistant import finding, places
from cudnn_assistant.causes import Cause, cause, causes
from cudnn_assistant.diagnose import RULES
from cudnn_assistant.explain.causes import general
from cudnn_assistant.explain.evidence import rules
from cudnn_assistant.explain.patterns import patterns
from cudnn_assistant.explain.versions import known
from cudnn_assistant.wording.findings import fields

ROWS = {row.name: row for row in causes()}
CODES = sorted({rule.code for rule in RULES})
SITUATIONS = {"automatic", "manual", "impossible", "unknown", "@windows", "@linux"}
SITUATIONS |= {f"{kind}{system}" for kind in ("automatic", "manual") for system in ("@linux",)}
SITUATIONS |= {
    f"manual@{place}" for place in ("container", "lxc", "podman", "wsl", "vgpu", "jetson")
}
SITUATIONS |= {f"manual@{system}" for system in ("nixos", "ublue")}
SITUATIONS |= {"general", "release", "general@framework", "general@jetson"}
SITUATIONS |= {f"general@{system}" for system in ("windows", "linux", "wsl")}
SITUATIONS |= {f"general@{name}" for name in known().framework_names}
SITUATIONS |= {f"general@{kind}" for kind, _pattern in known().containers}


def sentences(row: Cause) -> list[str]:
    texts = [row.text(), *(row.text(form) for form in row.form)]
    lines = [s for t in texts for s in (*t.title, *t.why, *t.fix, *t.undo, t.way_out)]
    return [*filter(None, lines), *filter(None, [row.confirm])]


def test_reading_one_row_is_the_same_as_reading_the_whole_file() -> None:
    assert {name: room.decoded(name, row) for name, row in _written().items()} == ROWS


def _written() -> dict[str, dict[str, Any]]:
    """Every row as it stands in its file."""
    whole: dict[str, dict[str, Any]] = {}
    for file in places.resource("causes").glob("*.toml"):
        for name, row in tomllib.loads(file.read_text(encoding="utf-8")).items():
            assert name not in whole, "a cause has one row"
            whole[name] = row
    return whole


def test_a_form_says_only_what_differs_from_its_row() -> None:
    for name, row in _written().items():
        for form in row.get("form", {}).values():
            for field, words in form.items():
                either = {"way_out": ""}.get(field, [])
                assert words != row.get(field, either), (name, field)


@pytest.mark.parametrize("row", ["", 'colour = "red"', "title = 3"])
def test_a_row_that_lacks_something_or_has_too_much_is_refused(
    row: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = 'class = "x"\nabout = "gpu"\nsource = "s"\nfix = "f"\n' + ('title = "t"\n' * bool(row))
    (tmp_path / "causes").mkdir()
    (tmp_path / "causes/one.toml").write_text(
        f"[x]\n{whole}{row}\n" if "title = 3" not in row else whole.replace('"t"', "3")
    )
    monkeypatch.setattr(room.places, "resource", lambda name: tmp_path / name)
    room._texts.cache_clear()
    cause.cache_clear()
    try:
        with pytest.raises((msgspec.ValidationError, KeyError)):
            cause("x")
    finally:
        room._texts.cache_clear()
        cause.cache_clear()


def test_a_code_of_a_rule_has_class_and_words() -> None:
    for code in CODES:
        row = ROWS[code]
        assert row.text().title, code
        assert row.text().why, code
        assert row.text().fix, code
        assert ROWS[row.cls].cls == row.cls, code


def test_a_class_is_a_row_that_is_named_like_it() -> None:
    assert {row.cls for row in ROWS.values()} <= set(ROWS)
    assert {row.name for row in ROWS.values() if row.name == row.cls} == set(rules().prior)


def test_every_row_is_named_by_something() -> None:
    pointed = {row.code for row in (*patterns(), *rules().rule) if row.code}
    assert pointed <= set(ROWS)
    assert set(ROWS) == pointed | set(CODES) | set(rules().prior)


def test_words_are_plain() -> None:
    for row in ROWS.values():
        _plain(row)


def _plain(row: Cause) -> None:
    for text in sentences(row):
        assert not FORBIDDEN.search(text)
        assert "!" not in text
        assert text == text.strip()
        # The sentence's own end would be pasted with the command.
        assert not re.search(r": (?:sudo |pip |ln -s )\S.*\.$", text), text
    for text in (row.text(), *(row.text(form) for form in row.form)):
        for title in text.title:
            assert len(title.split()) <= 8, title
            assert not title.endswith(".")
    assert set(row.form) <= SITUATIONS


def test_a_row_has_whole_words_where_nothing_of_the_computer_is_known() -> None:
    for name in ROWS:
        for text in general(name):
            assert text, name
            assert not re.search(r"\{\w*\}", text), name


def places_of(row: Cause, *, without: str) -> set[str]:
    texts = [row.text(), *(row.text(form) for form in row.form if form != without)]
    templates = [s for t in texts for s in (*t.title, *t.why, *t.fix, *t.undo)]
    return set().union(*map(fields, templates))


def test_sentences_name_only_facts_that_a_finding_can_have() -> None:
    """And what wording adds: the system, and the stage of the test in words."""
    field = set(finding.Facts.__annotations__)
    turned = {flag.key for flag in finding.table().flags}
    known = field | set(finding.table().keys.values()) | turned | {"system", "doing"}
    for row in ROWS.values():
        assert places_of(row, without="release") <= known, row.name
    for row in ROWS.values():
        if "release" in row.form:
            assert fields(row.text("release").why[0]) <= {"about", "needs", "present", "compute"}


SOURCE = re.compile(
    r"https://|[\w.-]+/[\w.-]+#\d+|measured: |PyPI: |tensorflow/tensorflow |the lines of"
)


def test_each_cause_rests_on_something_public_or_measured() -> None:
    for name, row in ROWS.items():
        parts = re.split(r", (?=\S+[#/]|measured)", row.source)
        assert all(SOURCE.match(part) for part in parts), (name, row.source)
        assert not re.search(r"\.md\b|§", row.source), name
