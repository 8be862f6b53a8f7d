"""Where a message of a program is pasted: of a very large one only the end is laid out."""

from __future__ import annotations

from PySide6.QtCore import QByteArray, QMimeData, Signal
from PySide6.QtGui import QTextCursor
from PySide6.QtWidgets import QPlainTextEdit

from cudnn_assistant.gui import theme
from cudnn_assistant.gui.text_widgets import line_height
from cudnn_assistant.wording import number, say


def file_of(source: QMimeData) -> str:
    """The first file that is dropped or pasted; "" where there is none."""
    return next((url.toLocalFile() for url in source.urls() if url.isLocalFile()), "")


class Message(QPlainTextEdit):
    """Where the message is pasted. A file that is dropped on it is the window's matter.

    A text of many megabytes, or in one endless line, is kept as it came and only its end is shown:
    laying it out would hold everything up.
    """

    LARGEST, LONGEST = 200_000, 10_000
    """Bytes that are shown and can be edited; of them, those of a line."""

    file = Signal(str)
    """A file was pasted."""

    def __init__(self) -> None:
        super().__init__()
        self.whole: QByteArray | bytes | None = None
        """A text that is too large to be shown; what is typed takes its place."""
        self.setFont(theme.font(0.95, fixed=True))
        self.setTabChangesFocus(True)
        self.setAccessibleName(say("gui.message-label"))
        self.setPlaceholderText(say("gui.message-example"))
        self.setMinimumHeight(line_height() * 4)
        self.textChanged.connect(self._forget_whole)

    def take(self, shown: str, whole: QByteArray | bytes | None) -> None:
        """Show a text, which may be the end of a whole that is too large."""
        self.setPlainText(shown)
        self.whole = whole

    def _forget_whole(self) -> None:
        self.whole = None

    def message(self) -> str | bytes:
        """What is to be explained."""
        if isinstance(self.whole, QByteArray):
            # Only now, in the place of the first: a second whole is held for no longer than that.
            self.whole = bytes(self.whole.data())
        return self.toPlainText() if self.whole is None else self.whole

    def insertFromMimeData(self, source: QMimeData) -> None:  # noqa: N802
        """Take text in; of a large one the end is shown."""
        if file := file_of(source):
            self.file.emit(file)
            return
        data = source.data("text/plain")
        small = data.size() <= self.LARGEST
        if small and all(len(line) <= self.LONGEST for line in bytes(data.data()).splitlines()):
            super().insertFromMimeData(source)
            return
        end = bytes(data.right(4000).data()).decode("utf-8", "replace")
        size = number(data.size() / 1e6, 2)
        self.take(f"{say('gui.large-text', size=size)}\n{end}", data)
        self.moveCursor(QTextCursor.MoveOperation.End)

    def canInsertFromMimeData(self, source: QMimeData) -> bool:  # noqa: N802
        """A file is not taken in by its address."""
        return not file_of(source) and super().canInsertFromMimeData(source)
