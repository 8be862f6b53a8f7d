"""What is beside the main flow: messages, programs to watch, files, History, Save report."""

from __future__ import annotations

import shlex
import threading
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from msgspec.structs import replace
from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QFileDialog

from cudnn_assistant.gui.dialogs import HistoryDialog, Past
from cudnn_assistant.gui.flow import Flow
from cudnn_assistant.gui.job import Job
from cudnn_assistant.gui.message import Draft
from cudnn_assistant.gui.overview import OverviewPage
from cudnn_assistant.gui.page_host import PageHost, sentence_of
from cudnn_assistant.gui.preferences import Origin, Preferences
from cudnn_assistant.gui.side_pages import ExplainPage, Here, SidePage, Watching, WatchPage
from cudnn_assistant.session import Checkup, Session
from cudnn_assistant.session.given_file import LARGEST_LOG, beginning
from cudnn_assistant.session.watching import WatchResult, facts_of, told
from cudnn_assistant.trouble import Refused
from cudnn_assistant.wording import prose, say, together

if TYPE_CHECKING:
    from cudnn_assistant.session.reports import Forms

LONGEST_MESSAGE = 20_000
"""Characters of the end of a pasted message that a report holds."""
_NO_REPORT = ("report-without-machine", "report-too-large")
"""What a file is refused for that was never meant to be a report: it is a log."""


class SideFlows(QObject):
    """Everything that can be asked for from several pages."""

    opened = Signal(str)
    """A report was opened."""
    settled = Signal(str)
    """One of the preferences has another value: which."""

    def __init__(
        self, host: PageHost, flow: Flow, session: Session, preferences: Preferences
    ) -> None:
        super().__init__(host)
        self._host = host
        self._flow = flow
        self._state = flow.state
        self._session = session
        self._preferences = preferences
        self._draft, self._watching = Draft(), Watching()
        self._explaining: Job | None = None

    # --- Messages and programs --------------------------------------------------------------------

    def show_explain(self) -> None:
        """The page that says what a message means."""
        if not isinstance(self._host.page, ExplainPage):
            self._open_explain()

    def _open_explain(self) -> ExplainPage:
        page = ExplainPage(self._draft)
        page.anew = self._open_explain
        self._open(page, self._explain)
        page.message.file.connect(self.take_file)
        page.came.connect(self._settle_origin)
        if self._draft.asked:
            self._explain(page.message.message())
        return page

    def _open(self, page: SidePage, answer: Callable[[Any], object]) -> None:
        page.ask.connect(answer)
        page.show_row.connect(self._show_row)
        self._host.go(page)

    def _explain(self, text: str | bytes) -> None:
        page, state, origin = self._host.page, self._state, self._preferences.messages
        assert isinstance(page, ExplainPage)
        page.wait()
        if self._explaining is not None:
            self._explaining.cancel()
        # Beside a report it is its computer's.
        if not (origin or state.foreign):
            page.ask_origin()
            return
        together = state.foreign or origin == "here"
        checkup, here = (state.checkup, self._here()) if together else (None, Here())
        other: Origin = "elsewhere" if together else "here"
        end = text[-4 * LONGEST_MESSAGE :] if together else ""
        message = end if isinstance(end, str) else end.decode("utf-8", "replace")
        state.pasted = message[-LONGEST_MESSAGE:]
        self._explaining = self._host.work(
            lambda _job: self._session.explain(text, checkup),
            lambda found: page.show_answer(found, here, None if state.foreign else other),
        )

    def _settle_origin(self, origin: Origin) -> None:
        page = self._host.page
        assert isinstance(page, ExplainPage)
        self._preferences.messages = origin
        self.settled.emit("messages")
        page.ask.emit(page.message.message())

    def _here(self) -> Here:
        checkup = self._state.checkup
        if checkup is None or self._state.outdated:
            return Here()
        rows = {finding.code: finding.subject for finding in reversed(checkup.findings)}
        return Here(rows, checkup.plan.codes)

    def _show_row(self, subject: str) -> None:
        self._flow.back()
        page = self._host.page
        if isinstance(page, OverviewPage):
            page.open_row(subject)

    def show_watch(self) -> None:
        """The page that runs a program and says which cuDNN it loads."""
        if not isinstance(self._host.page, WatchPage):
            self._open_watch()

    def _open_watch(self) -> None:
        page = WatchPage(self._watching)
        page.anew = self._open_watch
        self._open(page, self._watch)
        seen, checkup = self._watching.result, None if self._state.foreign else self._state.checkup
        if seen is not None:
            known = facts_of(seen.copies)
            # Its causes are told with what is known of this computer by now.
            self._host.work(
                lambda _job: seen.said and self._session.explain(seen.said, checkup, known),
                lambda said: page.show_seen(replace(seen, explanation=said or None), self._here()),
            )

    def _watch(self, command: str) -> None:
        page = self._host.page
        assert isinstance(page, WatchPage)
        try:
            words = shlex.split(command, posix=self._session.system.family != "windows")
        except ValueError:
            page.show_refused(say("gui.watch-quotes"))
            return
        asked = self._watching
        asked.running, asked.result, asked.stop = True, None, threading.Event()
        page.show_running()
        watch = partial(self._session.watch, exact=asked.exact, stop=asked.stop)
        self._host.work(
            lambda _job: watch([word.strip('"') for word in words]),
            self._program_ended,
            self._program_refused,
            lasts=True,
        )

    def _program_ended(self, seen: WatchResult) -> None:
        self._watching.running, self._watching.result = False, seen
        self._tell_end(lambda page: page.show_seen(seen, self._here()), prose(told(seen)))

    def _program_refused(self, trouble: BaseException) -> None:
        self._watching.running = False
        said = sentence_of(trouble)
        self._tell_end(lambda page: page.show_refused(said), said)

    def _tell_end(self, show: Callable[[WatchPage], object], text: str) -> None:
        """On its page; on another in a sentence."""
        page = self._host.page
        self._host.notifier.tell(text)
        if isinstance(page, WatchPage):
            show(page)
        else:
            self._flow.tell(text)

    # --- Files ------------------------------------------------------------------------------------

    def ask_file(self) -> None:
        """Let the person choose a report or a log."""
        ask = QFileDialog(self._host, say("gui.open-heading"))
        ask.setFileMode(QFileDialog.FileMode.ExistingFile)
        ask.setNameFilters((say("gui.open-reports"), say("gui.open-all")))
        ask.fileSelected.connect(self.take_file)
        self._host.open(ask)

    def take_file(self, path: str) -> None:
        """A file is to be opened: a report is shown, a log is explained."""
        self._host.work(
            lambda _job: self._read(path),
            lambda found: self._show_file(path, found),
            broke=lambda trouble: self._not_opened(path, trouble),
        )

    def _read(self, path: str) -> Checkup | tuple[str, bytes]:
        """A report's computer, or what a log says and its bytes."""
        from cudnn_assistant.explain.reading import text_of

        try:
            return self._session.judge(path)
        except Refused as trouble:
            if trouble.code not in _NO_REPORT:
                raise
        data = beginning(path, LARGEST_LOG)
        return text_of(data), data

    def take_text(self, text: str, data: bytes) -> None:
        """A text that was given to the window, which is explained."""
        page = self._host.page
        if not isinstance(page, ExplainPage):
            page = self._open_explain()
        page.take(text, data)

    def _not_opened(self, path: str, trouble: BaseException) -> None:
        """It says so, and stays where it was; at the start nothing else is shown instead."""
        said = say("gui.file-not-opened-why", file=path, reason=sentence_of(trouble))
        page = self._host.page
        if isinstance(page, OverviewPage) and not (page.shown or self._flow.looking):
            page.show_stopped(say("gui.file-not-opened"), said, report=False)
        else:
            self._flow.tell(said)

    def _show_file(self, path: str, found: Checkup | tuple[str, bytes]) -> None:
        if isinstance(found, tuple):
            self.take_text(*found)
            return
        self.opened.emit(str(Path(path).absolute()))
        self._flow.show_foreign(found)

    # --- History and report -----------------------------------------------------------------------

    def show_history(self) -> None:
        """What this program changed; one of it may be undone."""
        self._host.work(lambda _job: self._past(), self._open_history)

    def _past(self) -> list[Past]:
        past, machine, show = self._session.past, self._state.own, self._session.preview
        return [
            Past(entry, together(c.plain for c in show(entry.plan, machine)), past.status(entry))
            for entry in past.journal.entries()
            if not entry.plan.undoes
        ]

    def _open_history(self, past: list[Past]) -> None:
        dialog = HistoryDialog(past, self._host)
        dialog.undo.connect(self._flow.change.undo)
        self._host.open(dialog)

    def save(self) -> None:
        """Show the report, to be saved or copied."""
        note = self._state.trouble
        self._host.work(lambda _job: self._report(note), self._open_report)

    def _open_report(self, forms: Forms) -> None:
        # Late, as what writes one: the window is there before anybody wants a report.
        from cudnn_assistant.gui.report_dialog import ReportDialog

        self._host.open(ReportDialog(forms, self._host))

    def _report(self, note: str) -> Forms:
        """The report of the last check; before the first one, the note alone."""
        from cudnn_assistant.session.reports import Forms

        checkup, own = self._state.checkup, not self._state.foreign
        if checkup is None:
            return Forms(edited=self._session.redacted_note(note) or say("gui.nothing-to-report"))
        forms = self._session.report(checkup, own=own, note=note, text=self._state.pasted)
        _made = forms.text
        return forms

    def report_of(self, note: str) -> Forms:
        """The report with a note, after a bug of our own; the note alone if all else goes wrong."""
        from cudnn_assistant.session.reports import Forms

        try:
            return self._report(note)
        except Exception:  # noqa: BLE001  (said after a bug: nothing here may add another)
            return Forms(edited=note)
