"""One text with what is known beside it, as everything that has a voice hears it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from cudnn_assistant.explain.comparing import features
from cudnn_assistant.explain.given import STRUCTURED, Facts, facts
from cudnn_assistant.explain.learned import signs
from cudnn_assistant.explain.patterns import Hit, hits
from cudnn_assistant.explain.precedents import Heard, ask
from cudnn_assistant.explain.question import needed_likeness, question, telling
from cudnn_assistant.explain.ranking import Evidence, evidence, taught
from cudnn_assistant.explain.reading import lines_of

_FIRST_LINES = 400
"""Lines in whose whole text versions and names are looked for; start-up lines stand first."""


class Case(NamedTuple):
    """What the patterns, the rules, the reports and the words have to go by."""

    found: list[Hit]
    """In the text."""
    told: list[Hit]
    """In what is known beside it."""
    known: Facts
    pieces: list[Evidence]
    """Of the patterns and rules."""
    heard: Heard
    """Of the reports."""
    signs: set[str]
    """Keys of the learned table."""
    worth: bool
    """Whether an answer can be more than a guess."""

    def taught(self) -> dict[str, float]:
        """What patterns, rules and reports say together, for each class."""
        return taught(self.pieces, self.heard.evidence)


def case(
    text: str | bytes,
    given: Mapping[str, str],
    here: Mapping[str, str] | None = None,
    leave_out: str = "",
) -> Case:
    """Read ``text``. ``given`` is what the person knows, ``here`` what this computer is known for.

    ``leave_out`` names a report that may not speak: that of the text itself, when measuring.
    """
    given = {k.strip().lower(): v for k, v in given.items() if v.strip()}
    notes = [v if k not in STRUCTURED else f"{k}: {v}" for k, v in given.items()]
    lines = lines_of(text)
    found, told = hits(lines), hits(notes)
    known = facts(
        [*(hit.text for hit in found), *lines[:_FIRST_LINES], *notes],
        [hit.names for hit in (*found, *told)],
        given,
        here or {},
    )
    compared = features(known)
    pieces = evidence(found, told, compared)
    shown = telling(lines, found)
    asked = question("\n".join(shown), given)
    heard = ask(asked, leave_out=leave_out)
    speaks = any(vote > 0 for piece in pieces for vote in piece.votes.values())
    return Case(
        found=found,
        told=told,
        known=known,
        pieces=pieces,
        heard=heard,
        signs={*signs(asked, shown, given), *_of_patterns(found, told), *_of_facts(compared)},
        worth=speaks or heard.likest >= needed_likeness(shown, asked, given),
    )


def _of_patterns(found: list[Hit], told: list[Hit]) -> set[str]:
    return {
        *(f"line {hit.pattern.id}" for hit in found),
        *(f"told {hit.pattern.id}" for hit in told),
    }


def _of_facts(compared: Mapping[str, str]) -> set[str]:
    return {f"fact {name}" for name in compared}
