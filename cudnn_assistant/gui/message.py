"""Where a message of a program is pasted: of a very large one only the end is laid out."""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtCore import QMimeData, Signal
from PySide6.QtWidgets import QPlainTextEdit

from cudnn_assistant.gui import theme
from cudnn_assistant.gui.text_widgets import line_height
from cudnn_assistant.wording import number, say


def file_of(source: QMimeData) -> str:
    """The first file that is dropped or pasted; "" where there is none."""
    return next((url.toLocalFile() for url in source.urls() if url.isLocalFile()), "")


@dataclass
class Draft:
    """A message, which is there again when its page is: as it was left, or in another language."""

    shown: str = ""
    whole: bytes | None = None
    """A text that is too large to be shown; what is typed takes its place."""
    asked: bool = False
    """Whether answers are shown, or wait to be."""


class Message(QPlainTextEdit):
    """Where the message is pasted. A file that is dropped on it is the window's matter.

    A text of many megabytes, or in one endless line, is kept as it came and only its end is shown:
    laying it out would hold everything up.
    """

    LARGEST, LONGEST = 200_000, 10_000
    """Bytes that are shown and can be edited; of them, those of a line."""

    file = Signal(str)
    """A file was pasted."""

    def __init__(self, draft: Draft) -> None:
        super().__init__(draft.shown)
        self._draft = draft
        self.setFont(theme.font(0.95, fixed=True))
        self.setTabChangesFocus(True)
        self.setAccessibleName(say("gui.message-label"))
        self.setPlaceholderText(say("gui.message-example"))
        self.setMinimumHeight(line_height() * 4)
        self.textChanged.connect(self._keep)

    def _keep(self) -> None:
        self._draft.shown, self._draft.whole = self.toPlainText(), None

    def take(self, text: str, data: bytes) -> None:
        """Show another text, and of a large one its end. What was there can be had back by Undo."""
        small = self._small(data)
        said = say("gui.large-text", size=number(len(data) / 1e6, 2))
        self.selectAll()
        self.insertPlainText(text if small else f"{said}\n{text[-4000:]}")
        self._draft.whole = None if small else data

    def _small(self, data: bytes) -> bool:
        lines = data.splitlines() if len(data) <= self.LARGEST else [data]
        return all(len(line) <= self.LONGEST for line in lines)

    def message(self) -> str | bytes:
        """What is to be explained."""
        return self.toPlainText() if self._draft.whole is None else self._draft.whole

    def insertFromMimeData(self, source: QMimeData) -> None:  # noqa: N802
        """Take text in; of a large one the end is shown."""
        if file := file_of(source):
            self.file.emit(file)
            return
        data = bytes(source.data("text/plain").data())
        if self._small(data):
            super().insertFromMimeData(source)
        else:
            self.take(data[-4000:].decode("utf-8", "replace"), data)

    def canInsertFromMimeData(self, source: QMimeData) -> bool:  # noqa: N802
        """A file is not taken in by its address."""
        return not file_of(source) and super().canInsertFromMimeData(source)
