"""Plans that are tried before anything is changed: what helps, what doesn't, and what grows."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable
from pathlib import Path

import computers
import msgspec
import pytest
from test_archives import pack
from world import World

from cudnn_assistant import places
from cudnn_assistant.apply import NotApplied
from cudnn_assistant.cli.changing import fix
from cudnn_assistant.cli.options import Options
from cudnn_assistant.cli.screen import Screen
from cudnn_assistant.machine import Framework, Machine, PythonEnvironment, Trial, Value
from cudnn_assistant.plan import InstallArchive, Plan, SetVariable, settings_of, tried
from cudnn_assistant.session import Session
from cudnn_assistant.session.changing import Change
from cudnn_assistant.session.checkup import Checkup
from cudnn_assistant.system.planned import Planned

SECOND = r"C:\tools\cudnn-9.9"


@pytest.fixture
def world(tmp_path: Path) -> World:
    return World(tmp_path)


def asked(session: Session) -> tuple[Checkup, Plan]:
    checkup = session.check()
    return checkup, session.rehearse(checkup.plan, before=checkup)


def test_what_helps_is_known_before_it_is_done(world: World) -> None:
    session, before = world.session(), world.settings.values.copy()
    checkup, plan = asked(session)
    assert plan.rehearsal is not None
    assert (plan.rehearsal.outcome, plan.rehearsal.subjects) == ("works", ("system",))
    assert plan.steps == checkup.plan.steps
    assert world.settings.values == before
    (sentence,) = tried(plan.rehearsal, checkup.machine)
    assert sentence.startswith("Tried with these changes: a convolution ran in ")
    entry = session.apply(plan, Change(lambda _event: None), before=checkup)
    assert entry.plan.rehearsal == plan.rehearsal, "the journal keeps how it ended"
    assert (world.looks, world.tries) == (1, 1), "what was tried isn't tried again"


def in_vain(world: World, trial: Callable[[], Trial]) -> Callable[[], Machine]:
    """The folder may be in Path or not."""

    def look() -> Machine:
        mine = world.searched()
        there = computers.copy(computers.BIN, "9.8.0")
        if computers.BIN not in mine:
            return computers.windows(computers.not_found(), cudnns=(there,), mine=mine)
        won = computers.copy(computers.BIN, "9.8.0", "system", via="PATH")
        return computers.windows(trial(), cudnns=(won,), mine=mine)

    return look


def test_what_would_not_help_is_not_done(world: World) -> None:
    world.look = in_vain(world, lambda: computers.unexplained().trials[0])
    session, before = world.session(), world.settings.values.copy()
    checkup, plan = asked(session)
    assert plan.rehearsal is not None
    assert plan.rehearsal.outcome == "stopped"
    assert [f.code for f in plan.rehearsal.hindrances] == ["unexplained"]
    assert plan.steps == checkup.plan.steps
    with pytest.raises(NotApplied, match="rehearsal-stopped") as caught:
        # As a window does whose button was pressed before the answer was there.
        session.apply(checkup.plan, Change(lambda _event: None), before=checkup)
    assert caught.value.as_before
    assert world.settings.values == before
    assert not session.past.interrupted()


@pytest.mark.parametrize(("ended", "code"), [(computers.unexplained().trials, 4), ((), 3)])
def test_what_is_not_known_afterwards_has_not_failed(
    world: World, ended: tuple[Trial, ...], code: int
) -> None:
    found = in_vain(world, computers.passed)

    def look() -> Machine:
        changed = computers.BIN in world.searched() and not isinstance(world.seen, Planned)
        return msgspec.structs.replace(found(), trials=ended) if changed else found()

    world.look = look
    assert fix(world.session(), Options(command="fix", yes=True), Screen(quiet=True)) == code


def test_a_second_fault_behind_the_first_is_mended_together(world: World) -> None:
    """While the GPU is hidden nobody can tell that cuDNN isn't found either."""
    hidden = ("user", "CUDA_VISIBLE_DEVICES")
    world.settings.values["user", "CUDA_VISIBLE_DEVICES"] = Value(text="-1")

    def look() -> Machine:
        known = [one for one in world.seen.variables() if (one.scope, one.name) == hidden]
        machine = world.path_decides()
        if known:
            no_gpu = Trial(subject="system", stage="driver", status="no-gpu", code=100)
            machine = computers.windows(no_gpu, cudnns=machine.cudnns, mine=world.searched())
        return msgspec.structs.replace(machine, variables=(*machine.variables, *known))

    world.look = look
    session = world.session()
    checkup, plan = asked(session)
    assert [f.code for f in checkup.findings] == ["gpu-hidden"]
    assert plan.rehearsal is not None
    assert plan.rehearsal.outcome == "works"
    assert [f.code for f in plan.rehearsal.also] == ["cudnn-parent-on-path"]
    assert len(plan.steps) > len(checkup.plan.steps)
    said = tried(plan.rehearsal, checkup.machine)
    assert said[0].startswith("The try has shown one more thing, which is mended as well: ")
    session.apply(plan, Change(lambda _event: None), before=checkup)
    assert session.check().verdict == "works"


def test_who_worked_before_must_work_afterwards(world: World) -> None:
    torch = Framework(name="torch", version="2.9.0", gpu=True, cudnn="9", cudnn_from="bundled")
    place = r"C:\ai\venv"
    environment = PythonEnvironment(
        id=place, python=place + r"\Scripts\python.exe", version="3.11.9", frameworks=(torch,)
    )

    def look() -> Machine:
        machine = world.path_decides()
        worse = isinstance(world.seen, Planned)
        end = computers.unexplained().trials[0] if worse else computers.passed()
        end = msgspec.structs.replace(end, subject=place)
        return msgspec.structs.replace(
            machine, pythons=(environment,), trials=(*machine.trials, end)
        )

    world.look = look
    session = world.session()
    checkup = session.check()
    assert checkup.verdict == "works"
    step = SetVariable(scope="user", name="CUDA_CACHE_DISABLE", after=Value(text="1"))
    plan = session.rehearse(Plan(steps=(step,)), before=checkup)
    assert plan.rehearsal is not None
    assert plan.rehearsal.outcome == "stopped"
    assert {f.subject for f in plan.rehearsal.hindrances} == {place}


def test_a_try_can_be_stopped(world: World) -> None:
    session = world.session()
    checkup = session.check()
    world.child = [sys.executable, "-c", "import time; time.sleep(60)"]
    stop = threading.Event()
    threading.Timer(0.2, stop.set).start()
    with pytest.raises(Exception, match="stopped"):
        session.rehearse(checkup.plan, stop, checkup)


def test_what_shows_only_after_the_download_needs_another_yes(
    world: World, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Meanwhile somebody has hidden the GPU; the archive is there, and keeps no place."""
    monkeypatch.setenv("CUDNN_ASSISTANT_ARCHIVES", str(tmp_path))
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "own"))
    folder = places.own_libraries() / "cudnn-9.28.0-cuda12"
    archive = InstallArchive(
        product="cuDNN",
        version="9.28.0",
        cuda_major=12,
        download=pack(tmp_path, {"lib/cudnn64_9.dll": b"x"}),
        folder=str(folder),
        search=str(folder / "lib"),
    )
    path = SetVariable(
        scope="user", name="Path", before=world.settings.read("user", "Path"),
        after=Value(text=f"{archive.search};{computers.BIN}", expand=True),
    )  # fmt: skip
    searched: list[str] = []

    def look() -> Machine:
        known = [v for v in world.seen.variables() if v.name == "CUDA_VISIBLE_DEVICES"]
        searched.extend(entry for entry in world.searched() if "own" in entry)
        machine = world.path_decides()
        if known:
            no_gpu = Trial(subject="system", stage="driver", status="no-gpu", code=100)
            machine = computers.windows(no_gpu, cudnns=machine.cudnns, mine=world.searched())
        return msgspec.structs.replace(machine, variables=(*machine.variables, *known))

    world.look = look
    session = world.session()
    checkup = session.check()
    plan = session.rehearse(Plan(steps=(archive, path)), before=checkup)
    assert plan.rehearsal is not None
    assert plan.rehearsal.outcome == "later"
    world.settings.values["user", "CUDA_VISIBLE_DEVICES"] = Value(text="-1")
    change = Change(lambda _event: None)
    with pytest.raises(NotApplied, match="rehearsal-stopped"):
        session.apply(plan, change, before=checkup)
    assert {*searched} == {f"{folder}.making/lib"}, "it was tried where it was unpacked"
    assert change.grew
    assert change.tried is not None
    assert {s.name for s in settings_of(change.tried)} == {"Path", "CUDA_VISIBLE_DEVICES"}
    assert str(folder / "lib") in str(change.tried), "and goes on to be searched in its place"
    assert not folder.parent.exists()
    session.apply(change.tried, Change(lambda _event: None), before=checkup)
    assert (folder / "lib" / "cudnn64_9.dll").exists()
    assert session.check().verdict == "works"
