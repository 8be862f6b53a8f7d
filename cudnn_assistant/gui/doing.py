"""What the window can ask for. The pages know only this; app.py fills it with the real things."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from cudnn_assistant.checkup import Checkup
from cudnn_assistant.compat import Recommendation
from cudnn_assistant.explain import Explanation
from cudnn_assistant.gui.job import Tell
from cudnn_assistant.machine import Family, Machine, PythonEnvironment, Trial
from cudnn_assistant.plan import Change, Entry, Plan
from cudnn_assistant.system.autostart import Autostart

Standing = Literal["in place", "undone", "changed"]
"""Of a change in the journal; changed: another program has changed it since."""


@dataclass(frozen=True)
class Written:
    """A report, ready to be saved."""

    text: str
    """Markdown: what is shown, copied and saved, to the byte."""
    page: str = ""
    """The same as HTML; "": to be made of the text as it is."""
    name: str = "cudnn-report.md"
    """A name for the file."""
    log: str = ""
    """What this program did, for a packed report. All of it stands in ``text`` as well."""
    message: str = ""
    """The error text that the person pasted, likewise."""


@dataclass(frozen=True)
class Doing:
    """Looking and changing, as functions.

    All but those called quick may take long: call them in a Job.
    """

    family: Family
    check: Callable[[Tell], Checkup]
    """Looks; tells ``(part, done, machine so far)`` on the way, and ``("data", True, text)``.

    Child processes are ended as soon as ``tell.cancelled()`` says so.
    """
    plan: Callable[[Checkup, frozenset[str]], Plan]
    """The plan for these codes of findings alone; quick."""
    preview: Callable[[Plan, Machine], tuple[Change, ...]]
    """A plan in words; quick."""
    rehearse: Callable[[Plan, Tell], Plan]
    """The plan with what pip says that it would change; raises ``Refused``. Ended as ``check``."""
    apply: Callable[[Plan, Tell, threading.Event, threading.Event], Entry]
    """Carries a plan out; raises ``NotApplied``. The first event stops it and takes it back;
    while the second is set a download waits.

    Tells ``(number of the step, state)`` and ``(number, what, bytes so far, bytes in all)``.
    """
    forbidden: Callable[[], str]
    """Why nothing may be changed on this computer; "": it may. Quick."""
    recover: Callable[[], Plan | None]
    """The way back from a change that was interrupted, if there is one."""
    entries: Callable[[], tuple[Entry, ...]]
    """The journal, oldest first."""
    standing: Callable[[Entry], Standing]
    undo: Callable[[Entry], Plan]
    report: Callable[[Checkup | None, str, bool], Written]
    """The report; with it goes a note (a traceback), and whether it is of this computer."""
    test: Callable[[PythonEnvironment, Tell], tuple[Trial, ...]]
    """Runs a convolution inside each framework of an environment; ended as ``check`` is."""
    with_tests: Callable[[Checkup, tuple[Trial, ...]], Checkup]
    """The checkup with more tests, judged anew; quick."""
    recommend: Callable[[Checkup, str], Recommendation]
    """What fits a subject of the computer; quick."""
    judge: Callable[[str], Checkup]
    """The checkup of another computer from its report, by path; raises ``NotAReport``."""
    explain: Callable[[str | bytes, Checkup | None], Explanation]
    """What a message means, with what is known of this computer."""
    again: Autostart
    """The start after a restart that the person may ask for; quick."""
    glance: Callable[[], object]
    """Something cheap that differs when a driver or a library was installed."""
