"""Ways out that the person goes: links, commands to copy, and what fits together."""

from __future__ import annotations

from pathlib import Path

import computers
import pytest
from PySide6.QtCore import QEvent
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot
from test_flow import arrive, button, start, texts
from world import World

from cudnn_assistant.compat import recommend
from cudnn_assistant.feed import load_builtin
from cudnn_assistant.finding import Finding, Manual, Unknown
from cudnn_assistant.gui.answer import Shown
from cudnn_assistant.gui.disclosure import Link
from cudnn_assistant.gui.overview import OverviewPage
from cudnn_assistant.gui.recommendation_card import RecommendationCard, recommended_set
from cudnn_assistant.gui.widgets import CopyButton, Mark
from cudnn_assistant.gui.window import Window
from cudnn_assistant.plan import Plan
from cudnn_assistant.session.checkup import Checkup
from cudnn_assistant.wording.recommendation import lines


def advice(page: OverviewPage) -> list[RecommendationCard]:
    return page.findChildren(RecommendationCard)


def test_a_driver_that_is_too_old_need_not_be_replaced(
    qtbot: QtBot, window: Window, world: World
) -> None:
    world.look = computers.old_driver
    start(qtbot, window)
    (card,) = advice(arrive(qtbot, window, OverviewPage))
    said = texts(card)
    assert "Or keep the driver you have" in said
    assert "551.61 is enough" in said
    found = recommend(computers.old_driver(), load_builtin())
    told = {one.label: one for one in lines(found)}
    cudnn = told["cuDNN"]
    assert told["CUDA"].text in said
    # The file by its name; its address is behind the link.
    assert cudnn.text.replace(cudnn.link, cudnn.link.rpartition("/")[2]) in said
    assert cudnn.link not in said
    # Nothing of it was tested: nothing of it is green.
    assert card.findChildren(Mark) == []


def test_without_a_driver_it_says_which_one(qtbot: QtBot, window: Window, world: World) -> None:
    world.look = computers.no_driver
    start(qtbot, window)
    (card,) = advice(arrive(qtbot, window, OverviewPage))
    assert "What to get, so that all of it fits together" in texts(card)
    assert "or newer" in texts(card)


@pytest.mark.parametrize("look", [computers.parent_folder, computers.mismatch])
def test_no_download_no_advice(qtbot: QtBot, window: Window, world: World, look: object) -> None:
    world.look = look  # type: ignore[assignment]
    start(qtbot, window)
    assert advice(arrive(qtbot, window, OverviewPage)) == []


def test_a_driver_to_be_mended_is_no_question_of_versions() -> None:
    machine, compat = computers.works(), load_builtin()

    def fits(subject: str) -> object:
        return recommend(machine, compat, subject)

    link = "https://www.nvidia.com/en-us/drivers/"
    damaged = Finding(code="driver-damaged", severity="error", remedy=Manual(link=link))
    assert recommended_set(damaged, fits) is None  # type: ignore[arg-type]
    assert recommended_set(Finding(code="x", severity="error", remedy=Unknown()), fits) is None  # type: ignore[arg-type]


def test_a_link_that_no_browser_opens_is_shown(qtbot: QtBot, window: Window, world: World) -> None:
    world.look, world.browser = computers.old_driver, False
    start(qtbot, window)
    arrive(qtbot, window, OverviewPage).buttons.primary.click()  # type: ignore[union-attr]
    result = arrive(qtbot, window, OverviewPage)
    assert "No browser could be opened. The address is https://www.nvidia.com" in texts(result)
    file = next(one for one in result.findChildren(Link) if one.text() == "Open NVIDIA's download")
    file.click()
    assert f"The address is {world.links[-1]}" in texts(result)
    assert world.links[-1].endswith(".zip")


def to_task(qtbot: QtBot, window: Window) -> OverviewPage:
    start(qtbot, window)
    arrive(qtbot, window, OverviewPage).buttons.primary.click()  # type: ignore[union-attr]
    return arrive(qtbot, window, OverviewPage)


def test_a_restart_brings_the_window_back_only_if_asked(
    qtbot: QtBot, window: Window, world: World
) -> None:
    world.look = computers.old_driver
    page = to_task(qtbot, window)
    assert not page.box.isChecked()
    assert not world.again.there()
    page.box.click()
    assert "--window" in Path(world.again.path).read_text()
    page.buttons.primary.click()  # type: ignore[union-attr]
    assert page.box.isChecked()
    page.box.click()
    assert not world.again.there()


def test_where_a_restart_is_all_it_is_asked_at_once(
    qtbot: QtBot, window: Window, world: World
) -> None:
    world.look = computers.mismatch
    start(qtbot, window)
    page = arrive(qtbot, window, OverviewPage)
    page.box.click()
    assert world.again.there()
    page.box.click()
    assert not world.again.there()


def test_what_was_asked_for_is_gone_when_the_window_starts(
    qtbot: QtBot, window: Window, world: World
) -> None:
    world.again.put(["x"])
    start(qtbot, window)
    arrive(qtbot, window, OverviewPage)
    assert not world.again.there()


def test_a_start_that_can_not_be_arranged_is_said(
    qtbot: QtBot, window: Window, world: World, tmp_path: Path
) -> None:
    world.look = computers.old_driver
    (tmp_path / ".config").write_text("in the way")
    page = to_task(qtbot, window)
    page.box.click()
    assert "The start after the restart could not be arranged" in texts(page)
    assert not page.box.isChecked()


def test_commands_are_copied_and_it_says_so(qtbot: QtBot, window: Window, world: World) -> None:
    asks = Manual(commands=("sudo modprobe nvidia", "sudo modprobe nvidia-uvm"))
    page = _with(Finding(code="driver-module-not-loaded", severity="error", remedy=asks))
    qtbot.addWidget(page)
    copy = page.findChild(CopyButton)
    assert copy is not None
    copy.click()
    assert QGuiApplication.clipboard().text() == "\n".join(asks.commands)
    assert copy.text() == "Copied"
    qtbot.waitUntil(lambda: copy.text() == "Copy")


def _with(finding: Finding) -> OverviewPage:
    machine = computers.mismatch()
    page = OverviewPage()
    seen = Checkup(machine=machine, findings=(finding,), verdict="broken", plan=Plan())
    page.show_answer(Shown(seen))
    return page


def test_coming_back_from_the_page_goes_on_by_itself(
    qtbot: QtBot, window: Window, world: World
) -> None:
    world.look = computers.no_driver_on_a_server
    start(qtbot, window)
    arrive(qtbot, window, OverviewPage).buttons.primary.click()  # type: ignore[union-attr]
    assert button(arrive(qtbot, window, OverviewPage), "Open NVIDIA's driver page")
    world.installed, world.look = 1, computers.works
    QApplication.sendEvent(window, QEvent(QEvent.Type.WindowActivate))
    arrive(qtbot, window, OverviewPage, "works")
