"""The look: everything about this computer that matters to cuDNN, as one snapshot.

Reads only, needs no right, and never raises for what it meets: a part that can't be read is a
:class:`~cudnn_assistant.machine.Gap` with its reason.
"""

from __future__ import annotations

from cudnn_assistant.compat import PartsTable
from cudnn_assistant.machine import Machine, Struct
from cudnn_assistant.probe.look import Look, Part, Say
from cudnn_assistant.probe.running.children import Cancel, never
from cudnn_assistant.system import Readable
from cudnn_assistant.trouble import Cancelled


class Wish(Struct, kw_only=True):
    """How to look; nothing is changed by it."""

    trial: bool = True
    """Run the cuDNN test."""
    truth: bool | None = None
    """Load each copy of cuDNN, in a child process, for its version; by default where the test
    runs."""
    frameworks: bool = True
    """Afterwards, have frameworks run a convolution themselves."""
    python: str = ""
    """An environment to look at besides; the person says that it may be run."""
    trusted: tuple[str, ...] = ()
    """Folders whose libraries and environments may be run, wherever they lie."""
    folders: tuple[str, ...] = ()
    """Folders that may hold cuDNN or Python environments."""
    parts: PartsTable = ()
    """What each cuDNN is made of; () as the built-in data says."""


def probe(
    system: Readable, wish: Wish, *, say: Say | None = None, cancel: Cancel = never
) -> Machine:
    """Look at this computer.

    ``say`` hears of the progress, always in the calling thread. ``cancel`` is asked again and again
    whether to give up: then the child processes are ended and :class:`Cancelled` is raised, within
    about a second.
    """
    hear = say or (lambda _part, _done, _machine: None)
    look = Look(system, hear, wish.python, wish.folders, cancel, wish.trusted, wish.parts)
    look.settings()
    look.parts()
    if wish.trial and wish.frameworks:
        look.ask_early()
    if wish.trial or wish.truth:
        look.tests(trial=wish.trial, truth=wish.trial if wish.truth is None else wish.truth)
    if wish.trial and wish.frameworks:
        look.frameworks()
    return look.machine


__all__ = ["Cancel", "Cancelled", "Part", "Say", "Wish", "never", "probe"]
