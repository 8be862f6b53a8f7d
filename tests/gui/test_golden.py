"""Each golden computer on the pages it leads to: nothing cut, nothing nameless, no falling over."""

from __future__ import annotations

import speech
from machines.computers import thought
from machines.each import each_eighth_computer
from PySide6.QtCore import QSize
from PySide6.QtWidgets import QApplication, QWidget
from pytestqt.qtbot import QtBot
from test_pages import cut

from cudnn_assistant.gui.answer import Shown
from cudnn_assistant.gui.disclosure import Disclosure
from cudnn_assistant.gui.overview import OverviewPage
from cudnn_assistant.gui.review import Proposal, ReviewPage
from cudnn_assistant.plan import preview
from cudnn_assistant.session.checkup import Checkup
from cudnn_assistant.session.events import PARTS, PartLooked


def pages(seen: Checkup) -> list[QWidget]:
    filling, page = OverviewPage(), OverviewPage()
    for part in PARTS:
        filling.hear(PartLooked(part, False, seen.machine))
        filling.hear(PartLooked(part, True, seen.machine))
    page.show_answer(Shown(seen))
    made: list[QWidget] = [filling, page]
    if seen.plan.steps:
        changes = preview(seen.plan, seen.machine)
        made.append(ReviewPage(Proposal(seen.plan, changes, seen.machine.os.family)))
    return made


@each_eighth_computer
def test_pages_of_a_golden_computer_are_whole(qtbot: QtBot, name: str) -> None:
    seen = thought(name)
    speech.speak(pseudo=True)
    for page in pages(seen):
        qtbot.addWidget(page)
        page.resize(QSize(640, 480))
        page.show()
        while closed := [one for one in page.findChildren(Disclosure) if not one.open]:
            for opener in closed:
                opener.set_open(True)
        for _turn in range(5):
            QApplication.processEvents()
        assert cut(page) == []
        assert page.minimumSizeHint().width() <= 640
