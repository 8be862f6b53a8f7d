"""The kind of step that starts an official installer or the distribution's package manager."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from cudnn_assistant.machine import Family, Machine
from cudnn_assistant.plan.change import Change, ChangeLine
from cudnn_assistant.plan.installer_table import PACKAGES, PROGRAMS, TOOLKITS
from cudnn_assistant.plan.kinds.row import Consent, Needs, Outcome
from cudnn_assistant.plan.steps import RunInstaller
from cudnn_assistant.wording import _

RESTART = frozenset({3010, 1641})
"""Exit codes of Windows' installers: done, after a restart (which has begun)."""
_NEWER_THERE = 1638


def show(
    step: RunInstaller, number: int, _machine: Machine, _touched: Sequence[str] = ()
) -> Change:
    """What is run, by whom, and what the person should know before."""
    if not step.row:
        lines = (ChangeLine(sign="+", text=text, note=_("you run this")) for text in step.commands)
        notes: tuple[str, ...] = (_("This can't be taken back by this program."),)
        return Change(
            step=number, title=step.name, place=step.link, lines=tuple(lines), notes=notes
        )
    shown = step.commands or (step.link,)
    note = _("run as the administrator") if step.commands else _("downloaded and started")
    return Change(
        step=number,
        title=_title(step),
        place=step.link,
        lines=tuple(ChangeLine(sign="+", text=text, note=note) for text in shown),
        notes=tuple(_notes(step)),
        administrator=True,
    )


def _title(step: RunInstaller) -> str:
    if step.exit:
        return _("Install {name} (ended with code {code})").format(name=step.name, code=step.exit)
    return _("Install {name}").format(name=step.name)


def _notes(step: RunInstaller) -> Iterator[str]:
    if step.link:
        yield _("It is started only if it is signed by {publisher}.").format(
            publisher=PROGRAMS[step.row].publisher
        )
    else:
        yield _(
            "The package manager of your Linux does this. It takes some minutes, and can't be "
            "stopped once it has begun."
        )
    source = PACKAGES[step.row].source if step.row in PACKAGES else ""
    if source:
        yield _("It needs this package source: {source}. Without it nothing is installed.").format(
            source=source
        )
    if any("agree-with-licenses" in line for line in step.commands):
        yield _("By going on you accept NVIDIA's licence of the driver, which is in the package.")
    if step.row in PROGRAMS and not PROGRAMS[step.row].arguments:
        yield _("It opens a window of its own, asks you, and shows its licence.")
    if step.row in TOOLKITS:
        yield _("It puts its folders on PATH for all users. The display driver stays as it is.")
    if step.licence:
        yield _("By going on you accept NVIDIA's licence: {link}").format(link=step.licence)
    yield _way_back(step)


def _way_back(step: RunInstaller) -> str:
    """How a person takes back what only the system can take back."""
    if step.back:
        return _("This program can't take it back. To remove it again, run: {command}").format(
            command=step.back
        )
    return _(
        "This program can't take it back. To remove it again, use the list of installed apps in "
        "Windows' settings."
    )


def commands(step: RunInstaller, _family: Family) -> list[str]:
    """The package manager's lines, or where the installer is."""
    return list(step.commands) or [f"# {step.link}"]


def needs(step: RunInstaller) -> Needs:
    """A download where there is a link; an administrator where we start it."""
    return Needs(
        download=0 if step.link else None,
        licence=step.licence,
        administrator=bool(step.row),
        restart=step.restart,
    )


def consent(step: RunInstaller) -> Consent:
    """Each installer is asked for by itself; a driver never by a flag alone."""
    question = _("Start the installer of {name}? This program can't take that back.")
    return Consent(
        name=step.name,
        question=question.format(name=step.name),
        never_by_flag=step.row.startswith("driver-"),
        by_hand=_by_hand(step),
    )


def _by_hand(step: RunInstaller) -> str:
    if step.commands:
        return _("Run the commands above yourself, or start them from the window.")
    return _("Start it from the window, or get it yourself: {link}").format(link=step.link)


def stays(step: RunInstaller) -> str:
    """All of it: only the system takes it back."""
    return f"{step.name}: {_way_back(step)}"


def outcome(step: RunInstaller) -> Outcome:
    """What is to be said once it has ended."""
    well = went_well(step)
    return Outcome(step.name, well, _how_it_ended(step), step.said, restart=well and step.restart)


def went_well(step: RunInstaller) -> bool:
    """Whether it ended as it should; so does one whose end nobody saw."""
    return step.exit in (None, 0, _NEWER_THERE) or step.exit in RESTART


def _how_it_ended(step: RunInstaller) -> str:
    if not went_well(step):
        text = _("The installer of {name} ended with code {code}; perhaps its work isn't done.")
        return text.format(name=step.name, code=step.exit)
    if step.restart:
        text = _("The installer of {name} has ended. Restart the computer; it takes effect then.")
        return text.format(name=step.name)
    return _("The installer of {name} has ended.").format(name=step.name)
