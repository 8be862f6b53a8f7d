"""Settings: language, theme, what is asked of the network, folders to look in besides."""

from __future__ import annotations

from collections.abc import Iterable
from typing import get_args

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QCheckBox, QComboBox, QFileDialog, QFormLayout, QListWidget, QWidget

from cudnn_assistant.gui.dialogs import Dialog
from cudnn_assistant.gui.layouts import Column, Line, room_for
from cudnn_assistant.gui.preferences import Preferences, Theme
from cudnn_assistant.gui.text_widgets import Text, announce, line_height
from cudnn_assistant.gui.theme import SPACE
from cudnn_assistant.gui.widgets import Button, Scrolled
from cudnn_assistant.wording import say
from cudnn_assistant.wording.language import LANGUAGES

_SCHEMES = {
    "system": Qt.ColorScheme.Unknown,
    "light": Qt.ColorScheme.Light,
    "dark": Qt.ColorScheme.Dark,
}


def wear(theme: Theme) -> None:
    """Look light or dark, or as the system does."""
    QGuiApplication.styleHints().setColorScheme(_SCHEMES[theme])


class SettingsDialog(Dialog):
    """Takes effect at once, without a restart."""

    changed = Signal(str)
    """One of the preferences has another value: which."""
    refresh = Signal()
    """Ask for newer compatibility data now."""

    def __init__(self, preferences: Preferences, data: str, parent: QWidget | None = None) -> None:
        super().__init__(say("gui.settings-heading"), "", parent)
        self._preferences = preferences
        self.lead.hide()
        inside = QWidget()
        form = QFormLayout(inside)
        form.setContentsMargins(0, 0, 0, 0)
        form.setHorizontalSpacing(2 * SPACE)
        form.setVerticalSpacing(2 * SPACE)
        names = ((name, code) for code, name in LANGUAGES.items())
        self.language = self._choice("language", ((say("gui.theme-system"), ""), *names))
        form.addRow(say("gui.settings-language"), self.language)
        themes = ((say(f"gui.theme-{theme}"), theme) for theme in get_args(Theme))
        self.theme = self._choice("theme", themes)
        form.addRow(say("gui.settings-theme"), self.theme)
        self.online = QCheckBox(say("gui.settings-online"))
        self.online.setChecked(not preferences.offline)
        self.online.toggled.connect(self._network)
        form.addRow(say("gui.settings-data"), self._data(data))
        self.folders = QListWidget()
        form.addRow(say("gui.settings-folders"), self._folder_list())
        area = Scrolled(inside)
        self.finish(area, Button(say("gui.close"), self.accept))
        width = self.width()
        if form.minimumSize().width() > width - 6 * SPACE:
            # All labels above their fields; one alone would look like a heading.
            form.setRowWrapPolicy(QFormLayout.RowWrapPolicy.WrapAllRows)
        needed = form.totalHeightForWidth(width - 6 * SPACE) + form.verticalSpacing()
        around = self.sizeHint().height() - area.sizeHint().height()
        self.resize(room_for(self, width, max(needed + around, line_height() * 24)))

    def _choice(self, field: str, rows: Iterable[tuple[str, str]]) -> QComboBox:
        """A box for one of the preferences."""
        box = QComboBox()
        for text, value in rows:
            box.addItem(text, value)
        box.setCurrentIndex(max(0, box.findData(getattr(self._preferences, field))))
        box.setAccessibleName(say(f"gui.settings-{field}"))
        box.activated.connect(lambda: self._settle(field, box.currentData()))
        return box

    def _settle(self, field: str, value: object) -> None:
        setattr(self._preferences, field, value)
        self.changed.emit(field)

    def _data(self, data: str) -> Column:
        self.ask = Button(say("gui.settings-ask-now"), self._ask)
        self.ask.setEnabled(not self._preferences.offline)
        self.data = Text(data, muted=True)
        return Column(self.online, self.data, Line(self.ask))

    def _ask(self) -> None:
        self.ask.setEnabled(False)
        self.refresh.emit()

    def show_data(self, text: str) -> None:
        """What came of asking."""
        self.data.setText(text)
        announce(self, text)
        self.ask.setEnabled(self.online.isChecked())

    def _folder_list(self) -> Column:
        self.folders.addItems(list(self._preferences.folders))
        self.folders.setAccessibleName(say("gui.settings-folders"))
        self.folders.setSizeAdjustPolicy(QListWidget.SizeAdjustPolicy.AdjustToContents)
        self.folders.setMinimumHeight(3 * line_height())
        add = Button(say("gui.settings-add-folder"), self._choose_folder)
        remove = Button(say("gui.settings-remove-folder"), self._remove_folder)
        remove.setEnabled(False)
        self.folders.currentRowChanged.connect(lambda row: remove.setEnabled(row >= 0))
        return Column(self.folders, Line(add, remove))

    def _network(self, on: bool) -> None:
        self.ask.setEnabled(on)
        self._settle("offline", not on)

    def _choose_folder(self) -> None:
        ask = QFileDialog(self, say("gui.settings-folders"))
        ask.setFileMode(QFileDialog.FileMode.Directory)
        ask.fileSelected.connect(self.add_folder)
        ask.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        ask.open()

    def add_folder(self, folder: str) -> None:
        """Look there as well, from the next check on."""
        if folder not in self._preferences.folders:
            self.folders.addItem(folder)
            self._settle("folders", (*self._preferences.folders, folder))

    def _remove_folder(self) -> None:
        chosen = self.folders.takeItem(self.folders.currentRow())
        if chosen is not None:
            kept = (one for one in self._preferences.folders if one != chosen.text())
            self._settle("folders", tuple(kept))
