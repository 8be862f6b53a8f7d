"""Review asks the environment's own pip what it would change, before anybody can say yes."""

from __future__ import annotations

import threading
from pathlib import Path
from typing import Any

import computers
import msgspec
import pytest
from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot
from test_flow import arrive, button, start, texts
from test_packages import BEFORE, built, installed, plan, python, script, shelf
from world import World

from cudnn_assistant.gui.diff_list import LINE
from cudnn_assistant.gui.overview import OverviewPage
from cudnn_assistant.gui.review import ReviewPage
from cudnn_assistant.gui.step_card import StepCard
from cudnn_assistant.gui.window import Window
from cudnn_assistant.machine import Machine
from cudnn_assistant.plan import InstallPackage, Plan, SetVariable
from cudnn_assistant.session.checkup import Checkup
from cudnn_assistant.system.planned import Planned

__all__ = ["built", "python", "shelf"]
"""Fixtures: a real environment with its pip, and wheels on the disk."""


class Asked:
    """A window whose checkup proposes a plan; pip answers when the gate is open."""

    def __init__(self, qtbot: QtBot, world: World, proposed: Plan) -> None:
        self.qtbot = qtbot
        self.gate = threading.Event()
        self.times = 0
        self.stopped = threading.Event()
        session = world.session()

        def check(**how: Any) -> Checkup:
            return msgspec.structs.replace(session.check(**how), plan=proposed)

        def some(_checkup: Checkup, codes: frozenset[str]) -> Plan:
            kept = (step for step in proposed.steps if codes.issuperset(step.why))
            return Plan(steps=tuple(kept))

        def rehearse(given: Plan, stop: threading.Event, before: Checkup) -> Plan:
            self.times += 1
            while not self.gate.wait(0.02):
                if stop.is_set():
                    self.stopped.set()
                    break
            return session.rehearse(given, stop, before)

        self.window = Window(world.session(check=check, plan=some, rehearse=rehearse))
        qtbot.addWidget(self.window)
        start(qtbot, self.window)
        arrive(qtbot, self.window, OverviewPage).buttons.primary.click()  # type: ignore[union-attr]
        self.page = arrive(qtbot, self.window, ReviewPage)

    def answered(self) -> None:
        self.gate.set()
        self.qtbot.waitUntil(lambda: "Asking pip" not in texts(self.page), timeout=20_000)


def added(card: StepCard) -> set[str]:
    """What the lines say that will be there."""
    assert card.list is not None
    items = map(card.list.item, range(card.list.count()))
    return {line.text for item in items if (line := item.data(LINE)).sign == "+"}


def test_nobody_can_say_yes_before_pip_has_said_it(
    qtbot: QtBot, world: World, python: str, shelf: Path
) -> None:
    asked = Asked(qtbot, world, plan(python, "nvidia-cudnn-cu12==9.28.0.42", "frame==2.0"))
    page = asked.page
    assert "Asking pip what it would change…" in texts(page)
    assert not page.maker.isEnabled()
    page.maker.click()
    assert asked.window.page is page
    asked.answered()
    (card,) = page.cards
    assert card.list is not None
    assert {"nvidia_helper 2.0", "nvidia_new 3.0"} <= added(card), "what comes along is shown"
    assert "No other package changes." in texts(page)
    assert installed(python) == BEFORE
    page.maker.click()
    qtbot.waitUntil(lambda: any(e.finished for e in world.journal.entries()), timeout=30_000)
    assert installed(python)["nvidia-new"] == "3.0"
    (entry,) = world.journal.entries()
    (step,) = entry.plan.steps
    assert isinstance(step, InstallPackage)
    assert {change.name for change in step.changes or ()} >= {"frame", "nvidia_helper"}


def test_what_pip_refuses_is_said_and_can_be_asked_again(
    qtbot: QtBot, world: World, python: str, shelf: Path
) -> None:
    asked = Asked(qtbot, world, plan(python, "needy"))
    asked.answered()
    page = asked.page
    assert "No matching distribution" in texts(page)
    assert not page.maker.isEnabled()
    button(page, "Ask again").click()
    qtbot.waitUntil(lambda: asked.times == 2)
    again = arrive(qtbot, asked.window, ReviewPage)
    qtbot.waitUntil(lambda: "No matching distribution" in texts(again), timeout=20_000)
    assert installed(python) == BEFORE


def test_leaving_the_page_stops_pip(qtbot: QtBot, world: World, python: str) -> None:
    asked = Asked(qtbot, world, plan(python, "frame==2.0"))
    qtbot.keyClick(asked.window, Qt.Key.Key_Escape)
    assert asked.stopped.wait(5)
    assert isinstance(asked.window.page, OverviewPage)
    qtbot.wait(100)
    assert isinstance(asked.window.page, OverviewPage), "no late answer changes the page"


def test_an_old_pip_that_can_not_say_it_keeps_nobody_from_going_on(
    qtbot: QtBot, world: World, python: str, tmp_path: Path
) -> None:
    old = script(
        tmp_path / "python",
        'case "$*" in *--dry-run*) echo "no such option: --dry-run" >&2; exit 2;; esac\n'
        f"exec '{python}' \"$@\"\n",
    )
    asked = Asked(qtbot, world, plan(old, "nvidia-cudnn-cu12==9.28.0.42"))
    asked.answered()
    assert asked.page.maker.isEnabled()
    assert "What these packages require may change as well." in texts(asked.page)


@pytest.mark.usefixtures("shelf")
def test_unticking_another_step_does_not_ask_again(qtbot: QtBot, world: World, python: str) -> None:
    (first,) = plan(python, "frame==2.0").steps
    step = msgspec.structs.replace(first, why=("wheel-version",))
    other = SetVariable(scope="user", name="CUDA_PATH", after=None, why=("cuda-path-stale",))
    asked = Asked(qtbot, world, Plan(steps=(step, other)))
    asked.answered()
    box = asked.page.cards[1].box
    assert box is not None
    box.click()
    page = arrive(qtbot, asked.window, ReviewPage)
    assert page.maker.isEnabled()
    assert "nvidia_new 3.0" in added(page.cards[0])
    assert "Asking pip" not in texts(page)


def reviewed(qtbot: QtBot, world: World) -> ReviewPage:
    window = Window(world.session())
    qtbot.addWidget(window)
    start(qtbot, window)
    arrive(qtbot, window, OverviewPage).buttons.primary.click()  # type: ignore[union-attr]
    return arrive(qtbot, window, ReviewPage)


def test_what_the_try_has_shown_stands_on_the_page(qtbot: QtBot, world: World) -> None:
    page = reviewed(qtbot, world)
    told = "Tried with these changes: a convolution ran in 0.8 s."
    qtbot.waitUntil(lambda: told in texts(page))
    assert page.maker.isEnabled()
    assert world.tries == 1


def test_what_was_tried_in_vain_can_not_be_made(qtbot: QtBot, world: World) -> None:
    def look() -> Machine:
        machine = world.path_decides()
        tried = isinstance(world.seen, Planned)
        trial = computers.unexplained().trials[0]
        return msgspec.structs.replace(machine, trials=(trial,)) if tried else machine

    world.look = look
    page = reviewed(qtbot, world)
    qtbot.waitUntil(lambda: "cuDNN still doesn't start, so they aren't made." in texts(page))
    assert not page.maker.isEnabled()
    assert world.journal.entries() == ()
