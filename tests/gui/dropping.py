"""A file, or anything else, let go over a window."""

from __future__ import annotations

from PySide6.QtCore import QMimeData, QPointF, Qt
from PySide6.QtGui import QDragEnterEvent, QDragMoveEvent, QDropEvent
from PySide6.QtWidgets import QApplication, QWidget


def dropped(target: QWidget, data: QMimeData) -> bool:
    """Whether it was taken. As the platform hands it over: to the native window, at a point."""
    window = target.window()
    at = target.mapTo(window, target.rect().center())
    how = (Qt.DropAction.CopyAction, data, Qt.MouseButton.LeftButton)
    native, no_key = window.windowHandle(), Qt.KeyboardModifier.NoModifier
    into = QDragEnterEvent(at, *how, no_key)
    QApplication.sendEvent(native, into)
    if not into.isAccepted():
        return False
    QApplication.sendEvent(native, QDragMoveEvent(at, *how, no_key))
    event = QDropEvent(QPointF(at), *how, no_key)
    QApplication.sendEvent(native, event)
    return event.isAccepted()
