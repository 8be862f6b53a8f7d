"""How parts stand: below one another or side by side, on the grid."""

from __future__ import annotations

from PySide6.QtCore import QSize, Qt
from PySide6.QtWidgets import QGridLayout, QHBoxLayout, QLayout, QVBoxLayout, QWidget

from cudnn_assistant.gui.theme import SPACE

MIDDLE, TOP = Qt.AlignmentFlag.AlignVCenter, Qt.AlignmentFlag.AlignTop
Part = QWidget | QLayout


def room_for(widget: QWidget, width: int, height: int) -> QSize:
    """So large, or as its screen allows; a title bar and a frame need some of that."""
    screen = widget.screen().availableGeometry().size() - QSize(8, 48)
    return QSize(width, height).boundedTo(screen)


class Column(QVBoxLayout):
    """Below one another. ``margin``: left, top, right, bottom."""

    def __init__(
        self,
        *parts: Part,
        inside: QWidget | None = None,
        gap: int = SPACE,
        margin: tuple[int, int, int, int] = (0, 0, 0, 0),
    ) -> None:
        super().__init__()
        self.setContentsMargins(*margin)
        self.setSpacing(gap)
        if inside is not None:
            inside.setLayout(self)
        for part in parts:
            self.addLayout(part) if isinstance(part, QLayout) else self.addWidget(part)


class Grid(QGridLayout):
    """In rows and columns. ``shares``: what each column gets of the room that is left."""

    def __init__(
        self, *shares: int, inside: QWidget | None = None, across: int = SPACE, down: int = SPACE
    ) -> None:
        super().__init__()
        self.setContentsMargins(0, 0, 0, 0)
        self.setHorizontalSpacing(across)
        self.setVerticalSpacing(down)
        for column, share in enumerate(shares):
            self.setColumnStretch(column, share)
        if inside is not None:
            inside.setLayout(self)


class Line(QHBoxLayout):
    """Side by side. The part of the number ``wide`` takes all the room; without one it stays."""

    def __init__(
        self,
        *parts: Part,
        inside: QWidget | None = None,
        wide: int | None = None,
        at: Qt.AlignmentFlag = MIDDLE,
        gap: int = SPACE,
    ) -> None:
        super().__init__()
        self.setContentsMargins(0, 0, 0, 0)
        self.setSpacing(gap)
        if inside is not None:
            inside.setLayout(self)
        for number, part in enumerate(parts):
            if isinstance(part, QLayout):
                self.addLayout(part, int(number == wide))
            elif number == wide:
                self.addWidget(part, 1)
            else:
                self.addWidget(part, 0, at)
        if wide is None:
            self.addStretch(1)
