"""What is said of an installer: who proves it, how long it takes, and the way back."""

from __future__ import annotations

from collections.abc import Iterator

from cudnn_assistant.plan.installer_table import PACKAGES, PROGRAMS, TOOLKITS
from cudnn_assistant.plan.steps import RunInstaller
from cudnn_assistant.wording import _


def installer_notes(step: RunInstaller) -> tuple[str, ...]:
    """What the person should know before it is started, and of one that was."""
    return tuple(_notes(step))


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
    yield way_back(step)


def way_back(step: RunInstaller) -> str:
    """How a person takes back what only the system can take back."""
    if step.back:
        return _("This program can't take it back. To remove it again, run: {command}").format(
            command=step.back
        )
    return _(
        "This program can't take it back. To remove it again, use the list of installed apps in "
        "Windows' settings."
    )
