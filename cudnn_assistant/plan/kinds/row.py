"""What is known of every kind of step without touching the computer: the columns of the table."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Literal, TypeVar

import msgspec

from cudnn_assistant.machine import Family, Machine, Scope, Struct, Value
from cudnn_assistant.plan.steps import InstallArchive, SetVariable, Step

Read = Callable[[Scope, str], "Value | None"]
"""The present value of a variable, as ``system.read``."""


class ChangeLine(Struct, kw_only=True):
    """One line of a change."""

    sign: Literal["+", "-", " "]
    text: str
    note: str = ""
    """The sign in words, "added, first"; colour and sign alone tell nothing to some."""


class Change(Struct, kw_only=True):
    """One step in words."""

    title: str
    says: str = ""
    """The same for people who know no variable: "Let Windows look in this folder first: …"."""
    place: str = ""
    """Where it is stored: a file, a registry key, a folder."""
    lines: tuple[ChangeLine, ...] = ()
    """All entries of a list, the unchanged ones too; the page decides how many it shows."""
    notes: tuple[str, ...] = ()
    administrator: bool = False

    @property
    def plain(self) -> str:
        """What it does, in a sentence that needs no knowledge."""
        return self.says or self.title


class Needs(msgspec.Struct, frozen=True):
    """What one step asks of the person and the computer."""

    download: int | None = None
    """Bytes, 0 where nobody knows yet; ``None``: no file is downloaded by us. pip downloads by
    itself and tells no size."""
    licence: str = ""
    """Address of the licence that is accepted with it."""
    administrator: bool = False
    sign_out: bool = False
    """On a Linux desktop, programs know of it only after signing out and in again."""
    restart: bool = False


class Consent(msgspec.Struct, frozen=True):
    """A yes of its own, for a step that this program can't take back."""

    name: str
    question: str
    never_by_flag: bool
    """``--yes`` is no yes to it."""
    by_hand: str
    """How the person does it without this program."""


class Outcome(msgspec.Struct, frozen=True):
    """How a step ended that can end in more than one way."""

    name: str
    well: bool
    text: str
    output: str
    """Its last lines, where it did not end well."""
    restart: bool
    """It takes effect after a restart only."""


_Step = TypeVar("_Step")


def nothing(*_anything: object) -> None:
    """The cell of a kind that a column isn't about."""


def itself(step: _Step, *_given: object) -> _Step:
    """The cell of a kind whose step is the answer."""
    return step


class Kind(msgspec.Struct, frozen=True):
    """One kind of step. Pure: nothing here looks at the computer or changes it."""

    show: Callable[[Any, Machine, Sequence[str]], Change]
    """The step in words; the texts are the start-up files that get a line."""
    commands: Callable[[Any, Family], list[str]]
    """The same for a person at a terminal: PowerShell on Windows, a POSIX shell on Linux."""
    what: Callable[[Any], str]
    """Its object in a few words for scripts: a folder, packages, a product, a variable."""
    about: Callable[[Any], object]
    """Two steps of one kind with the same answer are about the same thing."""
    undo: Callable[[Any, Read, Family], Step | None] = nothing
    """The step that takes it back, given the present values; ``None``: nothing to take back."""
    needs: Callable[[Any], Needs] = lambda _step: Needs()
    unrehearsed: Callable[[Any], bool | None] = nothing
    """Only a package manager knows what it would change, and has not been asked yet."""
    consent: Callable[[Any], Consent | None] = nothing
    stays: Callable[[Any], str | None] = nothing
    """What of it undo leaves as it is and why, in a sentence."""
    outcome: Callable[[Any], Outcome | None] = nothing
    """Of a step that was carried out."""
    setting: Callable[[Any], SetVariable | None] = nothing
    """The step itself where it changes a setting and nothing else."""
    archive: Callable[[Any], InstallArchive | None] = nothing
    """How the folder of our own came that the step makes or removes."""
    staged: bool = False
    """What it brings is fetched, and can be tried, before it is carried out."""
    python: Callable[[Any], str | None] = nothing
    """The interpreter of the environment that it changes."""
    idle: Callable[[Any], bool | None] = nothing
    """It is known to change nothing."""
    joined: Callable[[Any, Any], Step] = itself
    """One step for two about the same thing, of which the second comes after the first."""
