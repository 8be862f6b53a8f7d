"""Earlier reports with the same words: public threads whose cause was found.

A message that no pattern knows, or that has many causes, was often met before. The reports most
like a text vote for the causes that were found there. Likeness is the cosine of the two messages'
letters by threes, and of the words of what is known beside them; what few reports hold counts more
(tf-idf with each counted once).

The table is ``resources/errors/reports.jsonl``: one thread a line, its message as it was shown,
what was known of the computer, and the class that the thread's own end confirmed. To teach this
program a failure, append a line and run ``python -m installer.words``.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cache
from heapq import nlargest
from operator import add

import msgspec

from cudnn_assistant import places
from cudnn_assistant.explain.evidence import Evidence
from cudnn_assistant.explain.question import Question, names, spelled
from cudnn_assistant.wording import say

_NEAREST = 80
"""Reports that vote."""
_SHARPNESS = 3
"""Power of the likeness that a vote weighs: twice as like counts eight times."""
_RARE_CLASS = 3
"""Added to the number of reports of a class, so that few reports of one don't shout."""
_FLOOR = 0.05
"""Share of a class for which nothing votes; its logarithm is the most that can speak against."""
_SAY = 0.5
"""What the reports' voice counts for beside a pattern's or a rule's: they have heard the same."""
_SHARES = (1.0, 0.3)
"""What likeness of the message and of what is known beside it count for."""
_ALSO = 0.5
"""Vote for a class that would have been accepted as well."""
_ALIKE = 0.5
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
    return read_reports(places.resource("errors/reports.jsonl").read_bytes())


def read_reports(data: bytes) -> tuple[Report, ...]:
    """Reports, one a line."""
    return tuple(msgspec.json.Decoder(Report).decode_lines(data))


def similar(asked: Question, *, leave_out: str = "") -> tuple[Evidence, ...]:
    """Votes of the reports that are most like a question.

    ``leave_out`` names a project whose threads may not vote: when measuring, that of the text.
    """
    total: dict[int, float] = defaultdict(float)
    parts = ((_messages, asked.letters), (_notes, asked.notes | asked.framework))
    for share, (part, signs) in zip(_SHARES, parts, strict=True):
        for at, like in part().likeness(signs).items() if signs else ():
            if reports()[at].project != leave_out:
                total[at] += share * like
    nearest = nlargest(_NEAREST, total, key=total.__getitem__)
    return tuple(_evidence([(total[at], reports()[at]) for at in nearest]))


class Part:
    """One part of all reports, by its words: what was known beside their messages."""

    def __init__(self, texts: Iterable[tuple[Iterable[str], int]]) -> None:
        """``texts``: of each report the words, and how many signs they hold."""
        self._sizes: list[int] = []
        self._holders: dict[str, list[int]] = defaultdict(list)
        for at, (words, size) in enumerate(texts):
            self._sizes.append(size)
            for word in words:
                self._holders[word].append(at)

    def likeness(self, signs: frozenset[str]) -> dict[int, float]:
        """The reports that share a sign with a question, by their place, and how like they are.

        That is the cosine of the two, as if a report's signs weighed as much as the question's.
        """
        common: dict[int, float] = defaultdict(float)
        whole = 0.0
        holding = self._holding(signs)
        for sign in sorted(signs):
            holders = sorted(set().union(*holding.get(sign, ())))
            # It tells more if fewer reports hold it.
            weight = (1 + math.log((len(self._sizes) + 1) / (len(holders) or 1))) ** 2
            whole += weight
            for at in holders:
                common[at] += weight
        return {
            at: both / whole * math.sqrt(len(signs) / self._sizes[at])
            for at, both in common.items()
        }

    def _holding(self, signs: frozenset[str]) -> Mapping[str, Sequence[Sequence[int]]]:
        """For each sign lists of the reports that hold it."""
        return {sign: [self._holders[sign]] for sign in signs & self._holders.keys()}


class Letters(Part):
    """The messages of all reports, by the letters of their words by threes."""

    _read: frozenset[str] = frozenset()
    _whole = False
    _held: Mapping[str, Sequence[Sequence[int]]] = {}

    def _holding(self, signs: frozenset[str]) -> Mapping[str, Sequence[Sequence[int]]]:
        # One text has few of all signs; whoever asks for others will ask for yet others.
        if not self._whole and not signs <= self._read:
            self._whole, self._read = bool(self._read), signs
            self._held = self._gathered(set if self._whole else signs.intersection)
        return self._held

    def _gathered(
        self, wanted: Callable[[Iterable[str]], Iterable[str]]
    ) -> Mapping[str, Sequence[Sequence[int]]]:
        # However many reports have a word, it is read once.
        found: dict[str, list[list[int]]] = defaultdict(list)
        for word, holders in self._holders.items():
            padded = f" {word} "
            for sign in wanted(map(add, map(add, padded, padded[1:]), padded[2:])):
                found[sign].append(holders)
        return found


@cache
def _messages() -> Part:
    texts = (spelled(report.log) for report in reports())
    return Letters((words, sum(map(len, words))) for words in texts)


@cache
def _notes() -> Part:
    told = ((text for key, text in one.known.items() if key != "os") for one in reports())
    bags = (names(" ".join(texts)) for texts in told)
    # A library's file is known by its name alone as well.
    return Part(({*bag, *" ".join(bag).split()}, len(bag)) for bag in bags)


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
