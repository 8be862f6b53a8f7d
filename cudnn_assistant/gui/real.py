"""The real things behind the window, as the functions it knows (see doing.py)."""

from __future__ import annotations

import contextlib
import os
import threading
import time
from collections.abc import Callable
from functools import partial

import msgspec

from cudnn_assistant import apply as applying
from cudnn_assistant import feed, places
from cudnn_assistant.checkup import Checkup, redacted_note, support_forms, think
from cudnn_assistant.compat import Compat, Recommendation, recommend
from cudnn_assistant.explain import Explanation, explain
from cudnn_assistant.gui.doing import Doing, Standing, Written
from cudnn_assistant.gui.glance import glance, watched
from cudnn_assistant.gui.job import Tell
from cudnn_assistant.gui.pythons import frameworks_of
from cudnn_assistant.journal import Journal
from cudnn_assistant.machine import Machine, PythonEnvironment, Trial
from cudnn_assistant.plan import (
    Entry,
    Plan,
    licences,
    make_plan,
    preview,
    settings_of,
    undo_plan,
)
from cudnn_assistant.probe import Cancel, Say, probe
from cudnn_assistant.probe.trials.framework import run_framework
from cudnn_assistant.report import file_name, open_report
from cudnn_assistant.system import Refused, System, this_system
from cudnn_assistant.system.autostart import Autostart, this_autostart
from cudnn_assistant.system.policy import refuse_where_nothing_may_change
from cudnn_assistant.wording import _

LONGEST_MESSAGE = 20_000
"""Characters of the end of a pasted message that a report holds."""

Look = Callable[[Say, Cancel], Machine]
Fetch = Callable[[], tuple[Compat, feed.Source]]


def real() -> Doing:
    """Everything for this computer and this person. Reads nothing yet."""
    system = this_system()
    journal = Journal(places.journal())

    def look(say: Say, cancel: Cancel) -> Machine:
        return probe(system, say=say, cancel=cancel)

    return Behind(system, journal, look, feed.current).doing()


class Behind:
    """A system, its journal, a way to look at it, and the data to judge by."""

    def __init__(
        self,
        system: System,
        journal: Journal,
        look: Look,
        fetch: Fetch,
        again: Autostart | None = None,
    ) -> None:
        self.system = system
        self.journal = journal
        self._look = look
        self._fetch = fetch
        self._again = again or this_autostart()
        self._compat: Compat | None = None
        self._source: feed.Source | None = None
        self._pasted = ""

    def doing(self) -> Doing:
        """The functions that the window knows."""
        system, journal = self.system, self.journal
        return Doing(
            family=system.family,
            check=self.check,
            plan=self.plan,
            preview=lambda plan, machine: preview(plan, machine, touched=system.touched("user")),
            rehearse=lambda plan, tell: applying.rehearse(plan, tell.stop),
            apply=self.apply,
            forbidden=forbidden,
            recover=lambda: applying.recover(journal, system),
            entries=journal.entries,
            standing=self.standing,
            undo=lambda entry: undo_plan(entry, system.read, system.family),
            report=self.report,
            test=self.test,
            with_tests=self.with_tests,
            recommend=self.recommend,
            judge=self.judge,
            explain=self.explain,
            again=self._again,
            glance=partial(glance, watched(system.family, os.environ)),
        )

    def check(self, tell: Tell) -> Checkup:
        """Look and think. The data comes meanwhile, so that a slow network delays nothing else."""
        fetched: list[tuple[Compat, feed.Source]] = []
        fetching = threading.Thread(target=lambda: fetched.append(self._fetch()), daemon=True)
        fetching.start()
        machine = self._look(lambda part, done, seen: tell((part, done, seen)), tell.cancelled)
        fetching.join()
        compat, source = fetched[0] if fetched else feed.current(offline=True)
        self._compat, self._source = compat, source
        tell(("data", True, feed.describe(source)))
        return think(machine, compat)

    def plan(self, checkup: Checkup, only: frozenset[str]) -> Plan:
        """The plan for these codes of findings alone."""
        compat = self._compat or feed.load_builtin()
        return make_plan(checkup.findings, checkup.machine, compat, only=only)

    def test(self, one: PythonEnvironment, tell: Tell) -> tuple[Trial, ...]:
        """A convolution inside each framework of an environment, one after the other."""
        run = partial(run_framework, self.system.fresh_environment(), one.python)
        family, cancel = self.system.family, tell.cancelled
        names = frameworks_of(one)
        return tuple(run(name, subject=one.id, family=family, cancel=cancel) for name in names)

    def with_tests(self, checkup: Checkup, trials: tuple[Trial, ...]) -> Checkup:
        """The same computer with more tests."""
        machine = checkup.machine
        tests = (*machine.trials, *trials)
        whole = msgspec.structs.replace(machine, trials=tests)
        return think(whole, self._compat or feed.load_builtin())

    def recommend(self, checkup: Checkup, subject: str) -> Recommendation:
        """What fits a subject, by the same data as the checkup."""
        return recommend(checkup.machine, self._compat or feed.load_builtin(), subject)

    def judge(self, path: str) -> Checkup:
        """Another computer by its report. It gets no plan: nothing of it can be changed here."""
        opened = open_report(path)
        compat = self._compat or feed.load_builtin()
        seen = think(opened.machine, compat, opened.unknown)
        return msgspec.structs.replace(seen, plan=Plan())

    def explain(self, text: str | bytes, checkup: Checkup | None) -> Explanation:
        """What a message means. A report that is saved afterwards holds the message."""
        self._pasted = text if isinstance(text, str) else text.decode("utf-8", "replace")
        if checkup is None:
            return explain(text)
        return explain(text, checkup.machine, findings=checkup.findings)

    def apply(
        self, plan: Plan, tell: Tell, cancel: threading.Event, hold: threading.Event
    ) -> Entry:
        """Carry a plan out; raises NotApplied. The button says yes to the licences it names."""
        told_at = 0.0
        try:
            texts = [applying.read_licence(link, cancel) for link in licences(plan)]
        except (Refused, OSError) as trouble:
            raise applying.NotApplied(str(trouble), as_before=True) from trouble

        def progress(number: int, what: str, here: int, size: int) -> None:
            nonlocal told_at
            # A fast download speaks thousands of times a second; nobody reads that fast.
            if time.monotonic() - told_at > 0.1 or here == size:
                told_at = time.monotonic()
                tell((number, what, here, size))

        return applying.apply(
            plan,
            self.system,
            self.journal,
            lambda number, _step, state: tell((number, state)),
            progress=progress,
            cancel=cancel,
            hold=hold,
            accepted=applying.accept(texts, "window"),
        )

    def standing(self, entry: Entry) -> Standing:
        """How a change in the journal stands today, as far as settings tell."""
        if entry.undone_by:
            return "undone"
        settings = settings_of(entry.plan)
        same = all(self.system.read(step.scope, step.name) == step.after for step in settings)
        return "in place" if same else "changed"

    def report(self, checkup: Checkup | None, note: str, own: bool) -> Written:
        """The report of a checkup, redacted; before the first one, the note alone.

        The same bytes as ``cudnn-assistant report -``. ``own``: of this computer, whose changes
        belong into it.
        """
        home = os.path.expanduser("~")
        note = note.replace(home, "~") if len(home) > 1 else note
        if checkup is None:
            told = redacted_note(note, self.system.family)
            return Written(told or _("Nothing was looked at yet."))
        entries: tuple[Entry, ...] = ()
        with contextlib.suppress(OSError):
            entries = self.journal.entries() if own else ()
        if self._compat is None or self._source is None:
            self._compat, self._source = feed.current(offline=True)
        data = f"{self._source.version} of {self._source.published} ({self._source.kind})"
        text = self._pasted[-LONGEST_MESSAGE:]
        as_form = support_forms(
            checkup, self._compat, entries=entries, data=data, note=note, text=text
        )
        return Written(
            as_form("markdown"),
            as_form("html"),
            file_name(checkup.machine),
            as_form("log"),
            as_form("message"),
        )


def forbidden() -> str:
    """Why nothing may be changed on this computer; "": it may."""
    try:
        refuse_where_nothing_may_change()
    except Refused as why:
        return str(why)
    return ""
