"""Colours can be read, icons take them, and what the system asks for is followed."""

from __future__ import annotations

import pictures
import pytest
from PySide6.QtGui import QColor, QImage, QPainter, QPalette
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from cudnn_assistant.gui import theme
from cudnn_assistant.gui.report_view import ReportView
from cudnn_assistant.gui.review import ReviewPage
from cudnn_assistant.places import resource

LIGHT_GROUNDS = ("#efefef", "#f3f3f3", "#fafafa", "#ffffff")
DARK_GROUNDS = ("#202020", "#1e1e1e", "#2d2d2d", "#323232", "#3c3c3c")


def palette(window: str, text: str, base: str) -> QPalette:
    made = QPalette(QColor(window))
    made.setColor(QPalette.ColorRole.Window, QColor(window))
    made.setColor(QPalette.ColorRole.WindowText, QColor(text))
    made.setColor(QPalette.ColorRole.Base, QColor(base))
    return made


GROUNDS = [
    *((ground, "#101010", "#ffffff") for ground in LIGHT_GROUNDS),
    *((ground, "#f0f0f0", "#242424") for ground in DARK_GROUNDS),
]


def test_the_formula_is_that_of_wcag() -> None:
    assert theme.contrast(QColor("black"), QColor("white")) == pytest.approx(21)
    assert theme.contrast(QColor("#777777"), QColor("white")) == pytest.approx(4.478, abs=0.01)


def test_design_figures_are_as_stated() -> None:
    light = [theme.contrast(QColor(c), QColor("#EFEFEF")) for c in theme.LIGHT.values()]
    dark = [theme.contrast(QColor(c), QColor("#202020")) for c in theme.DARK.values()]
    assert light == pytest.approx([4.7, 5.6, 5.7], abs=0.1)
    assert dark == pytest.approx([8.0, 12.3, 8.0], abs=0.1)


@pytest.mark.parametrize(("window", "text", "base"), GROUNDS)
def test_every_status_and_quiet_text_can_be_read(
    qapp: QApplication, window: str, text: str, base: str
) -> None:
    made = palette(window, text, base)
    for ground in (made.window().color(), theme.card(made)):
        for look in ("ok", "note", "bad", "unknown"):
            assert theme.contrast(theme.status(look, made), ground) >= 4.5, (look, ground.name())
        assert theme.contrast(theme.muted(made), ground) >= 4.5


@pytest.mark.parametrize(("window", "text"), [("#000000", "#ffffff"), ("#ffffff", "#000000")])
def test_high_contrast_drops_the_colours(qapp: QApplication, window: str, text: str) -> None:
    made = palette(window, text, window)
    assert theme.high_contrast(made)
    for look in ("ok", "note", "bad", "unknown", "busy"):
        assert theme.status(look, made).name() == text
    assert theme.muted(made).name() == text
    assert theme.hairline(made).name() == text


@pytest.mark.parametrize(("window", "text", "base"), GROUNDS)
def test_a_usual_palette_is_not_high_contrast(
    qapp: QApplication, window: str, text: str, base: str
) -> None:
    assert not theme.high_contrast(palette(window, text, base))


STATUS_ICONS = ("ok", "note", "bad", "unknown", "info", "wait", "busy", "next", "none", "shield")


@pytest.mark.parametrize("name", STATUS_ICONS)
def test_icons_are_drawn_in_the_colour_given(qapp: QApplication, name: str) -> None:
    image = QImage(48, 48, QImage.Format.Format_ARGB32)
    image.fill(QColor("white"))
    drawing = theme.drawing(name, "#b3261e", "white")
    assert drawing.isValid()
    painter = QPainter(image)
    drawing.render(painter)
    painter.end()
    seen = {image.pixelColor(x, y).name() for x in range(48) for y in range(48)}
    assert len(seen) > 1
    assert "#000000" not in seen
    reddest = min(seen, key=lambda c: QColor(c).greenF())
    assert QColor(reddest).redF() > QColor(reddest).greenF()


def test_app_icon_is_a_picture(qapp: QApplication) -> None:
    assert resource("icons/app.svg").is_file()
    assert not theme.app_icon().pixmap(64, 64).isNull()


def test_fonts_follow_the_application(qapp: QApplication) -> None:
    font = qapp.font()
    for size in (9.0, 13.5, 18.0):
        font.setPointSizeF(size)
        qapp.setFont(font)
        assert theme.font(1.6).pointSizeF() == pytest.approx(1.6 * size)
    font.setPixelSize(20)
    qapp.setFont(font)
    assert theme.font(1.5).pixelSize() == 30


def test_the_marks_of_a_report_follow_another_theme(qapp: QApplication, qtbot: QtBot) -> None:
    view = ReportView("a ***")
    qtbot.addWidget(view)
    view.show()
    qapp.setPalette(pictures.dark_palette())
    QApplication.processEvents()
    (mark,) = view.document().firstBlock().layout().formats()
    ground = mark.format.background().color()
    assert theme.contrast(view.palette().text().color(), ground) >= 4.5


def test_the_shield_of_a_button_follows_another_theme(qapp: QApplication, qtbot: QtBot) -> None:
    checkup = pictures.of("stale_and_parent")
    page = ReviewPage(pictures.proposal(checkup, pictures.everybody(checkup)))
    qtbot.addWidget(page)
    page.show()
    before = page.maker.icon().cacheKey()
    qapp.setPalette(pictures.dark_palette())
    QApplication.processEvents()
    assert page.maker.icon().cacheKey() != before
