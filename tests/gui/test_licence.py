"""A licence that the window shows and its button accepts stands in the journal."""

from __future__ import annotations

import hashlib
import zipfile
from pathlib import Path
from typing import Any

import msgspec
import pictures
import pytest
import requests  # noqa: F401  (urllib3 tries a socket when it is imported)
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot
from test_flow import arrive, start, texts
from world import World

from cudnn_assistant import places
from cudnn_assistant.gui.disclosure import Link
from cudnn_assistant.gui.overview import OverviewPage
from cudnn_assistant.gui.review import ReviewPage
from cudnn_assistant.gui.widgets import Notice
from cudnn_assistant.gui.window import Window
from cudnn_assistant.plan import Download, InstallArchive, Plan
from cudnn_assistant.session.checkup import Checkup

TOP = "cudnn-windows-x86_64-9.15.0.57_cuda12-archive"


@pytest.fixture
def prepared(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "prepared"
    folder.mkdir()
    monkeypatch.setenv("CUDNN_ASSISTANT_ARCHIVES", str(folder))
    return folder


def install(prepared: Path) -> InstallArchive:
    path = prepared / f"{TOP}.zip"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr(f"{TOP}/LICENSE", "terms")
        archive.writestr(f"{TOP}/bin/cudnn64_9.dll", "MZ")
    given = pictures.archive()
    download = Download(
        url=given.download.url,
        size=path.stat().st_size,
        sha256=hashlib.sha256(path.read_bytes()).hexdigest(),
    )
    folder = places.own_libraries() / "cudnn-9.15.0-cuda12"
    return msgspec.structs.replace(
        given, download=download, folder=str(folder), search=str(folder / "bin")
    )


def reviewed(qtbot: QtBot, world: World, step: InstallArchive) -> tuple[Window, ReviewPage]:
    session = world.session()
    world.look = world.always_helps

    def check(**how: Any) -> Checkup:
        return msgspec.structs.replace(session.check(**how), plan=Plan(steps=(step,)))

    def plan(_checkup: Checkup, _codes: frozenset[str]) -> Plan:
        return Plan(steps=(step,))

    window = Window(world.session(check=check, plan=plan), world.open)
    qtbot.addWidget(window)
    start(qtbot, window)
    arrive(qtbot, window, OverviewPage).buttons.primary.click()  # type: ignore[union-attr]
    return window, arrive(qtbot, window, ReviewPage)


def test_the_button_says_that_it_accepts_and_the_journal_knows(
    qtbot: QtBot, world: World, prepared: Path
) -> None:
    (prepared / "LICENSE.txt").write_text("the licence")
    step = install(prepared)
    _window, review = reviewed(qtbot, world, step)
    assert review.maker.text() == "Accept the licence, &make 1 change"
    assert "Read NVIDIA's licence" in [link.text() for link in review.findChildren(Link)]
    review.maker.click()
    qtbot.waitUntil(lambda: any(e.finished for e in world.journal.entries()), timeout=10_000)
    (entry,) = world.journal.entries()
    (accepted,) = entry.accepted
    assert (accepted.address, accepted.how) == (step.licence, "window")
    assert accepted.sha256 == hashlib.sha256(b"the licence").hexdigest()
    assert (Path(step.folder) / "bin" / "cudnn64_9.dll").exists()


def test_a_licence_that_can_not_be_had_stops_it_before_anything(
    qtbot: QtBot, world: World, prepared: Path
) -> None:
    (prepared / "LICENSE.txt").mkdir()
    step = msgspec.structs.replace(install(prepared), licence="https://example.org/x")
    window, review = reviewed(qtbot, world, step)
    review.maker.click()
    qtbot.waitUntil(lambda: bool(window.page.findChildren(Notice)))
    assert "could not be fetched" in texts(window.page)
    assert "Nothing is different from before." in texts(window.page)
    assert world.journal.entries() == ()
    QApplication.processEvents()


def test_where_nothing_may_change_review_says_so(
    qtbot: QtBot, world: World, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    decided = tmp_path / "policy.toml"
    decided.write_text("read-only = true")
    monkeypatch.setattr("cudnn_assistant.system.policy.LINUX", str(decided))
    window = Window(world.session())
    qtbot.addWidget(window)
    start(qtbot, window)
    arrive(qtbot, window, OverviewPage).buttons.primary.click()  # type: ignore[union-attr]
    review = arrive(qtbot, window, ReviewPage)
    assert "changes nothing here" in texts(review)
    assert not review.maker.isEnabled()
