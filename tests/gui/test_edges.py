"""What is typed into, chosen from or pressed has an edge that is seen, in high contrast as well."""

from __future__ import annotations

import ast
from collections.abc import Callable
from pathlib import Path

import pictures
import pytest
from PySide6 import QtWidgets
from PySide6.QtCore import QPoint, QRect
from PySide6.QtGui import QImage, QPainter, QPalette
from PySide6.QtWidgets import (
    QAbstractButton,
    QAbstractScrollArea,
    QApplication,
    QCheckBox,
    QComboBox,
    QLineEdit,
    QListWidget,
    QMenu,
    QPlainTextEdit,
    QProgressBar,
    QPushButton,
    QScrollBar,
    QStyle,
    QStyleOptionButton,
    QStyleOptionSlider,
    QStyleOptionViewItem,
    QTreeWidget,
    QWidget,
)
from pytestqt.qtbot import QtBot

import cudnn_assistant.gui
from cudnn_assistant.gui import theme
from cudnn_assistant.gui.message import Message
from cudnn_assistant.gui.report_view import PastedLines, ReportView
from cudnn_assistant.gui.text_widgets import Listing
from cudnn_assistant.gui.widgets import ShareBar
from cudnn_assistant.gui.window import Window
from cudnn_assistant.session import Session

STATES = dict(pictures.states())
WORDLESS = ("box to tick", "box in a list", "line to type in", "message", "report")
FIELDS: dict[str, tuple[str, type[QWidget]]] = {
    "line to type in": ("watch-empty", QLineEdit),
    "choice": ("dialog-settings", QComboBox),
    "box to tick": ("dialog-settings", QCheckBox),
    "folders": ("dialog-settings", QListWidget),
    "button": ("dialog-settings", QPushButton),
    "changes": ("dialog-history", QTreeWidget),
    "report": ("dialog-report", ReportView),
    "lines of a message": ("dialog-report-pasted", PastedLines),
    "box in a list": ("dialog-report-pasted", PastedLines),
    "message": ("explain-empty", Message),
    "progress": ("review-making", ShareBar),
    "memory": ("overview-memory-open", QProgressBar),
    "place in a long text": ("dialog-report", QScrollBar),
    "command to copy": ("overview-two-open", Listing),
    "menu": ("menu", QMenu),
}
EDGELESS = {"QScrollArea", "QToolButton", "QHeaderView"}
"""A page, which is the whole window, links, and the head inside of a table."""


def box_of(field: QWidget, name: str) -> QRect:
    """Where its edge is to be, in its own coordinates."""
    style, element = field.style(), QStyle.SubElement
    if isinstance(field, QCheckBox):
        option = QStyleOptionButton()
        field.initStyleOption(option)
        return style.subElementRect(element.SE_CheckBoxIndicator, option, field)
    if isinstance(field, QScrollBar):
        slider = QStyleOptionSlider()
        field.initStyleOption(slider)
        bar, part = QStyle.ComplexControl.CC_ScrollBar, QStyle.SubControl.SC_ScrollBarSlider
        return style.subControlRect(bar, slider, part, field)
    if isinstance(field, PastedLines) and name in WORDLESS:
        item, first = QStyleOptionViewItem(), field.model().index(0, 0)
        field.initViewItemOption(item)
        field.itemDelegate().initStyleOption(item, first)
        item.rect = field.visualRect(first)
        place = style.subElementRect(element.SE_ItemViewItemCheckIndicator, item, field)
        return place.translated(field.viewport().pos())
    return field.rect()


def shown(qtbot: QtBot, name: str) -> tuple[QWidget, QWidget, QRect]:
    """The page, which lives as long as it is held, a field on it and where its edge is to be."""
    state, kind = FIELDS[name]
    if state == "menu":
        window = Window(Session())
        qtbot.addWidget(window)
        window.menu.resize(window.menu.sizeHint())
        return window, window.menu, window.menu.rect()
    page = STATES[state]()
    qtbot.addWidget(page)
    page.resize(page.sizeHint().expandedTo(pictures.WIDE) if page.inherits("Page") else page.size())
    page.show()
    for _turn in range(3):
        QApplication.processEvents()
    field = next(one for one in page.findChildren(kind) if one.isVisible())
    return page, field, box_of(field, name)


def drawn(field: QWidget, ratio: float) -> QImage:
    image = QImage(field.size() * ratio, QImage.Format.Format_RGB32)
    image.setDevicePixelRatio(ratio)
    image.fill(field.palette().window().color())
    painter = QPainter(image)
    field.render(painter, QPoint())
    painter.end()
    return image


def assert_edge_is_seen(_page: QWidget, field: QWidget, box: QRect) -> None:
    ground = field.palette().window().color()
    for ratio in (1.0, 1.5):
        image = drawn(field, ratio)
        left, top = (int(at * ratio) for at in (box.left(), box.top()))
        right, bottom = (int((at + 1) * ratio) - 1 for at in (box.right(), box.bottom()))
        x, y = (left + right) // 2, (top + bottom) // 2
        inward = QPoint(1, 0), QPoint(-1, 0), QPoint(0, 1), QPoint(0, -1)
        edges = QPoint(left, y), QPoint(right, y), QPoint(x, top), QPoint(x, bottom)
        for at, step in zip(edges, inward, strict=True):
            # Half of a pixel belongs to the next one.
            seen = (at, at + step) if ratio > 1 else (at,)
            assert any(theme.contrast(image.pixelColor(p), ground) >= 3 for p in seen), (ratio, at)


@pytest.mark.parametrize("palette", [pictures.contrast_palette, pictures.contrast_light_palette])
@pytest.mark.parametrize("name", FIELDS)
def test_edges_are_seen_in_high_contrast(
    qtbot: QtBot, qapp: QApplication, palette: Callable[[], QPalette], name: str
) -> None:
    qapp.setPalette(palette())
    assert_edge_is_seen(*shown(qtbot, name))


@pytest.mark.parametrize("name", WORDLESS)
def test_boxes_and_fields_are_seen_in_the_dark(qtbot: QtBot, qapp: QApplication, name: str) -> None:
    qapp.setPalette(pictures.dark_palette())
    assert_edge_is_seen(*shown(qtbot, name))


@pytest.mark.parametrize("palette", [pictures.contrast_palette, pictures.dark_palette])
@pytest.mark.parametrize("name", ["line to type in", "message"])
def test_a_field_is_seen_to_have_the_focus(
    qtbot: QtBot, qapp: QApplication, palette: Callable[[], QPalette], name: str
) -> None:
    qapp.setPalette(palette())
    _page, field, _box = shown(qtbot, name)
    field.setFocus()
    qtbot.waitUntil(field.hasFocus)
    assert field.grab().toImage().pixelColor(0, 9) == field.palette().highlight().color()


def test_every_kind_of_field_is_looked_at() -> None:
    edged = (QAbstractButton, QAbstractScrollArea, QComboBox, QLineEdit, QMenu, QProgressBar)
    kinds = {kind.__name__ for _state, kind in FIELDS.values()}
    kinds |= {base.__name__ for _state, kind in FIELDS.values() for base in kind.mro()}
    used = {
        alias.name
        for file in Path(cudnn_assistant.gui.__file__).parent.glob("*.py")
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8")))
        if isinstance(node, ast.ImportFrom) and node.module == "PySide6.QtWidgets"
        for alias in node.names
        if issubclass(getattr(QtWidgets, alias.name), edged)
    }
    assert QPlainTextEdit.__name__ in used
    assert used - kinds - EDGELESS == set()
