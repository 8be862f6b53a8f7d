"""Cancel and close end what the look has started, at once and not at its deadline."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot
from test_flow import halted, looking, start
from world import World

from cudnn_assistant.gui.window import Window

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")

HANG = """
import os, sys, time
with open(sys.argv[1] + ".new", "w") as file:
    file.write(str(os.getpid()))
os.rename(sys.argv[1] + ".new", sys.argv[1])
time.sleep(600)
"""


def hanging(world: World, tmp_path: Path) -> Path:
    told = tmp_path / "child"
    world.child = [sys.executable, "-c", HANG, str(told)]
    return told


def child_of(qtbot: QtBot, told: Path) -> int:
    qtbot.waitUntil(told.exists, timeout=20_000)
    number = int(told.read_text())
    assert alive(number)
    return number


def alive(number: int) -> bool:
    return os.path.exists(f"/proc/{number}")


def test_cancel_ends_the_test_that_hangs(
    qtbot: QtBot, window: Window, world: World, tmp_path: Path
) -> None:
    told = hanging(world, tmp_path)
    start(qtbot, window)
    child = child_of(qtbot, told)
    looking(qtbot, window)
    qtbot.keyClick(window, Qt.Key.Key_Escape)
    halted(qtbot, window)
    qtbot.waitUntil(lambda: not alive(child), timeout=10_000)


def test_closing_the_window_ends_it_as_well(
    qtbot: QtBot, window: Window, world: World, tmp_path: Path
) -> None:
    told = hanging(world, tmp_path)
    start(qtbot, window)
    child = child_of(qtbot, told)
    window.close()
    window.end()
    assert not alive(child)


def test_checking_again_leaves_no_second_test(
    qtbot: QtBot, window: Window, world: World, tmp_path: Path
) -> None:
    told = hanging(world, tmp_path)
    start(qtbot, window)
    first = child_of(qtbot, told)
    told.unlink()
    qtbot.keyClick(window, Qt.Key.Key_F5)
    second = child_of(qtbot, told)
    qtbot.waitUntil(lambda: not alive(first), timeout=10_000)
    assert alive(second)
    window.end()
    QApplication.processEvents()
    assert not alive(second)


BEGUN = """
import signal, sys
signal.signal(signal.SIGINT, signal.SIG_DFL)
print(flush=True)
from cudnn_assistant.__main__ import window
sys.exit(window())
"""


@pytest.mark.spread(3)
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
@pytest.mark.parametrize("delay", [0.0, 0.2, 0.4, 0.6, 0.9, 1.2, 1.5, 2.0])
def test_told_to_stop_it_ends_at_any_moment(delay: float, number: signal.Signals) -> None:
    """Also while it loads, and between the first picture and the window."""
    environment = {**os.environ, "QT_QPA_PLATFORM": "offscreen"}
    pipe, command = subprocess.PIPE, [sys.executable, "-c", BEGUN]
    with subprocess.Popen(command, env=environment, stdout=pipe, stderr=pipe, text=True) as program:
        assert program.stdout is not None
        program.stdout.readline()
        time.sleep(delay)
        program.send_signal(number)
        _out, err = program.communicate(timeout=30)
    assert program.returncode in (0, -number), err
    assert "Traceback" not in err
    assert "install" not in err


PROGRAM = """
import sys
from PySide6.QtCore import QTimer
sys.path.insert(0, sys.argv[1])
import pathlib, world
from cudnn_assistant.gui import app, window
here = world.World(pathlib.Path(sys.argv[2]))
told = pathlib.Path(sys.argv[2]) / "child"
here.child = [sys.executable, "-c", sys.argv[3], str(told)]
class Window(window.Window):
    def begin(self):
        super().begin()
        self.watch = QTimer(self)
        self.watch.timeout.connect(self.look)
        self.watch.start(20)
    def look(self):
        if told.exists() and sys.argv[4]:
            self.close()
app.make_window = lambda file: Window(here.session(), file=file)
sys.exit(app.run([]))
"""


@pytest.mark.parametrize("number", [None, signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_the_program_leaves_no_test_behind(tmp_path: Path, number: signal.Signals | None) -> None:
    """Closed by the person, by Ctrl+C in its terminal, by a system or a terminal that ends."""
    environment = {**os.environ, "QT_QPA_PLATFORM": "offscreen"}
    here = str(Path(__file__).parent)
    closes = "close" if number is None else ""
    command = [sys.executable, "-c", PROGRAM, here, str(tmp_path), HANG, closes]
    told, pipe = tmp_path / "child", subprocess.PIPE
    with subprocess.Popen(command, env=environment, stdout=pipe, stderr=pipe, text=True) as program:
        while number is not None and program.poll() is None:
            if told.exists():
                program.send_signal(number)
                break
            time.sleep(0.02)
        out, err = program.communicate(timeout=60)
    assert (program.returncode, out, err) == (0, "", "")
    child = int(told.read_text())
    for _turn in range(50):
        if not alive(child):
            return
        time.sleep(0.02)
    raise AssertionError("the test outlived the program")
