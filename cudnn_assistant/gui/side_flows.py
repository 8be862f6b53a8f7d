"""What is beside the main flow: explaining a message, dropped files, History, Save report."""

from __future__ import annotations

import contextlib

from cudnn_assistant.gui.check import CheckPage
from cudnn_assistant.gui.dialogs import HistoryDialog, Past
from cudnn_assistant.gui.explain import ExplainPage
from cudnn_assistant.gui.flow import Flow
from cudnn_assistant.gui.page_host import PageHost
from cudnn_assistant.gui.report_dialog import ReportDialog
from cudnn_assistant.session import Checkup, Session
from cudnn_assistant.session.given_file import beginning
from cudnn_assistant.session.reports import Written
from cudnn_assistant.trouble import Refused
from cudnn_assistant.wording import say

LONGEST_MESSAGE = 20_000
"""Characters of the end of a pasted message that a report holds."""
LARGEST_LOG = 64 * 1024 * 1024
"""Bytes of a dropped log that are read."""


class SideFlows:
    """Everything that can be asked for from several pages. Nothing here while work is under way."""

    def __init__(self, host: PageHost, flow: Flow, session: Session) -> None:
        self._host = host
        self._flow = flow
        self._state = flow.state
        self._session = session

    def _busy(self) -> bool:
        return self._state.changing or isinstance(self._host.page, CheckPage)

    def show_explain(self) -> None:
        """The page that says what a message means."""
        if not self._busy() and not isinstance(self._host.page, ExplainPage):
            self._open_explain()

    def _open_explain(self) -> None:
        page = ExplainPage()
        page.back.connect(self._flow.back)
        page.ask.connect(self._explain)
        page.dropped.connect(self.take_file)
        self._host.go(page)

    def _explain(self, text: str | bytes) -> None:
        page, checkup = self._host.page, self._state.checkup
        assert isinstance(page, ExplainPage)
        page.wait()
        message = text if isinstance(text, str) else text.decode("utf-8", "replace")
        self._state.pasted = message[-LONGEST_MESSAGE:]
        self._host.work(lambda _tell: self._session.explain(text, checkup), page.show_answer)

    def take_file(self, path: str, *, first: bool = False) -> None:
        """A file was dropped: a report is shown, anything else is explained.

        ``first``: the program was started with it, so that no look is under way yet.
        """
        if first or not self._busy():
            self._host.work(lambda _tell: self._read(path), self._show_file)

    def _read(self, path: str) -> Checkup | bytes:
        with contextlib.suppress(Refused):
            return self._session.judge(path)
        return beginning(path, LARGEST_LOG)

    def _show_file(self, found: Checkup | bytes) -> None:
        if isinstance(found, bytes):
            if not isinstance(self._host.page, ExplainPage):
                self._open_explain()
            self._explain(found)
        else:
            self._flow.show_foreign(found)

    def show_history(self) -> None:
        """What this program changed; one of it may be undone."""
        if not self._busy():
            self._host.work(lambda _tell: self._past(), self._open_history)

    def _past(self) -> list[Past]:
        machine, show = self._state.machine, self._session.preview
        return [
            Past(entry, ", ".join(c.title for c in show(entry.plan, machine)), change_status)
            for entry in self._session.history()
            if not entry.plan.undoes
            for change_status in (self._session.change_status(entry),)
        ]

    def _open_history(self, past: list[Past]) -> None:
        dialog = HistoryDialog(past, self._host)
        dialog.undo.connect(self._flow.change.undo)
        self._host.open(dialog)

    def save(self) -> None:
        """Show the report, to be saved or copied."""
        if self._busy():
            return
        note = self._state.trouble
        self._host.work(lambda _tell: self._report(note), self._open_report)

    def _report(self, note: str) -> Written:
        """The report of the last check; before the first one, the note alone."""
        checkup, own = self._state.checkup, not self._state.foreign
        if checkup is None:
            return Written(self._session.redacted_note(note) or say("gui.nothing-to-report"))
        return self._session.report(checkup, own=own, note=note, text=self._state.pasted)

    def _open_report(self, written: Written) -> None:
        self._host.open(ReportDialog(written, self._host))

    def report_of(self, note: str) -> Written:
        """The report with a note, after a bug of our own; the note alone if all else goes wrong."""
        try:
            return self._report(note)
        except Exception:  # noqa: BLE001  (said after a bug: nothing here may add another)
            return Written(note)
