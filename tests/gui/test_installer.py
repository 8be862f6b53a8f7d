"""From "there is no driver" to the restart: an installer started by one click, and its end told."""

from __future__ import annotations

import hashlib
import subprocess
from collections.abc import Sequence
from contextlib import nullcontext
from pathlib import Path
from typing import ClassVar

import computers
import needs
import pytest
from machines.computers import golden
from msgspec.structs import replace
from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot
from test_flow import arrive, button, start, texts
from world import World

from cudnn_assistant.finding import Installer
from cudnn_assistant.gui.overview import OverviewPage
from cudnn_assistant.gui.progress_page import ProgressPage
from cudnn_assistant.gui.review import ReviewPage
from cudnn_assistant.gui.window import Window
from cudnn_assistant.machine import Machine
from cudnn_assistant.plan import installers
from cudnn_assistant.plan.installer_table import PACKAGES, PROGRAMS
from cudnn_assistant.system import authenticode, winapi

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
    window.flow.check()
    problems = arrive(qtbot, window, OverviewPage, "driver isn't running")
    qtbot.waitUntil(lambda: "it takes effect then" in texts(problems))
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
    assert "takes effect then" not in texts(problems), "nothing was installed"
    button(problems, "Make it work")


# Windows: NVIDIA's own installer ---------------------------------------------------------------

ROW_OF_WINDOWS = "driver-windows-desktop"
DESKTOP = PROGRAMS[ROW_OF_WINDOWS]
LINK = installers.step_of(Installer(row=ROW_OF_WINDOWS)).link
NEEDS_RESTART = 14


class ForgedWindows:
    """What Windows does with a program: it asks, runs it, and says how it ended."""

    asked: ClassVar[list[str]] = []

    def run_elevated(self, command: Sequence[str], *, shown: bool) -> int:
        assert shown
        self.asked.append(Path(command[0]).name)
        return subprocess.run(command).returncode


@pytest.fixture
def nvidia(tmp_path: Path, world: World, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An installer that lies ready and leaves a file, and a computer that follows from it."""
    driver, restarted = tmp_path / "driver", tmp_path / "restarted"
    program = tmp_path / "archives" / LINK.rsplit("/", 1)[-1]
    program.parent.mkdir()
    program.write_text(f"#!/bin/sh\ntouch '{driver}'\n")
    program.chmod(0o755)
    own = hashlib.sha256(program.read_bytes()).hexdigest()
    monkeypatch.setitem(PROGRAMS, ROW_OF_WINDOWS, replace(DESKTOP, sha256=own))
    monkeypatch.setenv("CUDNN_ASSISTANT_ARCHIVES", str(program.parent))
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    # Windows itself: its signatures, and its question to the person.
    monkeypatch.setattr(authenticode, "held", lambda _path: nullcontext())
    signed = (DESKTOP.publisher, 0)
    monkeypatch.setattr(authenticode, "_asked", lambda _path, revocation: signed)
    monkeypatch.setattr(winapi, "WindowsApi", ForgedWindows)
    monkeypatch.setattr(ForgedWindows, "asked", [])

    def look() -> Machine:
        if restarted.exists():
            return golden("windows-torch-healthy")
        old = golden("windows-torch-driver-too-old")
        assert old.driver is not None
        waits = replace(old.driver, problem_codes=(NEEDS_RESTART,))
        return replace(old, driver=waits) if driver.exists() else old

    world.look = look
    return restarted


def test_a_driver_that_is_too_old_takes_two_clicks_and_the_restart(
    qtbot: QtBot, world: World, window: Window, nvidia: Path
) -> None:
    clicks = 0

    def press(label: str) -> None:
        nonlocal clicks
        clicks += 1
        page, found = window.page, button(window.page, label)

        def leaves() -> bool:
            qtbot.mouseClick(found, Qt.MouseButton.LeftButton)
            return window.page is not page

        qtbot.waitUntil(leaves)

    start(qtbot, window)
    arrive(qtbot, window, OverviewPage, "Your driver is too old for CUDA 12")
    press("Make it work")
    review = arrive(qtbot, window, ReviewPage, "1 change to this computer")
    assert "started only if it is signed by NVIDIA Corporation" in texts(review)
    press(LABEL)
    waits = arrive(qtbot, window, OverviewPage, "restart")
    assert ForgedWindows.asked == [LINK.rsplit("/", 1)[-1]]
    assert "NVIDIA driver 580.88: the installer has ended. Restart the computer" in texts(waits)
    assert texts(waits).count("it takes effect then") == 1
    waits.box.click()
    assert world.again.there()
    window.close()
    nvidia.touch()
    after = Window(world.session(), world.open)
    qtbot.addWidget(after)
    start(qtbot, after)
    arrive(qtbot, after, OverviewPage, "works")
    assert clicks == 2
    assert not world.again.there()
