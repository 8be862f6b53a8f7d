"""The window: it hosts the pages, puts the flows together, and hears keys and drops."""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

from msgspec.structs import replace
from PySide6.QtCore import QByteArray, QEvent, QTimer
from PySide6.QtGui import (
    QCloseEvent,
    QDragEnterEvent,
    QDropEvent,
    QKeyEvent,
    QKeySequence,
    QPaintEvent,
    QShortcut,
)
from PySide6.QtWidgets import QApplication, QMenu, QWidget

from cudnn_assistant.gui import preferences, qt_language, taskbar
from cudnn_assistant.gui.dialogs import AboutDialog, HelpDialog
from cudnn_assistant.gui.flow import Flow
from cudnn_assistant.gui.layouts import room_for
from cudnn_assistant.gui.message import file_of
from cudnn_assistant.gui.page import Wish
from cudnn_assistant.gui.page_host import PageHost
from cudnn_assistant.gui.preferences import Preferences
from cudnn_assistant.gui.settings_dialog import SettingsDialog, wear
from cudnn_assistant.gui.side_flows import SideFlows
from cudnn_assistant.gui.text_widgets import Text
from cudnn_assistant.gui.theme import app_icon
from cudnn_assistant.gui.widgets import pressed
from cudnn_assistant.session import Session, describe, news
from cudnn_assistant.wording import prose, say, spoken
from cudnn_assistant.wording.language import choose

INSTALL_POLL = 2000
"""Milliseconds between two polls whether an installer has done something."""
ASLEEP = 60
"""Seconds without a poll: the computer slept."""
_MENU: tuple[tuple[tuple[Wish, str], ...], ...] = (
    (("check", "F5"), ("explain", "Ctrl+E"), ("watch", "Ctrl+W")),
    (("open", "Ctrl+O"), ("save", "Ctrl+S"), ("history", "")),
    (("settings", ""), ("help", "F1"), ("about", "")),
)
"""Group by group: what is wished, and its key."""
_ALWAYS: tuple[Wish, ...] = ("about", "close", "help")
USUAL, LEAST = (820, 640), (360, 320)
"""Width and height; a screen that has less gets less."""


class Window(PageHost):
    """Looks by itself as soon as it is on the screen; everything slow happens in a Job.

    What follows what is the matter of ``flow``; ``side_flows`` has what is beside it.
    """

    def __init__(
        self,
        session: Session,
        open_link: Callable[[str], bool] | None = None,
        file: str = "",
        kept: Path | None = None,
    ) -> None:
        """``kept``: the file of the preferences; without one nothing is remembered."""
        super().__init__(open_link)
        self._begun = False
        self._file = file
        self._session = session
        self._kept = kept
        self.preferences = preferences.load(kept) if kept is not None else Preferences()
        self.flow = Flow(self, session)
        self.side_flows = SideFlows(self, self.flow, session, self.preferences)
        self._speak()
        self._prefer()
        self._connect()
        self.setWindowTitle(QApplication.applicationDisplayName() or "cuDNN Assistant")
        self.setWindowIcon(app_icon())
        self.setAcceptDrops(True)
        self._stand()
        QShortcut(QKeySequence("Esc"), self).activated.connect(self._escape)
        # A menu's keys are heard only while the window knows its entries.
        self._fill_menu()
        self.flow.open_overview()

    # --- What the person has settled --------------------------------------------------------------

    def _speak(self) -> None:
        wish = self.preferences.language
        choose([wish] if wish else None)
        qt_language.follow()

    def _prefer(self) -> None:
        wish = self.preferences
        wear(wish.theme)
        request = self.flow.request
        self.flow.request = replace(request, offline=wish.offline, folders=wish.folders)

    def _keep(self, field: str) -> None:
        if self._kept is not None:
            preferences.save(self.preferences, field, self._kept)

    def _show_settings(self) -> SettingsDialog:
        dialog = SettingsDialog(self.preferences, describe(self._session.source), self)
        dialog.changed.connect(self._settled)
        dialog.refresh.connect(self._refresh)
        dialog.finished.connect(self.flow.renew)
        self.open(dialog)
        return dialog

    def _settled(self, field: str) -> None:
        self._keep(field)
        self._prefer()
        if field == "folders" and not self.flow.state.foreign:
            # What was missed may be there.
            self.flow.state.outdated = True
        before = spoken()
        if field == "language":
            self._speak()
        if spoken() != before:
            self._fill_menu()
            self._say_all_anew()

    def _say_all_anew(self) -> None:
        """In another language: what is shown says it at once, the settings before all."""
        self.page.anew()
        if isinstance(self.dialog, SettingsDialog):
            self.dialog.accept()
            self._show_settings().language.setFocus()

    def _refresh(self) -> None:
        ask = self._session.fetch_data
        self.work(lambda _job: ask(insist=True), self._refreshed)

    def _refreshed(self, _source: object) -> None:
        """Say what came, and what it changes in the answer that is shown."""
        source = self._session.source
        if isinstance(self.dialog, SettingsDialog):
            self.dialog.show_data(prose((describe(source), *news(source))))
        self.flow.judge_anew()

    # --- Its place on the screen ------------------------------------------------------------------

    def _stand(self) -> None:
        """Where it stood last, else in its usual size; never larger than the screen."""
        self.setMinimumSize(room_for(self, *LEAST))
        self.resize(room_for(self, *USUAL))
        if self.preferences.geometry:
            self.restoreGeometry(QByteArray.fromHex(self.preferences.geometry.encode()))

    # --- What can be asked of it ------------------------------------------------------------------

    def _connect(self) -> None:
        side = self.side_flows
        self._does: dict[Wish, Callable[[], object]] = {
            "about": lambda: self.open(AboutDialog(self)),
            "back": self.flow.back,
            "check": self.flow.check,
            "close": self.close,
            "explain": side.show_explain,
            "help": lambda: self.open(HelpDialog(self)),
            "history": side.show_history,
            "open": side.ask_file,
            "review": self.flow.change.review,
            "save": side.save,
            "settings": self._show_settings,
            "stop": self.flow.stop,
            "undo": self.flow.change.undo_made,
            "watch": side.show_watch,
        }
        self.wished.connect(self._do)
        self.troubled.connect(self.flow.tell)
        side.opened.connect(self._opened)
        side.settled.connect(self._keep)
        self._polled = time.time()
        self._watch = QTimer(self)
        self._watch.timeout.connect(self._look_around)
        self._watch.start(INSTALL_POLL)

    def _escape(self) -> None:
        self.page.escape()

    def _do(self, wish: Wish, _on: bool = False) -> None:
        """While a change is made nothing else begins."""
        if not self.flow.state.changing or wish in _ALWAYS:
            self._does[wish]()

    def _fill_menu(self) -> None:
        """Write the menu anew, in the language that is spoken now."""
        for old in self.actions():
            # The menu drops its entries only where nobody else has them; their keys would stay.
            self.removeAction(old)
        for past in self.menu.findChildren(QMenu):
            # Taken out of a menu, one below it would live on.
            past.deleteLater()
        self.menu.clear()
        for group in _MENU:
            for wish, key in group:
                action = self.menu.addAction(say(f"gui.menu-{wish}"), QKeySequence(key))
                action.triggered.connect(partial(self._do, wish))
                if wish == "open":
                    self._add_recent(self.menu.addMenu(say("gui.menu-recent")))
            self.menu.addSeparator()
        self.addActions(self.menu.actions())

    def _add_recent(self, past: QMenu) -> None:
        past.setEnabled(bool(self.preferences.recent))
        past.setToolTipsVisible(True)
        for path in self.preferences.recent:
            action = past.addAction(Path(path).name.replace("&", "&&"))
            action.setToolTip(path)
            action.triggered.connect(lambda _on, path=path: self.side_flows.take_file(path))

    def _opened(self, path: str) -> None:
        self.preferences.opened(path)
        taskbar.opened(path)
        self._keep("recent")
        self._fill_menu()

    # --- What Qt tells it -------------------------------------------------------------------------

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: N802
        """The first picture is on the screen before the first look begins."""
        super().paintEvent(event)
        if not self._begun:
            self._begun = True
            QTimer.singleShot(0, self.begin)

    def begin(self) -> None:
        """Set out on the flow, or show the file that was double-clicked."""
        if self._file:
            self.side_flows.take_file(self._file)
        else:
            self.flow.begin()

    def _look_around(self) -> None:
        before, self._polled = self._polled, time.time()
        if self.dialog is None:
            self.flow.look_around(slept=self._polled - before > ASLEEP)

    def event(self, event: QEvent) -> bool:
        """Coming back to the window, perhaps from an installer: poll at once."""
        if event.type() == QEvent.Type.WindowActivate:
            self.notifier.done()
            self._look_around()
        return super().event(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:  # noqa: N802
        """Enter presses what has the focus; the default button where nothing to press has it."""
        focus: QWidget | None = self.focusWidget()
        if focus in (None, self, self.page) or isinstance(focus, Text):
            focus = self.page.buttons.primary
        if not pressed(event, focus):
            super().keyPressEvent(event)

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:  # noqa: N802
        """Files and texts may be dropped anywhere on the window."""
        source = event.mimeData()
        # A link has text, too, which says nothing.
        takes = file_of(source) or (source.hasText() and not source.hasUrls())
        if takes and not (self.dialog or self.flow.state.changing):
            event.acceptProposedAction()

    def dropEvent(self, event: QDropEvent) -> None:  # noqa: N802
        """Take the first file, or explain the text."""
        event.acceptProposedAction()
        source = event.mimeData()
        if file := file_of(source):
            self.side_flows.take_file(file)
        else:
            self.side_flows.take_text(source.text(), bytes(source.data("text/plain").data()))

    def closeEvent(self, event: QCloseEvent) -> None:  # noqa: N802
        """Closing waits for a change that is being made, and for nothing else."""
        if self.flow.state.changing:
            self.closing = True
            self.flow.change.hurry()
            event.ignore()
            return
        if self.dialog is not None:
            self.dialog.reject()
        self.cancel_all()
        self.preferences.geometry = bytes(self.saveGeometry().toHex().data()).decode()
        self._keep("geometry")
        super().closeEvent(event)
