"""Boxes to tick, seen in every scheme; and the one that asks to be back after a restart."""

from __future__ import annotations

from PySide6.QtCore import QRectF, QSignalBlocker
from PySide6.QtGui import QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QCheckBox, QStyle, QStyleOptionButton

from cudnn_assistant.gui import theme
from cudnn_assistant.wording import say


class CheckBox(QCheckBox):
    """A box to tick. Fusion's own outline can't be seen in the dark; this one always can."""

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: N802
        """The style's box, and an outline of at least 3 : 1 around it."""
        super().paintEvent(event)
        if self.style().name() != "fusion":
            return
        option = QStyleOptionButton()
        self.initStyleOption(option)
        kind = QStyle.SubElement.SE_CheckBoxIndicator
        box = QRectF(self.style().subElementRect(kind, option, self))
        painter = QPainter(self)
        painter.setPen(QPen(theme.muted(self.palette()), 1))
        painter.drawRect(box.adjusted(0.5, 0.5, -0.5, -0.5))
        painter.end()


class RestartBox(CheckBox):
    """Whether the window starts by itself after the restart. Off unless the person wants it."""

    def __init__(self, on: bool) -> None:
        super().__init__(say("gui.start-after-restart"))
        self.setChecked(on)

    def untick(self) -> None:
        """It could not be arranged."""
        with QSignalBlocker(self):
            self.setChecked(False)
