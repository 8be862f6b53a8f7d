"""How often the tests kill a change, in all: a row for each kind, which its own test asserts."""

from __future__ import annotations

import needs

EVERY = 1 if needs.night() else 3
"""Calls to go on to the next kill: by night none is passed over."""
LEAST = {
    "a change": 81,
    "a change, a write torn": 81,
    "an undo": 81,
    "a recovery": 61,
    "an installation": 81,
    "a removal": 71,
    "an installer's start": 31,
}
"""Calls at which it is killed, one after the other, by night at each of them; after each kill all
is as before, done, or offered to be taken back."""


def tried(kind: str, calls: int) -> None:
    """Hold a test to its row of the table."""
    assert calls >= LEAST[kind], f"{kind} was killed until its call {calls}"
