"""One session at one computer: everything that can be asked about it and done to it.

Command line, window and the Python interface ask here and show the answer. Nothing here prints,
asks or chooses words; what goes on is told in typed events to the function that is handed in, in
the calling thread. Long work ends, within about a second, when the event ``stop`` is set.
Each method reads what it needs when it is called; a session is cheap to make.
"""

from __future__ import annotations

import contextlib
import os
import secrets
import threading
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Protocol

from msgspec.structs import replace

from cudnn_assistant import feed, places
from cudnn_assistant.compat import Compat
from cudnn_assistant.feed import Source, describe, newer_program, news
from cudnn_assistant.machine import (
    SYSTEM,
    Family,
    Machine,
    OperatingSystem,
    PythonEnvironment,
    Trial,
)
from cudnn_assistant.plan import Entry, Plan, make_plan
from cudnn_assistant.session.checkup import Checkup, think, with_tests, without_plan
from cudnn_assistant.session.events import DataKnown, Hear, PartLooked, ignore
from cudnn_assistant.session.looking import LookRequest, look_at
from cudnn_assistant.session.permitted import allowed
from cudnn_assistant.system import Readable, System, this_system
from cudnn_assistant.system.policy import policy
from cudnn_assistant.trouble import Cancelled, Misuse, Refused

if TYPE_CHECKING:
    from cudnn_assistant.compat import Recommendation, Situation
    from cudnn_assistant.compat.environment import EnvironmentAdvice
    from cudnn_assistant.download import Licence
    from cudnn_assistant.explain import Explanation
    from cudnn_assistant.journal import Journal
    from cudnn_assistant.plan import Change as Preview
    from cudnn_assistant.probe import Cancel, Part, Say
    from cudnn_assistant.report.fleet import Fleet
    from cudnn_assistant.session.changing import Change, ChangeStatus
    from cudnn_assistant.session.imagined import Imagined
    from cudnn_assistant.session.own_copies import OwnCopies
    from cudnn_assistant.session.rehearsal import Stage
    from cudnn_assistant.session.reports import Extra, Forms, Written
    from cudnn_assistant.session.trials import Tested, TestRequest
    from cudnn_assistant.session.watching import WatchResult
    from cudnn_assistant.system.autostart import Autostart

__all__ = [
    "Checkup",
    "Licence",
    "LookRequest",
    "Misuse",
    "Refused",
    "Session",
    "Source",
    "describe",
    "ignore",
    "newer_program",
    "news",
]

Look = Callable[[Readable, LookRequest, "Say", "Cancel"], Machine]


class Fetch(Protocol):
    """Brings the compatibility data; see :func:`cudnn_assistant.feed.current`."""

    def __call__(self, offline: bool = ..., *, insist: bool = ...) -> tuple[Compat, Source]: ...


class Session:
    """A system, the journal of its changes, a way to look at it, and the data to judge by."""

    def __init__(
        self,
        system: System | None = None,
        journal: Journal | None = None,
        *,
        look: Look = look_at,
        fetch: Fetch = feed.current,
        autostart: Autostart | None = None,
    ) -> None:
        self.system = system or this_system()
        self._journal = journal
        self._look = look
        self._fetch = fetch
        self._autostart = autostart
        self._data: tuple[Compat, Source] | None = None
        self._asked = LookRequest()
        """How the last check was asked for; a plan for it is tried in the same way."""

    @property
    def journal(self) -> Journal:
        """The changes made on this computer."""
        if self._journal is None:
            from cudnn_assistant.journal import Journal

            self._journal = Journal(places.journal())
        return self._journal

    @property
    def autostart(self) -> Autostart:
        """The start of the window after a restart that the person may ask for; quick."""
        if self._autostart is None:
            from cudnn_assistant.system.autostart import this_autostart

            self._autostart = this_autostart()
        return self._autostart

    @property
    def family(self) -> Family:
        """The kind of system."""
        return self.system.family

    @property
    def unseen(self) -> Machine:
        """This computer before any look."""
        return Machine(os=OperatingSystem(family=self.system.family))

    # --- Data to judge by -----------------------------------------------------------------------

    def fetch_data(self, *, offline: bool = False, insist: bool = False) -> Source:
        """Get the newest data, and where it is from. Trouble on the way is told in the answer."""
        self._data = self._fetch(offline, insist=insist)
        return self._data[1]

    @property
    def source(self) -> Source:
        """Where the data in use is from; asks no server."""
        return self._known()[1]

    def _known(self) -> tuple[Compat, Source]:
        if self._data is None:
            self._data = self._fetch(True)
        return self._data

    # --- Look and think -------------------------------------------------------------------------

    def check(
        self,
        request: LookRequest | None = None,
        hear: Hear = ignore,
        stop: threading.Event | None = None,
    ) -> Checkup:
        """Look at this computer and judge it. Raises :class:`Misuse` for what isn't there.

        The data comes meanwhile, so that a slow network delays nothing else. Set, ``stop`` ends
        the child processes; then :class:`~cudnn_assistant.probe.Cancelled` is raised.
        """
        first = self._data is None
        known = self._known()[0]
        wish = self._asked = replace(request or LookRequest(), parts=known.parts)
        cancel = (stop or threading.Event()).is_set
        fetching = threading.Thread(target=self._fetch_for, args=(wish, first), daemon=True)
        fetching.start()

        def say(part: Part, done: bool, machine: Machine) -> None:
            hear(PartLooked(part, done, machine))

        machine = self._look(self.system, wish, say, cancel)
        fetching.join()
        compat, source = self._known()
        hear(DataKnown(source))
        return think(machine, compat, only=allowed())

    def _fetch_for(self, wish: LookRequest, first: bool) -> None:
        # What was read a moment ago from the disk is not read from there again.
        if not (wish.offline if first else wish.keep_data):
            self.fetch_data(offline=wish.offline)

    def judge(self, path: str) -> Checkup:
        """Another computer by its report. It gets no plan.

        Raises :class:`Refused` and :class:`OSError`.
        """
        from cudnn_assistant.report import open_report

        opened = open_report(path)
        return without_plan(think(opened.machine, self._known()[0], opened.unknown))

    def explain(
        self,
        text: str | bytes,
        checkup: Checkup | None = None,
        given: Mapping[str, str] | None = None,
    ) -> Explanation:
        """What a message means, with what is known of a computer and what the person says."""
        from cudnn_assistant.explain import explain

        if checkup is None:
            return explain(text, None, given, self._known()[0])
        return explain(text, checkup.machine, given, self._known()[0], findings=checkup.findings)

    def recommend(self, checkup: Checkup, subject: str = SYSTEM) -> Recommendation:
        """What fits a subject of a computer, by the data that it was judged by; quick."""
        from cudnn_assistant.compat import recommend

        return recommend(checkup.machine, self._known()[0], subject)

    def recommend_for(
        self, wish: Imagined, checkup: Checkup | None, python: str = ""
    ) -> Recommendation:
        """What fits the checkup's computer, or an ordinary one, with what is wished changed.

        Raises :class:`Misuse` for a wish that can't be meant.
        """
        from cudnn_assistant.compat import recommend_for

        return recommend_for(self._imagined(wish, checkup, python), self._known()[0])

    def recommend_environment(
        self, wish: Imagined, checkup: Checkup | None, text: str, python: str = ""
    ) -> EnvironmentAdvice:
        """One set for every GPU package that a requirements file (its text) asks for.

        Raises :class:`Misuse` for a wish that can't be meant, and for a file without any.
        """
        from cudnn_assistant.compat.environment import recommend_environment, wanted

        compat, here = self._known()[0], self._imagined(wish, checkup, python)
        asked = wanted(text, compat, here)
        if not asked:
            raise Misuse("no-gpu-package")
        return recommend_environment(here, compat, asked)

    def _imagined(self, wish: Imagined, checkup: Checkup | None, python: str) -> Situation:
        from cudnn_assistant.session.imagined import imagine, ordinary, seen_situation

        compat = self._known()[0]
        if checkup is None:
            return imagine(wish, compat, ordinary(wish.system))
        return imagine(wish, compat, seen_situation(checkup.machine, compat, python))

    # --- Tests ----------------------------------------------------------------------------------

    def test(self, request: TestRequest) -> Tested:
        """Only the cuDNN test, on every GPU. Raises :class:`Misuse`."""
        from cudnn_assistant.session.trials import run_tests

        return run_tests(request, self.system)

    def look_for_reason(self, request: TestRequest, tested: Tested) -> Checkup:
        """This computer, looked at for why these tests stopped."""
        from cudnn_assistant.session.trials import machine_with

        return think(
            machine_with(tested.trials, request, self.system), self._known()[0], only=allowed()
        )

    def test_frameworks(
        self, environment: PythonEnvironment, stop: threading.Event | None = None
    ) -> tuple[Trial, ...]:
        """A convolution inside each framework of an environment, one after the other."""
        from cudnn_assistant.session.trials import run_in_frameworks

        return run_in_frameworks(environment, self.system, stop or threading.Event())

    def watch(
        self,
        command: Sequence[str],
        pid: int = 0,
        hear: Hear = ignore,
        stop: threading.Event | None = None,
        *,
        exact: bool = False,
    ) -> WatchResult:
        """Run a program (or look at a running one): what it loads, and why it stopped.

        ``exact`` has Linux' loader tell all that it does, on the program's standard error.
        ``hear`` is told of each file that it maps; set, ``stop`` asks the program to end. Raises
        :class:`Misuse` where it can't be started or seen.
        """
        from cudnn_assistant.session.watching import result, run

        seen = run(command, pid, hear, stop, exact=exact)
        checkup = self.check(LookRequest(trial=False, offline=True))
        text = "\n".join((seen.said, *seen.refusals))
        failed = bool(seen.exit_code) and bool(text.strip())
        meaning = self.explain(text, checkup) if failed else None
        return result(seen, checkup.machine, meaning)

    def say_anew(self, seen: WatchResult, checkup: Checkup | None) -> WatchResult:
        """What a program's last words mean, in the language that is spoken now."""
        meaning = self.explain(seen.said, checkup) if seen.said else None
        return replace(seen, explanation=meaning)

    def works_for(self, checkup: Checkup, subject: str) -> bool:
        """Whether cuDNN starts for one of a computer's users; quick."""
        from cudnn_assistant.diagnose import verdict

        return verdict(checkup.machine, checkup.findings, subject) == "works"

    def with_tests(self, checkup: Checkup, tests: tuple[Trial, ...]) -> Checkup:
        """The checkup with more tests, judged anew; quick."""
        return with_tests(checkup, tests, self._known()[0])

    def install_mark(self) -> object:
        """Something cheap that differs once a driver or a library was installed."""
        from cudnn_assistant.session.install_watch import marks, watched

        return marks(watched(self.system.family, os.environ))

    # --- Plan and change ------------------------------------------------------------------------

    def plan(self, checkup: Checkup, only: frozenset[str]) -> Plan:
        """The plan for these codes of findings alone, as far as the policy allows; quick."""
        return make_plan(checkup.findings, checkup.machine, self._known()[0], only=allowed(only))

    def limited(self, checkup: Checkup, only: frozenset[str]) -> Checkup:
        """The checkup with a plan for these codes alone, which doesn't grow by others; quick."""
        return replace(checkup, plan=self.plan(checkup, only), only=allowed(only))

    def preview(self, plan: Plan, machine: Machine) -> tuple[Preview, ...]:
        """Each change of a plan in words, old and new; quick."""
        from cudnn_assistant.plan import preview

        return preview(plan, machine, touched=self.system.touched("user"))

    def rehearse(
        self, plan: Plan, stop: threading.Event | None = None, before: Checkup | None = None
    ) -> Plan:
        """The plan with what pip says that it would change; tried, where it is for ``before``.

        Changes nothing, and starts nothing of an environment that is in doubt. Where the try shows
        more that stands in the way and can be mended, the plan is larger than it was. Raises
        :class:`Refused`, also once ``stop`` is set.
        """
        from cudnn_assistant.apply import rehearse
        from cudnn_assistant.session.rehearsal import rehearsed

        unasked = self._in_doubt(plan, before.machine) if before else frozenset[str]()
        asked = rehearse(plan, stop, unasked)
        if before is None:
            return asked
        try:
            tried = rehearsed(asked, before, self._stage(stop))
        except Cancelled:
            raise Refused("stopped") from None
        return tried if tried.steps == asked.steps else rehearse(tried, stop, unasked)

    def _in_doubt(self, plan: Plan, machine: Machine) -> frozenset[str]:
        """Interpreters that nothing is asked of before the person has said yes."""
        from cudnn_assistant.plan import kind_of
        from cudnn_assistant.probe.trust import Trust

        trust = Trust(self.family, self._asked.trusted)
        named = {kind_of(step).python(step) for step in plan.steps}
        about = (one for one in machine.pythons if one.python in named)
        return frozenset(one.python for one in about if trust.environment(one)[0])

    def _stage(self, stop: threading.Event | None) -> Stage:
        from cudnn_assistant.session.rehearsal import Stage

        known = self._known()[0]
        wish = replace(self._asked, parts=known.parts)
        return Stage(self.system, self._look, wish, known, stop or threading.Event())

    def forbidden(self, plan: Plan) -> Refused | None:
        """Why a plan may not be carried out on this computer; ``None``: it may. Quick."""
        from cudnn_assistant.apply import refuse_forbidden

        try:
            refuse_forbidden(plan)
        except Refused as why:
            return why
        return None

    def pause(self, plan: Plan) -> int:
        """Seconds to wait before a plan that nobody is asked about, where it downloads.

        Another number on each of many computers, within what their policy says.
        """
        from cudnn_assistant.apply import fetches

        spread = policy().spread
        return secrets.randbelow(spread + 1) if spread > 0 and fetches(plan) else 0

    def licences(self, plan: Plan, stop: threading.Event | None = None) -> tuple[Licence, ...]:
        """The texts of the licences that apply to a plan. Raises :class:`Refused`."""
        from cudnn_assistant.apply import read_licence
        from cudnn_assistant.plan import licences

        try:
            return tuple(read_licence(address, stop) for address in licences(plan))
        except OSError as trouble:
            raise Refused("system-said", why=trouble) from trouble

    def apply(
        self,
        plan: Plan,
        change: Change,
        read: Sequence[Licence] = (),
        accepted: str = "",
        before: Checkup | None = None,
    ) -> Entry:
        """Carry a plan out and return its journal entry.

        ``read`` are the licences that the person accepted, ``accepted`` says how. What has to be
        downloaded first is tried then, where the plan is for ``before``; ``change.tried`` is what
        came of it. Raises :class:`~cudnn_assistant.apply.NotApplied`.
        """
        from cudnn_assistant.apply import accept

        if before is not None:
            self._try_when_staged(change, before)
        return change.carry_out(plan, self.system, self.journal, accept(read, accepted))

    def _try_when_staged(self, change: Change, before: Checkup) -> None:
        from cudnn_assistant.session.rehearsal import rehearsed

        stage = self._stage(change.stop)
        change.rehearse = lambda plan, staged: rehearsed(plan, before, stage, staged)

    # --- What was changed -----------------------------------------------------------------------

    def recover(self) -> Plan | None:
        """The way back from a change that was interrupted, if there is one.

        Raises :class:`Refused` and :class:`OSError`.
        """
        from cudnn_assistant.apply import recover

        return recover(self.journal, self.system)

    def interrupted(self) -> bool:
        """Whether a change was interrupted, as far as the journal can be read; quick."""
        with contextlib.suppress(OSError):
            return bool(self.journal.unfinished())
        return False

    def history(self) -> tuple[Entry, ...]:
        """The changes made so far, oldest first. Raises :class:`OSError`."""
        return self.journal.entries()

    def undoable(self, name: str = "") -> Entry | None:
        """The change of that id, or the last that can be taken back. Raises :class:`OSError`."""
        from cudnn_assistant.session.changing import undoable

        return undoable(self.history(), self.system, name)

    def change_status(self, entry: Entry) -> ChangeStatus:
        """How a change stands today. Raises :class:`Refused` when that can't be read."""
        from cudnn_assistant.session.changing import change_status

        return change_status(entry, self.system)

    def undo(self, entry: Entry) -> Plan:
        """The plan that takes a change back; what others changed since stays."""
        from cudnn_assistant.session.changing import way_back

        return way_back(entry, self.system)

    def stays_whole(self, entry: Entry) -> bool:
        """Whether nothing of a change is to be taken back, by its nature."""
        from cudnn_assistant.session.changing import stays_whole

        return stays_whole(entry, self.system)

    def own_copies(self) -> OwnCopies:
        """The copies in our own folder and who uses them; looks. Raises :class:`OSError`."""
        from cudnn_assistant.session.own_copies import own_copies

        entries = self.history()
        request = LookRequest(trial=False)
        return own_copies(entries, self._look(self.system, request, lambda *_: None, lambda: False))

    # --- Report ---------------------------------------------------------------------------------

    def report(
        self, checkup: Checkup, *, own: bool = True, note: str = "", text: str = ""
    ) -> Written:
        """The report of a checkup, redacted. ``own``: of this computer, with what was changed.

        ``note`` is text of a crash, ``text`` the message that the person pasted.
        """
        from cudnn_assistant.session.reports import written

        return written(checkup, self._known()[0], self._extra(own, note, text))

    def report_forms(self, checkup: Checkup, *, own: bool = True, text: str = "") -> Forms:
        """The same, to be written in the forms that are asked for."""
        from cudnn_assistant.session.reports import support_forms

        return support_forms(checkup, self._known()[0], self._extra(own, "", text))

    def shareable(self, checkup: Checkup, plan: Plan) -> tuple[Checkup, Plan]:
        """The checkup and a plan as a report would have them: redacted, and judged anew."""
        from cudnn_assistant.session.reports import shareable

        return shareable(checkup, plan, self._known()[0])

    def fleet(self, paths: Sequence[str], earlier: str = "") -> Fleet:
        """The reports of many computers, judged by the same data, in one answer.

        ``earlier`` is a folder to compare with. Raises :class:`Misuse` for what isn't there.
        """
        from cudnn_assistant.session.fleet import read_fleet

        return read_fleet(paths, earlier, self._known()[0], self._data_named())

    def redacted_note(self, note: str) -> str:
        """Text of a crash without names, where nothing was looked at before."""
        from cudnn_assistant.session.reports import redacted_note, without_home

        return redacted_note(without_home(note), self.system.family)

    def _extra(self, own: bool, note: str, text: str) -> Extra:
        from cudnn_assistant.session.reports import Extra, without_home

        entries: tuple[Entry, ...] = ()
        with contextlib.suppress(OSError):
            # Changes belong to this computer, not to the one a report came from.
            entries = self.history() if own else ()
        return Extra(entries, self._data_named(), without_home(note), text)

    def _data_named(self) -> str:
        source = self.source
        return f"{source.version} of {source.published} ({source.kind})"
