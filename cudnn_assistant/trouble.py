"""What can stand in the way, as a code with facts. The words for a code are found in wording/.

Two roots, by whom it concerns: :class:`Refused` is trouble in the world, :class:`Misuse` is a wish
that can't be meant. Neither carries a sentence.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

Fact = str | int | BaseException | tuple[str, ...]
"""Fills a place of the sentence; an exception fills it with what is to be said of that."""


class Trouble(Exception):
    """A code and the facts that its sentence names."""

    def __init__(self, code: str, /, **facts: Fact) -> None:
        super().__init__(code, facts)
        self.code = code
        self.facts = facts

    def __str__(self) -> str:
        return " ".join((self.code, *(f"{name}={fact}" for name, fact in self.facts.items())))


class Refused(Trouble):
    """The world did not allow something, or its present state is not the one expected."""

    as_before = True
    """Everything is as it was before the call; False: the journal knows the way back."""


@contextmanager
def refusing(code: str, /, **facts: Fact) -> Iterator[None]:
    """What the system does not allow in here is :class:`Refused` with this code."""
    try:
        yield
    except OSError as trouble:
        raise Refused(code, **facts, why=trouble) from trouble


class Misuse(Trouble):
    """What was asked for can't be meant, or what was named isn't there. Nothing was begun."""


class Cancelled(Exception):
    """Somebody does not want the result any more; what was begun for it is ended."""
