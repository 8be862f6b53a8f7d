"""A watched program that runs until it is let go, and the page that started it."""

from __future__ import annotations

import threading

from pytestqt.qtbot import QtBot
from test_flow import arrive, start

from cudnn_assistant.explain import explain
from cudnn_assistant.gui.overview import OverviewPage
from cudnn_assistant.gui.side_pages import WatchPage
from cudnn_assistant.gui.window import Window
from cudnn_assistant.session.watching import WatchResult


class Held:
    """Stands for the person's program: it ends with 3 once ``gate`` is open."""

    def __init__(self, said: str = "") -> None:
        self.gate = threading.Event()
        self.runs = 0
        self._said = said

    def __call__(self, _command: object, **_how: object) -> WatchResult:
        self.runs += 1
        assert self.gate.wait(30)
        meaning = explain(self._said) if self._said else None
        return WatchResult(command=("x",), exit_code=3, said=self._said, explanation=meaning)


def run_watched(qtbot: QtBot, window: Window, command: str = "train") -> WatchPage:
    """Start the window, and a program on its page."""
    qtbot.addWidget(window)
    start(qtbot, window)
    arrive(qtbot, window, OverviewPage)
    window.side_flows.show_watch()
    page = arrive(qtbot, window, WatchPage)
    page.command.setText(command)
    page.run.click()
    return page
