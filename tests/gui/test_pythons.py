"""Test that Python: a real interpreter runs a forged framework, from the Result page."""

from __future__ import annotations

import sys
from pathlib import Path

import computers
import msgspec
import pytest
from pictures import checkup_of
from pytestqt.qtbot import QtBot
from test_flow import arrive, button, start, texts
from world import World

from cudnn_assistant.gui.disclosure import Link
from cudnn_assistant.gui.problems import ProblemsPage
from cudnn_assistant.gui.pythons import frameworks_of, outcome_line
from cudnn_assistant.gui.result import Ending, ResultPage
from cudnn_assistant.gui.window import Window
from cudnn_assistant.machine import Framework, PythonEnvironment, Trial, Value
from cudnn_assistant.report import read_machine

sys.path.insert(0, str(Path(__file__).parent.parent / "trial"))
import forged_frameworks

HOME = r"C:\ai\venv"
TORCH = Framework(name="torch", version="2.9.0", gpu=True, cudnn="9.10", cudnn_from="bundled")


def environment(*frameworks: Framework, place: str = HOME) -> PythonEnvironment:
    return PythonEnvironment(
        id=place, python=sys.executable, version="3.11.9", bits=64, frameworks=frameworks
    )


@pytest.fixture
def forged(world: World, tmp_path: Path) -> World:
    """A computer that works, with an environment whose torch is forged."""
    folder = tmp_path / "site"
    (folder / "torch").mkdir(parents=True)
    (folder / "torch" / "__init__.py").write_text(forged_frameworks.TORCH)
    world.settings.write("user", "PYTHONPATH", Value(text=str(folder)))
    trial = msgspec.structs.replace(computers.passed(), subject=HOME)
    works = computers.works()
    seen = msgspec.structs.replace(
        works, pythons=(environment(TORCH),), trials=(*works.trials, trial)
    )
    world.look = lambda: seen
    return world


def tried(qtbot: QtBot, window: Window, word: str) -> ResultPage:
    start(qtbot, window)
    page = arrive(qtbot, window, ResultPage, "works")
    row = page.pythons.found[HOME]
    assert row.link is not None
    row.link.click()
    assert "running one convolution…" in texts(page)
    qtbot.waitUntil(lambda: word in texts(page.pythons), timeout=20_000)
    return page


def test_a_framework_that_works_is_proven_on_the_spot(
    qtbot: QtBot, window: Window, forged: World
) -> None:
    page = tried(qtbot, window, "a moment ago")
    assert "PyTorch 2.9.0+cu128 ran a convolution on Forged GPU a moment ago" in texts(page)
    assert "has shown a problem" not in texts(page)
    assert forged.looks == 1
    link = page.pythons.found[HOME].link
    assert link is not None
    assert link.isVisible()
    assert link.isEnabled()


def test_one_that_stops_says_where_and_the_report_has_it(
    qtbot: QtBot, window: Window, forged: World
) -> None:
    forged.settings.write("user", "FORGED_DAY", Value(text="handle"))
    page = tried(qtbot, window, "stopped while")
    window.side_flows.save()
    qtbot.waitUntil(lambda: window.dialog is not None)
    machine = read_machine(window.dialog.written.text)  # type: ignore[union-attr]
    (trial,) = [t for t in machine.trials if t.framework]
    assert trial.code_name == "CUDNN_STATUS_NOT_INITIALIZED"
    assert window.dialog is not None
    window.dialog.reject()
    qtbot.waitUntil(lambda: "has shown a problem" in texts(page))
    button(page, "Show").click()
    arrive(qtbot, window, ProblemsPage)


def test_leaving_the_page_ends_the_test(qtbot: QtBot, window: Window, forged: World) -> None:
    forged.settings.write("user", "FORGED_DAY", Value(text="hang"))
    start(qtbot, window)
    page = arrive(qtbot, window, ResultPage, "works")
    row = page.pythons.found[HOME]
    assert row.link is not None
    row.link.click()
    qtbot.waitUntil(lambda: bool(running(forged)), timeout=20_000)
    window.flow.check()
    qtbot.waitUntil(lambda: not running(forged), timeout=10_000)


def running(world: World) -> list[str]:
    """Processes whose environment names this world's forged torch."""
    value = world.settings.read("user", "PYTHONPATH")
    assert value is not None
    found = []
    for entry in Path("/proc").glob("[0-9]*"):
        try:
            if value.text.encode() in (entry / "environ").read_bytes():
                found.append(entry.name)
        except OSError:
            continue
    return found


def test_one_test_at_a_time(qtbot: QtBot, window: Window, forged: World) -> None:
    seen = forged.look()
    other = environment(TORCH, place=r"C:\ai\other")
    trial = msgspec.structs.replace(computers.passed(), subject=other.id)
    both = msgspec.structs.replace(
        seen, pythons=(*seen.pythons, other), trials=(*seen.trials, trial)
    )
    forged.look = lambda: both
    start(qtbot, window)
    page = arrive(qtbot, window, ResultPage)
    first, second = page.pythons.found.values()
    assert first.link is not None
    assert second.link is not None
    first.link.click()
    assert not second.link.isEnabled()
    qtbot.waitUntil(second.link.isEnabled, timeout=20_000)


def test_only_what_can_be_tested_is_offered() -> None:
    cpu = Framework(name="torch", version="2.5.1+cpu", gpu=False)
    paddle = Framework(name="paddle", gpu=True)
    assert frameworks_of(environment(TORCH, cpu, paddle)) == ["torch"]
    assert frameworks_of(environment(paddle)) == []
    assert frameworks_of(PythonEnvironment(id="x", frameworks=(TORCH,))) == []


def test_another_computer_is_not_tested(qtbot: QtBot) -> None:
    machine = msgspec.structs.replace(computers.works(), pythons=(environment(TORCH),))
    for foreign in (False, True):
        page = ResultPage(Ending(checkup_of(machine), "works", foreign=foreign))
        qtbot.addWidget(page)
        offered = [link.text() for link in page.pythons.findChildren(Link)]
        assert offered == ([] if foreign else ["Test that Python…"])


def test_what_was_not_tested_is_not_told_as_broken() -> None:
    absent = Trial(subject="x", status="not-run", framework="torch", missing="torch", stage="load")
    assert outcome_line(absent) == ("unknown", "PyTorch is not installed in this environment.")
