"""The window's menu: reports, the past, settings, help."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple

from PySide6.QtGui import QKeySequence
from PySide6.QtWidgets import QMenu

from cudnn_assistant.wording import say


class MenuDoes(NamedTuple):
    """What its entries do."""

    open_report: Callable[[], object]
    open_recent: Callable[[str], object]
    save_report: Callable[[], object]
    check: Callable[[], object]
    explain: Callable[[], object]
    watch: Callable[[], object]
    history: Callable[[], object]
    settings: Callable[[], object]
    help: Callable[[], object]
    about: Callable[[], object]


def fill(menu: QMenu, does: MenuDoes, recent: Sequence[str]) -> None:
    """Write the menu anew, in the language that is spoken now."""
    menu.clear()
    _add(menu, "gui.menu-check", does.check, "F5")
    _add(menu, "gui.menu-explain", does.explain, "Ctrl+E")
    _add(menu, "gui.menu-watch", does.watch, "Ctrl+W")
    menu.addSeparator()
    _add(menu, "gui.menu-open", does.open_report, "Ctrl+O")
    past = menu.addMenu(say("gui.menu-recent"))
    past.setEnabled(bool(recent))
    for path in recent:
        action = past.addAction(Path(path).name.replace("&", "&&"))
        action.setToolTip(path)
        action.triggered.connect(lambda _on, path=path: does.open_recent(path))
    past.setToolTipsVisible(True)
    _add(menu, "gui.menu-save", does.save_report, "Ctrl+S")
    _add(menu, "gui.menu-history", does.history)
    menu.addSeparator()
    _add(menu, "gui.menu-settings", does.settings)
    _add(menu, "gui.menu-help", does.help, "F1")
    _add(menu, "gui.menu-about", does.about)


def _add(menu: QMenu, key: str, do: Callable[[], object], shortcut: str = "") -> None:
    action = menu.addAction(say(key))
    action.triggered.connect(lambda _on: do())
    if shortcut:
        action.setShortcut(QKeySequence(shortcut))
