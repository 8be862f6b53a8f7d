"""The table of kinds: a row for each kind of step with all that depends on it.

To add a kind: its type in ``plan.steps``, its functions in a module beside this one and a row
here; how it is carried out, in the same way, in ``apply.kinds``. Nobody else asks what kind a step
is.
"""

from __future__ import annotations

from operator import attrgetter

from cudnn_assistant.plan.kinds import archive, installer, packages, variable
from cudnn_assistant.plan.kinds.row import Kind, itself
from cudnn_assistant.plan.steps import (
    InstallArchive,
    InstallPackage,
    RemoveArchive,
    RunInstaller,
    SetVariable,
    Step,
)

KINDS: dict[type, Kind] = {
    SetVariable: Kind(
        show=variable.show,
        commands=variable.commands,
        what=attrgetter("name"),
        about=attrgetter("scope", "name"),
        undo=variable.undo,
        needs=variable.needs,
        setting=itself,
        idle=variable.idle,
        joined=variable.joined,
    ),
    InstallArchive: Kind(
        show=archive.show,
        commands=archive.commands,
        what=attrgetter("folder"),
        about=attrgetter("product"),
        undo=archive.undo,
        needs=archive.needs,
        archive=itself,
        staged=True,
    ),
    RemoveArchive: Kind(
        show=archive.show_removal,
        commands=archive.removal_commands,
        what=attrgetter("archive.folder"),
        about=attrgetter("archive"),
        undo=archive.undo_removal,
        archive=attrgetter("archive"),
    ),
    InstallPackage: Kind(
        show=packages.show,
        commands=packages.commands,
        what=packages.requested,
        about=attrgetter("python"),
        undo=packages.undo,
        unrehearsed=packages.unrehearsed,
        stays=packages.stays,
        staged=True,
        python=attrgetter("python"),
        idle=packages.idle,
        joined=packages.joined,
    ),
    RunInstaller: Kind(
        show=installer.show,
        commands=installer.commands,
        what=attrgetter("name"),
        about=attrgetter("name"),
        needs=installer.needs,
        consent=installer.consent,
        stays=installer.stays,
        outcome=installer.outcome,
    ),
}


def kind_of(step: Step) -> Kind:
    """The row of a step."""
    return KINDS[type(step)]


def same_place(one: Step, other: Step) -> bool:
    """Whether two steps are about the same thing, whatever they make of it."""
    kind = kind_of(one)
    return kind is kind_of(other) and kind.about(one) == kind.about(other)
