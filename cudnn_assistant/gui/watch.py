"""Which program fails: run it from here, and see which cuDNN it loads and why it stops."""

from __future__ import annotations

from PySide6.QtWidgets import QLineEdit

from cudnn_assistant.explain import Explanation
from cudnn_assistant.gui import theme
from cudnn_assistant.gui.explain import Here, SidePage
from cudnn_assistant.gui.layouts import Column
from cudnn_assistant.gui.text_widgets import Text, announce
from cudnn_assistant.gui.widgets import Card, Notice, empty
from cudnn_assistant.session.watching import WatchResult, told
from cudnn_assistant.wording import prose, say, spoken


class WatchPage(SidePage):
    """A program is run and watched. It asks for the command as it is typed."""

    def __init__(self) -> None:
        self.command = QLineEdit()
        super().__init__(say("gui.watch-heading"), say("gui.watch-lead"), self.command)
        self.spoken = spoken()
        self.result: WatchResult | None = None
        """What is shown; ``None``: nothing, or a program still runs."""
        self.command.setFont(theme.font(1.0, fixed=True))
        self.command.setPlaceholderText("python train.py")
        self.command.setAccessibleName(say("gui.watch-command"))
        self.command.returnPressed.connect(self._ask)
        self.command.textChanged.connect(self._allow)
        self.seen = Column()
        self.content.insertLayout(self.content.indexOf(self.answers), self.seen)
        self.run = self.buttons.add(say("gui.watch-button"), self._ask, default=True)
        self.run.setEnabled(False)

    def _allow(self, text: str) -> None:
        self.run.setEnabled(bool(text.strip()))

    def _ask(self) -> None:
        if self.command.text().strip() and self.run.isEnabled():
            self.run.setEnabled(False)
            self._clear()
            self.bar.show()
            announce(self, say("gui.watching"))
            self.ask.emit(self.command.text())

    def _clear(self) -> None:
        self.result = None
        self.answers.clear()
        empty(self.seen)

    def tell(self, look: theme.Look, text: str) -> None:
        """Say why it can't be run, where the answer would stand."""
        self._end()
        self.seen.addWidget(Notice(look, text))
        announce(self, text)

    @property
    def running(self) -> bool:
        """Whether a program is being watched."""
        return self.bar.isVisibleTo(self)

    def _end(self) -> None:
        self.bar.hide()
        self.run.setEnabled(True)

    def show_seen(self, seen: WatchResult, here: Here) -> None:
        """What it loaded, and what its last words mean."""
        self._end()
        self.result = seen
        self.seen.addWidget(Card(*map(Text, told(seen))))
        found: Explanation | None = seen.explanation
        if found is not None and found.causes:
            self.answers.show_answer(found, here)
        announce(self, prose(told(seen)), now=True)
