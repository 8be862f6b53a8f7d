"""The operating system: reading and writing variables, and the environment of a fresh program."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import Protocol

from cudnn_assistant.machine import Family, Gap, Scope, Value, Variable


class Readable(Protocol):
    """What a look asks of the operating system about variables."""

    family: Family

    def variables(self) -> tuple[Variable, ...]:
        """Every layer of the variables that matter here, raw, with where each was read."""

    def gaps(self) -> tuple[Gap, ...]:
        """What the last :meth:`variables` could not read."""

    def fresh_environment(self) -> dict[str, str]:
        """The environment that a program started afresh by this person would get."""


class System(Readable, Protocol):
    """What the rest of the program may ask of the operating system, and change, about variables."""

    def read(self, scope: Scope, name: str) -> Value | None:
        """The stored value that :meth:`write` would replace; ``None`` when there is none.

        Raises :class:`Refused` when what is stored can't be read, or is no text.
        """

    def write(self, scope: Scope, name: str, value: Value | None) -> None:
        """Store a value (``None``: remove it), atomically. Raises :class:`Refused`."""

    def write_machine(self, changes: Sequence[tuple[str, Value | None]]) -> None:
        """Store several values for all users, all or none; the person is asked at most once.

        Raises :class:`Refused`.
        """

    def announce(self) -> None:
        """Tell running programs that variables changed; once, after the last write."""

    def where(self, scope: Scope) -> str:
        """Where values of this scope live, for the person: a file, or a registry key."""

    def touched(self) -> tuple[str, ...]:
        """Other files that the person's first value adds something to, for the Review page."""

    def may_write(self, scope: Scope) -> bool:
        """Whether this process could write that scope without another's permission."""


def this_system() -> System:
    """The adapter of the system we run on; the only place that asks for ``sys.platform``."""
    if sys.platform == "win32":
        from cudnn_assistant.system.windows import Windows

        return Windows()
    from cudnn_assistant.system.linux import Linux

    return Linux()
