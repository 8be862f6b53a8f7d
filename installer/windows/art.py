"""The program's icon and the installer's picture, drawn from the one drawing (resources/icons)."""

from __future__ import annotations

import os
import struct
from pathlib import Path

SIZES = (16, 20, 24, 32, 40, 48, 64, 256)
SIDE = (164, 314)
"""Width and height of the picture on the last page, as NSIS wants it."""


def draw(drawing: Path, folder: Path) -> None:
    """Write ``app.ico`` and ``side.bmp`` into ``folder``."""
    os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
    # pytest-qt takes the application that is there; one without widgets would end its tests.
    from PySide6.QtWidgets import QApplication

    keep = QApplication.instance() or QApplication([])
    icon(drawing, folder / "app.ico")
    _side(drawing, folder / "side.bmp")
    del keep


def icon(drawing: Path, target: Path) -> None:
    """An .ico with every size Windows asks for, as PNG."""
    pictures = [(size, png(drawing, size)) for size in SIZES]
    head, at = struct.pack("<HHH", 0, 1, len(pictures)), 6 + 16 * len(pictures)
    body = b""
    for size, picture in pictures:
        edge = size % 256
        head += struct.pack("<BBBBHHII", edge, edge, 0, 0, 1, 32, len(picture), at + len(body))
        body += picture
    target.write_bytes(head + body)


def png(drawing: Path, size: int) -> bytes:
    """The drawing as PNG, ``size`` pixels wide and high, on nothing."""
    from PySide6.QtCore import QBuffer, QIODevice, Qt
    from PySide6.QtGui import QImage

    image = QImage(size, size, QImage.Format.Format_ARGB32)
    image.fill(Qt.GlobalColor.transparent)
    _paint(drawing, image, 0, 0, size)
    buffer = QBuffer()
    buffer.open(QIODevice.OpenModeFlag.WriteOnly)
    image.save(buffer, "PNG")  # type: ignore[call-overload]
    return bytes(buffer.data().data())


def _side(drawing: Path, target: Path) -> None:
    from PySide6.QtGui import QColor, QImage

    image = QImage(*SIDE, QImage.Format.Format_RGB888)
    image.fill(QColor("#E9EFF6"))
    _paint(drawing, image, 34, 60, 96)
    image.save(str(target), "BMP")  # type: ignore[call-overload]


def _paint(drawing: Path, image: object, x: int, y: int, size: int) -> None:
    from PySide6.QtCore import QRectF
    from PySide6.QtGui import QImage, QPainter
    from PySide6.QtSvg import QSvgRenderer

    assert isinstance(image, QImage)
    painter = QPainter(image)
    QSvgRenderer(str(drawing)).render(painter, QRectF(x, y, size, size))
    painter.end()
