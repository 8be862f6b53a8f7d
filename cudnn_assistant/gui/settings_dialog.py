"""Settings: language, theme, what is asked of the network, folders to look in besides."""

from __future__ import annotations

from typing import get_args

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import (
    QComboBox,
    QFileDialog,
    QFormLayout,
    QHBoxLayout,
    QListWidget,
    QVBoxLayout,
    QWidget,
)

from cudnn_assistant.gui.checkbox import CheckBox
from cudnn_assistant.gui.dialogs import Dialog
from cudnn_assistant.gui.preferences import Preferences, Theme
from cudnn_assistant.gui.text_widgets import Text, line_height
from cudnn_assistant.gui.theme import SPACE
from cudnn_assistant.gui.widgets import Button
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

    changed = Signal()
    refresh = Signal()
    """Ask for newer compatibility data now."""

    def __init__(self, preferences: Preferences, data: str, parent: QWidget | None = None) -> None:
        super().__init__(say("gui.settings-heading"), "", parent)
        self._preferences = preferences
        self.lead.hide()
        inside = QWidget()
        form = QFormLayout(inside)
        form.setContentsMargins(0, 0, 0, 0)
        form.setVerticalSpacing(2 * SPACE)
        form.setRowWrapPolicy(QFormLayout.RowWrapPolicy.WrapLongRows)
        self.language = self._languages()
        form.addRow(say("gui.settings-language"), self.language)
        self.theme = self._themes()
        form.addRow(say("gui.settings-theme"), self.theme)
        self.online = CheckBox(say("gui.settings-online"))
        self.online.setChecked(not preferences.offline)
        self.online.toggled.connect(self._network)
        form.addRow(say("gui.settings-data"), self._data(data))
        self.folders = QListWidget()
        form.addRow(say("gui.settings-folders"), self._folder_list())
        self.finish(inside, Button(say("gui.close"), self.accept))
        width = line_height() * 38
        needed = self.rows.totalHeightForWidth(width) + form.verticalSpacing()
        self.resize(width, max(needed, self.sizeHint().height(), line_height() * 24))

    def _languages(self) -> QComboBox:
        box = QComboBox()
        box.addItem(say("gui.as-the-system"), "")
        for code, name in LANGUAGES.items():
            box.addItem(name, code)
        box.setCurrentIndex(max(0, box.findData(self._preferences.language)))
        box.setAccessibleName(say("gui.settings-language"))
        box.activated.connect(self._choose_language)
        return box

    def _themes(self) -> QComboBox:
        box = QComboBox()
        for theme in get_args(Theme):
            box.addItem(say(f"gui.theme-{theme}"), theme)
        box.setCurrentIndex(box.findData(self._preferences.theme))
        box.setAccessibleName(say("gui.settings-theme"))
        box.activated.connect(self._choose_theme)
        return box

    def _data(self, data: str) -> QWidget:
        cell = QWidget()
        rows = QVBoxLayout(cell)
        rows.setContentsMargins(0, 0, 0, 0)
        rows.addWidget(self.online)
        rows.addWidget(Text(data, muted=True))
        self.ask = Button(say("gui.settings-ask-now"), self.refresh.emit)
        rows.addWidget(self.ask, 0, Qt.AlignmentFlag.AlignLeft)
        self.ask.setEnabled(not self._preferences.offline)
        return cell

    def _folder_list(self) -> QWidget:
        cell = QWidget()
        rows = QVBoxLayout(cell)
        rows.setContentsMargins(0, 0, 0, 0)
        self.folders.addItems(list(self._preferences.folders))
        self.folders.setAccessibleName(say("gui.settings-folders"))
        self.folders.setSizeAdjustPolicy(QListWidget.SizeAdjustPolicy.AdjustToContents)
        self.folders.setMinimumHeight(3 * line_height())
        rows.addWidget(self.folders)
        buttons = QHBoxLayout()
        buttons.addWidget(Button(say("gui.settings-add-folder"), self._choose_folder))
        buttons.addWidget(Button(say("gui.settings-remove-folder"), self._remove_folder))
        buttons.addStretch(1)
        rows.addLayout(buttons)
        return cell

    def _choose_language(self) -> None:
        self._preferences.language = self.language.currentData()
        self.changed.emit()

    def _choose_theme(self) -> None:
        self._preferences.theme = self.theme.currentData()
        self.changed.emit()

    def _network(self, on: bool) -> None:
        self._preferences.offline = not on
        self.ask.setEnabled(on)
        self.changed.emit()

    def _choose_folder(self) -> None:
        ask = QFileDialog(self, say("gui.settings-folders"))
        ask.setFileMode(QFileDialog.FileMode.Directory)
        ask.fileSelected.connect(self.add_folder)
        ask.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        ask.open()

    def add_folder(self, folder: str) -> None:
        """Look there as well, from the next check on."""
        if folder not in self._preferences.folders:
            self._preferences.folders = (*self._preferences.folders, folder)
            self.folders.addItem(folder)
            self.changed.emit()

    def _remove_folder(self) -> None:
        chosen = self.folders.takeItem(self.folders.currentRow())
        if chosen is not None:
            kept = (one for one in self._preferences.folders if one != chosen.text())
            self._preferences.folders = tuple(kept)
            self.changed.emit()
