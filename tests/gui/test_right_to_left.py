"""Where reading begins at the right, pages, pictures and lists are mirrored; paths are not."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from machines.computers import golden
from PySide6.QtCore import QPoint, QSize, Qt
from PySide6.QtGui import QFont, QGuiApplication, QImage
from PySide6.QtWidgets import QApplication, QWidget
from pytestqt.qtbot import QtBot

from cudnn_assistant.feed import load_builtin
from cudnn_assistant.gui.answer import Shown
from cudnn_assistant.gui.chain_picture import ChainPicture
from cudnn_assistant.gui.diff_list import DiffList
from cudnn_assistant.gui.overview import OverviewPage
from cudnn_assistant.gui.snapshot_pictures import RungMark
from cudnn_assistant.gui.text_widgets import wrapped
from cudnn_assistant.plan import ChangeLine
from cudnn_assistant.session.checkup import think


@pytest.fixture(params=[Qt.LayoutDirection.LeftToRight, Qt.LayoutDirection.RightToLeft])
def mirrored(request: pytest.FixtureRequest, qapp: QApplication) -> Iterator[bool]:
    qapp.setLayoutDirection(request.param)
    yield request.param == Qt.LayoutDirection.RightToLeft
    qapp.setLayoutDirection(Qt.LayoutDirection.LeftToRight)


def reddish(picture: QWidget) -> float:
    """Where the middle of what is red lies, from left (0) to right (1)."""
    image: QImage = picture.grab().toImage()
    red = [
        x
        for x in range(image.width())
        for y in range(image.height())
        if image.pixelColor(x, y).red() > image.pixelColor(x, y).green() + 60
    ]
    return sum(red) / len(red) / image.width()


def test_the_overview_is_mirrored(qtbot: QtBot, mirrored: bool) -> None:
    page = OverviewPage()
    qtbot.addWidget(page)
    page.resize(QSize(820, 640))
    page.show()
    page.show_answer(Shown(think(golden("windows-cudnn-not-on-path"), load_builtin())))
    QApplication.processEvents()
    chain, rung = page.findChild(ChainPicture), page.findChild(RungMark)
    assert chain is not None
    assert rung is not None
    # The last station, the programs, is the one that nothing reaches.
    assert (reddish(chain) < 0.5) is mirrored
    at_right = rung.mapTo(page, QPoint()).x() > page.width() / 2
    assert at_right is mirrored
    assert page.buttons.primary is not None
    assert (page.buttons.primary.x() < page.width() / 2) is mirrored


def test_the_lines_of_a_change_are_mirrored(qtbot: QtBot, mirrored: bool) -> None:
    listed = DiffList([ChangeLine(sign="-", text="/opt/stub")], "x")
    qtbot.addWidget(listed)
    listed.resize(500, 60)
    listed.show()
    QApplication.processEvents()
    assert (reddish(listed) > 0.5) is mirrored


def test_a_path_keeps_its_own_direction(mirrored: bool, our_font: QFont) -> None:
    lines = wrapped("/opt/cudnn", our_font, 400)
    line = lines.lineAt(0)
    assert (line.naturalTextRect().left() > 200) is mirrored
    assert line.xToCursor(line.naturalTextRect().left()) == 0, "it begins at its left end"
    assert QGuiApplication.isRightToLeft() is mirrored
