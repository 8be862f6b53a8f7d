"""The look: everything about this computer that matters to cuDNN, as one snapshot.

Reads only, needs no right, and never raises for what it meets: a part that can't be read is a
:class:`~cudnn_assistant.machine.Gap` with its reason.
"""

from __future__ import annotations

from cudnn_assistant.machine import Machine
from cudnn_assistant.probe.look import Look, Part, Say, Wish
from cudnn_assistant.probe.running.children import Cancel, never
from cudnn_assistant.system import Readable
from cudnn_assistant.trouble import Cancelled


def probe(
    system: Readable, wish: Wish, *, say: Say | None = None, cancel: Cancel = never
) -> Machine:
    """Look at this computer.

    ``say`` hears of the progress, always in the calling thread. ``cancel`` is asked again and again
    whether to give up: then the child processes are ended and :class:`Cancelled` is raised, within
    about a second.
    """
    look = Look(system, wish, say or (lambda _part, _done, _machine: None), cancel)
    look.settings()
    look.parts()
    if wish.trial and wish.frameworks:
        look.ask_early()
    if wish.trial or wish.truth:
        look.tests()
    if wish.trial and wish.frameworks:
        look.frameworks()
    return look.machine


__all__ = ["Cancel", "Cancelled", "Part", "Say", "Wish", "never", "probe"]
