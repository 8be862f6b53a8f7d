"""The one reading of a version: what people, files and packages write."""

from __future__ import annotations

import pytest

from cudnn_assistant import compat
from cudnn_assistant.versions import major, numbers, older, series, short


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("9.10.2", (9, 10, 2)),
        ("v9.8", (9, 8)),
        ("R580", (580,)),
        (" 580.65.06", (580, 65, 6)),
        ("2.9.0rc1", (2, 9, 0)),
        ("2.9.0+cu130", (2, 9, 0)),
        ("9.*", (9,)),
        ("13.0 (beta)", (13, 0)),
        ("", ()),
        ("unknown", ()),
        ("cu12", ()),
        ("9" * 30, (999_999_999,)),
    ],
)
def test_numbers_of_what_is_written(text: str, expected: tuple[int, ...]) -> None:
    assert numbers(text) == expected


def test_a_pre_release_has_what_its_release_has() -> None:
    assert not older("2.9.0rc1", "2.9")
    assert compat.at_least("2.9.0rc1", "2.9.0")


def test_older_compares_as_far_as_both_are_known() -> None:
    assert older("11", "12.8")
    assert not older("12", "12.8")
    assert older("9.8", "9.10")
    assert not older("9.10.2", "9.10")
    assert not older("", "9.10")
    assert not older("9.10", "")


def test_said_short() -> None:
    assert [short(text) for text in ("9.8.0", "v9.10.2.21", "9", "")] == ["9.8", "9.10.2", "9", ""]
    assert [series(text) for text in ("12.4.1", "12", "")] == ["12.4", "12", ""]
    assert [major(text) for text in ("v9.8", "")] == [9, 0]
