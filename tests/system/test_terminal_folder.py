"""Our folder comes last on PATH, and taken out again leaves what was there, byte for byte."""

from __future__ import annotations

import pytest
from fake_registry import FakeRegistry
from hypothesis import given
from hypothesis import strategies as st
from test_windows import FakeApi

from cudnn_assistant.system.terminal_folder import ROOM, run
from cudnn_assistant.system.windows import Windows
from cudnn_assistant.system.windows_registry import EXPAND, TEXT, Stored

FOLDER = r"C:\Users\Änne\Programs\cuDNN Assistant\command"
MULTI = 7
entries = st.lists(st.sampled_from(["", "C:\\a", "%X%\\b", '"C:\\c;d"', "relative", " C:\\e "]))


def system(*stored: Stored) -> tuple[FakeRegistry, FakeApi, Windows]:
    registry = FakeRegistry(user=list(stored))
    api = FakeApi(registry)
    return registry, api, Windows(registry, api, {})


@given(entries.map(";".join).filter(bool), st.sampled_from([TEXT, EXPAND]))
def test_what_was_there_is_there_again(text: str, kind: int) -> None:
    before = Stored("pAtH", text, kind)
    registry, api, windows = system(before)
    assert run(["put", "user", FOLDER], windows) == 0
    (now,) = registry.scopes["user"]
    assert FOLDER in str(now.data).split(";")[-2:]
    assert (now.name, now.kind) == (before.name, before.kind)
    assert run(["put", "user", FOLDER.lower()], windows) == 0
    assert registry.scopes["user"] == [now]
    assert run(["take", "user", FOLDER], windows) == 0
    assert registry.scopes["user"] == [before]
    assert api.broadcasts == 3


def test_a_person_without_a_path_has_none_afterwards() -> None:
    registry, _api, windows = system()
    assert run(["put", "user", FOLDER], windows) == 0
    assert registry.scopes["user"] == [Stored("PATH", FOLDER, EXPAND)]
    assert run(["take", "user", FOLDER], windows) == 0
    assert registry.scopes["user"] == []
    assert run(["take", "user", FOLDER], windows) == 0


@pytest.mark.parametrize(
    "stored", [Stored("Path", "x" * (ROOM - len(FOLDER)), TEXT), Stored("Path", ["C:\\a"], MULTI)]
)
def test_a_path_that_is_full_or_of_another_kind_stays(stored: Stored) -> None:
    registry, _api, windows = system(stored)
    assert run(["put", "user", FOLDER], windows) == 1
    assert registry.scopes["user"] == [stored]


def test_the_last_character_that_fits_is_used() -> None:
    registry, _api, windows = system(Stored("Path", "x" * (ROOM - len(FOLDER) - 1), TEXT))
    assert run(["put", "user", FOLDER], windows) == 0
    assert len(str(registry.scopes["user"][0].data)) == ROOM


def test_other_arguments_change_nothing() -> None:
    registry, api, windows = system()
    for words in ([], ["put"], ["put", "process", FOLDER], ["give", "user", FOLDER]):
        assert run(words, windows) == 2
    assert (registry.writes, api.broadcasts) == (0, 0)
