"""The window on real small and scaled screens, its place remembered, its texts to be copied."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from pathlib import Path

import pytest
from PySide6.QtCore import QMimeData
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot
from test_flow import arrive, start
from world import World

from cudnn_assistant.gui.overview import OverviewPage
from cudnn_assistant.gui.preferences import Preferences, load, save
from cudnn_assistant.gui.side_pages import ExplainPage
from cudnn_assistant.gui.text_widgets import Text, breakable
from cudnn_assistant.gui.window import Window

SHOWN = """
import json, pathlib, sys
sys.path[:0] = sys.argv[2:4]
from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QApplication
app = QApplication(["x"])
from world import World
from cudnn_assistant.gui.window import Window
window = Window(World(pathlib.Path(sys.argv[1])).session())
window.show()
def look():
    page = window.page
    if getattr(page, "shown", None) is None:
        return
    primary = page.buttons.primary
    corner = primary.mapToGlobal(primary.rect().bottomRight())
    room = window.screen().availableGeometry()
    settings = window._show_settings()
    app.processEvents()
    print(json.dumps({
        "inside": room.contains(window.geometry()),
        "button": primary.isVisible() and room.contains(corner),
        "ratio": window.devicePixelRatio(),
        "settings": settings.height() <= room.height(),
        "sideways": page._scroll.widget().width() > page._scroll.viewport().width(),
    }))
    app.quit()
timer = QTimer()
timer.timeout.connect(look)
timer.start(50)
app.exec()
"""
SCREENS = {
    "laptop at 150 %": (1366, 768, "1.5"),
    "notebook at 200 %": (1280, 800, "2"),
    "laptop at 200 %": (1366, 768, "2"),
    "small": (640, 480, "1"),
    "tablet": (800, 1280, "1"),
}


@pytest.mark.parametrize("name", SCREENS)
def test_the_window_and_its_buttons_are_on_the_screen(tmp_path: Path, name: str) -> None:
    width, height, scale = SCREENS[name]
    screen = {"name": name, "x": 0, "y": 0, "width": width, "height": height, "logicalDpi": 96}
    file = tmp_path / "screens.json"
    file.write_text(json.dumps({"screens": [screen]}))
    here = Path(__file__).parent
    done = subprocess.run(
        [sys.executable, "-c", SHOWN, str(tmp_path), str(here), str(here.parent)],
        env={
            **os.environ,
            "QT_QPA_PLATFORM": f"offscreen:configfile={file}",
            "QT_SCALE_FACTOR": scale,
        },
        capture_output=True,
        text=True,
        timeout=120,
    )
    seen = json.loads(done.stdout)
    assert seen.pop("ratio") == float(scale)
    assert seen == {"inside": True, "button": True, "settings": True, "sideways": False}


def test_size_and_place_are_remembered(qtbot: QtBot, world: World, tmp_path: Path) -> None:
    kept = tmp_path / "window.json"
    first = Window(world.session(), world.open, kept=kept)
    qtbot.addWidget(first)
    start(qtbot, first)
    first.resize(700, 500)
    first.close()
    second = Window(world.session(), world.open, kept=kept)
    qtbot.addWidget(second)
    assert (second.width(), second.height()) == (700, 500)


@pytest.mark.parametrize("text", ["", "{", "[]", '{"theme": "green"}', '{"folders": 7}'])
def test_preferences_that_cannot_be_read_keep_nobody_out(tmp_path: Path, text: str) -> None:
    file = tmp_path / "window.json"
    file.write_text(text)
    assert load(file) == Preferences()
    save(Preferences(offline=True), "offline", tmp_path / "window.json" / "x")


def test_what_is_settled_counts_for_the_next_check(
    qtbot: QtBot, world: World, tmp_path: Path
) -> None:
    kept = tmp_path / "window.json"
    wish = Preferences(offline=True, folders=("/opt/x",))
    save(wish, "offline", kept)
    save(wish, "folders", kept)
    window = Window(world.session(), world.open, kept=kept)
    qtbot.addWidget(window)
    assert window.flow.request.offline
    assert window.flow.request.folders == ("/opt/x",)


def test_a_path_is_copied_as_it_was_written(qtbot: QtBot) -> None:
    path = r"C:\Program Files\NVIDIA\CUDNN\v9.8\bin\12.8\cudnn_engines_runtime_compiled64_9.dll"
    assert breakable(path) != path
    label = Text(path)
    qtbot.addWidget(label)
    label.show()
    label.setSelection(0, len(breakable(path)))
    label.copy()
    assert QGuiApplication.clipboard().text() == path
    label.resize(120, 400)
    assert label.heightForWidth(120) > label.heightForWidth(900), "a long path wraps"


JAPANESE = "このフォルダーの中にcuDNNがありますが、PATH（Windowsが探すフォルダー）にはありません。"


@pytest.mark.parametrize(
    "whole",
    ["1,924 MB", "1.924 MB", "cuDNN 9.27.0.42", "CUDA 12.8", pytest.param(JAPANESE, id="ja")],
)
def test_no_line_ends_inside_of_a_number_or_a_word(whole: str) -> None:
    assert breakable(whole) == whole


def test_fifty_megabytes_are_taken_in_without_laying_them_out(qtbot: QtBot, window: Window) -> None:
    start(qtbot, window)
    arrive(qtbot, window, OverviewPage)
    window.side_flows.show_explain()
    page = arrive(qtbot, window, ExplainPage)
    line = "step 12345 loss 0.123 some words of a log that goes on and on\n"
    text = line * (50_000_000 // len(line)) + "CUDNN_STATUS_NOT_INITIALIZED\n"
    given = QMimeData()
    given.setText(text)
    began = time.process_time()
    page.message.insertFromMimeData(given)
    # Nine seconds and more, when the editor had it all.
    assert time.process_time() - began < 1.5
    assert page.message.message() == text.encode()
    assert len(page.message.toPlainText()) < 5000
    assert page.message.toPlainText().endswith("CUDNN_STATUS_NOT_INITIALIZED\n")
    page.message.appendPlainText("typed")
    assert isinstance(page.message.message(), str), "what is typed takes its place"
    QApplication.processEvents()


def test_finished_work_is_not_kept(qtbot: QtBot, window: Window) -> None:
    start(qtbot, window)
    arrive(qtbot, window, OverviewPage)
    for _look in range(40):
        window.flow.look_around()
        qtbot.wait(5)
    qtbot.waitUntil(lambda: all(not job.busy for job in window._jobs))
    qtbot.wait(50)
    window.flow.look_around()
    assert len(window._jobs) <= 3
