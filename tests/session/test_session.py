"""The session over a small world: every deed that both doors ask for, and what it tells."""

from __future__ import annotations

import sys
import threading
import time
from pathlib import Path

import computers
import pytest
from world import PARTS, World

from cudnn_assistant.compat import Compat, recommend
from cudnn_assistant.feed import Source, load_builtin
from cudnn_assistant.plan import Entry, Plan, settings_of
from cudnn_assistant.probe import Cancelled
from cudnn_assistant.session import Misuse, Session
from cudnn_assistant.session.changing import Change
from cudnn_assistant.session.checkup import think
from cudnn_assistant.session.events import Event, PartLooked, Progress, StepChanged
from cudnn_assistant.session.imagined import Imagined, recommendation
from cudnn_assistant.session.looking import LookRequest, look_at
from cudnn_assistant.session.reports import support_forms


@pytest.fixture
def world(tmp_path: Path) -> World:
    return World(tmp_path)


def test_a_check_tells_each_part_in_the_calling_thread(world: World) -> None:
    heard: list[Event] = []
    threads = set[int]()

    def hear(event: Event) -> None:
        heard.append(event)
        threads.add(threading.get_ident())

    checkup = world.session().check(hear=hear)
    parts = [(e.part, e.done) for e in heard if isinstance(e, PartLooked)]
    assert parts == [(part, done) for part in PARTS for done in (False, True)]
    assert threads == {threading.get_ident()}
    assert checkup.verdict == "broken"
    assert checkup.plan.steps


def test_from_a_problem_to_the_change_and_back(world: World) -> None:
    session, heard = world.session(), list[Event]()
    before = world.folders()
    checkup = session.check()
    codes = frozenset(code for step in checkup.plan.steps for code in step.why)
    plan = session.rehearse(session.plan(checkup, codes))
    assert [change.title for change in session.preview(plan, checkup.machine)]
    assert session.licences(plan) == ()
    entry = session.apply(plan, Change(heard.append))
    assert heard == [StepChanged(0, "done")]
    assert session.check().verdict == "works"
    assert session.journal.entries() == (entry,)
    assert session.past.status(entry) == "in-place"
    assert session.past.undoable() == entry
    assert session.past.undoable("another") is None
    session.apply(session.past.way_back(entry), Change(heard.append))
    assert world.folders() == before
    assert session.past.status(session.journal.entries()[0]) == "undone"
    assert session.past.undoable() is None


def test_what_another_program_changed_since_is_known(world: World) -> None:
    session = world.session()
    entry = session.apply(session.check().plan, Change(lambda _event: None))
    (step,) = settings_of(entry.plan)
    world.settings.write(step.scope, step.name, None)
    assert session.past.status(entry) == "changed"


def test_an_interrupted_change_is_seen_and_taken_back(world: World) -> None:
    session = world.session()
    plan = session.check().plan
    states = ("planned",) * len(plan.steps)
    left = Entry(id="x", when="2026-11-20T10:00:00Z", plan=plan, states=states)
    world.journal.record(left)
    assert session.past.interrupted()
    back = session.past.recover()
    assert back is not None
    session.apply(back, Change(lambda _event: None))
    assert not session.past.interrupted()
    assert session.past.recover() is None


def test_another_computer_gets_no_plan(world: World, tmp_path: Path) -> None:
    compat = load_builtin()
    there = think(computers.parent_folder(), compat)
    assert there.plan.steps
    path = tmp_path / "report.md"
    path.write_text(support_forms(there, compat)("markdown"), "utf-8")
    opened = world.session().judge(str(path))
    assert opened.plan == Plan()
    assert [f.code for f in opened.findings] == [f.code for f in there.findings]


def test_a_check_can_be_stopped(world: World) -> None:
    world.child = [sys.executable, "-c", "import time; time.sleep(60)"]
    stop = threading.Event()
    threading.Timer(0.3, stop.set).start()
    began = time.monotonic()
    with pytest.raises(Cancelled):
        world.session().check(stop=stop)
    assert time.monotonic() - began < 20


def test_progress_is_told_as_often_as_somebody_can_read() -> None:
    heard: list[Event] = []
    change = Change(heard.append)
    for here in range(1, 5001):
        change.tell_progress(0, "download", here, 5000)
    assert heard[-1] == Progress(0, "download", 5000, 5000), "the end is always told"
    assert len(heard) < 50


def test_the_data_of_the_check_before_can_be_kept(world: World) -> None:
    asked: list[bool] = []

    def fetch(offline: bool = False, *, insist: bool = False) -> tuple[Compat, Source]:
        asked.append(offline)
        return world.fetch()

    session = Session(world.settings, world.journal, look=world.probe, fetch=fetch)
    session.check()
    assert sorted(asked) == [False, True], "what is saved tells what to look for"
    session.check(LookRequest(keep_data=True))
    assert len(asked) == 2
    session.check(LookRequest(offline=True))
    assert asked[2:] == [True]


def test_a_wish_that_can_not_be_meant_has_a_code(world: World, tmp_path: Path) -> None:
    compat = load_builtin()
    there = str(tmp_path / "nothing")
    with pytest.raises(Misuse) as caught:
        look_at(world.session().system, LookRequest(python=there), lambda *_: None, lambda: False)
    assert (caught.value.code, caught.value.facts) == ("no-environment-there", {"path": there})
    for text in ("new", "13.0"):
        with pytest.raises(Misuse, match="not-a-driver-version"):
            recommendation(Imagined(gpu="8.6", driver=text), None, compat)
    for text in ("banana", "3", "3.13t", "4.0"):
        with pytest.raises(Misuse, match="not-a-python-version"):
            recommendation(Imagined(gpu="8.6", python_version=text), None, compat)


def test_what_fits_follows_what_is_wished(world: World) -> None:
    session = world.session()
    checkup = session.check()
    here = recommendation(Imagined(), checkup, session.compat)
    assert here == recommend(checkup.machine, session.compat)
    assert recommendation(Imagined(driver="390.48"), checkup, session.compat) != here
