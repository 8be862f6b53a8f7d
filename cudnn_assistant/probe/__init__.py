"""The look: everything about this computer that matters to cuDNN, as one snapshot.

Reads only, needs no right, and never raises for what it meets: a part that can't be read is a
:class:`~cudnn_assistant.machine.Gap` with its reason.
"""

from __future__ import annotations

from collections.abc import Sequence

from cudnn_assistant.compat import PartsTable
from cudnn_assistant.machine import Machine
from cudnn_assistant.probe.look import Look, Part, Say
from cudnn_assistant.probe.running.children import Cancel, never
from cudnn_assistant.system import Readable
from cudnn_assistant.trouble import Cancelled


def probe(
    system: Readable,
    *,
    trial: bool = True,
    say: Say | None = None,
    python: str = "",
    folders: Sequence[str] = (),
    trusted: Sequence[str] = (),
    truth: bool | None = None,
    frameworks: bool = False,
    parts: PartsTable = (),
    cancel: Cancel = never,
) -> Machine:
    """Look at this computer.

    ``trial`` runs the cuDNN test, ``truth`` loads every copy of cuDNN in a child process (by
    default where tests run as well), ``frameworks`` has each of them run a convolution itself
    afterwards. ``python`` is an environment to look at besides, ``folders`` are folders that may
    hold cuDNN or Python environments; what lies in ``trusted`` ones is run without being asked
    about. ``parts`` says what each cuDNN is made of, () as the built-in data does. ``say`` hears
    of the progress, always in the calling thread. ``cancel`` is asked again and again whether to
    give up: then the child processes are ended and :class:`Cancelled` is raised, within about a
    second.
    """
    hear = say or (lambda _part, _done, _machine: None)
    look = Look(system, hear, python, folders, cancel, trusted, parts)
    look.settings()
    look.parts()
    if trial and frameworks:
        look.ask_early()
    if trial or truth:
        look.tests(trial=trial, truth=trial if truth is None else truth)
    if trial and frameworks:
        look.frameworks()
    return look.machine


__all__ = ["Cancel", "Cancelled", "Part", "Say", "never", "probe"]
