"""Inside a computer of the lab: the real window, pressed by mouse or keys as a person presses.

    pressing.py MANNER [END [FILE]]

Says each page that is reached as a line of JSON. ``MANNER`` is "mouse" or "keys", events of the X
server that xdotool makes, or "click", events of Qt where there is no screen. What is made is undone
in the END ("undo"), or stays ("stay"); or the person leaves to do it by hand, and wants the program
to start again after the restart ("leave"); or there is only the look ("look"). A FILE is a message
that is pasted first.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

from PySide6.QtCore import QPoint, Qt, QTimer
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QAbstractButton, QApplication, QCheckBox, QPushButton, QWidget

from cudnn_assistant.gui.app import Program
from cudnn_assistant.gui.overview import OverviewPage
from cudnn_assistant.gui.review import ReviewPage
from cudnn_assistant.gui.side_pages import CauseCard, ExplainPage
from cudnn_assistant.gui.text_widgets import Text
from cudnn_assistant.gui.widgets import Notice


class Person:
    """Waits for a page, reads it, presses, and counts."""

    def __init__(self, manner: str, end: str, message: str) -> None:
        self._program = Program("")
        self._manner, self._message = manner, message
        self._ends = {"undo": self._undo, "stay": self._made, "leave": self._leave}
        self._end = end
        self._began, self._clicks = time.monotonic(), 0
        self._acts = self._task()
        self._timer = QTimer()
        self._timer.timeout.connect(self._turn)
        self._timer.start(20)

    @property
    def _page(self) -> QWidget | None:
        return self._program.window.page if self._program.window else None

    def _turn(self) -> None:
        if next(self._acts, True):
            QApplication.exit(0)

    def _answered(self, before: object = None) -> bool:
        page = self._page
        return isinstance(page, OverviewPage) and page.shown is not None and page.shown != before

    def _wait(self, done: object) -> Iterator[bool]:
        late = time.monotonic() + 30
        while not done():  # type: ignore[operator]
            if time.monotonic() > late:
                self._say()
                raise TimeoutError
            yield False
        # A person sees the page before they press, and a button waits for that.
        end = time.monotonic() + 1
        while time.monotonic() < end:
            yield False

    def _say(self) -> None:
        page = self._page
        texts = [one.text() for one in page.findChildren(Text)]  # type: ignore[union-attr]
        print(json.dumps({  # noqa: T201
            "title": page.title.text(),  # type: ignore[union-attr]
            "news": [one.accessibleName() for one in page.findChildren(Notice)],  # type: ignore[union-attr]
            "text": [re.sub("\u200b", "", one) for one in texts],
            "clipboard": QApplication.clipboard().text(),
            "clicks": self._clicks,
            "seconds": round(time.monotonic() - self._began, 2),
        }), flush=True)  # fmt: skip

    def _press(self, button: QAbstractButton) -> None:
        self._clicks += 1
        if self._manner == "click":
            QTest.mouseClick(button, Qt.MouseButton.LeftButton, pos=QPoint(8, button.height() // 2))
            return
        if self._manner == "keys":
            letter = re.search("&(.)", button.text())
            assert letter, button.text()
            subprocess.Popen(["xdotool", "key", f"alt+{letter[1].lower()}"])
            return
        at = button.mapToGlobal(button.rect().center())
        subprocess.Popen(["xdotool", "mousemove", str(at.x()), str(at.y()), "click", "1"])

    def _labelled(self, words: str) -> QPushButton:
        where = self._program.window.dialog or self._page  # type: ignore[union-attr]
        buttons = where.findChildren(QPushButton)  # type: ignore[union-attr]
        return next(one for one in buttons if one.text().replace("&", "").startswith(words))

    def _reviewed(self) -> bool:
        page = self._page
        return isinstance(page, ReviewPage) and page.maker.isEnabled()

    def _task(self) -> Iterator[bool]:
        yield from self._wait(self._answered)
        self._say()
        if self._message:
            yield from self._explain()
        yield from self._ends.get(self._end, tuple)()
        yield True

    def _explain(self) -> Iterator[bool]:
        self._clicks += 1
        subprocess.Popen(["xdotool", "key", "ctrl+e"])
        yield from self._wait(lambda: isinstance(self._page, ExplainPage))
        QApplication.clipboard().setText(self._message)
        self._press(self._labelled("Paste"))
        yield from self._wait(lambda: self._page.answers.rows.count() > 0)  # type: ignore[union-attr]
        self._press(self._labelled("It is from this computer"))
        yield from self._wait(lambda: self._page.findChildren(CauseCard))  # type: ignore[union-attr]
        self._say()

    def _made(self) -> Iterator[bool]:
        before = self._page.shown if isinstance(self._page, OverviewPage) else None
        self._press(self._labelled("Make it work"))
        yield from self._wait(self._reviewed)
        self._say()
        self._press(self._page.maker)  # type: ignore[union-attr]
        yield from self._wait(lambda: self._answered(before) or self._refused())
        self._say()

    def _refused(self) -> bool:
        page = self._page
        return isinstance(page, ReviewPage) and bool(page.findChildren(Notice))

    def _leave(self) -> Iterator[bool]:
        self._press(self._page.buttons.primary)  # type: ignore[union-attr]
        yield from self._wait(lambda: self._page.findChildren(QCheckBox))  # type: ignore[union-attr]
        self._press(self._labelled("Copy"))
        self._press(self._page.box)  # type: ignore[union-attr]
        yield from self._wait(self._page.box.isChecked)  # type: ignore[union-attr]
        self._say()

    def _undo(self) -> Iterator[bool]:
        yield from self._made()
        before = self._page.shown  # type: ignore[union-attr]
        self._press(self._labelled("Undo"))
        yield from self._wait(lambda: self._program.window.dialog is not None)  # type: ignore[union-attr]
        self._press(self._program.window.dialog.button)  # type: ignore[union-attr]
        yield from self._wait(self._reviewed)
        self._say()
        self._press(self._page.maker)  # type: ignore[union-attr]
        yield from self._wait(lambda: self._answered(before))
        self._say()


if __name__ == "__main__":
    app = QApplication(["pressing"])
    end = sys.argv[2] if sys.argv[2:] else "undo"
    message = Path(sys.argv[3]).read_text() if sys.argv[3:] else ""
    person = Person(sys.argv[1], end, message)
    sys.exit(app.exec())
