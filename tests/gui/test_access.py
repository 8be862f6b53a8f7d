"""Keyboard, screen reader, and less motion."""

from __future__ import annotations

from collections.abc import Iterator

import computers
import msgspec
import pictures
import pytest
from PySide6.QtCore import QEvent, QPointF, Qt, QTimer
from PySide6.QtGui import QAccessible, QColor, QMouseEvent, QPalette
from PySide6.QtWidgets import (
    QApplication,
    QProgressBar,
    QProxyStyle,
    QStyle,
    QStyleHintReturn,
    QStyleOption,
    QWidget,
)
from pytestqt.qtbot import QtBot
from test_flow import arrive, start, to_review
from world import World

from cudnn_assistant.gui import theme
from cudnn_assistant.gui.chain_picture import ChainPicture
from cudnn_assistant.gui.diff_list import DiffList
from cudnn_assistant.gui.disclosure import DisclosureArrow
from cudnn_assistant.gui.overview import OverviewPage
from cudnn_assistant.gui.page import Page, Steps
from cudnn_assistant.gui.review import ReviewPage
from cudnn_assistant.gui.text_widgets import Title, tell_roles
from cudnn_assistant.gui.widgets import Mark, ShareBar
from cudnn_assistant.gui.window import Window
from cudnn_assistant.session.events import PartLooked

STATES = dict(pictures.states())


@pytest.fixture
def reader(qapp: QApplication) -> Iterator[None]:
    """A screen reader is listening."""
    QAccessible.setActive(True)
    yield
    QAccessible.setActive(False)


class Still(QProxyStyle):
    """A style of a system that asks for no motion."""

    def styleHint(  # noqa: N802
        self,
        hint: QStyle.StyleHint,
        option: QStyleOption | None = None,
        widget: QWidget | None = None,
        returnData: QStyleHintReturn | None = None,  # noqa: N803
    ) -> int:
        if hint == QStyle.StyleHint.SH_Widget_Animation_Duration:
            return 0
        return int(super().styleHint(hint, option, widget, returnData))


@pytest.fixture
def still(qapp: QApplication) -> Iterator[None]:
    name = qapp.style().name()
    qapp.setStyle(Still(name))
    yield
    qapp.setStyle(name)


def named(widget: QWidget) -> str:
    interface = QAccessible.queryAccessibleInterface(widget)
    return str(interface.text(QAccessible.Text.Name))


def test_the_title_is_first_for_a_screen_reader(qtbot: QtBot, window: Window, reader: None) -> None:
    start(qtbot, window)
    page = arrive(qtbot, window, OverviewPage)
    assert page.title.hasFocus()
    assert page.title.focusPolicy() == Qt.FocusPolicy.TabFocus
    assert named(page.title) == page.title.text()


def test_without_a_screen_reader_tab_passes_the_title_by(qtbot: QtBot, window: Window) -> None:
    start(qtbot, window)
    page = arrive(qtbot, window, OverviewPage)
    assert not page.title.focusPolicy() & Qt.FocusPolicy.TabFocus
    assert page.buttons.primary is not None
    assert page.buttons.primary.hasFocus()


def test_lines_of_a_change_are_read_with_their_sign(qtbot: QtBot, reader: None) -> None:
    page = STATES["review-variable"]()
    qtbot.addWidget(page)
    page.show()
    pictures.opened(page)
    view = page.findChild(DiffList)
    assert view is not None
    interface = QAccessible.queryAccessibleInterface(view)
    said = [interface.child(n).text(QAccessible.Text.Name) for n in range(interface.childCount())]
    assert said[0] == f"Added: {computers.BIN}, added, first"
    assert said[-1] == "5 more, unchanged"


def test_marks_and_steps_are_read_as_words(qtbot: QtBot) -> None:
    page = STATES["overview-path"]()
    qtbot.addWidget(page)
    page.show()
    mark, steps = page.findChild(Mark), page.findChild(Steps)
    assert mark is not None
    assert steps is not None
    assert named(mark) == "Problem"
    assert named(steps) == "Step 2 of 4: Problems"


def test_tab_walks_in_reading_order(qtbot: QtBot, window: Window, world: World) -> None:
    start(qtbot, window)
    page = arrive(qtbot, window, OverviewPage)
    assert page.buttons.primary is not None
    page.buttons.primary.setFocus()
    names = []
    for _press in range(10):
        qtbot.keyClick(QApplication.focusWidget(), Qt.Key.Key_Tab)
        focus = QApplication.focusWidget()
        names.append(focus.accessibleName() or focus.text())
    assert names == [
        "Menu",
        "A program gave me a message…",
        "Watch a program…",
        "Details: Programs of this system",
        "Why we think so: Windows can't find cuDNN 9.8",
        rf"Show: Parts of the copy in {computers.BIN}",
        "Show: Memory of the GPU",
        "&Save report…",
        "Check &again",
        "&Make it work",
    ]


def test_review_is_walked_by_keys_alone(qtbot: QtBot, window: Window, world: World) -> None:
    start(qtbot, window)
    arrive(qtbot, window, OverviewPage)
    qtbot.keyClick(window, Qt.Key.Key_M, Qt.KeyboardModifier.AltModifier)
    review = arrive(qtbot, window, ReviewPage)
    opener = review.cards[0].opener
    assert QApplication.focusWidget() is opener
    assert opener.open, "one change alone is shown whole"
    qtbot.keyClick(QApplication.focusWidget(), Qt.Key.Key_Tab)
    assert isinstance(QApplication.focusWidget(), DiffList)
    assert review.cards[0].list is not None
    assert review.cards[0].list.currentRow() == 0, "the focus can be seen at once"
    qtbot.keyClick(QApplication.focusWidget(), Qt.Key.Key_Down)
    assert review.cards[0].list.currentRow() == 1
    qtbot.keyClick(window, Qt.Key.Key_B, Qt.KeyboardModifier.AltModifier)
    arrive(qtbot, window, OverviewPage)
    qtbot.keyClick(QApplication.focusWidget(), Qt.Key.Key_Return)
    arrive(qtbot, window, ReviewPage)
    qtbot.keyClick(window, Qt.Key.Key_M, Qt.KeyboardModifier.AltModifier)
    arrive(qtbot, window, OverviewPage, "works")
    assert computers.BIN in world.folders()


@pytest.mark.parametrize("key", [Qt.Key.Key_Space, Qt.Key.Key_Return, Qt.Key.Key_Enter])
def test_details_open_by_a_key_and_stay_one_tab_away(
    qtbot: QtBot, window: Window, key: Qt.Key
) -> None:
    start(qtbot, window)
    page = arrive(qtbot, window, OverviewPage)
    arrow = next(a for a in page.findChildren(DisclosureArrow) if not a.open)
    arrow.setFocus()
    qtbot.keyClick(arrow, key)
    assert arrow.open
    assert window.page is page
    qtbot.keyClick(arrow, Qt.Key.Key_Tab)
    assert QApplication.focusWidget().accessibleName() == arrow.accessibleName()


FOCUS = {
    "overview-works": "&Close",
    "overview-impossible": "&Close",
    "overview-driver-task": "Open NVIDIA's driver page",
    "overview-not-helped": "&Save report…",
}


@pytest.mark.parametrize("name", FOCUS)
def test_focus_lands_on_the_way_on(qtbot: QtBot, name: str) -> None:
    page = STATES[name]()
    qtbot.addWidget(page)
    assert isinstance(page, Page)
    page.show()
    page.settle()
    assert page.focusWidget().text() == FOCUS[name]  # type: ignore[attr-defined]


@pytest.mark.parametrize("background", ["#efefef", "#ffffff", "#202020", "#323232", "#000000"])
def test_the_focus_frame_stands_out(qapp: QApplication, background: str) -> None:
    dark = QColor(background).lightnessF() < 0.5
    palette = pictures.dark_palette() if dark else QApplication.palette()
    palette.setColor(QPalette.ColorRole.Window, QColor(background))
    assert theme.contrast(theme.focus_colour(palette), QColor(background)) >= 3


def test_focus_by_tab_is_drawn_around_arrows_and_buttons(qtbot: QtBot, window: Window) -> None:
    start(qtbot, window)
    page = arrive(qtbot, window, OverviewPage)
    arrow = page.findChild(DisclosureArrow)
    assert arrow is not None
    assert page.buttons.primary is not None
    for target in (arrow, page.buttons.primary):
        widget: QWidget = target
        page.title.window().setFocus()
        before = widget.grab().toImage()
        for _press in range(20):
            if not widget.hasFocus():
                qtbot.keyClick(QApplication.focusWidget() or window, Qt.Key.Key_Tab)
        assert widget.hasFocus()
        after = widget.grab().toImage()
        middle = before.height() // 2
        columns = range(4)
        assert sum(before.pixel(x, middle) != after.pixel(x, middle) for x in columns) >= 2


def moves(mark: Mark) -> bool:
    return any(timer.isActive() for timer in mark.findChildren(QTimer))


def test_nothing_moves_where_motion_is_unwanted(qtbot: QtBot, still: None) -> None:
    assert not theme.motion()
    page = STATES["overview-testing"]()
    qtbot.addWidget(page)
    page.show()
    marks = [mark for mark in page.findChildren(Mark) if mark.look == "busy"]
    assert marks
    assert not any(map(moves, marks))
    waiting = ShareBar("busy", share=False)
    qtbot.addWidget(waiting)
    assert waiting.maximum() > 0, "a bar without an end is one in motion"


def test_things_move_by_default(qtbot: QtBot) -> None:
    page = STATES["overview-testing"]()
    qtbot.addWidget(page)
    assert any(map(moves, page.findChildren(Mark)))
    waiting = ShareBar("busy", share=False)
    qtbot.addWidget(waiting)
    assert waiting.maximum() == 0


def test_roles_are_what_they_are(qtbot: QtBot, qapp: QApplication) -> None:
    tell_roles()
    page = STATES["overview-path-open"]()
    qtbot.addWidget(page)
    page.show()

    def role(kind: type[QWidget]) -> QAccessible.Role:
        widget = page.findChild(kind)
        assert widget is not None
        return QAccessible.queryAccessibleInterface(widget).role()

    assert role(Title) == QAccessible.Role.Heading
    assert role(Mark) == QAccessible.Role.Graphic
    assert role(ChainPicture) == QAccessible.Role.Graphic
    assert role(QProgressBar) == QAccessible.Role.ProgressBar
    assert role(DisclosureArrow) == QAccessible.Role.Button
    arrow = page.findChild(DisclosureArrow)
    assert arrow is not None
    assert arrow.accessibleDescription() == "open"


def test_the_pictures_are_read_as_sentences(qtbot: QtBot) -> None:
    page = STATES["overview-path-open"]()
    qtbot.addWidget(page)
    said = [one.accessibleDescription() for one in page.findChildren(QWidget)]
    assert any("It breaks between cuDNN and Programs." in text for text in said)
    assert any("11 folders are searched, none with cuDNN in it" in text for text in said)
    assert any("cudnn: there, cudnn_graph: there" in text for text in said)
    assert any("10.2 of 12.0 GB are free." in text for text in said)


def test_a_part_of_the_check_is_announced_once_and_as_it_begins(
    qtbot: QtBot, reader: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    heard: list[str] = []
    monkeypatch.setattr(QAccessible, "updateAccessibility", lambda e: heard.append(e.message()))
    page = OverviewPage()
    qtbot.addWidget(page)
    machine = msgspec.structs.replace(computers.pythons(), trials=())
    for done in (False, True):
        page.hear(PartLooked("cuda", done, machine))
    assert heard == ["Looking for CUDA…"]


def test_what_has_happened_is_said_after_the_answer(
    qtbot: QtBot, window: Window, world: World, reader: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    heard: list[str] = []
    monkeypatch.setattr(QAccessible, "updateAccessibility", lambda e: heard.append(e.message()))
    world.settings.refuses.add("user")
    to_review(qtbot, window).maker.click()
    review = arrive(qtbot, window, ReviewPage, "1 change")
    qtbot.waitUntil(lambda: heard[-1].startswith("Windows did not allow the change"))
    assert heard[-2] == f"{review.title.text()}. {review.lead.text()}"
    world.settings.refuses.clear()
    review.maker.click()
    arrive(qtbot, window, OverviewPage, "works")
    qtbot.waitUntil(lambda: heard[-1].startswith("Close and open again the terminals"))
    assert heard[-2].startswith("Done: Let Windows look in this folder first")


def test_a_double_click_opens_details_and_leaves_them_open(qtbot: QtBot) -> None:
    page = STATES["overview-works"]()
    qtbot.addWidget(page)
    page.show()
    arrow = page.findChild(DisclosureArrow)
    assert arrow is not None
    left, at = Qt.MouseButton.LeftButton, QPointF(arrow.rect().center())
    second = QEvent.Type.MouseButtonDblClick
    # As a display sends it; the one that Qt's tests send has a press more.
    qtbot.mouseClick(arrow, left)
    event = QMouseEvent(second, at, at, left, left, Qt.KeyboardModifier.NoModifier)
    QApplication.sendEvent(arrow, event)
    qtbot.mouseRelease(arrow, left)
    assert arrow.open
