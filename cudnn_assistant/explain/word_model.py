"""What single words tell of the cause, learned from the table of reports.

Patterns, rules and the likest reports count first (``ranking.without_words``). What the words of
a text add to that, a logistic regression found: weights for words, for the numbers beside them,
and for the patterns and facts themselves, which may say more or less of a cause than their writers
thought. They are data, ``resources/errors/words.json``, made by ``python -m installer.words`` from
``reports.jsonl`` and from phrases whose cause is plain.

The same table says how likely a text is about something else than a GPU's trouble: other trouble,
or none. That was learned from the same reports beside messages of everything else.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from itertools import pairwise

import msgspec

from cudnn_assistant import places
from cudnn_assistant.explain.evidence import Evidence
from cudnn_assistant.explain.question import Question

_LOUDEST = 6.0
"""However many words a text has, they never say more than this for or against a cause."""
_PLAIN = ((0.0, 0.0), (1.0, 1.0))
_NUMBER = re.compile(r"[a-z_]{0,30}[0-9][a-z0-9._+]{0,30}")
_PART = re.compile(r"[a-z0-9.]{1,40}")
_VERSION = re.compile(r"(\d{1,4})\.\d")


def signs(asked: Question, lines: Sequence[str], given: Mapping[str, str]) -> set[str]:
    """The words and numbers of a question with the part that each stands in: keys of the table."""
    return {
        *(f"message {word}" for word in asked.message),
        *(f"note {word}" for word in asked.notes),
        *(f"framework {word}" for word in asked.framework),
        *([f"os {asked.os}"] if asked.os else []),
        *(f"number {found}" for line in lines for found in _NUMBER.findall(line.lower())),
        *(f"given {key}" for key in given),
        *_given(given),
    }


def _given(given: Mapping[str, str]) -> Iterator[str]:
    for key, text in given.items():
        for part in _PART.findall(text.lower()):
            yield f"given {key} {part}"
            if version := _VERSION.match(part):
                yield f"given {key} {version[1]}"


class WordModel(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Weights, as natural logarithms of odds, and how often an answer was right."""

    lessons: str
    """SHA-256 of what they were learned from."""
    classes: Sequence[str]
    """Classes of causes, and "" for a text that isn't about a GPU's trouble."""
    weight: Mapping[str, Mapping[str, Sequence[int]]]
    """By the two parts of a sign, as "message" and "equal": the number of a class among ``classes``
    and its weight in hundredths, and so on; what is near zero is left out. "" and "": what holds
    for every text."""
    calibration: Mapping[str, Sequence[tuple[float, float]]] = {}
    """For a text alone ("text") and with facts beside it ("facts"): shares of a first cause, each
    with how often such a cause was right in threads of projects that the weights were learned
    without. A share counts for less, the likelier the text is about something else. Between them
    straight lines."""

    def elsewhere(self, found: Iterable[str]) -> float:
        """How likely a text with these signs is about something else than a GPU's trouble."""
        return 1 / (1 + math.exp(-self._sums(found).get("", 0.0)))

    def probability(self, share: float, *, informed: bool) -> float:
        """How often a first cause with this share is right; ``informed``: with facts beside it."""
        table = self.calibration.get("facts" if informed else "text", _PLAIN)
        (x, low), (x2, high) = next((p for p in pairwise(table) if share <= p[1][0]), table[-2:])
        return low + (high - low) * (share - x) / (x2 - x)

    def evidence(self, found: Iterable[str]) -> Evidence:
        """Votes for and against classes, without words of their own."""
        return Evidence(
            votes={
                cls: _LOUDEST * math.tanh(vote / _LOUDEST)
                for cls, vote in self._sums(found).items()
                if cls
            }
        )

    def _sums(self, found: Iterable[str]) -> Mapping[str, float]:
        total: Counter[str] = Counter()
        for sign in {"", *found}:
            part, _space, word = sign.partition(" ")
            row = self.weight.get(part, {}).get(word, ())
            for number, hundredths in zip(row[::2], row[1::2], strict=True):
                total[self.classes[number]] += hundredths
        return {cls: hundredths / 100 for cls, hundredths in total.items()}


@cache
def load_words() -> WordModel:
    """The table, read once."""
    data = places.resource("errors/words.json").read_bytes()
    return msgspec.json.decode(data, type=WordModel)
