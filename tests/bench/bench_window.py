# ruff: noqa: E402, PLW0108, T201
"""How soon the window is there, and how long it doesn't answer, by flow.

python tests/bench/bench_window.py [ROUNDS] [STARTS]

First paint: from the start of the process to the first frame that our program has painted, against
a program of Qt alone, in turn; wall time and processor time. Then processor time between two turns
of the event loop, since wall time would say how busy the computer is. The look tells of all its
parts at once here, which is the worst that can happen: a real one takes its time over each.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Callable
from pathlib import Path
from statistics import median

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
sys.path[:0] = [str(Path(__file__).parents[1] / "gui"), str(Path(__file__).parents[1])]

import computers
from machines.computers import golden
from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QApplication
from world import World

from cudnn_assistant.gui.overview import OverviewPage
from cudnn_assistant.gui.review import ReviewPage
from cudnn_assistant.gui.settings_dialog import SettingsDialog
from cudnn_assistant.gui.side_pages import CauseCard, ExplainPage
from cudnn_assistant.gui.window import Window

MESSAGE = "Could not load library cudnn_cnn_infer64_8.dll. Error code 126"


class Bench:
    """The window, and what each flow costs at the most."""

    def __init__(self, app: QApplication) -> None:
        self.app = app
        self.longest: dict[str, float] = defaultdict(float)
        self._flow, self._last = "", 0.0
        self._beat = QTimer()
        self._beat.timeout.connect(self._turned)
        self._beat.start(0)

    def _turned(self) -> None:
        now = time.thread_time()
        self.longest[self._flow] = max(self.longest[self._flow], now - self._last)
        self._last = time.thread_time()

    def flow(self, name: str, do: Callable[[], object], done: Callable[[], bool]) -> None:
        """Do it as a click would, and go on until it is done."""
        self._flow, self._last = name, time.thread_time()
        QTimer.singleShot(0, do)
        for _turn in range(3):
            self.app.processEvents()
        end = time.monotonic() + 60
        while not done():
            self.app.processEvents()
            assert time.monotonic() < end, name
        for _turn in range(6):
            self.app.processEvents()

    def run(self, folder: Path) -> None:
        """All flows, one after the other."""
        world = World(folder)
        opened: list[Window] = []

        def begin() -> None:
            opened.append(Window(world.session(), world.open, kept=folder / "window.json"))
            opened[0].show()

        self.flow("start", begin, lambda: bool(opened))
        window = opened[0]
        side = window.side_flows

        def answered() -> bool:
            return isinstance(window.page, OverviewPage) and window.page.shown is not None

        def on(kind: type) -> Callable[[], bool]:
            return lambda: isinstance(window.page, kind)

        def dialog() -> bool:
            return window.dialog is not None

        def reviewed() -> bool:
            page = window.page
            return isinstance(page, ReviewPage) and page.proposal.plan.rehearsal is not None

        def explained() -> bool:
            return bool(window.page.findChildren(CauseCard))

        def explain() -> None:
            assert isinstance(window.page, ExplainPage)
            window.page.message.setPlainText(MESSAGE)
            window.page.explain.click()

        def speak(language: str) -> None:
            assert isinstance(window.dialog, SettingsDialog)
            box = window.dialog.language
            box.setCurrentIndex(box.findData(language))
            box.activated.emit(box.currentIndex())

        self.flow("check", lambda: None, answered)
        self.flow("review", window.flow.change.review, reviewed)
        self.flow("change", lambda: window.page.maker.click(), answered)  # type: ignore[attr-defined]
        self.flow("history", side.show_history, dialog)
        self.flow("undo", lambda: window.dialog.button.click(), on(ReviewPage))  # type: ignore[union-attr]
        self.flow("put back", lambda: window.page.maker.click(), answered)  # type: ignore[attr-defined]
        self.flow("report", side.save, dialog)
        self.flow("close it", lambda: window.dialog.reject(), lambda: not dialog())  # type: ignore[union-attr]
        self.flow("message", side.show_explain, on(ExplainPage))
        self.flow("explain", explain, explained)
        self.flow("settings", window._show_settings, dialog)
        self.flow("language", lambda: speak("de"), explained)
        self.flow("leave", lambda: (window.dialog.accept(), window.page.escape()), answered)  # type: ignore[union-attr]
        self.flow("settings", window._show_settings, dialog)
        self.flow("language again", lambda: speak("en"), answered)
        self.flow("close it", lambda: window.dialog.accept(), lambda: not dialog())  # type: ignore[union-attr]
        for look in (computers.pythons, lambda: golden("linux-torch-overridden-by-library-path")):
            world.look = look
            before = window.page
            again = lambda old=before: answered() and window.page is not old  # noqa: E731
            self.flow("check many", window.flow.check, again)
        self.flow("close", window.close, lambda: not window.isVisible())


PAINTED = """
import os, time
def told(shape):
    def paint(self, event):
        shape(self, event)
        print(time.monotonic(), time.process_time(), flush=True)
        os._exit(0)
    return paint
"""
EMPTY = """
from PySide6.QtWidgets import QApplication, QMainWindow
QMainWindow.paintEvent = told(QMainWindow.paintEvent)
app = QApplication([])
window = QMainWindow()
window.resize(820, 640)
window.show()
app.exec()
"""
OURS = """
import builtins
real = builtins.__build_class__
def build(body, name, *bases, **more):
    made = real(body, name, *bases, **more)
    if name == "Opening":
        made.paintEvent = told(made.paintEvent)
    return made
builtins.__build_class__ = build
from cudnn_assistant.__main__ import window
window()
"""


def first_paint(starts: int) -> None:
    """Print both programs' medians and what ours takes of the other's."""
    taken: dict[str, list[tuple[float, float]]] = {EMPTY: [], OURS: []}
    for _start in range(starts + 1):
        for program, times in taken.items():
            began = time.monotonic()
            words = [sys.executable, "-c", PAINTED + program]
            done = subprocess.run(words, capture_output=True, text=True, check=True)
            painted, processor = map(float, done.stdout.split())
            times.append((painted - began, processor))
    for number, kind in enumerate(("wall", "processor")):
        # The first start of each fills the disk's cache.
        empty, ours = (median(t[number] for t in times[1:]) for times in taken.values())
        print(f"first paint, {kind:9} {ours:.3f} s, {ours / empty:.2f} x an empty window's")


def main(rounds: int, starts: int = 15) -> None:
    """Print the first paint and the longest turn of each flow."""
    first_paint(starts)
    bench = Bench(QApplication(["bench"]))
    for _round in range(rounds):
        bench.run(Path(tempfile.mkdtemp()))
    for name, seconds in bench.longest.items():
        if name:
            print(f"{name:15} {seconds * 1000:5.1f} ms")


if __name__ == "__main__":
    main(*map(int, sys.argv[1:] or [3]))
