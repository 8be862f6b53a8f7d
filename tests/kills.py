"""How often the tests kill a change, in all: a row for each kind, which its own test asserts."""

from __future__ import annotations

LEAST = {
    "a change": 81,
    "a change, a write torn": 81,
    "an undo": 81,
    "a recovery": 61,
    "a journal that is shortened": 6,
    "an installation": 81,
    "a removal": 71,
    "an installer's start": 31,
}
"""Calls at which it is killed, one after the other; after each, all is as before, done, or offered
to be taken back."""


def tried(kind: str, kills: int) -> None:
    """Hold a test to its row of the table."""
    assert kills >= LEAST[kind], f"{kind} was killed {kills} times"
