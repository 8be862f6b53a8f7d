"""The whole way through the window, with the real diagnosis, plan, apply and journal."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import computers
import msgspec
import pictures
from PySide6.QtCore import QEvent, Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot
from world import World

from cudnn_assistant.apply import NotApplied
from cudnn_assistant.gui.dialogs import HistoryDialog
from cudnn_assistant.gui.disclosure import DisclosureArrow
from cudnn_assistant.gui.overview import OverviewPage
from cudnn_assistant.gui.page import Page
from cudnn_assistant.gui.progress_page import ProgressPage
from cudnn_assistant.gui.report_dialog import ReportDialog
from cudnn_assistant.gui.review import Proposal, ReviewPage
from cudnn_assistant.gui.side_pages import ExplainPage
from cudnn_assistant.gui.text_widgets import Text
from cudnn_assistant.gui.widgets import Button, Notice
from cudnn_assistant.gui.window import Window
from cudnn_assistant.machine import Machine, Value
from cudnn_assistant.plan import Entry, Plan, SetVariable, Step, preview, settings_of
from cudnn_assistant.session.changing import Change
from cudnn_assistant.session.checkup import Checkup, without_plan
from cudnn_assistant.session.events import Progress
from cudnn_assistant.system.planned import Planned


def texts(page: object) -> str:
    return "\n".join(label.text() for label in page.findChildren(Text))  # type: ignore[attr-defined]


def button(page: Page, label: str) -> Button:
    found = [b for b in page.findChildren(Button) if b.text().replace("&", "") == label]
    assert len(found) == 1, f"{label}: {[b.text() for b in page.findChildren(Button)]}"
    return found[0]


P = TypeVar("P", bound=Page)


def arrive(qtbot: QtBot, window: Window, kind: type[P], title: str = "") -> P:
    def there() -> None:
        assert isinstance(window.page, kind), type(window.page)
        assert not isinstance(window.page, OverviewPage) or window.page.shown is not None
        assert title in window.page.title.text()

    qtbot.waitUntil(lambda: _holds(there), timeout=10_000)
    page = window.page
    assert isinstance(page, kind)
    return page


def looking(qtbot: QtBot, window: Window, *, filled: bool = True) -> OverviewPage:
    """The overview while a check runs."""

    def there() -> bool:
        page = window.page
        looks = isinstance(page, OverviewPage) and window.flow.looking
        return looks and bool(page.cards or not filled)

    qtbot.waitUntil(there, timeout=10_000)
    page = window.page
    assert isinstance(page, OverviewPage)
    return page


def halted(qtbot: QtBot, window: Window, title: str = "") -> OverviewPage:
    """The overview after a check that was stopped, or could not be made."""

    def there() -> bool:
        page = window.page
        stopped = isinstance(page, OverviewPage) and page.shown is None and not window.flow.looking
        return stopped and title in page.title.text()

    qtbot.waitUntil(there, timeout=10_000)
    page = window.page
    assert isinstance(page, OverviewPage)
    return page


def _holds(check: object) -> bool:
    try:
        check()  # type: ignore[operator]
    except AssertionError:
        return False
    return True


def start(qtbot: QtBot, window: Window) -> None:
    window.show()
    window.activateWindow()
    with qtbot.waitActive(window):
        pass


def to_review(qtbot: QtBot, window: Window) -> ReviewPage:
    start(qtbot, window)
    arrive(qtbot, window, OverviewPage).buttons.primary.click()  # type: ignore[union-attr]
    return arrive(qtbot, window, ReviewPage)


def test_two_clicks_from_start_to_works(qtbot: QtBot, window: Window, world: World) -> None:
    start(qtbot, window)
    problems = arrive(qtbot, window, OverviewPage, "Windows can't find cuDNN 9.8")
    assert problems.buttons.primary is not None
    assert problems.buttons.primary.text() == "&Make it work"
    problems.buttons.primary.click()
    review = arrive(qtbot, window, ReviewPage, "1 change to your settings")
    assert computers.BIN not in world.folders()
    review.maker.click()
    result = arrive(qtbot, window, OverviewPage, "works")
    assert world.folders() == (computers.BIN, *computers.MINE)
    assert rf"Done: Let Windows look in this folder first: {computers.BIN}." in texts(result)
    assert "Close and open again the terminals" in texts(result)
    assert "Nothing has been changed" not in texts(result)
    assert world.settings.announced == 1


def test_the_second_click_of_a_double_click_says_no_yes(
    qtbot: QtBot, window: Window, world: World
) -> None:
    start(qtbot, window)
    problems = arrive(qtbot, window, OverviewPage)
    make = problems.buttons.primary
    assert make is not None
    place = make.mapTo(window, make.rect().center())

    def leaves(page: Page) -> bool:
        under = window.childAt(place)
        assert isinstance(under, Button)
        qtbot.mouseClick(under, Qt.MouseButton.LeftButton)
        return window.page is not page

    qtbot.waitUntil(lambda: leaves(problems))
    review = arrive(qtbot, window, ReviewPage)
    for _more in range(2):
        qtbot.wait(QApplication.doubleClickInterval() // 4)
        assert not leaves(review)
    assert computers.BIN not in world.folders()
    qtbot.waitUntil(lambda: leaves(review))
    arrive(qtbot, window, OverviewPage, "works")


def steps(page: Page) -> str:
    assert page.steps is not None
    return " ".join(text.text() for text in page.steps.findChildren(Text) if text.text() != "›")


def test_steps_that_were_not_needed_carry_no_check_mark(
    qtbot: QtBot, window: Window, world: World
) -> None:
    review = to_review(qtbot, window)
    assert steps(review) == "Check ✓ Problems ✓ Review Result"
    review.maker.click()
    result = arrive(qtbot, window, OverviewPage, "works")
    assert steps(result) == "Check ✓ Problems ✓ Review ✓ Result"
    button(result, "Check again").click()
    qtbot.waitUntil(lambda: window.page is not result)
    assert steps(arrive(qtbot, window, OverviewPage, "works")) == "Check ✓ Problems Review Result"


def test_what_is_impossible_was_only_checked(qtbot: QtBot, window: Window, world: World) -> None:
    world.look = computers.no_gpu
    start(qtbot, window)
    assert steps(arrive(qtbot, window, OverviewPage)) == "Check ✓ Problems Review Result"


def test_what_the_person_does_leaves_review_out(qtbot: QtBot, window: Window, world: World) -> None:
    world.look = computers.old_driver
    start(qtbot, window)
    page = arrive(qtbot, window, OverviewPage)
    page.buttons.primary.click()  # type: ignore[union-attr]
    assert window.page is page, "the overview stays"
    assert texts(page).count("Install driver 580 or newer from NVIDIA") == 1, "said once, above"
    assert steps(page) == "Check ✓ Problems Review Result"


def test_window_is_painted_before_it_looks(qtbot: QtBot, window: Window, world: World) -> None:
    QApplication.processEvents()
    assert world.looks == 0
    start(qtbot, window)
    qtbot.waitUntil(lambda: world.looks == 1)


def test_lines_fill_while_the_window_stays_alive(
    qtbot: QtBot, window: Window, world: World
) -> None:
    world.gate = threading.Event()
    start(qtbot, window)
    qtbot.waitUntil(lambda: world.looks == 1)
    page = looking(qtbot, window)
    card = page.cards["system"]
    qtbot.waitUntil(lambda: card.state.text() == "Starting cuDNN and running one convolution…")
    assert "Driver 572.61, CUDA 12.8, cuDNN 9.8" in card.picture.accessibleDescription()
    page._slow.timeout.emit()
    assert "longer than usual" in page.lead.text()
    world.gate.set()
    arrive(qtbot, window, OverviewPage)


def test_escape_stops_a_check_and_nothing_late_arrives(
    qtbot: QtBot, window: Window, world: World
) -> None:
    world.gate = threading.Event()
    start(qtbot, window)
    qtbot.waitUntil(lambda: world.looks == 1)
    looking(qtbot, window)
    qtbot.keyClick(window, Qt.Key.Key_Escape)
    stopped = halted(qtbot, window)
    world.gate.set()
    qtbot.wait(100)
    assert window.page is stopped
    world.gate = None
    assert stopped.buttons.primary is not None
    assert stopped.buttons.primary.hasFocus()
    qtbot.keyClick(stopped.buttons.primary, Qt.Key.Key_Return)
    arrive(qtbot, window, OverviewPage)


def test_undo_puts_the_old_value_back_to_the_byte(
    qtbot: QtBot, window: Window, world: World
) -> None:
    before = dict(world.settings.values)
    to_review(qtbot, window).maker.click()
    result = arrive(qtbot, window, OverviewPage, "works")
    button(result, "Undo…").click()
    qtbot.waitUntil(lambda: isinstance(window.dialog, HistoryDialog))
    dialog = window.dialog
    assert isinstance(dialog, HistoryDialog)
    assert dialog.list.topLevelItem(0).text(2) == "in place"  # type: ignore[union-attr]
    dialog.button.click()
    review = arrive(qtbot, window, ReviewPage, "Undo 1 change")
    assert review.maker.text() == "&Undo 1 change"
    review.maker.click()
    back = arrive(qtbot, window, OverviewPage, "Windows can't find")
    assert world.settings.values == before
    assert rf"Put back: Let Windows look in this folder no more: {computers.BIN}." in texts(back)
    assert "Close and open again the terminals" in texts(back)
    assert "Nothing has been changed" not in texts(back)


def test_undo_is_told_for_this_computer_while_another_is_looked_at(
    qtbot: QtBot, window: Window
) -> None:
    to_review(qtbot, window).maker.click()
    arrive(qtbot, window, OverviewPage, "works")
    window.flow.show_foreign(without_plan(pictures.golden("linux-healthy")))
    window.side_flows.show_history()
    qtbot.waitUntil(lambda: isinstance(window.dialog, HistoryDialog))
    window.dialog.button.click()  # type: ignore[union-attr]
    review = arrive(qtbot, window, ReviewPage, "Undo 1 change")
    assert "Let Windows look in this folder no more" in texts(review)
    assert review.proposal.changes[0].place == r"HKCU\Environment"


def test_a_change_of_which_nothing_is_left_is_over(
    qtbot: QtBot, window: Window, world: World
) -> None:
    to_review(qtbot, window).maker.click()
    result = arrive(qtbot, window, OverviewPage, "works")
    (step,) = settings_of(world.journal.entries()[0].plan)
    world.settings.write(step.scope, step.name, None)
    button(result, "Undo…").click()
    qtbot.waitUntil(lambda: isinstance(window.dialog, HistoryDialog))
    assert isinstance(window.dialog, HistoryDialog)
    window.dialog.button.click()
    arrive(qtbot, window, ReviewPage, "There is nothing left to undo")
    assert world.journal.entries()[0].undone_by


def test_a_change_that_did_not_help_is_offered_back(
    qtbot: QtBot, window: Window, world: World
) -> None:
    world.look = world.never_helps
    before = dict(world.settings.values)
    to_review(qtbot, window).maker.click()
    result = arrive(qtbot, window, OverviewPage)
    assert "The change didn't help. Undo it?" in texts(result)
    button(result, "Undo 1 change").click()
    arrive(qtbot, window, ReviewPage, "Undo 1 change").maker.click()
    arrive(qtbot, window, OverviewPage, "Windows can't find")
    assert world.settings.values == before


def test_what_the_command_line_took_back_is_not_offered_back(
    qtbot: QtBot, window: Window, world: World
) -> None:
    world.look = world.never_helps
    to_review(qtbot, window).maker.click()
    result = arrive(qtbot, window, OverviewPage)
    (entry,) = world.journal.entries()
    other = world.session()
    other.apply(other.past.way_back(entry), Change(lambda _event: None))
    button(result, "Check again").click()
    problems = arrive(qtbot, window, OverviewPage, "Windows can't find")
    assert "didn't help" not in texts(problems)
    assert "Done: " not in texts(problems)
    assert "Put back: " in texts(problems)
    assert not [one for one in problems.findChildren(Button) if "Undo" in one.text()]


def test_a_value_changed_since_the_look_stops_the_change(
    qtbot: QtBot, window: Window, world: World
) -> None:
    review = to_review(qtbot, window)
    world.settings.write("user", "Path", Value(text=r"C:\other", expand=True))
    review.maker.click()
    qtbot.waitUntil(lambda: bool(window.page.findChildren(Notice)))
    assert "changed by another program since we looked" in texts(window.page)
    assert world.folders() == (r"C:\other",)
    button(window.page, "Check again").click()
    arrive(qtbot, window, OverviewPage)


def test_a_refused_change_says_why_and_that_nothing_differs(
    qtbot: QtBot, window: Window, world: World
) -> None:
    review = to_review(qtbot, window)
    world.settings.refuses = {"user"}
    review.maker.click()
    qtbot.waitUntil(lambda: bool(window.page.findChildren(Notice)))
    assert "Windows did not allow the change" in texts(window.page)
    assert "Nothing is different from before." in texts(window.page)


def test_what_was_found_before_a_change_is_not_told_after_it(
    qtbot: QtBot, window: Window, world: World
) -> None:
    gate = threading.Event()

    def slow() -> Machine:
        changed = computers.BIN in world.searched() and not isinstance(world.seen, Planned)
        assert not changed or gate.wait(30)
        return world.path_decides()

    world.look = slow
    to_review(qtbot, window).maker.click()
    looking(qtbot, window, filled=False)
    window.side_flows.show_explain()
    page = arrive(qtbot, window, ExplainPage)
    gate.set()
    page.escape()
    assert looking(qtbot, window, filled=False).title.text() == "Checking this computer…"
    arrive(qtbot, window, OverviewPage, "works")


def test_cancel_on_review_changes_nothing_and_says_so(
    qtbot: QtBot, window: Window, world: World
) -> None:
    before = dict(world.settings.values)
    to_review(qtbot, window)
    qtbot.keyClick(window, Qt.Key.Key_Escape)
    page = arrive(qtbot, window, OverviewPage)
    assert "Nothing was changed." in texts(page)
    assert world.settings.values == before


def test_no_enter_presses_yes_on_review(qtbot: QtBot, window: Window, world: World) -> None:
    review = to_review(qtbot, window)
    assert not review.maker.hasFocus()
    qtbot.keyClick(QApplication.focusWidget() or window, Qt.Key.Key_Return)
    qtbot.wait(50)
    assert window.page is review
    assert computers.BIN not in world.folders()


def stale_besides(world: World) -> None:
    """CUDA_PATH of the whole computer names a folder that is gone: a warning."""
    gone = r"C:\Program Files\NVIDIA GPU Computing Toolkit\CUDA\v11.8"

    def look() -> Machine:
        seen = world.path_decides()
        stale = [v for v in seen.variables if v.name == "CUDA_PATH"]
        rest = [v for v in seen.variables if v.name != "CUDA_PATH"]
        value = Value(text=gone)
        changed = [msgspec.structs.replace(v, value=value) for v in stale]
        return msgspec.structs.replace(seen, variables=(*rest, *changed))

    world.look = look


def test_what_can_wait_needs_no_administrator(qtbot: QtBot, window: Window, world: World) -> None:
    stale_besides(world)
    review = to_review(qtbot, window)
    assert review.title.text() == "1 change to your settings"
    assert review.maker.text() == "&Make 1 change"
    boxes = [card.box for card in review.cards]
    assert [box is not None and box.isChecked() for box in boxes] == [True, False]
    assert "Left out, so this stays as it is: CUDA_PATH names a folder without CUDA" in texts(
        review
    )
    assert "This can wait, and needs an administrator." in texts(review)
    review.maker.click()
    arrive(qtbot, window, OverviewPage, "works")


def test_what_can_wait_can_be_ticked_and_left_out_again(
    qtbot: QtBot, window: Window, world: World
) -> None:
    stale_besides(world)
    review = to_review(qtbot, window)
    box = review.cards[1].box
    assert box is not None
    box.click()
    qtbot.waitUntil(lambda: window.page is not review)
    both = arrive(qtbot, window, ReviewPage, "2 changes")
    assert both.maker.text() == "&Make 2 changes (administrator)"
    assert "This can wait" not in texts(both)
    again = both.cards[1].box
    assert again is not None
    again.click()
    qtbot.waitUntil(lambda: window.page is not both)
    assert "1 change" in arrive(qtbot, window, ReviewPage).title.text()


def test_what_can_wait_is_ticked_where_it_is_all_there_is(
    qtbot: QtBot, window: Window, world: World
) -> None:
    stale_besides(world)
    to_review(qtbot, window).maker.click()
    button(arrive(qtbot, window, OverviewPage, "works"), "Review 1 change").click()
    review = arrive(qtbot, window, ReviewPage)
    assert review.maker.text() == "&Make 1 change (administrator)"
    assert [card.box for card in review.cards] == [None]


def test_an_interrupted_change_of_which_nothing_is_left_stops_nobody(
    qtbot: QtBot, world: World
) -> None:
    step = SetVariable(scope="user", name="CUDA_PATH", after=Value(text=r"C:\left"))
    left = Entry(id="x", when="2026-11-20T10:00:00Z", plan=Plan(steps=(step,)), states=("planned",))
    world.journal.record(left)
    world.settings.write("user", "CUDA_PATH", Value(text=r"C:\theirs"))
    window = Window(world.session(), world.open)
    qtbot.addWidget(window)
    start(qtbot, window)
    arrive(qtbot, window, OverviewPage)
    assert world.journal.unfinished() == ()


def test_an_interrupted_change_is_offered_back_at_the_start(qtbot: QtBot, world: World) -> None:
    from cudnn_assistant.feed import load_builtin
    from cudnn_assistant.session.checkup import think

    before = dict(world.settings.values)
    plan = think(world.look(), load_builtin()).plan
    entry = Entry(
        id="20261121-140300-0001", when="2026-11-21T14:03:00Z", plan=plan, states=("planned",)
    )
    world.journal.record(entry)
    step = plan.steps[0]
    world.settings.write("user", "Path", step.after)  # type: ignore[union-attr]
    window = Window(world.session(), world.open)
    qtbot.addWidget(window)
    start(qtbot, window)
    review = arrive(qtbot, window, ReviewPage, "The last change was interrupted")
    assert world.looks == 0
    review.maker.click()
    arrive(qtbot, window, OverviewPage)
    assert world.settings.values == before


def test_way_out_opens_the_page_and_says_what_to_do(
    qtbot: QtBot, window: Window, world: World
) -> None:
    world.look = computers.old_driver
    start(qtbot, window)
    problems = arrive(qtbot, window, OverviewPage, "driver is too old")
    problems.buttons.primary.click()  # type: ignore[union-attr]
    result = arrive(qtbot, window, OverviewPage, "driver is too old")
    assert len(world.links) == 1
    assert "nvidia.com" in world.links[0]
    assert "Install driver 580" in texts(result)


def test_coming_back_after_an_installer_checks_again(
    qtbot: QtBot, window: Window, world: World
) -> None:
    world.look = computers.old_driver
    start(qtbot, window)
    arrive(qtbot, window, OverviewPage)
    QApplication.sendEvent(window, QEvent(QEvent.Type.WindowActivate))
    qtbot.wait(100)
    assert world.looks == 1
    world.installed = 1
    world.look = computers.works
    QApplication.sendEvent(window, QEvent(QEvent.Type.WindowActivate))
    arrive(qtbot, window, OverviewPage, "works")
    assert world.looks == 2


def test_no_nvidia_gpu_needs_no_decision(qtbot: QtBot, window: Window, world: World) -> None:
    world.look = computers.no_gpu
    start(qtbot, window)
    result = arrive(qtbot, window, OverviewPage, "This computer has no NVIDIA GPU")
    assert texts(result).count("cuDNN runs only on NVIDIA GPUs") == 1
    assert result.buttons.primary is not None
    assert result.buttons.primary.text() == "&Close"


def test_unexplained_leads_to_the_report(qtbot: QtBot, window: Window, world: World) -> None:
    world.look = computers.unexplained
    start(qtbot, window)
    page = arrive(qtbot, window, OverviewPage)
    assert page.buttons.primary is not None
    assert page.buttons.primary.text() == "&Save report…"
    page.buttons.primary.click()
    qtbot.waitUntil(lambda: isinstance(window.dialog, ReportDialog))


def test_report_is_shown_saved_and_copied_as_it_is(
    qtbot: QtBot, window: Window, world: World, tmp_path: object
) -> None:
    start(qtbot, window)
    arrive(qtbot, window, OverviewPage)
    qtbot.keyClick(window, Qt.Key.Key_S, Qt.KeyboardModifier.ControlModifier)
    qtbot.waitUntil(lambda: isinstance(window.dialog, ReportDialog))
    dialog = window.dialog
    assert isinstance(dialog, ReportDialog)
    shown = dialog.text.toPlainText()
    assert "cudnn-parent-on-path" in shown
    assert "mila" not in shown
    path = tmp_path / "report.md"  # type: ignore[operator]
    dialog.save(path)
    assert path.read_text(encoding="utf-8") == shown
    dialog.copy()
    assert QGuiApplication.clipboard().text() == shown
    dialog.save(tmp_path / "none" / "report.md")  # type: ignore[operator]
    said = "It could not be saved there: there is no such file or folder."
    assert dialog.news.text() == said


def test_a_look_that_breaks_is_told_with_its_report(
    qtbot: QtBot, window: Window, world: World
) -> None:
    def broken() -> object:
        raise LookupError("the moon")

    world.look = broken  # type: ignore[assignment]
    start(qtbot, window)
    page = halted(qtbot, window, "We couldn't check this computer")
    button(page, "Save report…").click()
    qtbot.waitUntil(lambda: isinstance(window.dialog, ReportDialog))
    assert isinstance(window.dialog, ReportDialog)
    assert "LookupError" in window.dialog.text.toPlainText()
    assert 'File "cudnn_assistant.gui.job"' in window.dialog.text.toPlainText()


def test_closing_waits_for_a_change(qtbot: QtBot, world: World) -> None:
    gate = threading.Event()
    session = world.session()

    def slow(*how: Any) -> Entry:
        assert gate.wait(30)
        return session.apply(*how)

    window = Window(world.session(apply=slow))
    qtbot.addWidget(window)
    to_review(qtbot, window).maker.click()
    window.close()
    assert window.isVisible()
    assert window.page.title.text() == "Closing when the change is made…"
    gate.set()
    qtbot.waitUntil(lambda: not window.isVisible())
    assert computers.BIN in world.folders()


def archive_server(cancelled: threading.Event) -> Callable[..., Entry]:
    """A download that never ends by itself, as a slow network has it."""

    def apply(_plan: Plan, change: Change, *_licences: object) -> Entry:
        change.hear(Progress(0, "download", 180_000_000, 412_000_000))
        time.sleep(0.6)
        change.hear(Progress(0, "download", 184_000_000, 412_000_000))
        while not change.stop.wait(0.02):
            if change.hold.is_set():
                while change.hold.is_set():
                    time.sleep(0.01)
                change.hear(Progress(0, "download", 190_000_000, 412_000_000))
        cancelled.set()
        raise NotApplied("stopped")

    return apply


def downloading(qtbot: QtBot, world: World, stopped: threading.Event) -> Window:
    session = world.session()
    install = Plan(steps=(pictures.archive(),))

    def check(**how: Any) -> Checkup:
        return msgspec.structs.replace(session.check(**how), plan=install)

    apply = archive_server(stopped)
    window = Window(world.session(check=check, apply=apply, licences=lambda *_: ()))
    qtbot.addWidget(window)
    return window


def test_a_download_shows_how_far_it_is_and_can_be_stopped(qtbot: QtBot, world: World) -> None:
    stopped = threading.Event()
    window = downloading(qtbot, world, stopped)
    to_review(qtbot, window).maker.click()
    page = arrive(qtbot, window, ProgressPage)
    qtbot.waitUntil(lambda: "184 of 412 MB" in texts(page))
    assert page.marks[0].look == "busy"
    qtbot.keyClick(window, Qt.Key.Key_Escape)
    assert "Stopping" in page.title.text()
    review = arrive(qtbot, window, ReviewPage)
    assert stopped.is_set()
    assert "Stopped, as you wished. Nothing is different from before." in texts(review)


def test_a_download_shows_its_speed_and_can_be_paused(qtbot: QtBot, world: World) -> None:
    window = downloading(qtbot, world, threading.Event())
    to_review(qtbot, window).maker.click()
    page = arrive(qtbot, window, ProgressPage)
    assert page.pause is not None
    qtbot.waitUntil(lambda: "MB/s, " in texts(page) and "left" in texts(page))
    assert "Download: 184 of 412 MB" in texts(page)
    page.pause.setText("Pa\nuse")  # in two lines, where there is little room
    page.pause.click()
    assert "Paused. What has arrived is kept." in texts(page)
    page.show_progress(0, "download", 185_000_000, 412_000_000)
    assert "Paused." in texts(page), "what was under way does not undo the word"
    assert page.pause.text() == "&Go on"
    qtbot.wait(200)
    page.pause.click()
    qtbot.waitUntil(lambda: "190 of 412 MB" in texts(page))
    page.show_progress(0, "unpack", 5_000_000, 0)
    assert not page.pause.isEnabled(), "unpacking is not worth a pause"
    qtbot.keyClick(window, Qt.Key.Key_Escape)
    arrive(qtbot, window, ReviewPage)


def test_closing_during_a_download_takes_it_back(qtbot: QtBot, world: World) -> None:
    stopped = threading.Event()
    window = downloading(qtbot, world, stopped)
    to_review(qtbot, window).maker.click()
    arrive(qtbot, window, ProgressPage)
    window.close()
    qtbot.waitUntil(lambda: not window.isVisible())
    assert stopped.is_set()


def test_f5_checks_again(qtbot: QtBot, window: Window, world: World) -> None:
    start(qtbot, window)
    arrive(qtbot, window, OverviewPage)
    qtbot.keyClick(window, Qt.Key.Key_F5)
    qtbot.waitUntil(lambda: world.looks == 2)
    arrive(qtbot, window, OverviewPage)


def test_enter_presses_what_has_the_focus(qtbot: QtBot, window: Window, world: World) -> None:
    start(qtbot, window)
    page = arrive(qtbot, window, OverviewPage)
    again = button(page, "Check again")
    again.setFocus()
    qtbot.keyClick(again, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: world.looks == 2)
    page = arrive(qtbot, window, OverviewPage)
    arrow = page.findChild(DisclosureArrow)
    assert arrow is not None
    wide = arrow.open
    arrow.setFocus()
    qtbot.keyClick(arrow, Qt.Key.Key_Return)
    assert arrow.open is not wide
    assert window.page is page, "Enter on an arrow presses no button"
    qtbot.mouseClick(page.lead, Qt.MouseButton.LeftButton)
    assert page.lead.hasFocus()
    qtbot.keyClick(page.lead, Qt.Key.Key_Return)
    review = arrive(qtbot, window, ReviewPage)
    review.maker.setFocus()
    qtbot.keyClick(review.maker, Qt.Key.Key_Return)
    arrive(qtbot, window, OverviewPage, "works")


def test_back_from_undoing_returns_to_the_result(
    qtbot: QtBot, window: Window, world: World
) -> None:
    world.look = world.never_helps
    to_review(qtbot, window).maker.click()
    button(arrive(qtbot, window, OverviewPage), "Undo 1 change").click()
    qtbot.waitUntil(lambda: isinstance(window.page, ReviewPage))
    qtbot.keyClick(window, Qt.Key.Key_Escape)
    result = arrive(qtbot, window, OverviewPage)
    assert "The change didn't help. Undo it?" in texts(result)
    assert "Nothing was changed." not in texts(result), "something was, before"


def test_a_journal_that_cannot_be_read_is_told_not_crashed(
    qtbot: QtBot, window: Window, world: World
) -> None:
    start(qtbot, window)
    arrive(qtbot, window, OverviewPage)
    Path(world.journal.path).mkdir()
    window.side_flows.show_history()
    said = f"{world.journal.path}: a folder stands where a file should be."
    qtbot.waitUntil(lambda: said in texts(window.page))


def test_a_closed_dialog_is_no_obstacle_to_looking_around(
    qtbot: QtBot, window: Window, world: World
) -> None:
    start(qtbot, window)
    arrive(qtbot, window, OverviewPage)
    window.side_flows.save()
    qtbot.waitUntil(lambda: window.dialog is not None)
    assert window.dialog is not None
    window.dialog.reject()
    assert window.dialog is None
    world.installed = 1
    QApplication.sendEvent(window, QEvent(QEvent.Type.WindowActivate))
    qtbot.waitUntil(lambda: world.looks == 2)
    arrive(qtbot, window, OverviewPage)


def test_a_second_problem_behind_the_first_is_shown_with_what_was_done(
    qtbot: QtBot, window: Window, world: World
) -> None:
    """The folder is found now, and then the driver turns out to be too old."""

    def look() -> object:
        return computers.old_driver() if computers.BIN in world.folders() else world.path_decides()

    world.look = look  # type: ignore[assignment]
    to_review(qtbot, window).maker.click()
    page = arrive(qtbot, window, OverviewPage, "driver is too old")
    assert rf"Done: Let Windows look in this folder first: {computers.BIN}." in texts(page)
    assert "Nothing has been changed" not in texts(page)
    assert button(page, "Undo…")


def test_steps_that_only_help_together_share_one_box(qtbot: QtBot) -> None:
    install = msgspec.structs.replace(pictures.archive(), why=("a",))
    folder = SetVariable(scope="user", name="Path", after=Value(text="x"), why=("a",))
    other = SetVariable(scope="user", name="CUDA_PATH", after=Value(text="y"), why=("b",))
    machine = computers.works()

    def page(*steps: Step, whole: tuple[Step, ...]) -> ReviewPage:
        plan, all_of_it = Plan(steps=steps), Plan(steps=whole)
        given = Proposal(
            plan,
            preview(plan, machine),
            "windows",
            all_of_it,
            preview(all_of_it, machine),
            {"a": "First", "b": "Second"},
        )
        made = ReviewPage(given)
        qtbot.addWidget(made)
        return made

    both = page(install, folder, other, whole=(install, folder, other))
    assert [card.box is not None for card in both.cards] == [True, False, True]
    picked: list[frozenset[str]] = []
    both.pick.connect(picked.append)
    assert both.cards[0].box is not None
    both.cards[0].box.click()
    assert picked == [frozenset({"b"})]
    less = page(other, whole=(install, folder, other))
    assert texts(less).count("Left out, so this stays as it is: First") == 1
    assert less.cards[1].opener is None
    alone = page(install, folder, whole=(install, folder))
    assert [card.box for card in alone.cards] == [None, None]
