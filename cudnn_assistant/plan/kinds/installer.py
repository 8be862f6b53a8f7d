"""The kind of step that starts an official installer or the distribution's package manager."""

from __future__ import annotations

import posixpath
from collections.abc import Iterator, Sequence

from cudnn_assistant.machine import Family, Machine
from cudnn_assistant.plan.installer_table import PACKAGES, PROGRAMS, TOOLKIT
from cudnn_assistant.plan.kinds.row import Change, ChangeLine, Consent, Needs, Outcome
from cudnn_assistant.plan.steps import RunInstaller
from cudnn_assistant.wording import say
from cudnn_assistant.wording.sentences import capitalized

RESTART = frozenset({3010, 1641})
"""Exit codes of Windows' installers: done, after a restart (which has begun)."""
_NEWER_THERE = 1638


def show(step: RunInstaller, _machine: Machine, _touched: Sequence[str] = ()) -> Change:
    """What is run, by whom, and what the person should know before."""
    shown = step.commands or (posixpath.basename(step.link),)
    note = say("plan.run-as-administrator") if step.commands else say("plan.downloaded-started")
    title = say("plan.install", name=_name(step))
    if step.exit:
        title = say("plan.install-ended", name=_name(step), code=step.exit)
    return Change(
        title=title,
        place=step.link,
        lines=tuple(ChangeLine(sign="+", text=text, note=note) for text in shown),
        notes=tuple(_notes(step)),
        administrator=True,
    )


def _name(step: RunInstaller) -> str:
    """As the language that is spoken calls a driver; all else has its maker's name."""
    return step.name.replace("NVIDIA driver", say("plan.nvidia-driver"))


def _topic(step: RunInstaller) -> str:
    """What a sentence is about, before its colon: inside of one a name would need its article."""
    return capitalized(_name(step))


def _notes(step: RunInstaller) -> Iterator[str]:
    # The change may be another program's: its report names rows that this one doesn't have.
    program = PROGRAMS.get(step.row)
    if step.link and program is not None:
        yield say("plan.signed-by", publisher=program.publisher)
    elif not step.link:
        yield say("plan.package-manager")
    source = PACKAGES[step.row].source if step.row in PACKAGES else ""
    if source:
        yield say("plan.needs-package-source", source=source)
    if any("agree-with-licenses" in line for line in step.commands):
        yield say("plan.accepts-driver-licence")
    if program is not None and not program.arguments:
        yield say("plan.installer-window")
    if step.row.startswith(TOOLKIT):
        yield say("plan.cuda-toolkit-notes")
    if step.licence:
        yield say("plan.accepts-licence", link=step.licence)
    yield _way_back(step)


def _way_back(step: RunInstaller) -> str:
    """How a person takes back what only the system can take back."""
    if step.back:
        return say("plan.installer-way-back-command", command=step.back)
    return say("plan.installer-way-back-windows")


def commands(step: RunInstaller, _family: Family) -> list[str]:
    """The package manager's lines, or where the installer is."""
    return list(step.commands) or [f"# {step.link}"]


def needs(step: RunInstaller) -> Needs:
    """A download where there is a link, and an administrator."""
    return Needs(
        download=0 if step.link else None,
        licence=step.licence,
        administrator=True,
        restart=step.restart,
    )


def consent(step: RunInstaller) -> Consent:
    """Each installer is asked for by itself; a driver never by a flag alone."""
    return Consent(
        name=_name(step),
        question=say("plan.installer-question", name=_topic(step)),
        never_by_flag=step.row.startswith("driver-"),
        by_hand=say("plan.installer-by-hand-commands")
        if step.commands
        else say("plan.installer-by-hand-link", link=step.link),
    )


def stays(step: RunInstaller) -> str:
    """All of it: only the system takes it back."""
    return f"{_topic(step)}: {_way_back(step)}"


def outcome(step: RunInstaller) -> Outcome:
    """What is to be said once it has ended."""
    well = went_well(step)
    return Outcome(_name(step), well, _how_it_ended(step), step.said, restart=well and step.restart)


def went_well(step: RunInstaller) -> bool:
    """Whether it ended as it should; so does one whose end nobody saw."""
    return step.exit in (None, 0, _NEWER_THERE) or step.exit in RESTART


def _how_it_ended(step: RunInstaller) -> str:
    if not went_well(step):
        return say("plan.installer-ended-with-code", name=_topic(step), code=step.exit)
    if step.restart:
        return say("plan.installer-ended-restart", name=_topic(step))
    return say("plan.installer-ended", name=_topic(step))
