"""Qt's own words follow the language that the person has chosen, at once."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from PySide6.QtCore import QDate, QLocale
from PySide6.QtWidgets import QDialogButtonBox
from pytestqt.qtbot import QtBot

from cudnn_assistant import wording
from cudnn_assistant.gui import qt_language
from cudnn_assistant.wording import language


@pytest.fixture(autouse=True)
def _english_afterwards(qtbot: QtBot) -> Iterator[None]:
    yield
    wording.choose([])
    qt_language.follow()


@pytest.mark.parametrize(
    ("name", "cancel", "month"),
    [("de", "Abbrechen", "März"), ("fr", "Annuler", "mars"), ("ja", "キャンセル", "3月")],
)
def test_a_button_and_a_date_of_qt_are_in_that_language(
    qtbot: QtBot, name: str, cancel: str, month: str
) -> None:
    language.choose([name])
    qt_language.follow()
    box = QDialogButtonBox(QDialogButtonBox.StandardButton.Cancel)
    qtbot.addWidget(box)
    assert box.button(QDialogButtonBox.StandardButton.Cancel).text().replace("&", "") == cancel
    assert QLocale().toString(QDate(2026, 3, 1), "MMMM") == month
    language.choose(["en"])
    qt_language.follow()
    again = QDialogButtonBox(QDialogButtonBox.StandardButton.Cancel)
    qtbot.addWidget(again)
    assert again.button(QDialogButtonBox.StandardButton.Cancel).text().replace("&", "") == "Cancel"
