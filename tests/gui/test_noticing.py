"""An installer that the person runs beside the window is noticed when it is done."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
import time
from functools import partial
from pathlib import Path

import computers
import pytest
from pytestqt.qtbot import QtBot
from test_flow import arrive, start
from world import World

from cudnn_assistant.gui.overview import OverviewPage
from cudnn_assistant.gui.window import INSTALL_POLL, Window
from cudnn_assistant.session.install_watch import marks, watched

INSTALLER = """
import os, sys, time
root = sys.argv[1]
os.makedirs(root + "/usr/local/cuda-12.9/lib64")
for number in range(12):
    # As a package manager does: much for some seconds, each file by a rename.
    with open(root + "/status.new", "w") as file:
        file.write("x" * number)
    os.replace(root + "/status.new", root + "/status")
    time.sleep(0.25)
open(root + "/done", "w").close()
"""


def world_of(tmp_path: Path) -> Path:
    root = tmp_path / "root"
    (root / "usr" / "local").mkdir(parents=True)
    (root / "status").write_text("")
    return root


def test_the_window_looks_again_when_an_installer_is_done(
    qtbot: QtBot, world: World, tmp_path: Path
) -> None:
    root = world_of(tmp_path)
    world.look = computers.old_driver
    seen = partial(marks, [str(root / "usr" / "local"), str(root / "status")])
    window = Window(world.session(install_mark=seen), world.open)
    qtbot.addWidget(window)
    window._watch.setInterval(600)
    start(qtbot, window)
    arrive(qtbot, window, OverviewPage).buttons.primary.click()  # type: ignore[union-attr]
    arrive(qtbot, window, OverviewPage, "driver is too old")
    qtbot.wait(1500)
    assert world.looks == 1, "while nothing happens nothing is looked at again"

    with subprocess.Popen([sys.executable, "-c", INSTALLER, str(root)]) as installer:
        world.look = computers.works
        arrive(qtbot, window, OverviewPage, "works")
        assert (root / "done").exists(), "it waits until the installer has come to rest"
    assert installer.returncode == 0
    qtbot.wait(1500)
    assert world.looks == 2


def test_a_place_that_does_not_answer_is_asked_once(qtbot: QtBot, world: World) -> None:
    gate, asked = threading.Event(), []

    def mark() -> int:
        asked.append(1)
        assert len(asked) == 1 or gate.wait(30)
        return 1

    window = Window(world.session(install_mark=mark), world.open)
    qtbot.addWidget(window)
    window._watch.setInterval(20)
    start(qtbot, window)
    arrive(qtbot, window, OverviewPage)
    qtbot.wait(500)
    assert len(asked) == 2, "by the check, and by one poll"
    gate.set()
    qtbot.waitUntil(lambda: len(asked) > 2)


def test_what_was_tested_before_the_computer_slept_is_tested_again(
    qtbot: QtBot, window: Window, world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    world.look = computers.works
    start(qtbot, window)
    arrive(qtbot, window, OverviewPage, "cuDNN 9.8 works")
    now = time.time
    monkeypatch.setattr(time, "time", lambda: now() + 3600)
    qtbot.waitUntil(lambda: world.looks == 2)
    arrive(qtbot, window, OverviewPage, "cuDNN 9.8 works")
    qtbot.wait(INSTALL_POLL + 500)
    assert world.looks == 2


def test_what_is_installed_during_a_look_is_looked_at_again(
    qtbot: QtBot, world: World, tmp_path: Path
) -> None:
    root = world_of(tmp_path)

    def meanwhile() -> object:
        (root / "status").write_text("new")
        world.look = computers.works
        return computers.old_driver()

    world.look = meanwhile  # type: ignore[assignment]
    seen = partial(marks, [str(root / "status")])
    window = Window(world.session(install_mark=seen), world.open)
    qtbot.addWidget(window)
    window._watch.setInterval(100)
    start(qtbot, window)
    arrive(qtbot, window, OverviewPage, "works")


def test_a_glance_sees_what_comes_changes_and_goes(tmp_path: Path) -> None:
    folder = tmp_path / "CUDNN"
    look = partial(marks, [str(folder)])
    before = look()
    assert before == look()
    folder.mkdir()
    assert look() != before
    os.utime(folder, ns=(1, 1))
    there = look()
    (folder / "v9.8").mkdir()
    assert look() != there


def test_a_file_replaced_by_one_of_the_same_age_is_seen(tmp_path: Path) -> None:
    file, other = tmp_path / "nvcuda.dll", tmp_path / "new"
    for path, text in ((file, "old"), (other, "new")):
        path.write_text(text)
        os.utime(path, ns=(7, 7))
    before = marks([str(file)])
    other.replace(file)
    assert marks([str(file)]) != before


@pytest.mark.parametrize(
    "what", ["nvcuda.dll", "vcruntime140_1.dll", r"NVIDIA\CUDNN", r"Toolkit\CUDA"]
)
def test_windows_places_are_where_windows_is(what: str) -> None:
    paths = watched("windows", {"SystemRoot": r"D:\Win", "ProgramFiles": r"E:\Programs"})
    (path,) = [path for path in paths if path.endswith(what)]
    assert path.startswith(("D:\\Win\\System32\\", "E:\\Programs\\NVIDIA"))
    assert any(path.startswith(r"C:\Windows") for path in watched("windows", {}))
