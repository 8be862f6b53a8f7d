"""One session at one computer: everything that can be asked about it and done to it.

Command line, window and the Python interface ask here and show the answer. Nothing here prints,
asks or chooses words; what goes on is told in typed events to the function that is handed in, in
the calling thread. Long work ends, within about a second, when the event ``stop`` is set.
Each method reads what it needs when it is called; a session is cheap to make.
"""

from __future__ import annotations

import contextlib
import os
import threading
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING

from msgspec.structs import replace

from cudnn_assistant import feed, places
from cudnn_assistant.compat import Compat
from cudnn_assistant.feed import Source as Source
from cudnn_assistant.feed import data_named as data_named
from cudnn_assistant.feed import describe as describe
from cudnn_assistant.feed import newer_program as newer_program
from cudnn_assistant.feed import news as news
from cudnn_assistant.machine import Machine, OperatingSystem
from cudnn_assistant.plan import Entry, Plan, make_plan
from cudnn_assistant.session.checkup import Checkup as Checkup
from cudnn_assistant.session.checkup import think, without_plan
from cudnn_assistant.session.events import PartLooked
from cudnn_assistant.session.events import ignore as ignore
from cudnn_assistant.session.looking import LookRequest as LookRequest
from cudnn_assistant.session.looking import look_at
from cudnn_assistant.session.permitted import allowed
from cudnn_assistant.system import Readable, System, this_system
from cudnn_assistant.system.policy import policy
from cudnn_assistant.trouble import Cancelled
from cudnn_assistant.trouble import Misuse as Misuse
from cudnn_assistant.trouble import Refused as Refused

if TYPE_CHECKING:
    from cudnn_assistant.download import Licence as Licence
    from cudnn_assistant.explain import Explanation
    from cudnn_assistant.journal import Journal
    from cudnn_assistant.plan import Change as Preview
    from cudnn_assistant.probe import Cancel, Part, Say
    from cudnn_assistant.report.fleet import Fleet
    from cudnn_assistant.session.changing import Change
    from cudnn_assistant.session.own_copies import OwnCopies
    from cudnn_assistant.session.past import Past
    from cudnn_assistant.session.rehearsal import Stage
    from cudnn_assistant.session.reports import Forms
    from cudnn_assistant.session.watching import WatchResult
    from cudnn_assistant.system.autostart import Autostart

Look = Callable[[Readable, LookRequest, "Say", "Cancel"], Machine]


class Session:
    """A system, the journal of its changes, a way to look at it, and the data to judge by."""

    def __init__(
        self,
        system: System | None = None,
        journal: Journal | None = None,
        *,
        look: Look = look_at,
        fetch: Callable[..., tuple[Compat, Source]] = feed.current,
    ) -> None:
        self.system = system or this_system()
        self._look = look
        self._fetch = fetch
        if journal is not None:
            self.journal = journal
        self._data: tuple[Compat, Source] | None = None
        self._asked = LookRequest()
        """How the last check was asked for; a plan for it is tried in the same way."""

    @cached_property
    def journal(self) -> Journal:
        """The changes made on this computer."""
        from cudnn_assistant.journal import Journal

        return Journal(places.journal())

    @property
    def past(self) -> Past:
        """What was changed on this computer, and how it is taken back."""
        from cudnn_assistant.session.past import Past

        return Past(self.journal, self.system)

    @cached_property
    def autostart(self) -> Autostart:
        """The start of the window after a restart that the person may ask for; quick."""
        from cudnn_assistant.system.autostart import this_autostart

        return this_autostart()

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
    def compat(self) -> Compat:
        """The data in use; asks no server."""
        return self._known()[0]

    @property
    def source(self) -> Source:
        """Where it is from."""
        return self._known()[1]

    def _known(self) -> tuple[Compat, Source]:
        if self._data is None:
            self._data = self._fetch(True)
        return self._data

    # --- Look and think -------------------------------------------------------------------------

    def check(
        self,
        request: LookRequest | None = None,
        hear: Callable[[PartLooked], object] = ignore,
        stop: threading.Event | None = None,
    ) -> Checkup:
        """Look at this computer and judge it. Raises :class:`Misuse` for what isn't there.

        The data comes meanwhile, so that a slow network delays nothing else. Set, ``stop`` ends
        the child processes; then :class:`~cudnn_assistant.probe.Cancelled` is raised.
        """
        first = self._data is None
        wish = self._asked = replace(request or LookRequest(), parts=self.compat.parts)
        cancel = (stop or threading.Event()).is_set
        fetching = threading.Thread(target=self._fetch_for, args=(wish, first), daemon=True)
        fetching.start()

        def say(part: Part, done: bool, machine: Machine) -> None:
            hear(PartLooked(part, done, machine))

        machine = self._look(self.system, wish, say, cancel)
        fetching.join()
        return think(machine, self.compat, only=allowed())

    def _fetch_for(self, wish: LookRequest, first: bool) -> None:
        # What was read a moment ago from the disk is not read from there again.
        if not (wish.offline if first else wish.keep_data):
            self.fetch_data(offline=wish.offline)

    def judge(self, path: str) -> Checkup:
        """Another computer by its report. It gets no plan.

        Raises :class:`Refused` and :class:`OSError`.
        """
        from cudnn_assistant.report.reading import open_report

        opened = open_report(path)
        return without_plan(think(opened.machine, self.compat, opened.unknown))

    def explain(
        self,
        text: str | bytes,
        checkup: Checkup | None = None,
        given: Mapping[str, str] | None = None,
    ) -> Explanation:
        """What a message means, with what is known of a computer and what the person says."""
        from cudnn_assistant.explain import explain

        machine, findings = (checkup.machine, checkup.findings) if checkup else (None, ())
        return explain(text, machine, given, self.compat, findings=findings)

    def watch(
        self,
        command: Sequence[str],
        pid: int = 0,
        *,
        exact: bool = False,
        stop: threading.Event | None = None,
    ) -> WatchResult:
        """Run a program (or look at a running one): what it loads, and why it stopped.

        ``exact`` has cuDNN, Python and Linux' loader say more on the program's standard error;
        set, ``stop`` ends it. Raises :class:`Misuse` where it can't be started or seen.
        """
        from cudnn_assistant.session import watching

        seen = watching.run(command, pid, exact=exact, stop=stop)
        used = tuple(watching.by_folder(seen.libraries))
        look = LookRequest(trial=False, truth=True, offline=True, folders=used)
        return watching.result(seen, self.check(look), self.explain)

    def install_mark(self) -> object:
        """Something cheap that differs once a driver or a library was installed."""
        from cudnn_assistant.session.install_watch import marks, watched

        return marks(watched(self.system.family, os.environ))

    # --- Plan and change ------------------------------------------------------------------------

    def plan(self, checkup: Checkup, only: frozenset[str]) -> Plan:
        """The plan for these codes of findings alone, as far as the policy allows; quick."""
        return make_plan(checkup.findings, checkup.machine, self.compat, only=allowed(only))

    def limited(self, checkup: Checkup, only: frozenset[str]) -> Checkup:
        """The checkup with a plan for these codes alone, which doesn't grow by others; quick."""
        return replace(checkup, plan=self.plan(checkup, only), only=allowed(only))

    def preview(self, plan: Plan, machine: Machine) -> tuple[Preview, ...]:
        """Each change of a plan in words, old and new; quick."""
        from cudnn_assistant.plan import preview

        return preview(plan, machine, touched=self.system.touched())

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

        trust = Trust(self.system.family, self._asked.trusted)
        named = {kind_of(step).python(step) for step in plan.steps}
        about = (one for one in machine.pythons if one.python in named)
        return frozenset(one.python for one in about if trust.environment(one)[0])

    def _stage(self, stop: threading.Event | None) -> Stage:
        from cudnn_assistant.session.rehearsal import Stage

        wish = replace(self._asked, parts=self.compat.parts)
        return Stage(self.system, self._look, wish, self.compat, stop or threading.Event())

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
        import secrets

        from cudnn_assistant.apply import fetches

        spread = policy().spread
        return secrets.randbelow(spread + 1) if spread > 0 and fetches(plan) else 0

    def licences(self, plan: Plan, stop: threading.Event | None = None) -> tuple[Licence, ...]:
        """The texts of the licences that apply to a plan.

        Raises :class:`Refused`, also for a plan that is forbidden here.
        """
        from cudnn_assistant.apply import read_licence, refuse_forbidden
        from cudnn_assistant.plan import licences

        refuse_forbidden(plan)
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
        from cudnn_assistant.session.rehearsal import rehearsed

        if before is not None:
            stage = self._stage(change.stop)
            change.rehearse = lambda plan, staged: rehearsed(plan, before, stage, staged)
        return change.carry_out(plan, self.system, self.journal, accept(read, accepted))

    def own_copies(self) -> OwnCopies:
        """The copies in our own folder and who uses them; looks. Raises :class:`OSError`."""
        from cudnn_assistant.session.own_copies import own_copies

        entries, request = self.journal.entries(), LookRequest(trial=False)
        return own_copies(entries, self._look(self.system, request, lambda *_: None, lambda: False))

    # --- Report ---------------------------------------------------------------------------------

    def report(
        self, checkup: Checkup, *, own: bool = True, note: str = "", text: str = ""
    ) -> Forms:
        """The report of a checkup, redacted. ``own``: of this computer, with what was changed.

        ``note`` is text of a crash, ``text`` the message that the person pasted.
        """
        from cudnn_assistant.report.text import Extra
        from cudnn_assistant.session.reports import support_forms, without_home

        entries: tuple[Entry, ...] = ()
        with contextlib.suppress(OSError):
            # Changes belong to this computer, not to the one a report came from.
            entries = self.journal.entries() if own else ()
        extra = Extra(entries, data_named(self.source), without_home(note), text)
        return support_forms(checkup, self.compat, extra)

    def fleet(self, paths: Sequence[str], earlier: str = "") -> Fleet:
        """The reports of many computers, judged by the same data, in one answer.

        ``earlier`` is a folder to compare with. Raises :class:`Misuse` for what isn't there.
        """
        from cudnn_assistant.session.fleet import read_fleet

        return read_fleet(paths, earlier, self.compat, data_named(self.source))

    def redacted_note(self, note: str) -> str:
        """Text of a crash without names, where nothing was looked at before."""
        from cudnn_assistant.session.reports import redacted_note, without_home

        return redacted_note(without_home(note), self.system.family)
