"""The program around the window: no display, a display that is gone, a bug of our own."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from cudnn_assistant.gui import app
from cudnn_assistant.gui.app import _file

NOT_SHOWN = ("DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM")


def run(code: str, **more: str) -> subprocess.CompletedProcess[str]:
    env = {k: v for k, v in os.environ.items() if k not in NOT_SHOWN} | more
    return subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, env=env, timeout=60
    )


OPEN = "import sys; from cudnn_assistant.__main__ import window; sys.exit(window())"


@pytest.mark.skipif(sys.platform != "linux", reason="needs Linux")
@pytest.mark.parametrize(
    ("more", "said"),
    [
        ({}, "There is no display to open a window on."),
        ({"DISPLAY": ":9876"}, "No window can be opened on this display."),
    ],
    ids=["none", "unreachable"],
)
def test_without_a_display_one_sentence_says_what_to_do(more: dict[str, str], said: str) -> None:
    done = run(OPEN, **more)
    assert done.returncode == 3
    assert said in done.stderr
    assert "cudnn-assistant check" in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.skipif(sys.platform != "linux", reason="needs Linux")
def test_missing_libraries_are_named_with_their_packages(tmp_path: Path) -> None:
    # A library of the name that the loader refuses stands for one that isn't there.
    (tmp_path / "libxcb-cursor.so.0").write_bytes(b"not a library")
    done = run(OPEN, DISPLAY=":9876", LD_LIBRARY_PATH=str(tmp_path))
    assert done.returncode == 3
    assert "libxcb-cursor.so.0" in done.stderr
    assert "apt install" in done.stderr


@pytest.mark.parametrize(
    ("arguments", "file"),
    [
        ([], ""),
        (["--window"], ""),
        (["--window", "a.md"], "a.md"),
        (["a.md"], "a.md"),
        (["--other"], ""),
    ],
)
def test_a_file_is_opened_however_it_is_named(arguments: list[str], file: str) -> None:
    assert _file(arguments) == file


CRASH = """
import sys
from PySide6.QtCore import QTimer
from cudnn_assistant.gui import app, window
class Broken(window.Window):
    def begin(self):
        QTimer.singleShot(300, self.leave)
        raise LookupError("the moon is gone")
    def leave(self):
        print(self.dialog.windowTitle())
        print(self.dialog.text.toPlainText())
        self.dialog.reject()
from cudnn_assistant.session import Session
app.make_window = lambda file: Broken(Session(), file=file)
sys.exit(app.run([]))
"""


def test_a_bug_of_our_own_is_shown_and_ends_with_code_3() -> None:
    done = run(CRASH, QT_QPA_PLATFORM="offscreen")
    assert done.returncode == 3, done.stderr
    assert "cuDNN Assistant has to close" in done.stdout
    # A report leaves out words that it doesn't know, and says where in the program it was.
    assert "LookupError: the ⟨left out⟩ is gone" in done.stdout


QUIT = """
import sys, time
from PySide6.QtCore import QTimer
from cudnn_assistant.gui import app, window
class Busy(window.Window):
    def begin(self):
        def work(job):
            while True:
                job.tell(1)
                time.sleep(0.0005)
        self.work(work, print)
        QTimer.singleShot(200, self.close)
from cudnn_assistant.session import Session
app.make_window = lambda file: Busy(Session(), file=file)
sys.exit(app.run([]))
"""


def test_closing_in_the_middle_of_work_ends_the_program_at_once() -> None:
    # Were it not so, run() would end it by force and raise.
    done = run(QUIT, QT_QPA_PLATFORM="offscreen")
    assert (done.returncode, done.stdout) == (0, ""), done.stderr


def test_the_first_picture_is_a_small_icon_above_the_name(qtbot: QtBot) -> None:
    opening = app.Opening()
    qtbot.addWidget(opening)
    picture = opening.grab().toImage()
    at, empty = picture.rect().center(), opening.palette().window().color()
    assert picture.pixelColor(at.x(), at.y() - 64) != empty
    for x, y in ((at.x() - 40, at.y() - 64), (at.x(), at.y() - 105), (at.x(), at.y() - 27)):
        assert picture.pixelColor(x, y) == empty
