"""The chain driver → CUDA → cuDNN → program as a picture; the broken joint is marked."""

from __future__ import annotations

import math

from PySide6.QtCore import QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QAccessible, QFontMetricsF, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QApplication, QSizePolicy, QWidget

from cudnn_assistant.gui import theme
from cudnn_assistant.gui.text_widgets import height_of, is_read_as, line_height, wrapped
from cudnn_assistant.gui.theme import SPACE
from cudnn_assistant.summary.chain import Chain, Joint, Station
from cudnn_assistant.wording import say


class ChainPicture(QWidget):
    """Four stations in the direction of reading; a screen reader gets the sentence."""

    def __init__(self, chain: Chain) -> None:
        super().__init__()
        self._heights: dict[tuple[int, str], int] = {}
        """By width and font: a layout asks for each many times over."""
        policy = QSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        policy.setHeightForWidth(True)
        self.setSizePolicy(policy)
        self.setAccessibleName(say("gui.chain"))
        is_read_as(self, QAccessible.Role.Graphic)
        self.show_chain(chain)

    def show_chain(self, chain: Chain) -> None:
        """Draw another one in its place."""
        self._chain = chain
        self._heights.clear()
        self.setAccessibleDescription(chain.sentence)
        self.setToolTip(chain.sentence)
        self.updateGeometry()
        self.update()

    def _gap(self, width: float) -> float:
        """Between two stations; where there is little room, the words get it."""
        return min(max(width / 18, line_height() * 1.5), line_height() * 1.9)

    def _station(self, width: float) -> float:
        count = len(self._chain.stations)
        return max(1.0, (width - self._gap(width) * (count - 1)) / count)

    def heightForWidth(self, width: int) -> int:  # noqa: N802
        """As tall as the station with most to say."""
        asked = width, QApplication.font().toString()
        if asked not in self._heights:
            self._heights[asked] = self._height(width)
        return self._heights[asked]

    def _height(self, width: int) -> int:
        inside = self._station(width) - 2 * SPACE
        small, plain = theme.font(0.9), theme.font(1.0, bold=True)
        heights = (
            height_of(wrapped(one.label, small, inside))
            + height_of(wrapped(one.text or " ", plain, inside))
            for one in self._chain.stations
        )
        return max(heights) + 2 * SPACE

    def sizeHint(self) -> QSize:  # noqa: N802
        """Roomy; it takes what there is."""
        width = line_height() * 34
        return QSize(width, self.heightForWidth(width))

    def minimumSizeHint(self) -> QSize:  # noqa: N802
        """The longest word of a station still stands in a line."""
        letter = QFontMetricsF(theme.font(1.0, bold=True)).averageCharWidth()
        least = math.ceil(4 * (letter * 8 + 2 * SPACE) + 3 * self._gap(0))
        return QSize(least, line_height())

    def paintEvent(self, _event: QPaintEvent) -> None:  # noqa: N802
        """Boxes and joints in the palette's colours; shape says what colour says."""
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        wide, gap = self._station(self.width()), self._gap(self.width())
        boxes = []
        for number in range(len(self._chain.stations)):
            left = number * (wide + gap)
            if self.layoutDirection() == Qt.LayoutDirection.RightToLeft:
                left = self.width() - left - wide
            boxes.append(QRectF(left, 0, wide, self.height()).adjusted(1, 1, -1, -1))
        for number, joint in enumerate(self._chain.joints):
            one, other = sorted((boxes[number], boxes[number + 1]), key=lambda box: box.left())
            self._joint(painter, joint, one.right(), other.left())
        for box, station in zip(boxes, self._chain.stations, strict=True):
            self._box(painter, box, station)
        painter.end()

    def _joint(self, painter: QPainter, joint: Joint, start: float, end: float) -> None:
        look = {"holds": "ok", "broken": "bad", "unknown": "wait"}[joint]
        pen = QPen(theme.status(look, self.palette()), 2)
        middle, y = (start + end) / 2, self.height() / 2
        if joint == "unknown":
            pen.setStyle(Qt.PenStyle.DotLine)
        painter.setPen(pen)
        if joint != "broken":
            painter.drawLine(QPointF(start, y), QPointF(end, y))
            return
        side = line_height() * 1.15
        painter.drawLine(QPointF(start, y), QPointF(middle - side / 2 - 1, y))
        painter.drawLine(QPointF(middle + side / 2 + 1, y), QPointF(end, y))
        paper = theme.card(self.palette())
        picture = theme.drawing("bad", pen.color().name(), paper.name())
        picture.render(painter, QRectF(middle - side / 2, y - side / 2, side, side))

    def _box(self, painter: QPainter, box: QRectF, station: Station) -> None:
        palette = self.palette()
        bad = station.mark == "bad"
        border = theme.status("bad", palette) if bad else theme.hairline(palette)
        pen = QPen(border, 2 if bad else 1)
        if station.mark in ("wait", "unknown"):
            pen.setStyle(Qt.PenStyle.DashLine)
        painter.setPen(pen)
        painter.setBrush(theme.station(palette))
        painter.drawRoundedRect(box, 6, 6)
        inside = box.width() - 2 * SPACE + 2
        label = wrapped(station.label, theme.font(0.9), inside)
        text = wrapped(station.text, theme.font(1.0, bold=True), inside)
        tall = height_of(label) + (height_of(text) if station.text else 0)
        y = box.top() + (box.height() - tall) / 2
        at = QPointF(box.left() + SPACE - 1, y)
        painter.setPen(theme.muted(palette))
        label.draw(painter, at)
        loud = station.mark in ("ok", "bad", "note")
        painter.setPen(palette.windowText().color() if loud else theme.muted(palette))
        text.draw(painter, at + QPointF(0, height_of(label)))
