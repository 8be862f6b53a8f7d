"""Whatever is dropped on a page, or pasted, ends in an answer or a sentence; nothing hangs."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest
from dropping import dropped
from PySide6.QtCore import QByteArray, QMimeData, Qt
from PySide6.QtWidgets import QApplication, QWidget
from pytestqt.qtbot import QtBot
from test_flow import arrive, button, start

from cudnn_assistant.gui.job import Job
from cudnn_assistant.gui.overview import OverviewPage
from cudnn_assistant.gui.review import ReviewPage
from cudnn_assistant.gui.side_pages import ExplainPage, WatchPage
from cudnn_assistant.gui.window import Window

LOCAL = {
    "zeros without end": b"file:///dev/zero",
    "noise without end": b"file:///dev/urandom",
    "nothing": b"file:///dev/null",
    "our own memory": b"file:///proc/self/mem",
    "a pipe": b"file://FOLDER/pipe",
    "a folder": b"file://FOLDER",
    "a loop of links": b"file://FOLDER/loop",
    "NUL in the name": b"file:///a%00b",
    "no UTF-8": b"file://FOLDER/%ff%fe",
    "a name without end": b"file:///" + b"x" * 100_000,
    "bidi": b"file:///%E2%80%AEx",
    "no path": b"file://",
    "another computer": b"file://server/share/x",
}
FOREIGN = {
    "http": b"http://127.0.0.1:9/x",
    "script": b"javascript:alert(1)",
    "noise": bytes(range(256)),
    "nothing at all": b"",
}
THOUSANDS = b"\r\n".join(b"file:///nowhere/%d" % number for number in range(5000))


PASTED: dict[str, dict[str, bytes]] = {
    "4 MB": {"text/plain": b"CUDNN_STATUS_NOT_INITIALIZED\n" * 140_000},
    "one line of 5 MB": {"text/plain": b"x" * 5_000_000},
    "no UTF-8": {"text/plain": b"cuDNN \xff\xfe\xed\xa0\x80\x00\x1b[2J"},
    "bidi": {"text/plain": "\u202ecudnn\u2066\U000e0001\ufeff".encode()},
    "HTML": {"text/html": b"<img src='file:///dev/zero'><script>x</script>cuDNN"},
    "a picture": {"image/png": b"\x89PNG\r\n\x1a\n" + b"\xff" * 999},
    "a file": {"text/uri-list": b"file:///dev/zero"},
    "an address": {"text/uri-list": b"http://127.0.0.1:9/x"},
    "nothing": {"text/plain": b""},
    "a kind that nobody knows": {"application/x-x": b"\x00" * 999},
}


def urls(content: bytes, folder: Path) -> QMimeData:
    data = QMimeData()
    data.setData("text/uri-list", QByteArray(content.replace(b"FOLDER", bytes(folder))))
    return data


def settled(window: Window) -> bool:
    QApplication.processEvents()
    return not any(job.busy for job in window.findChildren(Job))


def overview(window: Window) -> None:
    return


def review(window: Window) -> None:
    window.page.buttons.primary.click()


def explaining(window: Window) -> None:
    window.side_flows.show_explain()


def watching(window: Window) -> None:
    window.side_flows.show_watch()


PAGES: dict[Callable[[Window], None], type[QWidget]] = {
    overview: OverviewPage, review: ReviewPage, explaining: ExplainPage, watching: WatchPage,
}  # fmt: skip


@pytest.mark.skipif(os.name != "posix", reason="pipes and devices")
@pytest.mark.spread(2)
@pytest.mark.parametrize("to", PAGES, ids=lambda to: to.__name__)
def test_what_is_dropped_ends_in_words(
    qtbot: QtBot, window: Window, to: Callable[[Window], None], tmp_path: Path
) -> None:
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "loop").symlink_to("loop")
    start(qtbot, window)
    arrive(qtbot, window, OverviewPage)
    bad = []
    for name, content in {**LOCAL, **FOREIGN, "thousands": THOUSANDS}.items():
        to(window)
        arrive(qtbot, window, PAGES[to])
        with qtbot.captureExceptions() as exceptions:
            dropped(window.page, urls(content, tmp_path))
            qtbot.waitUntil(lambda: settled(window), timeout=60_000)
        if exceptions or window.dialog:
            bad.append((name, exceptions and exceptions[0][1]))
        if not isinstance(window.page, OverviewPage):
            qtbot.keyClick(window, Qt.Key.Key_Escape)
        arrive(qtbot, window, OverviewPage)
    assert not bad


def test_what_is_pasted_ends_in_words(qtbot: QtBot, window: Window) -> None:
    start(qtbot, window)
    arrive(qtbot, window, OverviewPage)
    explaining(window)
    page = arrive(qtbot, window, ExplainPage)
    bad = []
    for name, kinds in PASTED.items():
        data = QMimeData()
        for kind, content in kinds.items():
            data.setData(kind, QByteArray(content))
        with qtbot.captureExceptions() as exceptions:
            QApplication.clipboard().setMimeData(data)
            button(page, "Paste").click()
            qtbot.waitUntil(lambda: settled(window), timeout=60_000)
        if exceptions or window.dialog or window.page is not page:
            bad.append((name, exceptions and exceptions[0][1]))
    # What Python made may not outlive it.
    QApplication.clipboard().clear()
    assert not bad
