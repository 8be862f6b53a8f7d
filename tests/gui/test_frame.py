"""What is around the pages: the menu, Settings, Help, About, recent reports, watching a program."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable
from pathlib import Path

import computers
import msgspec
import pytest
from machines.computers import golden
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication, QDialog
from pytestqt.qtbot import QtBot
from test_flow import arrive, button, start, texts
from watched import Held, run_watched
from world import World

from cudnn_assistant import __version__
from cudnn_assistant.feed import load_builtin
from cudnn_assistant.gui import page_host
from cudnn_assistant.gui.answer import Shown, answer
from cudnn_assistant.gui.dialogs import AboutDialog, HelpDialog, local_time
from cudnn_assistant.gui.overview import OverviewPage
from cudnn_assistant.gui.preferences import Preferences
from cudnn_assistant.gui.review import ReviewPage
from cudnn_assistant.gui.settings_dialog import SettingsDialog
from cudnn_assistant.gui.side_pages import ExplainPage, WatchPage
from cudnn_assistant.gui.widgets import Button, Notice
from cudnn_assistant.gui.window import Window
from cudnn_assistant.machine import SYSTEM
from cudnn_assistant.session.checkup import Checkup, think, with_tests, without_plan
from cudnn_assistant.session.reports import support_forms
from cudnn_assistant.session.watching import WatchResult
from cudnn_assistant.summary.rows import rows


def entry(window: Window, label: str) -> None:
    """Choose an entry of the menu."""
    found = [one for one in window.menu.actions() if one.text().replace("&", "") == label]
    assert len(found) == 1
    found[0].trigger()


def test_the_menu_is_on_every_page(qtbot: QtBot, window: Window) -> None:
    start(qtbot, window)
    page = arrive(qtbot, window, OverviewPage)
    assert page.menu.menu() is window.menu
    entry(window, "Watch a program…")
    assert arrive(qtbot, window, WatchPage).menu.menu() is window.menu


def test_about_has_the_version_and_the_licences(qtbot: QtBot, window: Window) -> None:
    start(qtbot, window)
    entry(window, "About")
    dialog = window.dialog
    assert isinstance(dialog, AboutDialog)
    assert f"cuDNN Assistant {__version__}: Apache License 2.0" in texts(dialog)
    assert "LGPL" in texts(dialog)
    dialog.accept()
    entry(window, "Keys and help")
    assert isinstance(window.dialog, HelpDialog)


def test_settings_take_effect_and_are_kept(qtbot: QtBot, world: World, tmp_path: Path) -> None:
    kept = tmp_path / "window.json"
    window = Window(world.session(), world.open, kept=kept)
    qtbot.addWidget(window)
    start(qtbot, window)
    arrive(qtbot, window, OverviewPage)
    entry(window, "Settings…")
    dialog = window.dialog
    assert isinstance(dialog, SettingsDialog)
    dialog.online.click()
    dialog.add_folder("/opt/elsewhere")
    assert window.flow.request.offline
    assert window.flow.request.folders == ("/opt/elsewhere",)
    assert '"offline":true' in kept.read_text()
    assert not dialog.ask.isEnabled()
    assert world.looks == 1
    dialog.accept()
    qtbot.waitUntil(lambda: world.looks == 2)


def test_asking_for_data_says_what_came_and_leaves_what_was_typed(
    qtbot: QtBot, window: Window, world: World
) -> None:
    start(qtbot, window)
    arrive(qtbot, window, OverviewPage)
    window.side_flows.show_explain()
    page = arrive(qtbot, window, ExplainPage)
    page.message.setPlainText("typed")
    entry(window, "Settings…")
    dialog = window.dialog
    assert isinstance(dialog, SettingsDialog)
    dialog.ask.click()
    assert not dialog.ask.isEnabled()
    qtbot.waitUntil(dialog.ask.isEnabled)
    assert dialog.isVisible()
    assert "so nobody was asked" in dialog.data.text()
    assert window.page is page
    looks, foreign = world.looks, without_plan(think(computers.parent_folder(), load_builtin()))
    window.flow.show_foreign(foreign)
    dialog.ask.click()
    qtbot.waitUntil(lambda: window.flow.state.found is not foreign)
    assert window.flow.state.found == foreign, "judged anew, not looked at"
    assert world.looks == looks
    assert "of another computer" in texts(window.page)
    assert "Compatibility data: Built-in" in texts(window.page)


def test_a_report_that_was_opened_is_among_the_recent_ones(
    qtbot: QtBot, world: World, tmp_path: Path
) -> None:
    compat = load_builtin()
    file = tmp_path / "report.md"
    seen = think(computers.parent_folder(), compat)
    file.write_text(support_forms(seen, compat)("markdown"), "utf-8")
    kept = tmp_path / "window.json"
    window = Window(world.session(), world.open, str(file), kept=kept)
    qtbot.addWidget(window)
    start(qtbot, window)
    page = arrive(qtbot, window, OverviewPage, "Windows can't find cuDNN 9.8")
    assert "of another computer" in texts(page)
    assert window.preferences.recent == (str(file),)
    (recent,) = [one for one in window.menu.actions() if one.text() == "&Recent reports"]
    submenu = recent.menu()
    assert [one.text() for one in submenu.actions()] == ["report.md"]  # type: ignore[attr-defined]


@pytest.mark.parametrize("seen", [lambda found: found, without_plan], ids=["own", "reported"])
@pytest.mark.parametrize("name", ["linux-healthy", "linux-torch-healthy"])
def test_what_stays_on_the_screen_for_hours_says_when_it_was_tested(
    name: str, seen: Callable[[Checkup], Checkup]
) -> None:
    found = seen(think(golden(name), load_builtin()))
    when = local_time(found.machine.taken_at)
    assert when
    assert answer(Shown(found))[1].startswith(f"Tested {when}: ")
    said = [row.state.lower() for row in rows(found.machine, found.findings)]
    assert any("a convolution ran on" in state for state in said)
    assert not [state for state in said if "a moment ago" in state]


def test_a_test_that_was_asked_for_later_says_its_own_time() -> None:
    """The look was an hour before: its time isn't when the convolution ran."""
    seen = golden("linux-torch-asked-healthy")
    trials = [one for one in seen.trials if one.subject != SYSTEM and one.status == "ok"]
    looked = msgspec.structs.replace(seen, trials=(), taken_at="2026-01-02T03:04:05Z")
    found = with_tests(think(looked, load_builtin()), tuple(trials), load_builtin())
    (when,) = {one.tested_at for one in found.machine.trials}
    assert when > looked.taken_at
    assert answer(Shown(found))[1].startswith(f"Tested {local_time(when)}: ")


def test_a_folder_is_removed_only_where_one_is_chosen(qtbot: QtBot) -> None:
    dialog = SettingsDialog(Preferences(folders=("/opt/a", "/opt/b")), "")
    qtbot.addWidget(dialog)
    (remove,) = [b for b in dialog.findChildren(Button) if b.text() == "&Remove"]
    assert not remove.isEnabled(), "a button that does nothing isn't offered"
    dialog.folders.setCurrentRow(1)
    remove.click()
    assert dialog.folders.item(0).text() == "/opt/a"
    dialog.folders.setCurrentRow(0)
    remove.click()
    assert dialog.folders.count() == 0
    assert not remove.isEnabled()


def test_a_program_is_watched_and_its_end_told(qtbot: QtBot, world: World) -> None:
    asked: list[object] = []

    def watch(command: object, *, exact: bool, **_how: object) -> WatchResult:
        asked.append(command)
        return WatchResult(command=("x",), exit_code=3, exact=exact)

    window = Window(world.session(watch=watch), world.open)
    qtbot.addWidget(window)
    start(qtbot, window)
    arrive(qtbot, window, OverviewPage)
    window.side_flows.show_watch()
    page = arrive(qtbot, window, WatchPage)
    assert not page.run.isEnabled()
    page.command.setText(f'"{sys.executable}" train.py')
    button(page, "Run it").click()
    qtbot.waitUntil(lambda: "Your program stopped with exit code 3." in texts(page))
    assert asked == [[sys.executable, "train.py"]]
    button(page, "Run it and ask for more").click()
    qtbot.waitUntil(lambda: "A check says whether cuDNN itself works here." in texts(page))
    assert asked == [[sys.executable, "train.py"]] * 2
    assert len(page.findChildren(Notice)) == 0, "it has been asked for"
    page.command.setText('python "train.py')
    window.side_flows._session.system.family = "linux"  # type: ignore[misc]
    button(page, "Run it").click()
    assert "A quotation mark in this command has no end." in texts(page)
    assert page.run.isEnabled()


def test_a_bug_while_a_program_is_watched_is_no_word_about_it(qtbot: QtBot, world: World) -> None:
    def watch(_command: object, **_how: object) -> WatchResult:
        raise LookupError("the moon")

    window = Window(world.session(watch=watch), world.open)
    with qtbot.captureExceptions() as exceptions:
        page = run_watched(qtbot, window)
        qtbot.waitUntil(lambda: bool(exceptions))
    assert isinstance(exceptions[0][1], LookupError)
    assert "moon" not in texts(page)


@pytest.mark.parametrize("asked", ["save", "history", "missing"])
def test_what_is_asked_for_meanwhile_ends_no_watching(
    qtbot: QtBot, world: World, tmp_path: Path, asked: str
) -> None:
    program = Held()
    window = Window(world.session(watch=program), world.open)
    page = run_watched(qtbot, window)
    for _twice in range(2):
        if asked == "missing":
            window.side_flows.take_file(str(tmp_path / "no such log"))
        else:
            window.wished.emit(asked)
    if asked == "missing":
        qtbot.waitUntil(lambda: "can't be opened" in texts(page))
    else:
        qtbot.waitUntil(lambda: window.dialog is not None, timeout=20_000)
        qtbot.wait(300)
        assert [one for one in window.findChildren(QDialog) if one.isVisible()] == [window.dialog]
    program.gate.set()
    qtbot.waitUntil(lambda: "Your program stopped with exit code 3." in texts(page))


@pytest.mark.parametrize("meanwhile", ["answer", "check", "watch"])
def test_a_program_whose_page_was_left_is_told_of(
    qtbot: QtBot, world: World, meanwhile: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    program = Held()
    asking: list[object] = []
    monkeypatch.setattr(QApplication, "alert", asking.append)
    window = Window(world.session(watch=program), world.open)
    page = run_watched(qtbot, window)
    page.command.setText("train again")
    assert not page.run.isEnabled(), "one at a time"
    qtbot.keyClick(window, Qt.Key.Key_Escape)
    arrive(qtbot, window, OverviewPage)
    if meanwhile != "answer":
        window.wished.emit(meanwhile)
    asking.clear()
    program.gate.set()
    qtbot.waitUntil(lambda: "Your program stopped with exit code 3." in texts(window.page))
    window.side_flows.show_watch()
    again = arrive(qtbot, window, WatchPage)
    assert again.command.text() == "train again"
    assert asking[:1] == [window]
    qtbot.waitUntil(lambda: "Your program stopped with exit code 3." in texts(again))


@pytest.mark.skipif(sys.platform == "win32", reason="runs a program of sh")
def test_a_program_is_stopped_from_its_page(
    qtbot: QtBot, world: World, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    window = Window(world.session(), world.open)
    (tmp_path / "program").write_text(f"touch {tmp_path}/started; exec sleep 60")
    page = run_watched(qtbot, window, f"sh {tmp_path}/program")
    qtbot.waitUntil((tmp_path / "started").exists)
    button(page, "Stop it").click()
    assert not page.stop.isEnabled()
    qtbot.waitUntil(lambda: "It was told to stop." in texts(page), timeout=20_000)
    assert "We don't know" not in texts(page)
    assert page.run.isEnabled()
    assert not page.stop.isEnabled()


def test_a_watched_program_outlives_the_window(
    qtbot: QtBot, world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(page_host, "PATIENCE", 0.05)
    program = Held()
    window = Window(world.session(watch=program), world.open)
    run_watched(qtbot, window)
    window.close()
    assert not window.isVisible()
    threading.Timer(0.3, program.gate.set).start()
    window.end()
    assert program.gate.is_set(), "what it says passes through us until its end"


@pytest.mark.parametrize("what", ["an answer", "a bug", "a change", "no change"])
def test_the_end_of_what_took_long_asks_for_attention(
    qtbot: QtBot, window: Window, world: World, monkeypatch: pytest.MonkeyPatch, what: str
) -> None:
    """Once: what begins the next thing by itself isn't the end. A minimised window as well."""
    asking: list[object] = []
    monkeypatch.setattr(QApplication, "alert", asking.append)
    world.settings.refuses = {"user"} if what == "no change" else set()
    if what == "a bug":
        world.look = lambda: 1 // 0  # type: ignore[assignment,return-value]
    start(qtbot, window)
    if "change" in what:
        qtbot.waitUntil(lambda: asking == [window])
        asking.clear()
        button(window, "Make it work").click()
        review = arrive(qtbot, window, ReviewPage)
        qtbot.waitUntil(review.maker.isEnabled)
        window.showMinimized()
        review.maker.click()
    qtbot.waitUntil(lambda: bool(asking))
    qtbot.wait(50)
    assert asking == [window]


@pytest.mark.parametrize(
    ("name", "clicks"),
    [
        ("windows-cudnn-not-on-path", 2),
        ("windows-cudnn-missing", 2),
        ("windows-torch-cpu-only", 2),
        ("linux-cpu-torch-without-cudnn", 2),
    ],
)
def test_the_commonest_problems_take_two_clicks(
    qtbot: QtBot, world: World, name: str, clicks: int
) -> None:
    """Make it work, and the one yes."""
    world.look = lambda: golden(name)
    window = Window(world.session(rehearse=lambda plan, *_how: plan), world.open)
    qtbot.addWidget(window)
    start(qtbot, window)
    page = arrive(qtbot, window, OverviewPage)
    made = 0
    assert page.buttons.primary is not None
    assert page.buttons.primary.text() == "&Make it work"
    page.buttons.primary.click()
    made += 1
    review = arrive(qtbot, window, ReviewPage)
    qtbot.waitUntil(review.maker.isEnabled)
    made += 1
    assert made == clicks
