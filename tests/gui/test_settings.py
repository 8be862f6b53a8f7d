"""Another language and another theme are there at once, without a restart, and are kept."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QComboBox
from pytestqt.qtbot import QtBot
from test_flow import arrive, looking, start, texts
from test_frame import entry
from watched import Held, run_watched
from world import World

from cudnn_assistant.gui import qt_language
from cudnn_assistant.gui.overview import OverviewPage
from cudnn_assistant.gui.preferences import load
from cudnn_assistant.gui.review import ReviewPage
from cudnn_assistant.gui.settings_dialog import SettingsDialog, wear
from cudnn_assistant.gui.side_pages import CauseCard, ExplainPage, WatchPage
from cudnn_assistant.gui.window import Window
from cudnn_assistant.wording import language


@pytest.fixture(autouse=True)
def _as_before(monkeypatch: pytest.MonkeyPatch, qtbot: QtBot) -> Iterator[None]:
    monkeypatch.setenv("LANGUAGE", "en")
    yield
    wear("system")
    language.choose(["en"])
    qt_language.follow()


@pytest.fixture
def window(qtbot: QtBot, world: World, tmp_path: Path) -> Window:
    window = Window(world.session(), world.open, kept=tmp_path / "window.json")
    window.preferences.messages = "here"
    qtbot.addWidget(window)
    start(qtbot, window)
    arrive(qtbot, window, OverviewPage)
    return window


def settings(window: Window) -> SettingsDialog:
    assert isinstance(window.dialog, SettingsDialog)
    return window.dialog


def choose(box: QComboBox, wanted: str) -> None:
    box.setCurrentIndex(box.findData(wanted))
    box.activated.emit(box.currentIndex())


def said(window: Window) -> tuple[str, ...]:
    """Something of the page, of the menu and of the settings."""
    (again,) = (one for one in window.menu.actions() if one.shortcut().toString() == "F5")
    page = window.page
    heading = settings(window).windowTitle()
    return page.title.text(), again.text().replace("&", ""), heading


def test_another_language_is_spoken_at_once_and_back_again(window: Window, tmp_path: Path) -> None:
    entry(window, "Settings…")
    english = said(window)
    assert english[0].startswith("Windows can't find cuDNN")
    choose(settings(window).language, "de")
    assert language.spoken() == "de"
    german = said(window)
    assert german[2] == "Einstellungen"
    assert not set(german) & set(english)
    assert settings(window).language.currentData() == "de"
    assert '"language":"de"' in (tmp_path / "window.json").read_text()
    choose(settings(window).language, "")
    assert said(window) == english


def test_a_check_goes_on_in_the_other_language(qtbot: QtBot, world: World) -> None:
    world.gate = threading.Event()
    window = Window(world.session(), world.open)
    qtbot.addWidget(window)
    start(qtbot, window)
    looking(qtbot, window)
    german(window)
    world.gate.set()
    page = arrive(qtbot, window, OverviewPage, "Windows findet cuDNN 9.8 nicht")
    assert page.menu.text() == "Menü"
    assert "Probleme" in texts(page)


def test_two_windows_keep_what_either_has_settled(
    window: Window, qtbot: QtBot, world: World, tmp_path: Path
) -> None:
    other = Window(world.session(), world.open, kept=tmp_path / "window.json")
    qtbot.addWidget(other)
    entry(window, "Settings…")
    settings(window).add_folder("/opt/elsewhere")
    other.close()
    window.close()
    kept = load(tmp_path / "window.json")
    assert kept.folders == ("/opt/elsewhere",)
    assert kept.geometry


def german(window: Window) -> None:
    entry(window, "Settings…")
    choose(settings(window).language, "de")
    settings(window).accept()


def test_what_would_be_changed_is_told_in_the_other_language(window: Window, qtbot: QtBot) -> None:
    window.flow.change.review()
    review = arrive(qtbot, window, ReviewPage)
    qtbot.waitUntil(review.maker.isEnabled)
    german(window)
    said = arrive(qtbot, window, ReviewPage, "1 Änderung an Ihren Einstellungen")
    assert said.proposal.plan == review.proposal.plan
    assert said.proposal.changes[0].title != review.proposal.changes[0].title


def test_a_message_and_its_answer_stay_in_the_other_language(window: Window, qtbot: QtBot) -> None:
    window.side_flows.show_explain()
    page = arrive(qtbot, window, ExplainPage)
    message = "Could not locate zlibwapi.dll. It isn't in your library path!"
    page.message.setPlainText(message)
    page.explain.click()
    qtbot.waitUntil(lambda: bool(page.findChildren(CauseCard)))
    german(window)
    now = arrive(qtbot, window, ExplainPage, "Eine Meldung erklären")
    qtbot.waitUntil(lambda: bool(now.findChildren(CauseCard)))
    assert now.message.toPlainText() == message
    assert "fehlt die Datei zlibwapi.dll" in texts(now)


def test_a_watched_program_runs_on_and_is_told_of_in_the_other_language(
    qtbot: QtBot, world: World
) -> None:
    program = Held("CUDNN_STATUS_NOT_INITIALIZED")
    window = Window(world.session(watch=program), world.open)
    run_watched(qtbot, window)
    german(window)
    program.gate.set()
    now = arrive(qtbot, window, WatchPage)
    qtbot.waitUntil(lambda: "Ihr Programm" in texts(now))
    qtbot.waitUntil(lambda: bool(now.findChildren(CauseCard)))
    assert now.command.text() == "train"
    assert program.runs == 1


class Hints:
    """Stands for the platform, which has no light and dark without a screen."""

    def __init__(self) -> None:
        self.asked: list[Qt.ColorScheme] = []

    def setColorScheme(self, scheme: Qt.ColorScheme) -> None:  # noqa: N802
        self.asked.append(scheme)


def test_another_theme_is_worn_at_once_and_kept(
    window: Window, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    hints = Hints()
    monkeypatch.setattr(QGuiApplication, "styleHints", lambda: hints)
    entry(window, "Settings…")
    before = settings(window)
    for name in ("dark", "light", "system"):
        choose(before.theme, name)
        assert f'"theme":"{name}"' in (tmp_path / "window.json").read_text()
    assert hints.asked[0] == Qt.ColorScheme.Dark
    assert Qt.ColorScheme.Light in hints.asked
    assert hints.asked[-1] == Qt.ColorScheme.Unknown
    assert settings(window) is before, "nothing is said anew"
