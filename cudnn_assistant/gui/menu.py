"""The window's menu: reports, the past, settings, help."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from PySide6.QtGui import QKeySequence
from PySide6.QtWidgets import QMenu

from cudnn_assistant.gui.page import Wish
from cudnn_assistant.wording import say

_ENTRIES: tuple[tuple[tuple[Wish, str], ...], ...] = (
    (("check", "F5"), ("explain", "Ctrl+E"), ("watch", "Ctrl+W")),
    (("open", "Ctrl+O"), ("save", "Ctrl+S"), ("history", "")),
    (("settings", ""), ("help", "F1"), ("about", "")),
)
"""Group by group: what is wished, and its key."""


def fill(
    menu: QMenu,
    wish: Callable[[Wish], object],
    open_report: Callable[[str], object],
    recent: Sequence[str],
) -> None:
    """Write the menu anew, in the language that is spoken now."""
    for past in menu.findChildren(QMenu):
        # Taken out of a menu, one below it would live on.
        past.deleteLater()
    menu.clear()
    for group in _ENTRIES:
        for wished, key in group:
            action = menu.addAction(say(f"gui.menu-{wished}"), QKeySequence(key))
            action.triggered.connect(lambda _on, wished=wished: wish(wished))
            if wished == "open":
                _add_recent(menu.addMenu(say("gui.menu-recent")), open_report, recent)
        menu.addSeparator()


def _add_recent(past: QMenu, open_report: Callable[[str], object], recent: Sequence[str]) -> None:
    past.setEnabled(bool(recent))
    past.setToolTipsVisible(True)
    for path in recent:
        action = past.addAction(Path(path).name.replace("&", "&&"))
        action.setToolTip(path)
        action.triggered.connect(lambda _on, path=path: open_report(path))
