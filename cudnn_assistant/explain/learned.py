"""What single words tell of the cause, learned from the table of reports.

Each word of a question adds its weights, which a logistic regression found. They are data,
``resources/errors/words.json``, made by ``python -m installer.words`` from ``reports.jsonl``.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from functools import cache

import msgspec

from cudnn_assistant import places
from cudnn_assistant.explain.question import Question
from cudnn_assistant.explain.ranking import Evidence

_MESSAGE, _FACT = 0.25, 0.5
"""What a word counts for: of the message, which patterns and reports have heard as well, and of
what is known beside it."""
_LOUDEST = 2.0
"""All words together say no more than one clear line."""


def signs(asked: Question) -> set[str]:
    """The words of a question with the part that each stands in: the keys of the table."""
    return {
        *(f"message {word}" for word in asked.message),
        *(f"note {word}" for word in asked.notes),
        *(f"framework {word}" for word in asked.framework),
        *([f"os {asked.os}"] if asked.os else []),
    }


class Learned(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Weights, as natural logarithms of odds."""

    reports: str
    """SHA-256 of the table of reports that they were learned from."""
    weight: Mapping[str, Mapping[str, float]]
    """By sign, then by class; what is near zero is left out."""

    def evidence(self, asked: Question) -> Evidence:
        """Votes for and against classes, without words of their own."""
        total: dict[str, float] = defaultdict(float)
        for sign in sorted(signs(asked)):
            share = _MESSAGE if sign.startswith("message ") else _FACT
            for cls, weight in self.weight.get(sign, {}).items():
                total[cls] += share * weight
        votes = {cls: max(-_LOUDEST, min(vote, _LOUDEST)) for cls, vote in total.items()}
        return Evidence(votes=votes, because="")


@cache
def learned() -> Learned:
    """The table, read once."""
    data = places.resource("errors/words.json").read_bytes()
    return msgspec.json.decode(data, type=Learned)
