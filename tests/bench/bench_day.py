# ruff: noqa: E402, T201
"""A day in one window: checks, changes with their undoing, opened reports; what stays of each.

python tests/bench/bench_day.py [CHECKS] [CHANGES] [REPORTS]

Prints after a tenth and at the end of each: resident memory, jobs that are kept, Qt's objects below
the window, and Python's objects. What grows with the rounds is a leak.
"""

from __future__ import annotations

import gc
import os
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
sys.path[:0] = [str(Path(__file__).parents[1] / "gui"), str(Path(__file__).parents[1])]

from machines.computers import golden
from PySide6.QtCore import QCoreApplication, QEvent, QObject
from PySide6.QtWidgets import QApplication
from world import World

from cudnn_assistant.gui.job import Job
from cudnn_assistant.gui.overview import OverviewPage
from cudnn_assistant.gui.review import ReviewPage
from cudnn_assistant.gui.window import Window
from cudnn_assistant.report.text import write_report


class Day:
    """The window, and what is done with it over and over."""

    def __init__(self, app: QApplication, folder: Path) -> None:
        self.app = app
        self.world = World(folder)
        self.window = Window(self.world.session(), self.world.open, kept=folder / "window.json")
        self.window.show()
        self.report = folder / "report.md"
        self.report.write_text(write_report(golden("linux-torch-healthy"), (), "unknown"))
        self._until(self._answered)

    def _until(self, done: Callable[[], bool]) -> None:
        end = time.monotonic() + 60
        while not done():
            self.app.processEvents()
            time.sleep(0.001)
            assert time.monotonic() < end
        self.app.processEvents()
        # What a running event loop would do by itself.
        QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)

    def _answered(self) -> bool:
        page = self.window.page
        return isinstance(page, OverviewPage) and page.shown is not None

    def _new_answer(self, do: Callable[[], object]) -> None:
        looks = self.world.looks
        do()
        self._until(lambda: self.world.looks > looks and self._answered())

    def check(self) -> None:
        """Check again."""
        self._new_answer(self.window.flow.check)

    def change(self) -> None:
        """Make the change, and put it back from History."""
        self.window.flow.change.review()
        self._until(self._rehearsed)
        self._new_answer(self.window.page.maker.click)  # type: ignore[attr-defined]
        self.window.side_flows.show_history()
        self._until(lambda: self.window.dialog is not None)
        self.window.dialog.button.click()  # type: ignore[union-attr]
        self._until(lambda: isinstance(self.window.page, ReviewPage))
        self._new_answer(self.window.page.maker.click)  # type: ignore[attr-defined]

    def _rehearsed(self) -> bool:
        page = self.window.page
        return isinstance(page, ReviewPage) and page.proposal.plan.rehearsal is not None

    def open(self) -> None:
        """Open a report, and go back to this computer."""
        old = self.window.page
        self.window.side_flows.take_file(str(self.report))
        self._until(lambda: self.window.page is not old and self._answered())
        old = self.window.page
        self.window.page.wished.emit("check")
        self._until(lambda: self.window.page is not old and self._answered())

    def kept(self) -> str:
        """What is there now."""
        gc.collect()
        status = Path("/proc/self/status").read_text(encoding="utf-8")
        memory = next(line.split()[1] for line in status.splitlines() if line.startswith("VmRSS"))
        objects = gc.get_objects()
        jobs = sum(isinstance(one, Job) for one in objects)
        below = len(self.window.findChildren(QObject))
        return f"{int(memory) / 1024:6.1f} MB {jobs:3} jobs {below:5} Qt {len(objects):7} Python"


def main(rounds: tuple[int, ...]) -> None:
    """Print what is kept."""
    day = Day(QApplication(["day"]), Path(tempfile.mkdtemp()))
    for do, count in zip((day.check, day.change, day.open), rounds, strict=True):
        for number in range(1, count + 1):
            do()
            if number in (count // 10, count):
                print(f"{do.__name__:7} {number:4} {day.kept()}", flush=True)


if __name__ == "__main__":
    given = [int(one) for one in sys.argv[1:]]
    main(tuple(given + [500, 500, 200][len(given) :]))
