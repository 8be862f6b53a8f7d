"""The window without a screen, in English, with motion off; every word of Qt counts."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

# Before Qt is loaded: a person's desktop must not flicker, and CI has none.
os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

import pytest
import speech
from PySide6.QtCore import QCoreApplication, QEvent
from PySide6.QtGui import QFont, QFontDatabase
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot
from world import World

from cudnn_assistant.gui import theme
from cudnn_assistant.gui.window import Window


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """A warning of Qt is a defect; that of the screenless platform about size hints is not ours."""
    here = str(Path(__file__).parent)
    for item in items:
        if str(item.path).startswith(here):
            item.add_marker(pytest.mark.qt_log_level_fail("WARNING"))
            item.add_marker(pytest.mark.qt_log_ignore("propagateSizeHints"))


@pytest.fixture(autouse=True)
def english() -> Iterator[None]:
    speech.speak(pseudo=False)
    yield
    speech.speak(pseudo=False)


@pytest.fixture(scope="session")
def our_font(qapp: QApplication) -> QFont:
    """The font that the tests bring: what they measure holds on every computer."""
    for file in sorted((Path(__file__).parent / "fonts").glob("*.ttf")):
        assert QFontDatabase.addApplicationFont(str(file)) >= 0, file
    return QFont("Measuring Sans", 9)


@pytest.fixture(autouse=True)
def same_looks(qapp: QApplication, our_font: QFont) -> Iterator[None]:
    """Every test begins with the same palette and font, whatever the computer has."""
    palette, font = qapp.palette(), our_font
    if not isinstance(qapp.style(), theme._Edges):
        theme.show_edges()
    qapp.setFont(font)
    yield
    # What pytest-qt has closed waits for an event loop to end it, and most tests have none: each
    # change of font or palette would reach the widgets of hundreds of tests before.
    QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)
    qapp.setPalette(palette)
    qapp.setFont(font)


@pytest.fixture
def world(tmp_path: Path) -> World:
    return World(tmp_path)


@pytest.fixture
def window(world: World, qtbot: QtBot) -> Window:
    window = Window(world.session(), world.open)
    # Asked once; the tests of that begin without an answer.
    window.preferences.messages = "here"
    qtbot.addWidget(window)
    return window
