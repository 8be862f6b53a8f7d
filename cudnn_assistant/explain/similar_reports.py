"""Earlier reports with the same words: public threads whose cause was found.

A message that no pattern knows, or that has many causes, was often met before. The reports most
like a text vote for the causes that were found there. Likeness is the cosine of the two texts'
words, where a word that few reports hold counts more (tf-idf with each word counted once).

The table is ``resources/errors/reports.jsonl``: one thread a line, its message as it was shown,
what was known of the computer, and the class that the thread's own end confirmed. To teach this
program a failure, append a line and run ``python -m installer.words``.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from heapq import nlargest
from typing import NamedTuple

import msgspec

from cudnn_assistant import places
from cudnn_assistant.explain.evidence import Evidence
from cudnn_assistant.explain.question import Question, question
from cudnn_assistant.wording import say

_NEAREST = 20
"""Reports that vote."""
_SHARPNESS = 4
"""Power of the likeness that a vote weighs: twice as like counts sixteen times."""
_RARE_CLASS = 3
"""Added to the number of reports of a class, so that few reports of one don't shout."""
_FLOOR = 0.05
"""Share of a class for which nothing votes; its logarithm is the most that can speak against."""
_NAMED = 8
"""What the name of a library counts for: reports of other libraries share all other words."""
_SAY = 0.35
"""What the reports' voice counts for beside a pattern's or a rule's: they have heard the same."""
_SHARES = (1.0, 0.3, 0.1)
"""What likeness of the message, of the known facts and of the framework's name count for."""
_ALSO = 0.5
"""Vote for a class that would have been accepted as well."""
_ALIKE = 0.4
"""Likeness from which a report is named as a reason."""


class Report(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A thread: what its writer saw and knew, and the cause that was confirmed."""

    thread: str
    """ "owner/name#number" on GitHub."""
    framework: str = ""
    os: str = ""
    year: int = 0
    log: str
    facts: Mapping[str, str] = {}
    cause: str
    also: tuple[str, ...] = ()
    helped: str = ""
    """Kind of remedy that helped (``installer/teaching/remedies.toml``), where the thread tells."""
    studied: bool = False
    """Patterns were written with it at hand, so that they say more of it than of an unseen one."""

    @property
    def known(self) -> dict[str, str]:
        """All that was known beside the message."""
        return {**self.facts, "framework": self.framework, "os": self.os}

    @property
    def project(self) -> str:
        """ "owner/name"."""
        return self.thread.partition("#")[0]

    @property
    def address(self) -> str:
        """Where the thread can be read."""
        return f"github.com/{self.project}/issues/{self.thread.partition('#')[2]}"


@cache
def reports() -> tuple[Report, ...]:
    """The table, read once."""
    data = places.resource("errors/reports.jsonl").read_bytes()
    return tuple(msgspec.json.Decoder(Report).decode_lines(data))


def similar(asked: Question, *, leave_out: str = "") -> tuple[Evidence, ...]:
    """Votes of the reports that are most like a question.

    ``leave_out`` names a project whose threads may not vote: when measuring, that of the text.
    """
    total: dict[int, float] = defaultdict(float)
    for share, part, words in zip(_SHARES, _parts(), _words(asked), strict=True):
        for at, cosine in _cosines(part, words).items():
            if reports()[at].project != leave_out:
                total[at] += share * cosine
    nearest = nlargest(_NEAREST, total, key=total.__getitem__)
    return tuple(_evidence([(total[at], reports()[at]) for at in nearest]))


@cache
def questions() -> tuple[Question, ...]:
    """Every report as if it were asked, with all that was known of the computer."""
    return tuple(question(r.log, r.known) for r in reports())


class Part(NamedTuple):
    """One part of all reports: their messages, their notes or their frameworks."""

    holders: Mapping[str, Sequence[int]]
    """By word, the reports that hold it."""
    weights: Sequence[float]
    """By report, what its words weigh together."""


def _words(asked: Question) -> tuple[frozenset[str], ...]:
    return asked.message, asked.notes, asked.framework


@cache
def _parts() -> tuple[Part, ...]:
    return tuple(map(_part, zip(*map(_words, questions()), strict=True)))


def _part(bags: Sequence[frozenset[str]]) -> Part:
    holders: dict[str, list[int]] = defaultdict(list)
    for at, bag in enumerate(bags):
        for word in bag:
            holders[word].append(at)
    return Part(holders, [sum(map(_weight, bag)) for bag in bags])


@cache
def _rarity() -> Mapping[str, float]:
    """How much a word tells: more if fewer reports hold it. "" stands for a word of none."""
    held = Counter(word for asked in questions() for word in asked.message | asked.notes)
    most = len(reports()) + 1
    return {word: (1 + math.log(most / count)) ** 2 for word, count in (*held.items(), ("", 1))}


def _weight(word: str) -> float:
    rarity = _rarity()
    return rarity.get(word, rarity[""]) * (_NAMED if word.startswith("file ") else 1)


def _cosines(part: Part, words: frozenset[str]) -> dict[int, float]:
    """The reports that share a word with a question, by their place, and how like they are."""
    common: dict[int, float] = defaultdict(float)
    for word in sorted(words):
        for at in part.holders.get(word, ()):
            common[at] += _weight(word)
    whole = sum(map(_weight, words))
    return {at: both / math.sqrt(whole * part.weights[at]) for at, both in common.items()}


@cache
def _frequency() -> Mapping[str, int]:
    return Counter(report.cause for report in reports())


def _evidence(nearest: Sequence[tuple[float, Report]]) -> Iterator[Evidence]:
    """For each class the logarithm of its share of the votes, against an even share."""
    votes: dict[str, float] = defaultdict(float)
    for like, report in nearest:
        for cls, vote in ((report.cause, 1.0), *((cls, _ALSO) for cls in report.also)):
            rare = math.sqrt(_frequency()[cls] + _RARE_CLASS)
            votes[cls] += vote * like**_SHARPNESS / rare
    whole = sum(votes.values())
    classes = sorted(_frequency())
    even = 1 / len(classes)
    for cls in classes:
        share = votes[cls] / whole if whole else even
        vote = _SAY * math.log((share + _FLOOR) / (even + _FLOOR))
        yield Evidence(votes={cls: vote}, because=_reason(cls, nearest) if vote > 0 else "")


def _reason(cls: str, nearest: Sequence[tuple[float, Report]]) -> str:
    """The likest report with that cause, if it is like enough to be worth reading."""
    for like, report in nearest:
        if report.cause == cls and like >= _ALIKE:
            return say("explain.cause-report-similar-words-address", address=report.address)
    return ""
