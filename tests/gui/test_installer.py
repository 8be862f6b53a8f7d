"""From "there is no driver" to the restart: an installer started by one click, and its end told."""

from __future__ import annotations

from pathlib import Path

import computers
import needs
import pytest
from msgspec.structs import replace
from pytestqt.qtbot import QtBot
from test_flow import arrive, button, start, texts
from world import World

from cudnn_assistant.gui.overview import OverviewPage
from cudnn_assistant.gui.progress_page import ProgressPage
from cudnn_assistant.gui.review import ReviewPage
from cudnn_assistant.gui.window import Window
from cudnn_assistant.plan.installer_table import PACKAGES

pytestmark = needs.root
ROW = "driver-ubuntu"
LABEL = "Start 1 installer (administrator)"


class Ubuntu:
    """A package manager in place of Ubuntu's: it waits, installs or not, and is counted."""

    def __init__(self, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("XDG_STATE_HOME", str(folder / "state"))
        self.calls, self.go_on, self.driver = folder / "calls", folder / "go on", folder / "driver"
        self.tool = folder / "ubuntu-drivers"
        row = replace(PACKAGES[ROW], lines=(f"{self.tool} install",), check="")
        monkeypatch.setitem(PACKAGES, ROW, row)

    def ends_with(self, code: int) -> None:
        self.tool.write_text(
            f"#!/bin/sh\necho $* >> '{self.calls}'\n"
            f"while [ ! -e '{self.go_on}' ]; do sleep 0.05; done\n"
            f"[ {code} = 0 ] || {{ echo 'E: Unable to locate it'; exit {code}; }}\n"
            f"touch '{self.driver}'\n"
        )
        self.tool.chmod(0o755)

    def look(self) -> object:
        there = self.driver.exists()
        return computers.not_loaded() if there else computers.no_driver_on_ubuntu()


@pytest.fixture
def ubuntu(tmp_path: Path, world: World, window: Window, monkeypatch: pytest.MonkeyPatch) -> Ubuntu:
    made = Ubuntu(tmp_path, monkeypatch)
    world.settings.family = "linux"
    world.look = made.look  # type: ignore[assignment]
    return made


def to_the_work(qtbot: QtBot, window: Window, ubuntu: Ubuntu) -> ProgressPage:
    start(qtbot, window)
    problems = arrive(qtbot, window, OverviewPage, "There is no NVIDIA driver")
    assert "started here, after you have seen" in texts(problems)
    button(problems, "Make it work").click()
    review = arrive(qtbot, window, ReviewPage)
    assert "This program can't take it back. To remove it again, run: sudo" in texts(review)
    assert not ubuntu.calls.exists()
    button(review, LABEL).click()
    making = arrive(qtbot, window, ProgressPage)
    qtbot.waitUntil(ubuntu.calls.exists, timeout=10_000)
    qtbot.waitUntil(lambda: not making.stop.isEnabled(), timeout=10_000)
    making.escape()
    return making


def test_one_click_and_the_window_looks_again(
    qtbot: QtBot, world: World, window: Window, ubuntu: Ubuntu
) -> None:
    ubuntu.ends_with(0)
    to_the_work(qtbot, window, ubuntu)
    assert world.looks == 1
    ubuntu.go_on.touch()
    problems = arrive(qtbot, window, OverviewPage, "driver isn't running")
    assert "Restart the computer; it takes effect then." in texts(problems)
    qtbot.waitUntil(lambda: problems.box.isVisibleTo(problems))
    assert ubuntu.calls.read_text().split() == ["install"]
    (entry,) = world.journal.entries()
    assert (entry.finished, entry.plan.steps[0].exit) == (True, 0)  # type: ignore[union-attr]

    window.flow.change.undo(entry)
    page = arrive(qtbot, window, ReviewPage, "Only the system can take this back")
    assert "NVIDIA driver: This program can't take it back. To remove it again" in texts(page)
    assert not page.maker.isEnabled()


def test_its_last_words_are_under_details_when_it_ends_badly(
    qtbot: QtBot, window: Window, ubuntu: Ubuntu
) -> None:
    ubuntu.ends_with(100)
    to_the_work(qtbot, window, ubuntu)
    ubuntu.go_on.touch()
    problems = arrive(qtbot, window, OverviewPage, "There is no NVIDIA driver")
    assert "ended with code 100" in texts(problems)
    assert "didn't help" not in texts(problems)
    button(problems, "Make it work")
