"""Each golden computer on the pages it leads to: nothing cut, nothing nameless, no falling over."""

from __future__ import annotations

import pytest
import speech
from machines.computers import NAMES, golden
from PySide6.QtCore import QSize
from PySide6.QtWidgets import QApplication, QWidget
from pytestqt.qtbot import QtBot
from test_pages import cut

from cudnn_assistant.feed import load_builtin
from cudnn_assistant.gui.check import PARTS, CheckPage
from cudnn_assistant.gui.disclosure import Disclosure
from cudnn_assistant.gui.problems import ProblemsPage
from cudnn_assistant.gui.result import Ending, ResultPage
from cudnn_assistant.gui.review import Proposal, ReviewPage
from cudnn_assistant.plan import preview
from cudnn_assistant.session.checkup import Checkup, think


def pages(seen: Checkup) -> list[QWidget]:
    check = CheckPage()
    for part in PARTS:
        check.show_part(part, False, seen.machine)
        check.show_part(part, True, seen.machine)
    outcome = {"works": "works", "impossible": "impossible"}.get(seen.verdict, "unknown")
    made: list[QWidget] = [check, ResultPage(Ending(seen, outcome))]  # type: ignore[arg-type]
    if seen.findings:
        made.append(ProblemsPage(seen))
    if seen.plan.steps:
        changes = preview(seen.plan, seen.machine)
        made.append(ReviewPage(Proposal(seen.plan, changes, seen.machine.os.family)))
    return made


@pytest.mark.parametrize("name", NAMES)
def test_pages_of_a_golden_computer_are_whole(qtbot: QtBot, name: str) -> None:
    seen = think(golden(name), load_builtin())
    speech.speak(pseudo=True)
    for page in pages(seen):
        qtbot.addWidget(page)
        page.resize(QSize(640, 480))
        page.show()
        for opener in page.findChildren(Disclosure):
            opener.setChecked(True)
        for _turn in range(5):
            QApplication.processEvents()
        assert cut(page) == []
        assert page.minimumSizeHint().width() <= 640
