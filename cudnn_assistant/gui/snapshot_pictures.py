"""Pictures of the snapshot inside a row: the search as a ladder, a copy's parts, GPU memory."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QPointF, Qt
from PySide6.QtGui import QAccessible, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QWidget

from cudnn_assistant.gui import theme
from cudnn_assistant.gui.layouts import TOP, Column, Grid
from cudnn_assistant.gui.text_widgets import Text, is_read_as, line_height
from cudnn_assistant.gui.theme import SPACE, Look
from cudnn_assistant.gui.widgets import Mark, ShareBar
from cudnn_assistant.machine import Gpu, GpuProcess
from cudnn_assistant.summary.search_ladder import CopyPart, Rung
from cudnn_assistant.wording import listed, number, say


class RungMark(QWidget):
    """The rail at the left of a rung: a full disc wins, a ring stands behind, a gap is aside."""

    def __init__(self, rung: Rung, *, first: bool, last: bool) -> None:
        super().__init__()
        self._state = rung.state
        self._first, self._last = first, last
        self.setFixedWidth(line_height() + SPACE)
        self.setMinimumHeight(line_height())
        self.setAccessibleName(rung.sentence or rung.text)
        is_read_as(self, QAccessible.Role.Graphic)

    def paintEvent(self, _event: QPaintEvent) -> None:  # noqa: N802
        """Rail and disc."""
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        palette, middle = self.palette(), line_height() / 2
        x, radius = self.width() / 2, line_height() * 0.28
        pen = QPen(theme.muted(palette), 1.5)
        if self._state == "aside":
            pen.setStyle(Qt.PenStyle.DotLine)
        painter.setPen(pen)
        painter.drawLine(QPointF(x, middle if self._first else 0), QPointF(x, middle))
        if not self._last:
            painter.drawLine(QPointF(x, middle), QPointF(x, self.height()))
        wins = self._state == "wins"
        colour = theme.status("ok" if wins else "wait", palette)
        painter.setPen(QPen(colour, 2))
        painter.setBrush(colour if wins else theme.card(palette))
        if self._state == "nothing":
            painter.drawLine(QPointF(x - radius, middle), QPointF(x + radius, middle))
        else:
            painter.drawEllipse(QPointF(x, middle), radius, radius)
        painter.end()


class LadderPicture(QWidget):
    """The copies that a subject's programs come across, in the order of their search."""

    def __init__(self, rungs: Sequence[Rung]) -> None:
        super().__init__()
        grid = Grid(0, 1, inside=self, across=SPACE // 2, down=0)
        said = []
        for row, rung in enumerate(rungs):
            mark = RungMark(rung, first=not row, last=row == len(rungs) - 1)
            grid.addWidget(mark, row, 0)
            grid.addWidget(_rung(rung), row, 1, TOP)
            said.append(" ".join(filter(None, (rung.text, rung.folder, rung.sentence))))
        self.setAccessibleName(say("gui.search-order"))
        self.setAccessibleDescription(". ".join(said))


def _rung(rung: Rung) -> QWidget:
    words = QWidget()
    place = say("gui.rung-place", number=rung.place) if rung.place else ""
    title = listed(filter(None, (rung.text, rung.sentence, place)))
    said = Text(title, bold=rung.state == "wins", muted=rung.state == "nothing")
    rows = Column(said, inside=words, gap=0, margin=(0, 0, 0, SPACE))
    if rung.folder:
        rows.addWidget(Text(rung.folder, muted=True))
    return words


PART_LOOKS: dict[str, Look] = {
    "present": "ok", "missing": "bad", "damaged": "bad", "foreign": "note",
}  # fmt: skip


class PartsPicture(QWidget):
    """The parts of a copy of cuDNN side by side, each with its state in words."""

    def __init__(self, parts: Sequence[CopyPart]) -> None:
        super().__init__()
        grid = Grid(0, 1, 0, 1, inside=self, down=SPACE // 2)
        for at, part in enumerate(parts):
            row, column = divmod(at, 2)
            mark = Mark(PART_LOOKS[part.state], 1.0)
            mark.setAccessibleName(part.said)
            grid.addWidget(mark, row, 2 * column, TOP)
            text = part.name if part.state == "present" else f"{part.name}: {part.said}"
            grid.addWidget(Text(text), row, 2 * column + 1, TOP)
        self.setAccessibleName(say("gui.copy-parts"))
        said = (f"{part.name}: {part.said}" for part in parts)
        self.setAccessibleDescription(listed(said))


class MemoryPicture(QWidget):
    """How much of a GPU's memory is taken, and by whom."""

    def __init__(self, gpu: Gpu) -> None:
        super().__init__()
        total, free = gpu.memory_total or 0, gpu.memory_free or 0
        said = say("gui.memory-free", gpu=gpu.name, free=_gigabytes(free), total=_gigabytes(total))
        bar = ShareBar(say("gui.memory"))
        bar.show_share((total - free) / total if total else 0)
        bar.setAccessibleDescription(said)
        holders = (Text(_holder(process), muted=True) for process in gpu.processes)
        Column(Text(said), bar, *holders, inside=self, gap=SPACE // 2)


def _holder(process: GpuProcess) -> str:
    name, memory = process.name or "?", process.memory
    if not memory:
        return say("gui.memory-holder-size-unknown", name=name, pid=process.pid)
    return say("gui.memory-holder", name=name, pid=process.pid, size=_gigabytes(memory))


def _gigabytes(size: int) -> str:
    return number(size / 2**30, 1)
