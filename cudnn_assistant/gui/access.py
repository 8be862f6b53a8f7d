"""What a screen reader is told of widgets that Qt takes for something else."""

from __future__ import annotations

from PySide6.QtCore import QObject
from PySide6.QtGui import QAccessible, QAccessibleInterface
from PySide6.QtWidgets import QAccessibleWidget, QWidget

ROLE = "accessible role"
"""The property of a widget that holds its role, where that isn't Qt's own."""


def tell_roles() -> None:
    """From now on widgets are what :func:`is_read_as` says. Once for a program."""
    QAccessible.installFactory(_interface)


def is_read_as(widget: QWidget, role: QAccessible.Role) -> None:
    """A heading is a heading, a drawing a graphic; its name is the widget's accessible name."""
    widget.setProperty(ROLE, role.value)


def _interface(_key: str, widget: QObject) -> QAccessibleInterface | None:
    if not isinstance(widget, QWidget) or (role := widget.property(ROLE)) is None:
        return None
    told = QAccessibleWidget(widget, QAccessible.Role(role))
    # Qt keeps the interface, Python would let it go; it ends with its widget.
    widget.told = told  # type: ignore[attr-defined]
    return told
