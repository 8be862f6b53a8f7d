"""The page that says what a message means, and reports of other computers dropped on the window."""

from __future__ import annotations

import threading
from collections.abc import Callable
from pathlib import Path

import computers
import pytest
from dropping import dropped
from machines.computers import golden
from PySide6.QtCore import QMimeData, QPoint, Qt, QUrl
from PySide6.QtWidgets import QApplication, QPushButton, QWidget
from pytestqt.qtbot import QtBot
from test_flow import arrive, button, halted, looking, start, texts
from world import World

from cudnn_assistant.explain import Explanation, basis, explain
from cudnn_assistant.feed import load_builtin
from cudnn_assistant.gui.disclosure import Link
from cudnn_assistant.gui.overview import OverviewPage
from cudnn_assistant.gui.review import ReviewPage
from cudnn_assistant.gui.side_pages import Answers, CauseCard, ExplainPage, Here
from cudnn_assistant.gui.window import Window
from cudnn_assistant.session.checkup import think, without_plan
from cudnn_assistant.session.reports import support_forms

MESSAGE = "Could not locate zlibwapi.dll. Please make sure it is in your library path!"


def drop(target: QWidget, path: Path) -> None:
    data = QMimeData()
    data.setUrls([QUrl.fromLocalFile(str(path))])
    assert dropped(target, data), f"nothing can be dropped on {type(target).__name__}"


def test_a_pasted_message_is_explained(qtbot: QtBot, window: Window) -> None:
    start(qtbot, window)
    problems = arrive(qtbot, window, OverviewPage)
    link = problems.findChild(Link)
    assert link is not None
    link.click()
    page = arrive(qtbot, window, ExplainPage)
    assert page.message.hasFocus()
    QApplication.clipboard().setText(MESSAGE)
    button(page, "Paste").click()
    # The first of a process reads all patterns, which a busy computer may take long for.
    qtbot.waitUntil(lambda: bool(page.findChildren(CauseCard)), timeout=20_000)
    assert "zlibwapi" in texts(page)
    qtbot.keyClick(window, Qt.Key.Key_Escape)
    arrive(qtbot, window, OverviewPage)
    window.side_flows.show_explain()
    again = arrive(qtbot, window, ExplainPage)
    assert again.message.toPlainText() == MESSAGE
    qtbot.waitUntil(lambda: bool(again.findChildren(CauseCard)))


def test_a_text_that_is_dropped_is_explained(qtbot: QtBot, window: Window) -> None:
    start(qtbot, window)
    data = QMimeData()
    data.setText(MESSAGE)
    assert dropped(arrive(qtbot, window, OverviewPage).title, data)
    page = arrive(qtbot, window, ExplainPage)
    assert page.message.toPlainText() == MESSAGE
    qtbot.waitUntil(lambda: bool(page.findChildren(CauseCard)), timeout=20_000)


def test_whose_message_it_is_is_asked_once(qtbot: QtBot, world: World, tmp_path: Path) -> None:
    """Only what was shown here is judged with this computer, and saved in its report."""
    kept = tmp_path / "window.json"

    def explained(origin: str) -> ExplainPage:
        window = Window(world.session(), world.open, kept=kept)
        qtbot.addWidget(window)
        start(qtbot, window)
        arrive(qtbot, window, OverviewPage)
        window.side_flows.show_explain()
        page = arrive(qtbot, window, ExplainPage)
        page.message.setPlainText("Could not load library cudnn64_9.dll. Error code 126")
        page.explain.click()
        if origin:
            button(page, origin).click()
        qtbot.waitUntil(lambda: bool(page.findChildren(CauseCard)), timeout=20_000)
        alone = "Judged by the text alone" in texts(page)
        assert alone != bool(window.flow.state.pasted)
        assert button(page, "It is from this computer" if alone else "It is from another computer")
        said = [one.text() for one in page.findChildren(QPushButton)]
        assert sum("is from" in text for text in said) == 1, said
        return page

    assert "Judged by the text alone" in texts(explained("It is from another computer"))
    page = explained("")
    assert "Judged by the text alone" in texts(page)
    button(page, "It is from this computer").click()
    qtbot.waitUntil(lambda: "Judged together" in texts(page))
    assert "Judged together" in texts(explained(""))


def test_the_computer_of_a_report_is_not_called_this_one(qtbot: QtBot, window: Window) -> None:
    seen = without_plan(think(golden("windows-zlibwapi-missing"), load_builtin()))
    start(qtbot, window)
    arrive(qtbot, window, OverviewPage)
    window.flow.show_foreign(seen)
    window.side_flows.show_explain()
    page = arrive(qtbot, window, ExplainPage)
    page.message.setPlainText(MESSAGE)
    button(page, "Explain").click()
    qtbot.waitUntil(lambda: bool(page.findChildren(CauseCard)), timeout=20_000)
    found = window.side_flows._session.explain(MESSAGE, seen)
    because = [reason for cause in found.causes for reason in cause.because]
    assert [one for one in because if one.startswith("The check found: ")]
    assert "this computer" not in "\n".join((texts(page), *because))
    assert button(page, "Show it in the overview")


def test_where_there_is_nothing_to_paste_what_was_typed_stays(qtbot: QtBot, window: Window) -> None:
    window.side_flows.show_explain()
    page = arrive(qtbot, window, ExplainPage)
    page.message.setPlainText("typed by hand")
    QApplication.clipboard().clear()
    button(page, "Paste").click()
    assert page.message.toPlainText() == "typed by hand"
    assert page.bar.isHidden(), "nothing is asked"
    button(page, "Paste").click()
    assert texts(page).count("There is no text to paste.") == 1


def test_a_log_that_was_copied_as_a_file_is_explained(
    qtbot: QtBot, window: Window, tmp_path: Path
) -> None:
    log = tmp_path / "train.log"
    log.write_text(MESSAGE)
    data = QMimeData()
    data.setUrls([QUrl.fromLocalFile(str(log))])
    QApplication.clipboard().setMimeData(data)
    window.side_flows.show_explain()
    page = arrive(qtbot, window, ExplainPage)
    button(page, "Paste").click()
    qtbot.waitUntil(lambda: bool(page.findChildren(CauseCard)), timeout=20_000)
    assert page.message.toPlainText() == MESSAGE, "and not its address"


@pytest.mark.parametrize("size", [10_001, 150_000, 5_000_000])
def test_an_endless_line_is_explained_without_being_laid_out(
    qtbot: QtBot, window: Window, size: int
) -> None:
    window.side_flows.show_explain()
    page = arrive(qtbot, window, ExplainPage)
    QApplication.clipboard().setText(f"{MESSAGE} {'x' * size}")
    button(page, "Paste").click()
    assert len(page.message.toPlainText()) < 5000
    assert "0.00" not in page.message.toPlainText()
    qtbot.waitUntil(lambda: bool(page.findChildren(CauseCard)), timeout=20_000)


def test_enter_in_the_message_is_a_new_line(qtbot: QtBot, window: Window) -> None:
    start(qtbot, window)
    arrive(qtbot, window, OverviewPage)
    qtbot.keyClick(window, Qt.Key.Key_E, Qt.KeyboardModifier.ControlModifier)
    page = arrive(qtbot, window, ExplainPage)
    qtbot.keyClicks(page.message, "one")
    qtbot.keyClick(page.message, Qt.Key.Key_Return)
    qtbot.keyClicks(page.message, "two")
    assert page.message.toPlainText() == "one\ntwo"


def test_an_unknown_message_says_so(qtbot: QtBot, window: Window) -> None:
    start(qtbot, window)
    arrive(qtbot, window, OverviewPage)
    window.side_flows.show_explain()
    page = arrive(qtbot, window, ExplainPage)
    page.message.setPlainText("how do I bake bread")
    button(page, "Explain").click()
    qtbot.waitUntil(lambda: "No known message" in texts(page))
    assert not page.findChildren(CauseCard)


def test_leaving_while_it_works_is_no_trouble(qtbot: QtBot, window: Window) -> None:
    start(qtbot, window)
    arrive(qtbot, window, OverviewPage)
    window.side_flows.show_explain()
    page = arrive(qtbot, window, ExplainPage)
    page.message.setPlainText(MESSAGE * 2000)
    button(page, "Explain").click()
    button(page, "Back").click()
    arrive(qtbot, window, OverviewPage)
    qtbot.wait(300)


def test_a_dropped_log_is_explained(qtbot: QtBot, window: Window, tmp_path: Path) -> None:
    log = tmp_path / "train.log"
    log.write_bytes(MESSAGE.encode("utf-16"))
    start(qtbot, window)
    arrive(qtbot, window, OverviewPage)
    drop(window, log)
    page = arrive(qtbot, window, ExplainPage)
    qtbot.waitUntil(lambda: bool(page.findChildren(CauseCard)))
    page.show_answer(Explanation(lines=(), causes=()))
    qtbot.waitUntil(lambda: not page.findChildren(CauseCard))
    drop(page.message, log)
    qtbot.waitUntil(lambda: bool(page.findChildren(CauseCard)))
    assert window.page is page


@pytest.mark.parametrize("meanwhile", [False, True], ids=["", "while the check runs"])
def test_a_dropped_report_is_another_computer(
    qtbot: QtBot, window: Window, world: World, tmp_path: Path, meanwhile: bool
) -> None:
    file = tmp_path / "report.md"
    compat = load_builtin()
    file.write_text(
        support_forms(think(computers.parent_folder(), compat), compat)("markdown"), "utf-8"
    )
    world.look = computers.works
    world.gate = threading.Event() if meanwhile else None
    start(qtbot, window)
    looking(qtbot, window) if meanwhile else arrive(qtbot, window, OverviewPage, "works")
    window.flow.state.pasted = "what was pasted for this computer"
    drop(window, tmp_path / "none")
    drop(window, file)
    page = arrive(qtbot, window, OverviewPage, "Windows can't find cuDNN 9.8")
    if world.gate is not None:
        world.gate.set()
    assert "of another computer" in texts(page)
    assert not window.flow.state.pasted
    assert "can be fixed here" not in texts(page)
    assert not [b for b in page.findChildren(QPushButton) if "Review" in b.text()]
    button(page, "Check again").click()
    result = arrive(qtbot, window, OverviewPage, "works")
    assert "another computer" not in texts(result)


def test_a_report_of_a_newer_program_is_shown_with_a_word_about_it(
    qtbot: QtBot, window: Window, world: World, tmp_path: Path
) -> None:
    file = tmp_path / "report.md"
    compat = load_builtin()
    written = support_forms(think(computers.parent_folder(), compat), compat)("markdown")
    file.write_text(written.replace('"schema": 1', '"schema": 9, "moon": "full"'), "utf-8")
    world.look = computers.works
    start(qtbot, window)
    arrive(qtbot, window, OverviewPage, "works")
    drop(window, file)
    page = arrive(qtbot, window, OverviewPage, "Windows can't find cuDNN 9.8")
    assert "made by a newer cuDNN Assistant" in texts(page)


def test_a_file_that_cannot_be_read_is_told(qtbot: QtBot, window: Window, tmp_path: Path) -> None:
    start(qtbot, window)
    arrive(qtbot, window, OverviewPage)
    drop(window, tmp_path)
    qtbot.waitUntil(lambda: f"{tmp_path} can't be opened" in texts(window.page))
    arrive(qtbot, window, OverviewPage, "Windows can't find")


@pytest.mark.parametrize("kind", ["missing", "folder", "damaged"])
def test_a_file_that_cannot_be_opened_at_the_start_gets_no_other_answer(
    qtbot: QtBot, world: World, tmp_path: Path, kind: str
) -> None:
    file = tmp_path / "report.md"
    if kind == "folder":
        file.mkdir()
    if kind == "damaged":
        compat = load_builtin()
        whole = support_forms(think(computers.parent_folder(), compat), compat)("markdown")
        file.write_text(whole.replace('"os":', '"os": 7, "x":'), "utf-8")
    window = Window(world.session(), world.open, str(file))
    qtbot.addWidget(window)
    start(qtbot, window)
    page = halted(qtbot, window, "This file can't be opened")
    assert str(file) in page.lead.text()
    qtbot.wait(200)
    assert world.looks == 0
    button(page, "Check again").click()
    arrive(qtbot, window, OverviewPage, "Windows can't find")


def test_a_cause_leads_to_its_row_and_its_remedy(qtbot: QtBot, window: Window) -> None:
    """From an error message to the change that helps."""
    start(qtbot, window)
    arrive(qtbot, window, OverviewPage)
    window.side_flows.show_explain()
    page = arrive(qtbot, window, ExplainPage)
    page.message.setPlainText("Could not load library cudnn64_9.dll. Error code 126")
    button(page, "Explain").click()
    qtbot.waitUntil(lambda: bool(page.findChildren(CauseCard)))
    button(page, "Show it in the overview").click()
    overview = arrive(qtbot, window, OverviewPage)
    opener = overview.cards["system"].opener
    assert opener is not None
    assert opener.open
    assert opener.hasFocus()
    window.side_flows.show_explain()
    page = arrive(qtbot, window, ExplainPage)
    page.message.setPlainText("Could not load library cudnn64_9.dll. Error code 126")
    button(page, "Explain").click()
    qtbot.waitUntil(lambda: bool(page.findChildren(CauseCard)))
    button(page, "Make it work").click()
    arrive(qtbot, window, ReviewPage)


def test_a_log_can_be_dropped_wherever_one_is(
    qtbot: QtBot, window: Window, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """On every part of every page that can be seen, also where text can be dropped."""
    taken: list[str] = []
    start(qtbot, window)
    arrive(qtbot, window, OverviewPage)
    monkeypatch.setattr(window.side_flows, "take_file", taken.append)
    log = tmp_path / "a log.txt"
    side, change = window.side_flows, window.flow.change
    ways: tuple[Callable[[], object], ...] = (
        window.flow.back, side.show_explain, side.show_watch, change.review,
    )  # fmt: skip
    for show in ways:
        show()
        page = window.page
        qtbot.waitUntil(page.isVisible)
        seen = [one for one in page.findChildren(QWidget) if one.isVisible() and one.isEnabled()]
        inside = [one for one in seen if window.rect().contains(one.mapTo(window, QPoint(1, 1)))]
        for target in inside:
            taken.clear()
            drop(target, log)
            assert taken == [str(log)], (type(page).__name__, type(target).__name__)
    assert window.page is page


def test_the_window_names_what_the_computer_filled_in(qtbot: QtBot) -> None:
    answers = Answers(print, print)
    qtbot.addWidget(answers)
    found = explain("CUDNN_STATUS_NOT_INITIALIZED", golden("linux-no-nvidia-gpu"))
    answers.show_answer(found, Here())
    assert basis(found) in texts(answers)
    assert "filled in: " in basis(found)
    answers.show_answer(explain("CUDNN_STATUS_NOT_INITIALIZED"), Here())
    assert "Judged by the text alone, not by a computer." in texts(answers)
