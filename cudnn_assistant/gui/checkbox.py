"""Boxes to tick, seen in every scheme."""

from __future__ import annotations

from PySide6.QtCore import QRectF
from PySide6.QtGui import QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QCheckBox, QStyle, QStyleOptionButton

from cudnn_assistant.gui import theme


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
