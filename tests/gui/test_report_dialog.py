"""Save report: to the byte what the command line writes; what the person leaves out is gone."""

from __future__ import annotations

import os
import subprocess
import sys
import zipfile
from pathlib import Path

import computers
import pictures
import pytest
from machines.computers import redacted
from PySide6.QtCore import QMimeData, QPointF, Qt, QUrl
from PySide6.QtGui import QDropEvent, QGuiApplication
from pytestqt.qtbot import QtBot
from test_flow import arrive, button, start
from world import World

from cudnn_assistant.gui.disclosure import Disclosure
from cudnn_assistant.gui.overview import OverviewPage
from cudnn_assistant.gui.redaction_by_hand import marks, readable, without_lines, without_words
from cudnn_assistant.gui.report_dialog import ReportDialog
from cudnn_assistant.gui.window import Window
from cudnn_assistant.machine import dump
from cudnn_assistant.report.reading import read_report
from cudnn_assistant.session.reports import Forms


@pytest.fixture
def dialog(qtbot: QtBot) -> ReportDialog:
    made = ReportDialog(Forms(edited=pictures.report()))
    qtbot.addWidget(made)
    made.show()
    return made


def choose(dialog: ReportDialog, first: str, last: str = "") -> None:
    """Select from the line with one text to the end of the line with another."""
    document = dialog.text.document()
    cursor = document.find(first)
    assert not cursor.isNull(), first
    cursor.movePosition(cursor.MoveOperation.StartOfBlock)
    until = document.find(last or first, cursor)
    until.movePosition(until.MoveOperation.EndOfBlock)
    cursor.setPosition(until.position(), cursor.MoveMode.KeepAnchor)
    dialog.text.setTextCursor(cursor)


def pick(dialog: ReportDialog, words: str) -> None:
    """Select words inside of a line."""
    cursor = dialog.text.document().find(words)
    assert not cursor.isNull()
    dialog.text.setTextCursor(cursor)


def opened(qtbot: QtBot, window: Window) -> ReportDialog:
    qtbot.keyClick(window, Qt.Key.Key_S, Qt.KeyboardModifier.ControlModifier)
    qtbot.waitUntil(lambda: isinstance(window.dialog, ReportDialog))
    assert isinstance(window.dialog, ReportDialog)
    return window.dialog


def test_the_window_saves_what_the_command_line_writes(
    qtbot: QtBot, window: Window, world: World, tmp_path: Path
) -> None:
    start(qtbot, window)
    arrive(qtbot, window, OverviewPage)
    given = tmp_path / "given.json"
    given.write_bytes(dump(redacted(computers.stale_and_parent())))
    dropped = QMimeData()
    dropped.setUrls([QUrl.fromLocalFile(str(given))])
    action, no_key = Qt.DropAction.CopyAction, Qt.KeyboardModifier.NoModifier
    window.dropEvent(QDropEvent(QPointF(5, 5), action, dropped, Qt.MouseButton.LeftButton, no_key))
    qtbot.waitUntil(lambda: bool(window.flow.state.foreign))
    dialog = opened(qtbot, window)
    for name, more in (("report.md", []), ("report.html", [])):
        dialog.save(tmp_path / name)
        said = (tmp_path / name).read_bytes()
        assert said == by_command(given, tmp_path / f"cli-{name}", *more)
    dialog.copy()
    assert QGuiApplication.clipboard().text().encode() == (tmp_path / "report.md").read_bytes()


def by_command(given: Path, target: Path, *more: str) -> bytes:
    command = ["-m", "cudnn_assistant", "report", str(target), "--offline", "--machine", str(given)]
    environment = {**os.environ, "HOME": str(given.parent), "XDG_CACHE_HOME": str(given.parent)}
    subprocess.run([sys.executable, *command, *more], env=environment, check=True, timeout=60)
    return target.read_bytes()


def test_a_zip_holds_both_forms(dialog: ReportDialog, tmp_path: Path) -> None:
    dialog.save(tmp_path / "report.zip")
    with zipfile.ZipFile(tmp_path / "report.zip") as packed:
        assert packed.read("cudnn-report.md").decode() == pictures.report()
        assert b"<h1>" in packed.read("cudnn-report.html")


@pytest.mark.skipif(sys.platform == "win32", reason="limits of a process")
def test_a_disk_that_is_full_keeps_the_report_before(dialog: ReportDialog, tmp_path: Path) -> None:
    import resource
    import signal

    report, before = tmp_path / "report.md", resource.getrlimit(resource.RLIMIT_FSIZE)
    report.write_text("the one before")
    heard = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (100, before[1]))
    try:
        dialog.save(report)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
        signal.signal(signal.SIGXFSZ, heard)
    assert "It could not be saved there" in dialog.news.text()
    assert report.read_text() == "the one before"


def test_places_are_marked_and_walked(dialog: ReportDialog) -> None:
    assert "29 places are marked." in dialog.count.text()
    seen = set()
    for _click in range(29):
        dialog.text.show_next_mark()
        seen.add(dialog.text.textCursor().selectionStart())
    assert len(seen) == 29
    dialog.text.show_next_mark()
    assert dialog.text.textCursor().selectionStart() == min(seen)


def test_what_the_redaction_writes_is_what_is_marked() -> None:
    said = (
        "`/home/user-1/folder-ü2` token=*** \\*\\*\\* \\\\share-1 GPU-1 **bold** C:\\*** folder-x"
    )
    found = [said[start : start + length] for start, length in marks(said)]
    assert found == ["user-1", "folder-ü2", "***", "\\*\\*\\*", "share-1", "GPU-1", "***"]


def test_lines_that_are_left_out_are_gone_and_counted(
    qtbot: QtBot, dialog: ReportDialog, tmp_path: Path
) -> None:
    choose(dialog, "## Copies of cuDNN", "| 9.8.0 |")
    qtbot.keyClick(dialog.text, Qt.Key.Key_Delete)
    shown = dialog.text.toPlainText()
    assert "Copies of cuDNN" not in shown
    assert "(5 lines were left out here)" in shown
    assert dialog.cut.isHidden()
    dialog.save(tmp_path / "r.md")
    assert (tmp_path / "r.md").read_text(encoding="utf-8") == shown == dialog.forms.text
    dialog.save(tmp_path / "r.html")
    page = (tmp_path / "r.html").read_text(encoding="utf-8")
    assert "Copies of cuDNN" not in page
    assert "(5 lines were left out here)" in page
    button(dialog, "Put back").click()  # type: ignore[arg-type]
    assert dialog.forms.text == pictures.report()
    assert not dialog.back.isEnabled()


def test_words_are_replaced_wherever_they_stand_and_the_data_stays_readable(
    dialog: ReportDialog,
) -> None:
    pick(dialog, "GeForce RTX 3060")
    dialog.leave.click()
    assert "RTX 3060" not in dialog.forms.text
    machine = read_report(dialog.forms.text).machine
    assert machine.gpus[0].name == "NVIDIA ***"
    assert dialog.cut.isHidden()


def test_values_of_the_data_are_hidden_not_broken(dialog: ReportDialog) -> None:
    choose(dialog, '"nvml_library"', '"cuda_library"')
    dialog.leave.click()
    driver = read_report(dialog.forms.text).machine.driver
    assert driver is not None
    assert (driver.nvml_library, driver.cuda_library, driver.version) == ("***", "***", "572.61")


def test_data_that_is_cut_says_so_to_both(dialog: ReportDialog) -> None:
    choose(dialog, '"schema": 1', '"os": {')
    dialog.leave.click()
    assert dialog.cut.isVisible()
    assert not readable(dialog.forms.text)
    assert "The machine data was cut before saving" in dialog.forms.text
    assert "cudnn-assistant-machine" not in dialog.forms.text
    dialog.put_back()
    assert not dialog.cut.isVisible()
    assert readable(dialog.forms.text)


def test_one_letter_does_not_leave_out_half_the_text(dialog: ReportDialog) -> None:
    cursor = dialog.text.document().find("cuDNN")
    cursor.setPosition(cursor.selectionStart() + 1, cursor.MoveMode.KeepAnchor)
    cursor.setPosition(cursor.position() - 1)
    cursor.movePosition(cursor.MoveOperation.Right, cursor.MoveMode.KeepAnchor, 2)
    dialog.text.setTextCursor(cursor)
    dialog.leave.click()
    assert dialog.forms.text == pictures.report()
    assert "at least three letters" in dialog.news.text()


def test_words_are_found_however_they_are_written() -> None:
    text = "my\\_folder and `my_folder` and C:\\\\my\\_folder\n"
    assert without_words(text, "my\\_folder") == "*** and `***` and C:\\\\***\n"
    assert without_words("A b\nB a", "a b") == "***\nB a"


def test_every_single_line_can_be_left_out_of_every_place() -> None:
    text = pictures.report()
    for number in range(len(text.split("\n"))):
        changed = without_lines(text, number, number)
        assert (
            readable(changed)
            or "The machine data was cut" in changed
            or number == 0
            or ("cudnn-assistant-machine" not in changed)
        )


def test_the_dialog_goes_with_the_window(qtbot: QtBot, window: Window, world: World) -> None:
    start(qtbot, window)
    arrive(qtbot, window, OverviewPage)
    dialog = opened(qtbot, window)
    window.close()
    assert not dialog.isVisible()
    assert window.dialog is None


def test_the_name_offered_has_the_day(qtbot: QtBot, window: Window, world: World) -> None:
    start(qtbot, window)
    arrive(qtbot, window, OverviewPage)
    dialog = opened(qtbot, window)
    assert dialog.forms.name == "cudnn-report-2026-11-21.md"
    assert "mila" not in dialog.forms.text
    assert readable(dialog.forms.text)


def test_lines_that_were_pasted_can_be_put_back_one_by_one(qtbot: QtBot, tmp_path: Path) -> None:
    dialog = pictures.pasted_report()
    qtbot.addWidget(dialog)
    dialog.show()
    assert not {"atlas17", "berth40"} & set(dialog.forms.text.split())
    shown = [dialog.pasted.item(row).text() for row in range(dialog.pasted.count())]
    assert shown == ["2: run on atlas17 by zilpha", "3: started at berth40 ok"]
    dialog.pasted.item(1).setCheckState(Qt.CheckState.Checked)
    assert "\nstarted at berth40 ok\n" in dialog.text.toPlainText()
    assert "atlas17" not in dialog.forms.text
    for name in ("r.md", "r.html", "r.zip"):
        dialog.save(tmp_path / name)
    with zipfile.ZipFile(tmp_path / "r.zip") as packed:
        assert b"berth40" in packed.read("message.txt")
        assert b"atlas17" not in b"".join(map(packed.read, packed.namelist()))
    assert "berth40" in (tmp_path / "r.html").read_text(encoding="utf-8")
    dialog.pasted.item(1).setCheckState(Qt.CheckState.Unchecked)
    assert "berth40" not in "".join(map(dialog.forms, ("markdown", "html", "message")))


def test_what_was_left_out_by_hand_stays_so_when_a_line_is_put_back(
    qtbot: QtBot, tmp_path: Path
) -> None:
    dialog = pictures.pasted_report()
    qtbot.addWidget(dialog)
    dialog.show()
    pick(dialog, "NVIDIA")
    dialog.leave.click()
    dialog.pasted.item(0).setCheckState(Qt.CheckState.Checked)
    assert "zilpha" in dialog.forms.text
    assert "NVIDIA" not in dialog.forms.text
    pick(dialog, "zilpha")
    dialog.leave.click()
    dialog.save(tmp_path / "r.zip")
    with zipfile.ZipFile(tmp_path / "r.zip") as packed:
        assert b"zilpha" not in b"".join(map(packed.read, packed.namelist()))
    dialog.put_back()
    dialog.put_back()
    assert "NVIDIA" in dialog.forms.text
    assert "run on atlas17 by zilpha" in dialog.forms.text


def test_who_pasted_nothing_is_asked_nothing(dialog: ReportDialog) -> None:
    assert dialog.findChild(Disclosure) is None
