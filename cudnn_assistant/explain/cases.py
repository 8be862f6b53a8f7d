"""One text with what is known beside it, as every voice of the ranking needs it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from cudnn_assistant.compat import Compat, load_builtin
from cudnn_assistant.explain.evidence import Evidence, evidence
from cudnn_assistant.explain.facts import STRUCTURED, Facts, facts
from cudnn_assistant.explain.features import features
from cudnn_assistant.explain.patterns import Hit, hits
from cudnn_assistant.explain.question import SEARCHED, question, sounds, telling_lines
from cudnn_assistant.explain.reading import Lines, lines_of
from cudnn_assistant.explain.similar_reports import similar
from cudnn_assistant.explain.word_model import signs

_FIRST_LINES, _LAST_LINES = 400, 100
"""Lines in whose whole text versions and names are looked for; start-up lines stand first, and
what a person adds stands last."""
_KNOWN = {"known message": 0.0, "plain message": 2.9}
"""Signs that a text is about trouble we know, with the vote that a pattern in it must be above:
any, and one of what a message literally says."""


class Case(NamedTuple):
    """What the patterns, the rules, the reports and the words have to go by."""

    hits: list[Hit]
    """In the text."""
    note_hits: list[Hit]
    """In what is known beside it."""
    facts: Facts
    evidence: list[Evidence]
    """Of the patterns and rules."""
    similar: tuple[Evidence, ...]
    """Of earlier reports."""
    signs: set[str]
    """Keys of the learned table."""
    signs_of_text: set[str]
    """Those by which it is told whether the text is about a GPU's trouble at all, with its letters
    by threes, which hear endings and spellings: of what is known beside it, only sentences count.
    """
    informed: bool
    """Whether anything is known beside the text."""
    vague: bool
    """Whether the text is nothing but lines that alone don't tell why."""

    def untold(self, cls: str) -> bool:
        """Whether nothing but such lines speaks for a class: no comparison of facts does."""
        return self.vague and not any(
            piece.compared and piece.votes.get(cls, 0) > 0 for piece in self.evidence
        )


def read_case(
    text: str | bytes,
    given: Mapping[str, str],
    here: Mapping[str, str] | None = None,
    leave_out: str = "",
    compat: Compat | None = None,
) -> Case:
    """Read ``text``. ``given`` is what the person knows, ``here`` what this computer is known for.

    ``leave_out`` names a project whose reports may not vote: when measuring, that of the text.
    ``compat`` says what fits together; without it, the data that came with this program.
    """
    given = {k.strip().lower(): v for k, v in given.items() if v.strip()}
    sentences = [v for k, v in given.items() if k not in STRUCTURED]
    notes = [*sentences, *(f"{k}: {v}" for k, v in given.items() if k in STRUCTURED)]
    lines = lines_of(text)
    found = hits(lines)
    noted = hits(lines_of("\n".join(" ".join(note.split()) for note in notes)))
    known = facts(
        compat or load_builtin(),
        [
            *(hit.text for hit in found),
            *lines[:_FIRST_LINES],
            *lines[max(_FIRST_LINES, len(lines) - _LAST_LINES) :],
            *notes,
        ],
        [hit.names for hit in (*found, *noted)],
        given,
        here or {},
    )
    compared = features(known)
    pieces = evidence(found, noted, compared)
    shown = telling_lines(lines.last_written(SEARCHED), found)
    asked = question("\n".join(shown), given)
    return Case(
        hits=found,
        note_hits=noted,
        facts=known,
        evidence=pieces,
        similar=similar(asked, leave_out=leave_out),
        signs={
            *signs(asked, shown, given),
            *_of_patterns(found, noted),
            *(f"fact {name}" for name in compared),
        },
        signs_of_text=_of_text(
            [*shown, *sentences], [*found, *(hit for hit in noted if hit.line < len(sentences))]
        ),
        informed=bool(given or known.filled_in),
        vague=_is_vague(found, lines),
    )


def _is_vague(found: list[Hit], lines: Lines) -> bool:
    if not found or not all(hit.pattern.vague for hit in found):
        return False
    telling = {hit.line for hit in found}
    return all(number in telling or not line.strip() for number, line in enumerate(lines))


def _of_text(shown: list[str], found: list[Hit]) -> set[str]:
    loudest = max((max(hit.pattern.votes.values()) for hit in found), default=0.0)
    known = {sign for sign, least in _KNOWN.items() if loudest > least}
    alone = question("\n".join(shown), {})
    letters = {f"letters {three}" for three in alone.letters}
    said = (signs(alone, shown, {}), letters, sounds(shown), known, _of_patterns(found, []))
    return set().union(*said)


def _of_patterns(found: list[Hit], noted: list[Hit]) -> set[str]:
    return {
        *(f"line {hit.pattern.id}" for hit in found),
        *(f"told {hit.pattern.id}" for hit in noted),
    }
