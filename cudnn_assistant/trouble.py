"""What can stand in the way, as a code with facts. The words for a code are found in wording/.

Two roots, by whom it concerns: :class:`Refused` is trouble in the world, :class:`Misuse` is a wish
that can't be meant. Neither carries a sentence.
"""

from __future__ import annotations

Fact = str | int | BaseException
"""Fills a place of the sentence; an exception fills it with what is to be said of that."""


class Trouble(Exception):
    """A code and the facts that its sentence names."""

    def __init__(self, code: str, /, **facts: Fact) -> None:
        super().__init__(code, facts)
        self.code = code
        self.facts = facts


class Misuse(Trouble):
    """What was asked for can't be meant, or what was named isn't there. Nothing was begun."""
