"""Help and About: what the keys do, which version this is, whose work is in it."""

from __future__ import annotations

import sys

from PySide6 import __version__ as qt_version
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QFrame, QScrollArea, QWidget

from cudnn_assistant import __version__
from cudnn_assistant.gui.dialogs import Dialog
from cudnn_assistant.gui.text_widgets import Text
from cudnn_assistant.gui.widgets import Button, CopyButton
from cudnn_assistant.wording import say


def scrolled(text: str, name: str) -> QScrollArea:
    """A text that is as tall as it likes."""
    area, label = QScrollArea(), Text(text)
    label.setAlignment(Qt.AlignmentFlag.AlignTop)
    area.setAccessibleName(name)
    area.setWidget(label)
    area.setWidgetResizable(True)
    area.setFrameShape(QFrame.Shape.NoFrame)
    area.setFocusPolicy(Qt.FocusPolicy.NoFocus)
    return area


class AboutDialog(Dialog):
    """Version and licences."""

    def __init__(self, parent: QWidget | None = None) -> None:
        title = say("gui.about-heading", version=__version__)
        super().__init__(title, say("gui.about-lead"), parent)
        python = sys.version.split()[0]
        said = say("gui.about-licences", version=__version__, qt=qt_version, python=python)
        listing = scrolled(said, say("gui.about-licences-name"))
        self.finish(listing, CopyButton(said), Button(say("gui.close"), self.accept))


class HelpDialog(Dialog):
    """What can be done here, and by which keys."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(say("gui.help-heading"), say("gui.help-lead"), parent)
        listing = scrolled(say("gui.help-keys"), say("gui.help-keys-name"))
        self.finish(listing, Button(say("gui.close"), self.accept))
