"""Draws every page in its states to PNG files, to be looked at by a person.

    QT_QPA_PLATFORM=offscreen python tests/gui/pictures.py FOLDER [WORD…]

draws all, or those whose names hold all of the words. A further manner is drawn where it is a word:
"de-dark-150", "ja-small-200", "dark-200", "fr". Also runs on a real display or under Xvfb.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import NamedTuple, TypeVar
from unittest.mock import patch

sys.path.extend(str(folder) for folder in Path(__file__).parents[:2])

import computers
import msgspec
import speech
from machines.computers import COMPUTERS, redacted
from PySide6.QtCore import QPoint, QSize, Qt
from PySide6.QtGui import QColor, QImage, QPainter, QPalette
from PySide6.QtWidgets import QApplication, QWidget

from cudnn_assistant.compat import recommend
from cudnn_assistant.explain import explain
from cudnn_assistant.feed import load_builtin
from cudnn_assistant.finding import Installer
from cudnn_assistant.gui import qt_language, theme
from cudnn_assistant.gui.answer import Shown
from cudnn_assistant.gui.change_flow import can_wait
from cudnn_assistant.gui.dialogs import AboutDialog, HelpDialog, HistoryDialog, Past
from cudnn_assistant.gui.disclosure import Disclosure
from cudnn_assistant.gui.flow import show_installer_results
from cudnn_assistant.gui.overview import OverviewPage
from cudnn_assistant.gui.preferences import Preferences
from cudnn_assistant.gui.progress_page import ProgressPage
from cudnn_assistant.gui.report_dialog import ReportDialog
from cudnn_assistant.gui.review import Proposal, ReviewPage
from cudnn_assistant.gui.settings_dialog import SettingsDialog
from cudnn_assistant.gui.side_pages import ExplainPage, Here, WatchPage
from cudnn_assistant.machine import Machine, Package, Trial, Value
from cudnn_assistant.plan import (
    Download,
    Entry,
    InstallArchive,
    InstallPackage,
    PackageChange,
    Plan,
    RunInstaller,
    SetVariable,
    installers,
    outcomes,
    preview,
    undo_plan,
)
from cudnn_assistant.report.text import Extra, write_report
from cudnn_assistant.session.checkup import Checkup, think, with_tests, without_plan
from cudnn_assistant.session.events import PartLooked
from cudnn_assistant.session.reports import Forms, support_forms
from cudnn_assistant.session.watching import LoadedCopy, WatchResult
from cudnn_assistant.wording import language, progress, words
from cudnn_assistant.wording.language import LANGUAGES


def checkup_of(machine: Machine) -> Checkup:
    return think(machine, load_builtin())


@cache
def of(name: str) -> Checkup:
    """The checkup of one of the computers."""
    return checkup_of(getattr(computers, name)())


def golden(name: str) -> Checkup:
    """The checkup of one of the golden computers."""
    return checkup_of(COMPUTERS[name].machine)


def dark_palette() -> QPalette:
    """Fusion's own dark colours; the offscreen platform has no dark mode to follow."""
    palette = QPalette(QColor("#323232"))
    role = QPalette.ColorRole
    colours = {
        role.WindowText: "#f0f0f0",
        role.Text: "#f0f0f0",
        role.ButtonText: "#f0f0f0",
        role.Window: "#323232",
        role.Base: "#242424",
        role.AlternateBase: "#2b2b2b",
        role.Button: "#323232",
        role.Highlight: "#308cc6",
        role.HighlightedText: "#f0f0f0",
        role.ToolTipBase: "#323232",
        role.ToolTipText: "#f0f0f0",
    }
    for name, colour in colours.items():
        palette.setColor(name, QColor(colour))
    for name in (role.WindowText, role.Text, role.ButtonText):
        palette.setColor(QPalette.ColorGroup.Disabled, name, QColor("#828282"))
    return palette


def contrast_palette() -> QPalette:
    """White on black, as Windows' high contrast themes have it."""
    palette = dark_palette()
    role = QPalette.ColorRole
    for name in (role.Window, role.Base, role.Button, role.AlternateBase):
        palette.setColor(name, QColor("black"))
    for name in (role.WindowText, role.Text, role.ButtonText):
        palette.setColor(name, QColor("white"))
        palette.setColor(QPalette.ColorGroup.Disabled, name, QColor("#3ff23f"))
    palette.setColor(role.Highlight, QColor("#1aebff"))
    palette.setColor(role.HighlightedText, QColor("black"))
    return palette


def contrast_light_palette() -> QPalette:
    """Black on white, with the same accent."""
    palette = QPalette(QColor("white"))
    role = QPalette.ColorRole
    for name in (role.Window, role.Base, role.Button, role.AlternateBase, role.HighlightedText):
        palette.setColor(name, QColor("white"))
    for name in (role.WindowText, role.Text, role.ButtonText):
        palette.setColor(name, QColor("black"))
        palette.setColor(QPalette.ColorGroup.Disabled, name, QColor("#600000"))
    palette.setColor(role.Highlight, QColor("#37006e"))
    return palette


def check_page(machine: Machine, parts: str) -> OverviewPage:
    """The overview while it fills; the last of the parts is under way, and no test has run."""
    machine = msgspec.structs.replace(machine, trials=())
    page = OverviewPage()
    page.show_data("built-in data of 21 November 2026")
    names = parts.split()
    for name in names[:-1]:
        page.hear(PartLooked(name, True, machine))
    page.hear(PartLooked(names[-1], False, machine))
    return page


def stopped() -> OverviewPage:
    page = check_page(of("works").machine, "settings gpu cuda")
    page.show_stopped("The check was stopped", "Nothing was changed.", report=False)
    return page


def overview(checkup: Checkup, **more: object) -> OverviewPage:
    """The overview after a check."""
    page = OverviewPage()
    page.show_data("built-in data of 21 November 2026")
    page.show_answer(Shown(checkup, **more))  # type: ignore[arg-type]
    return page


def all_open(page: OverviewPage) -> OverviewPage:
    """Every row opened, and what is behind Details in it."""
    for card in page.cards.values():
        assert card.opener is not None
        card.opener.set_open(True)
    return opened(page)


TITLES = {
    "cudnn-missing": "cuDNN isn't installed",
    "wheel-version": "PyTorch 2.9.0 has the wrong cuDNN",
    "older-cudnn-first": "An older cuDNN is found first",
}
"""Of problems that a step was made up for."""


def proposal(checkup: Checkup, *extra: object) -> Proposal:
    plan = Plan(steps=(*extra, *checkup.plan.steps))  # type: ignore[arg-type]
    changes = preview(plan, checkup.machine)
    titles = TITLES | {f.code: words(f, checkup.machine).title for f in checkup.findings}
    return Proposal(plan, changes, checkup.machine.os.family, plan, changes, titles)


def waiting() -> ReviewPage:
    """What can wait is not ticked."""
    checkup = of("stale_and_parent")
    given = proposal(checkup)
    plan = Plan(steps=checkup.plan.steps[:1])
    titles = {f.code: words(f, checkup.machine).title for f in checkup.findings}
    less = replace(given, plan=plan, changes=given.changes[:1], leaves=titles)
    return ReviewPage(replace(less, waits=can_wait(checkup)))


def archive() -> InstallArchive:
    return InstallArchive(
        product="cuDNN",
        version="9.15.0",
        cuda_major=12,
        download=Download(
            url="https://developer.download.nvidia.com/compute/cudnn/redist/cudnn/windows-x86_64/"
            "cudnn-windows-x86_64-9.15.0.57_cuda12-archive.zip",
            size=412_345_678,
            sha256="6f6fb86bf96ecb7e1b0bb4c9a3d4ed7e3f9f4c7c6b1f6b0f4f4f7b1d8e9a0b1c",
        ),
        folder=r"C:\Users\mila\AppData\Local\cuDNN Assistant\libraries\cudnn-9.15.0-cuda12",
        licence="https://docs.nvidia.com/deeplearning/cudnn/latest/reference/eula.html",
        why=("cudnn-missing",),
    )


def installed_by(row: str, version: str = "") -> RunInstaller:
    wish = Installer(row=row, version=version)
    return installers.step_of(wish, restart=row.startswith("driver"), why=("vc-runtime-missing",))


def among_others(step: RunInstaller) -> ReviewPage:
    """An installer beside another change: off, until it is ticked. Opened for the picture."""
    checkup = of("parent_folder")
    whole = Plan(steps=(*checkup.plan.steps, step))
    changes = preview(whole, checkup.machine)
    titles = {f.code: words(f, checkup.machine).title for f in checkup.findings}
    titles["vc-runtime-missing"] = "Microsoft's Visual C++ files are missing"
    on = whole if step.licence else checkup.plan
    shown = changes[: len(on.steps)]
    return ReviewPage(Proposal(on, shown, "windows", whole, changes, titles))


def ended(code: int) -> OverviewPage:
    """After an installer."""
    said = "Reading package lists...\nE: Unable to locate package ubuntu-drivers-common"
    step = msgspec.structs.replace(
        installed_by("driver-ubuntu"), exit=code, said=said if code else ""
    )
    entry = Entry(id="1", when="2026-11-12T09:30:00Z", plan=Plan(steps=(step,)), states=("done",))
    checkup = of("no_driver_on_ubuntu" if code else "not_loaded")
    again = False if any(one.restart for one in outcomes(entry.plan)) else None
    page = overview(checkup, undoable=True, changed=True, start_again=again)
    show_installer_results(entry, page)
    return page


def installing() -> ProgressPage:
    given = proposal(of("no_driver_on_ubuntu"))
    page = ProgressPage(given.plan, [change.plain for change in given.changes])
    page.show_progress(0, "installer", 0, 0)
    return page


def package() -> InstallPackage:
    return InstallPackage(
        python=r"C:\ai\venv\Scripts\python.exe",
        requirements=("nvidia-cudnn-cu12==9.10.2.21",),
        before=(Package(name="nvidia-cudnn-cu12", version="9.1.0.70"),),
        index="https://download.pytorch.org/whl/cu128",
        why=("wheel-version",),
    )


def rehearsed() -> InstallPackage:
    """With what pip said: the one that is asked for, one that comes along, one that goes."""
    return msgspec.structs.replace(
        package(),
        changes=(
            PackageChange(name="nvidia-cudnn-cu12", before="9.1.0.70", after="9.10.2.21"),
            PackageChange(name="nvidia-cublas-cu12", after="12.8.4.1"),
        ),
    )


def asked(said: InstallPackage | None, *extra: object) -> ReviewPage:
    """A page while pip is asked, or once it has answered."""
    checkup = of("torch_pin")
    plan = Plan(steps=(package(), *extra))  # type: ignore[arg-type]
    changes = preview(plan, checkup.machine)
    page = ReviewPage(Proposal(plan, changes, "windows", plan, changes, TITLES))
    page.ask_pip()
    if said is not None:
        plan = Plan(steps=(said, *extra))  # type: ignore[arg-type]
        page.show_pip(plan, preview(plan, checkup.machine))
    return page


def refused() -> ReviewPage:
    page = asked(None)
    page.show_pip_refused(
        "pip could not say what it would change. Its last lines: Could not find a version that "
        "satisfies the requirement nvidia-cudnn-cu12==9.10.2.21 (from versions: none) / No "
        "matching distribution found for nvidia-cudnn-cu12==9.10.2.21"
    )
    return page


def everybody(checkup: Checkup) -> SetVariable:
    """A change for all users, which needs an administrator."""
    before = ";".join(computers.FOLDERS)
    return SetVariable(
        scope="machine",
        name="Path",
        before=Value(text=before, expand=True),
        after=Value(text=computers.BIN + ";" + before, expand=True),
        why=("older-cudnn-first",),
    )


def entries(checkup: Checkup) -> list[Entry]:
    first = Entry(id="1", when="2026-11-12T09:30:00Z", plan=checkup.plan, states=("done",))
    other = Entry(id="2", when="2026-11-20T17:05:00Z", plan=Plan(steps=(package(),)))
    last = Entry(id="3", when="2026-11-21T14:03:00Z", plan=Plan(steps=(archive(),)))
    return [first, other, last]


P = TypeVar("P", bound=QWidget)


def opened(page: P) -> P:
    for opener in page.findChildren(Disclosure):
        opener.set_open(True)
    return page


def testing() -> OverviewPage:
    """Two environments; the own test of one is under way."""
    page = overview(of("pythons"))
    page.show_testing(computers.pythons().pythons[1])
    return page


def tested() -> OverviewPage:
    """One environment's own test has passed, the other's has stopped."""
    seen = computers.pythons()
    first, second = seen.pythons
    ok = msgspec.structs.replace(
        computers.passed(), subject=first.id, framework="torch 2.9.0", version="9.10.2"
    )
    bad = Trial(
        subject=second.id,
        framework="onnxruntime 1.23.0",
        stage="load",
        status="missing-library",
        missing="cudnn64_9.dll",
        helped_by="LD_LIBRARY_PATH",
    )
    return overview(with_tests(checkup_of(seen), (ok, bad), load_builtin()), undoable=True)


def recommended_set(name: str, **more: object) -> OverviewPage:
    compat = load_builtin()
    return overview(of(name), recommend=lambda s: recommend(of(name).machine, compat, s), **more)


def undo_page(checkup: Checkup) -> ReviewPage:
    done = entries(checkup)[0]
    step = done.plan.steps[0]
    assert isinstance(step, SetVariable)
    plan = undo_plan(done, lambda _scope, _name: step.after, "windows")
    return ReviewPage(Proposal(plan, preview(plan, checkup.machine), "windows"))


MESSAGE = """Could not load library cudnn_cnn_infer64_8.dll. Error code 126
Please make sure cudnn_cnn_infer64_8.dll is in your library path!"""


def explained(text: str, here: Here | None = None) -> ExplainPage:
    page = ExplainPage()
    page.message.setPlainText(text)
    page.show_answer(explain(text), here, "here")
    return page


def asked_where() -> ExplainPage:
    page = ExplainPage()
    page.message.setPlainText(MESSAGE)
    page.ask_origin()
    return page


def led_back() -> ExplainPage:
    """The cause is this computer's own problem, which can be put right."""
    seen = of("parent_folder")
    found = explain("cudnn64_9.dll not found", seen.machine, findings=seen.findings)
    code = found.causes[0].code
    page = ExplainPage()
    page.message.setPlainText("cudnn64_9.dll not found")
    page.show_answer(found, Here({code: "system"}, frozenset({code})), "elsewhere")
    return page


def watched(code: int, end: str = "") -> WatchPage:
    """A program that ended well, or stopped; with an ``end`` it said nothing."""
    text = "RuntimeError: cuDNN error: CUDNN_STATUS_NOT_INITIALIZED"
    seen = WatchResult(
        command=("python", "train.py"),
        exit_code=code,
        copies=(LoadedCopy(folder="/opt/cudnn/lib", version="9.8.0", main=True),),
        end=end,
        explanation=explain(text) if code and not end else None,
    )
    page = WatchPage()
    page.command.setText("python train.py")
    page.show_seen(seen, Here())
    return page


def recovery() -> ReviewPage:
    given = proposal(of("parent_folder"))
    title = "The last change was interrupted"
    lead = "This puts back what it had changed by then. Nothing else is touched."
    plan = Plan(steps=given.plan.steps, undoes="1")
    return ReviewPage(replace(given, plan=plan, whole=None, title=title, lead=lead))


def foreign_page() -> OverviewPage:
    news = "A report of 2026-11-12 09:30:00, of another computer. “Check again” looks at this one."
    seen = without_plan(of("stale_and_parent"))
    return overview(seen, news=(("info", news),))


def progress_page(given: Proposal) -> ProgressPage:
    page = ProgressPage(given.plan, [change.plain for change in given.changes])
    with patch.object(progress, "monotonic", iter((0.0, 5.0)).__next__):
        page.show_progress(0, "download", 77_500_000, 412_345_678)
        page.show_progress(0, "download", 184_000_000, 412_345_678)
    return page


def past() -> list[Past]:
    made = entries(of("parent_folder"))
    return [
        Past(made[0], rf"Let Windows look in this folder first: {computers.BIN}", "changed"),
        Past(made[1], r"Install nvidia-cudnn-cu12==9.10.2.21 in C:\ai\venv", "undone"),
        Past(made[2], "Install cuDNN 9.15.0 for CUDA 12", "in-place"),
    ]


def report() -> str:
    seen = checkup_of(redacted(computers.parent_folder()))
    return write_report(seen.machine, seen.findings, seen.verdict)


def laid_out(dialog: ReportDialog) -> ReportDialog:
    """As big as on the screen, so that it can scroll; nobody sees it."""
    dialog.setAttribute(Qt.WidgetAttribute.WA_DontShowOnScreen)
    dialog.show()
    dialog.hide()
    dialog.setAttribute(Qt.WidgetAttribute.WA_DontShowOnScreen, False)
    return dialog


def marked_report() -> ReportDialog:
    """As after a click on "Show the next"."""
    dialog = laid_out(ReportDialog(Forms(edited=report())))
    dialog.text.show_next_mark()
    return dialog


def pasted_report() -> ReportDialog:
    """With a message of the person's own, of which two lines hold names."""
    seen = of("parent_folder")
    text = "CUDNN_STATUS_NOT_INITIALIZED\nrun on atlas17 by zilpha\nstarted at berth40 ok\n"
    return opened(ReportDialog(support_forms(seen, load_builtin(), Extra(text=text))))


def cut_report() -> ReportDialog:
    dialog = laid_out(ReportDialog(Forms(edited=report())))
    cursor = dialog.text.document().find('"family"')
    cursor.movePosition(cursor.MoveOperation.EndOfBlock, cursor.MoveMode.KeepAnchor)
    cursor.movePosition(cursor.MoveOperation.StartOfBlock, cursor.MoveMode.KeepAnchor)
    cursor.movePosition(cursor.MoveOperation.Down, cursor.MoveMode.KeepAnchor, 1)
    dialog.text.setTextCursor(cursor)
    dialog.leave_out()
    dialog.text.ensureCursorVisible()
    return dialog


CHANGED = (
    ("ok", rf"Done: Let Windows look in this folder first: {computers.BIN}."),
    ("info", "Close and open again the terminals, editors and notebooks that were open."),
)
UNDONE = (
    ("ok", rf"Put back: Let Windows look in this folder no more: {computers.BIN}."),
    ("info", "Close and open again the terminals, editors and notebooks that were open."),
)


def states() -> Iterator[tuple[str, Callable[[], QWidget]]]:
    """Every picture by name; what is in it is made when it is called for."""
    yield "check-start", lambda: check_page(of("works").machine, "settings")
    yield (
        "check-middle",
        lambda: check_page(computers.pythons(), "settings gpu cuda cudnn trial"),
    )
    yield "check-stopped", stopped
    yield "overview-path", lambda: overview(of("parent_folder"))
    yield "overview-path-open", lambda: all_open(overview(of("parent_folder")))
    yield "overview-two", lambda: overview(of("stale_and_parent"))
    yield "overview-two-open", lambda: all_open(overview(of("stale_and_parent")))
    yield "overview-many", lambda: overview(golden("linux-torch-overridden-by-library-path"))
    yield (
        "overview-parts-open",
        lambda: all_open(overview(golden("windows-cudnn-part-missing"))),
    )
    yield "overview-memory-open", lambda: all_open(overview(golden("linux-gpu-memory-taken")))
    yield "overview-driver", lambda: recommended_set("old_driver")
    yield "overview-driver-open", lambda: opened(recommended_set("old_driver"))
    yield (
        "overview-driver-task",
        lambda: recommended_set("old_driver", task=of("old_driver").findings[0], start_again=False),
    )
    yield "overview-no-driver", lambda: recommended_set("no_driver")
    yield "overview-restart", lambda: overview(of("mismatch"), start_again=False)
    yield "overview-unexplained", lambda: overview(of("unexplained"), undoable=True)
    yield "overview-cpu-only", lambda: recommended_set("torch_pin")
    yield "review-variable", lambda: ReviewPage(proposal(of("parent_folder")))
    yield "review-two", lambda: ReviewPage(proposal(of("stale_and_parent")))
    yield "review-waits", waiting
    yield (
        "review-all",
        lambda: opened(
            ReviewPage(
                proposal(
                    of("stale_and_parent"), archive(), package(), everybody(of("stale_and_parent"))
                )
            )
        ),
    )
    yield (
        "review-trouble",
        lambda: ReviewPage(
            proposal(of("parent_folder")),
            "PATH was changed by another program since we looked. Check again to see the present "
            "value. Nothing is different from before.",
        ),
    )
    yield "review-package-asking", lambda: asked(None)
    yield "review-package", lambda: asked(rehearsed())
    yield "review-package-refused", refused
    yield "review-package-among-others", lambda: asked(rehearsed(), everybody(of("torch_pin")))
    yield "review-archive", lambda: ReviewPage(proposal(of("parent_folder"), archive()))
    yield "review-installer", lambda: ReviewPage(proposal(of("no_driver_on_ubuntu")))
    yield (
        "review-installer-windows",
        lambda: ReviewPage(proposal(golden("windows-torch-driver-too-old"))),
    )
    yield (
        "review-toolkit",
        lambda: ReviewPage(proposal(golden("linux-cudnn-without-the-programs-cuda"))),
    )
    yield "overview-toolkit", lambda: overview(golden("linux-cudnn-without-the-programs-cuda"))
    yield "overview-driver-windows", lambda: overview(golden("windows-torch-driver-too-old"))
    yield "review-installer-among-others", lambda: among_others(installed_by("vc-runtime-x86_64"))
    yield "review-installer-licence", lambda: among_others(installed_by("toolkit", "12.6.3"))
    yield "overview-installer", lambda: overview(of("no_driver_on_ubuntu"))
    yield "overview-installer-ended", lambda: ended(100)
    yield "overview-installer-restart", lambda: ended(0)
    yield "review-installer-making", installing
    yield "review-undo", lambda: undo_page(of("parent_folder"))
    yield (
        "review-making",
        lambda: progress_page(proposal(of("stale_and_parent"), archive())),
    )
    yield "overview-works", lambda: overview(of("works"))
    yield (
        "overview-works-changed",
        lambda: overview(of("works"), changed=True, undoable=True, news=CHANGED),
    )
    yield "overview-undone", lambda: overview(of("parent_folder"), changed=True, news=UNDONE)
    yield (
        "overview-not-helped",
        lambda: overview(of("unexplained"), changed=True, undoable=True, undo_offered=1),
    )
    yield "overview-works-many", lambda: overview(of("pythons"))
    yield "overview-works-many-open", lambda: all_open(overview(of("pythons")))
    yield "overview-testing", testing
    yield "overview-tested", tested
    yield "overview-impossible", lambda: overview(of("no_gpu"))
    yield "overview-unreadable", lambda: overview(of("unreadable"))
    yield "review-recovery", recovery
    yield "overview-foreign", foreign_page
    yield "explain-empty", ExplainPage
    yield "explain-asks-where", asked_where
    yield "explain-answer", lambda: explained(MESSAGE)
    yield "explain-doubtful", lambda: explained("cuDNN error: CUDNN_STATUS_NOT_INITIALIZED")
    yield "explain-nothing", lambda: explained("segmentation in chapter two")
    yield "explain-leads-back", led_back
    yield "watch-empty", WatchPage
    yield "watch-worked", lambda: watched(0)
    yield "watch-stopped", lambda: watched(1)
    yield "watch-silent", lambda: watched(139, "SIGSEGV")
    yield "dialog-settings", lambda: SettingsDialog(Preferences(folders=("/opt",)), "built-in data")
    yield "dialog-about", AboutDialog
    yield "dialog-help", HelpDialog
    yield "dialog-history", lambda: HistoryDialog(past())
    yield "dialog-history-empty", lambda: HistoryDialog([])
    yield "dialog-report", lambda: ReportDialog(Forms(edited=report()))
    yield "dialog-report-marked", marked_report
    yield "dialog-report-cut", cut_report
    yield "dialog-report-pasted", pasted_report
    yield (
        "dialog-crash",
        lambda: ReportDialog(
            Forms(edited="Traceback (most recent call last):\n  …\n" + report()), crashed=True
        ),
    )


def shoot(make: Callable[[], QWidget], path: Path, size: QSize, ratio: float) -> None:
    widget = make()
    is_page = hasattr(widget, "settle")
    if is_page:
        widget.resize(size)
    widget.show()
    for _turn in range(4):
        QApplication.processEvents()
    if is_page:
        widget.settle()  # type: ignore[attr-defined]
        QApplication.processEvents()
    image = QImage(widget.size() * ratio, QImage.Format.Format_ARGB32)
    image.setDevicePixelRatio(ratio)
    image.fill(widget.palette().window().color())
    painter = QPainter(image)
    widget.render(painter, QPoint())
    painter.end()
    image.save(str(path))
    widget.close()
    widget.deleteLater()


SMALL, WIDE = QSize(640, 480), QSize(820, 640)
LAPTOP = QSize(910, 470)
"""What a window gets of 1366 × 768 pixels at 150 %, with a title and a bar of the system."""


class Manner(NamedTuple):
    """One look at all pages. It is drawn only if it is asked for, save the first six."""

    palette: Callable[[], QPalette]
    size: QSize = WIDE
    ratio: float = 1.0
    language: str = "en"
    reads: Qt.LayoutDirection = Qt.LayoutDirection.LeftToRight


MANNERS = {
    "light": Manner(QPalette),
    "small": Manner(QPalette, SMALL),
    "dark": Manner(dark_palette),
    "contrast": Manner(contrast_palette),
    "150": Manner(QPalette, ratio=1.5),
    "pseudo": Manner(QPalette, SMALL, language=""),
}
FURTHER = {
    "200": Manner(QPalette, ratio=2.0),
    "laptop": Manner(QPalette, LAPTOP, 1.5),
    "mirrored": Manner(QPalette, language="", reads=Qt.LayoutDirection.RightToLeft),
    "contrast-light": Manner(contrast_light_palette),
    "contrast-150": Manner(contrast_palette, ratio=1.5),
    "dark-150": Manner(dark_palette, ratio=1.5),
    "dark-200": Manner(dark_palette, ratio=2.0),
    **{name: Manner(QPalette, language=name) for name in LANGUAGES},
    **{f"{name}-dark-150": Manner(dark_palette, WIDE, 1.5, name) for name in LANGUAGES},
    **{f"{name}-small-200": Manner(QPalette, SMALL, 2.0, name) for name in LANGUAGES},
}


def draw(folder: Path, words: list[str]) -> int:
    light = QApplication.palette()
    asked = {name: one for name, one in FURTHER.items() if name in words}
    words = [word for word in words if word not in FURTHER]
    count = 0
    for manner, one in (asked or MANNERS).items():
        QApplication.setPalette(light if one.palette is QPalette else one.palette())
        if one.language:
            language.choose([one.language])
        else:
            speech.speak(pseudo=True)
        qt_language.follow()
        QApplication.setLayoutDirection(one.reads)
        for name, make in states():
            file = f"{name}.{manner}.png"
            if not words or all(word in file for word in words):
                shoot(make, folder / file, one.size, one.ratio)
                count += 1
    return count


def main() -> int:
    folder = Path(sys.argv[1])
    os.makedirs(folder, exist_ok=True)
    app = QApplication([sys.argv[0]])
    app.setApplicationDisplayName("cuDNN Assistant")
    theme.show_edges()
    print(f"{draw(folder, sys.argv[2:])} pictures in {folder}")  # noqa: T201
    return 0


if __name__ == "__main__":
    sys.exit(main())
