"""Earlier reports with the same words: public threads whose cause was found.

A message that no pattern knows, or that has many causes, was often met before. The reports most
like a text vote for the causes that were found there. Likeness is the cosine of the two texts'
words, where a word that few reports hold counts more (tf-idf with each word counted once).

The table is ``resources/errors/reports.jsonl``: one thread a line, its message as it was shown,
what was known of the computer, and the class that the thread's own end confirmed. To teach this
program a failure, append a line; nothing else is to be done.
"""

from __future__ import annotations

import math
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from heapq import nlargest
from operator import itemgetter
from typing import NamedTuple

import msgspec

from cudnn_assistant import places
from cudnn_assistant.explain.patterns import Hit, is_harmless
from cudnn_assistant.explain.ranking import Evidence
from cudnn_assistant.explain.words import _

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
_SAY = 0.7
"""What the reports' voice counts for beside a pattern's or a rule's: they have heard the same."""
_SHARES = (1.0, 0.3, 0.1)
"""What likeness of the message, of the known facts and of the framework's name count for."""
_ALSO = 0.5
"""Vote for a class that would have been accepted as well."""
_ALIKE = 0.4
"""Likeness from which a report is named as a reason."""
_RECOGNISED, _UNNAMED = 0.15, 0.6
"""Likeness from which trouble without any known message is taken for one of the GPU's: if the text
or the person speaks of a GPU's matters, and if not."""

_FEW = 12
"""Lines that are compared: reports are as short."""
_FEW_WORDS = 4
"""Fewer words than these, none of a GPU's matters, can mean anything."""
_ALARM = re.compile(
    r"error|fail|cannot|can't|could not|couldn't|unable|not found|no such|missing|mismatch"
    r"|unsupported|not supported|incompatible|denied|refused|abort|crash|killed|segmentation"
    r"|not available|unavailable|out of memory|insufficient|warning: |exception|fatal|panic"
    r"|false|none\b|died|\bdies|hangs|stuck|deadlock|terminated|restarts|reboots|turns off"
    r"|\bnot\b|n't\b|not_?found|no longer|anymore|disappear|disabled|unsuccessful|wrong|unknow"
    r"|\bonly\b.{1,20}\bcpu|cpu only|on the cpu|use cpu|\bnan\b|\bslow|long time|returns? 0",
    re.IGNORECASE,
)
_SUBJECT = re.compile(
    r"cuda|cudnn|cublas|nvidia|nvrtc|\bnv(?:ml|cc|rm)|\bgpu|torch|tensorflow|keras|onnx|\bjax|cupy"
    r"|numba|paddle|mxnet|caffe|theano|darknet|whisper|ctranslate|llama|tensorrt|\bdlib|opencv",
    re.IGNORECASE,
)
_FOLDERS = re.compile(r"[/\\][\w./\\-]{1,300}[/\\]")
_LIBRARY = re.compile(
    r"\blib([a-z_]{2,40})\d{0,8}\.so\b|\b([a-z_]{2,40}?)(?:_?\d{1,8}){0,4}\.dll\b"
)
_WORD = re.compile(r"[a-z][a-z_]*[a-z]|[a-z]")


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

    @property
    def address(self) -> str:
        """Where the thread can be read."""
        project, _sign, number = self.thread.partition("#")
        return f"github.com/{project}/issues/{number}"


class Bag(NamedTuple):
    """The words of a text and their weight together."""

    words: frozenset[str]
    weight: float


class Bags(NamedTuple):
    """The words of a report, or of what is asked, by what they tell of."""

    message: Bag
    notes: Bag
    framework: Bag


class Asked(msgspec.Struct, frozen=True, kw_only=True):
    """What earlier reports say about a text."""

    evidence: tuple[Evidence, ...]
    recognised: bool
    """Whether it is about trouble with a GPU and much like what was reported, so that it is worth
    an answer even if it holds no known message."""


@cache
def reports() -> tuple[Report, ...]:
    """The table, read once."""
    data = places.resource("errors/reports.jsonl").read_bytes()
    return tuple(msgspec.json.Decoder(Report).decode_lines(data))


def ask(message: Sequence[str], given: Mapping[str, str], *, leave_out: str = "") -> Asked:
    """Votes of the reports that are most like the lines and the given facts.

    ``leave_out`` names a thread that may not vote: that of the text itself, when measuring.
    """
    asked = _bags("\n".join(message), given)
    likeness = [
        (_likeness(asked, theirs), report)
        for report, theirs in zip(reports(), _known(), strict=True)
        if report.thread != leave_out
    ]
    nearest = [pair for pair in nlargest(_NEAREST, likeness, key=itemgetter(0)) if pair[0] > 0]
    about = " ".join(message)
    needed = _RECOGNISED if given or _SUBJECT.search(about) else _UNNAMED
    enough = needed == _RECOGNISED or len(asked.message.words) >= _FEW_WORDS
    trouble = enough and bool(given or _ALARM.search(about))
    recognised = bool(message and trouble and nearest) and nearest[0][0] >= needed
    return Asked(evidence=tuple(_evidence(nearest)), recognised=recognised)


def telling(lines: Sequence[str], found: Sequence[Hit]) -> list[str]:
    """What is compared of a text: a short one whole; of a log the known messages, then the last
    lines that sound like trouble."""
    full = [line for line in lines if line.strip()]
    if len(full) <= _FEW:
        return [line for line in full if not is_harmless(line)]
    first = {hit.pattern.id: hit.text for hit in reversed(found)}
    chosen = list(dict.fromkeys(reversed(first.values())))[:_FEW]
    for line in reversed(full):
        if len(chosen) >= _FEW:
            break
        if _ALARM.search(line) and line not in chosen and not is_harmless(line):
            chosen.append(line)
    return chosen


@cache
def _known() -> tuple[Bags, ...]:
    return tuple(_bags(r.log, {**r.facts, "framework": r.framework}) for r in reports())


def _bags(message: str, facts: Mapping[str, str]) -> Bags:
    texts = (message, _notes(facts), facts.get("framework", ""))
    return Bags(*(Bag(words, _weight(words)) for words in map(_tokens, texts)))


def _notes(facts: Mapping[str, str]) -> str:
    return " ".join(text for key, text in facts.items() if key not in {"framework", "os"})


def _tokens(text: str) -> frozenset[str]:
    """Names and their parts, in small letters, without folders and numbers."""
    low = text.lower()
    found = set(_WORD.findall(_FOLDERS.sub(" ", low)))
    files = {f"file {match[1] or match[2]}" for match in _LIBRARY.finditer(low)}
    return frozenset(found.union(files, *(word.split("_") for word in found)) - {""})


@cache
def _rarity() -> Mapping[str, float]:
    """How much a word tells: more if fewer reports hold it. "" stands for a word of none."""
    held = Counter(word for r in reports() for word in _tokens(f"{r.log}\n{_notes(r.facts)}"))
    most = len(reports()) + 1
    return {word: (1 + math.log(most / count)) ** 2 for word, count in (*held.items(), ("", 1))}


def _weight(words: Iterable[str]) -> float:
    rarity = _rarity()
    return sum(
        rarity.get(word, rarity[""]) * (_NAMED if word.startswith("file ") else 1) for word in words
    )


def _likeness(asked: Bags, theirs: Bags) -> float:
    parts = map(_cosine, asked, theirs)
    return sum(share * part for share, part in zip(_SHARES, parts, strict=True))


def _cosine(a: Bag, b: Bag) -> float:
    both = a.words & b.words
    return _weight(both) / math.sqrt(a.weight * b.weight) if both else 0.0


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
            return _("This was the cause in a report with similar words: {address}").format(
                address=report.address
            )
    return ""
