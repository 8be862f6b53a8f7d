"""Reports of newer programs: opened where they can be, and nothing in them lost."""

from __future__ import annotations

from typing import Any

import msgspec
import needs
import pytest
from hypothesis import given, settings
from hypothesis import strategies as some
from machines.computers import golden

from cudnn_assistant.feed import load_builtin
from cudnn_assistant.machine import dump, load
from cudnn_assistant.report.reading import MARK, read_report
from cudnn_assistant.report.redaction import Redactor
from cudnn_assistant.session.checkup import think
from cudnn_assistant.session.reports import support_forms
from cudnn_assistant.trouble import Refused

COMPAT = load_builtin()


def snapshot(name: str) -> dict[str, Any]:
    found: dict[str, Any] = msgspec.json.decode(dump(golden(name)))
    return found


def pasted(whole: dict[str, Any]) -> str:
    return f"Hello\n\n```json {MARK}\n{msgspec.json.encode(whole).decode()}\n```\n"


def again(text: str) -> dict[str, Any]:
    """The snapshot in the report that is written from an opened report."""
    opened = read_report(text)
    written = support_forms(think(opened.machine, COMPAT, opened.unknown), COMPAT)("markdown")
    found: dict[str, Any] = msgspec.json.decode(
        written.partition(f"```json {MARK}\n")[2].rpartition("\n```")[0]
    )
    return found


def places(value: Any, here: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """Every object in a snapshot."""
    found = [here] if isinstance(value, dict) else []
    inner = value.items() if isinstance(value, dict) else enumerate(value)
    for name, item in inner:
        if isinstance(item, dict | list):
            found += places(item, (*here, name))
    return found


def at(value: Any, place: tuple[Any, ...]) -> Any:
    for step in place:
        value = value[step]
    return value


PLACES = places(snapshot("linux-many-frameworks-healthy"))
names = some.text("abcdefghijklmnop_", min_size=1, max_size=12).map(lambda name: f"new_{name}")
plain = some.none() | some.booleans() | some.integers(-(2**63), 2**63) | some.floats(-1e9, 1e9)
words = some.sampled_from(["", "Blackwell", "none seen", "9.10.2", "folder-7", "user-1", "a b c"])
values = some.recursive(
    plain | words,
    lambda inner: some.lists(inner, max_size=3) | some.dictionaries(names, inner, max_size=3),
    max_leaves=8,
)


@settings(max_examples=1000 if needs.night() else 30)
@given(some.lists(some.tuples(some.sampled_from(PLACES), names, values), max_size=6))
def test_what_newer_programs_add_is_written_back_at_every_depth(
    added: list[tuple[tuple[Any, ...], str, Any]],
) -> None:
    whole = snapshot("linux-many-frameworks-healthy")
    clean = Redactor(load(msgspec.json.encode(whole))).machine()
    whole = msgspec.json.decode(msgspec.json.encode(clean))
    for place, name, value in added:
        at(whole, place)[name] = value
    text = pasted(whole | {"schema": 2})
    assert read_report(text).machine == msgspec.structs.replace(clean, schema=2)
    assert again(text) == whole | {"schema": 2}
    assert again(pasted(again(text))) == whole | {"schema": 2}


def test_what_newer_programs_add_is_redacted_like_the_rest() -> None:
    whole = snapshot("linux-torch-healthy")
    whole["gpus"][0]["seat"] = {"of": [{"home": "/home/qkimura/x", "at": "10.11.12.13"}]}
    whole["os"]["login_token"] = "zqgeheim"
    whole["os"]["firmware_version"] = "9.10.11.12"
    whole["people"] = ["qkimura@zorblax.example", 3]
    whole["folders"] = {"/data/falconproj/x": 1, "node7.zorblax.example": {"sort": "a"}}
    whole["os"]["qkimura@zorblax.example"] = True
    found = again(pasted(whole))
    assert found["gpus"][0]["seat"] == {"of": [{"home": "/home/user-2/x", "at": "***"}]}
    assert found["os"]["login_token"] == "***"
    assert found["os"]["firmware_version"] == "9.10.11.12"
    assert found["people"] == ["***", 3]
    assert found["folders"] == {"/data/folder-2/x": 1, "***": {"sort": "a"}}
    assert found["os"]["***"] is True


def test_the_same_folder_has_the_same_mark_in_what_newer_programs_add() -> None:
    whole = snapshot("linux-torch-healthy")
    known = whole["pythons"][0]["id"]
    whole["pythons"][0]["twin"] = known
    found = again(pasted(whole))
    assert found["pythons"][0]["twin"] == found["pythons"][0]["id"] != known


def test_a_newer_report_that_can_not_be_read_says_why() -> None:
    whole = snapshot("linux-torch-healthy") | {"schema": 7}
    whole["os"]["family"] = "macos"
    with pytest.raises(Refused, match="report-newer theirs=7"):
        read_report(pasted(whole))


def test_a_field_that_is_nested_too_deeply_is_refused() -> None:
    whole = snapshot("linux-torch-healthy")
    for depth, fine in ((60, True), (200, False), (5000, False)):
        deep = pasted(whole).replace(
            '{"schema":', '{"new":%s,"schema":' % ("[" * depth + "]" * depth)
        )
        if fine:
            assert read_report(deep).unknown
        else:
            with pytest.raises(Refused, match="report-too-deep"):
                read_report(deep)


def test_a_report_that_lists_more_than_any_computer_has_is_refused() -> None:
    whole = pasted(snapshot("linux-torch-healthy"))
    for count, fine in ((20_000, True), (200_000, False)):
        many = ",".join(["1"] * count)
        long = whole.replace('{"schema":', f'{{"new":[{many}],"schema":')
        if fine:
            assert read_report(long).unknown
        else:
            with pytest.raises(Refused, match="report-too-full"):
                read_report(long)
