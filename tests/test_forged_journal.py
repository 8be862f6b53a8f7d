"""A journal that others wrote takes nothing away but what this program made."""

from __future__ import annotations

import shutil
from pathlib import Path

import msgspec
import pytest
from test_apply import Person
from test_archives import pack, plan_for

from cudnn_assistant import places
from cudnn_assistant.apply import NotApplied, recover
from cudnn_assistant.plan import Entry, InstallArchive, Plan, RemoveArchive, StepState


@pytest.fixture
def person(tmp_path: Path) -> Person:
    return Person(tmp_path)


def theirs(person: Person, place: str) -> Path:
    """A folder of the person's own with a file in it."""
    folder = Path(place.format(home=person.home, libraries=places.own_libraries()))
    for beside in (folder, Path(f"{folder}.making"), Path(f"{folder}.removed")):
        beside.mkdir(parents=True)
        (beside / "thesis").write_text("years of work")
    (places.own_libraries() / "cudnn-9.1.0-cuda12").mkdir(parents=True, exist_ok=True)
    return folder


def forged(person: Person, folder: Path) -> InstallArchive:
    step = plan_for(person, pack(person.home)).steps[0]
    assert isinstance(step, InstallArchive)
    return msgspec.structs.replace(step, folder=str(folder), search=str(folder))


PLACES = ("{home}/thesis", "{libraries}/../thesis", "{libraries}", "{libraries}/a/b")


@pytest.mark.parametrize("place", PLACES)
def test_only_a_folder_of_ours_is_removed(person: Person, place: str) -> None:
    folder = theirs(person, place)
    before = person.files()
    with pytest.raises(NotApplied, match="folder-not-ours"):
        person.apply(Plan(steps=(RemoveArchive(archive=forged(person, folder)),)))
    kept = {name: found for name, found in person.files().items() if name in before}
    assert kept == before


@pytest.mark.parametrize("there", [True, False])
@pytest.mark.parametrize("state", ["planned", "done"])
@pytest.mark.parametrize("removal", [False, True])
@pytest.mark.parametrize("place", PLACES)
def test_what_was_interrupted_elsewhere_is_no_reason_to_clear_it(
    person: Person, place: str, removal: bool, state: StepState, there: bool
) -> None:
    folder = theirs(person, place)
    if not there:
        shutil.rmtree(folder)
    before = person.files()
    step = forged(person, folder)
    plan = Plan(steps=(RemoveArchive(archive=step) if removal else step,))
    person.journal().record(Entry(id="1", when="2026-01-01T00:00:00Z", plan=plan, states=(state,)))
    back = recover(person.journal(), person.system())
    if back is not None and back.steps:
        with pytest.raises(NotApplied):
            person.apply(back)
    kept = {name: found for name, found in person.files().items() if name in before}
    assert kept == before
