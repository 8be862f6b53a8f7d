"""From evidence to a ranking: weights add up for each class, and become shares of 1.

Each piece of evidence is a pattern that was found or a rule whose conditions hold. Its votes are
natural-log weights for classes: +2.3 makes a class ten times as likely beside the others, -2.3 a
tenth. All weights are data.
"""

from __future__ import annotations

import math
import tomllib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from statistics import median

import msgspec

from cudnn_assistant import places
from cudnn_assistant.explain.patterns import Hit, Pattern
from cudnn_assistant.explain.words import _

_FACT = 1.4
"""What facts of the computer count for beside a line of the text, which has many causes."""
_HAND, _REPORTS = 0.9, 0.8
"""What patterns with rules, and what reports count for beside the words."""
_BEND = 8.0
_QUOTED = 160
"""Characters of a line that are quoted as a reason."""


class Rule(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Conditions on features, and the votes that follow."""

    when: tuple[str, ...]
    """All of these; "a|b" is either."""
    unless: tuple[str, ...] = ()
    """None of these."""
    votes: Mapping[str, float]
    because: str = ""
    """A sentence, or "" to use the sentences of the features in ``when``."""
    code: str = ""


class Evidence(msgspec.Struct, frozen=True, kw_only=True):
    """Something that speaks for or against classes."""

    votes: Mapping[str, float]
    because: str
    code: str = ""
    group: str = ""


class Rules(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The table ``resources/errors/rules.toml``."""

    prior: Mapping[str, float]
    rule: tuple[Rule, ...]


@cache
def rules() -> Rules:
    """The table, read once."""
    text = places.resource("errors/rules.toml").read_text(encoding="utf-8")
    return msgspec.convert(tomllib.loads(text), Rules)


def evidence(
    hits: Sequence[Hit], told: Sequence[Hit], features: Mapping[str, str]
) -> list[Evidence]:
    """All evidence: each pattern once however often it was found, then the rules that hold.

    ``hits`` were found in the text, ``told`` in what the person knows of the computer.
    """
    found: dict[str, Evidence] = {}
    names = set(features)
    for share, some in ((1.0, hits), (_FACT, told)):
        for hit in some:
            found.setdefault(hit.pattern.id, _of_hit(hit, share))
            names |= {hit.pattern.id, *hit.pattern.tags}
    return [*found.values(), *_of_rules(names, features)]


def _of_hit(hit: Hit, share: float) -> Evidence:
    text = " ".join(hit.text.split())
    quoted = "“" + (text if len(text) <= _QUOTED else text[: _QUOTED - 1] + "…") + "”"
    p: Pattern = hit.pattern
    votes = _scaled(p.votes, share)
    return Evidence(votes=votes, because=quoted, code=p.code, group=p.group)


def _scaled(votes: Mapping[str, float], share: float) -> dict[str, float]:
    return {cls: share * vote for cls, vote in votes.items()}


def _of_rules(names: set[str], features: Mapping[str, str]) -> Iterator[Evidence]:
    """Rules that hold. The lines that take part speak for themselves and aren't quoted again."""
    for rule in rules().rule:
        if all(_holds(c, names) for c in rule.when) and not names.intersection(rule.unless):
            parts = (features.get(n, "") for c in rule.when for n in c.split("|"))
            because = _(rule.because) if rule.because else " ".join(filter(None, parts))
            yield Evidence(votes=_scaled(rule.votes, _FACT), because=because, code=rule.code)


def _holds(condition: str, names: set[str]) -> bool:
    return any(option in names for option in condition.split("|"))


def weights(found: Iterable[Evidence]) -> dict[str, float]:
    """The sum for each class. Within a group only the strongest vote for a class counts."""
    total = dict(rules().prior)
    loudest: dict[tuple[str, str], float] = {}
    for piece in found:
        for cls, vote in piece.votes.items():
            key = (piece.group, cls)
            if not piece.group or vote < 0:
                total[cls] += vote
            elif vote > loudest.get(key, 0.0):
                total[cls] += vote - loudest.get(key, 0.0)
                loudest[key] = vote
    return total


def taught(pieces: Iterable[Evidence], reports: Iterable[Evidence]) -> dict[str, float]:
    """What patterns, rules and reports say together, each class beside the middle one.

    Patterns that meet by chance don't outvote all else: their sum bends toward ``_BEND``. Both
    count for less than their own weights, because they have heard the same lines. What words add
    to this is learned, so the numbers here and ``words.json`` belong together.
    """
    total = weights(pieces)
    middle = median(total.values())
    bent = {cls: _BEND * math.tanh((vote - middle) / _BEND) for cls, vote in total.items()}
    heard = {cls: _HAND * vote for cls, vote in bent.items()}
    return added(heard, reports, share=_REPORTS)


def added(
    total: Mapping[str, float], pieces: Iterable[Evidence], *, share: float = 1.0
) -> dict[str, float]:
    """The total and the votes of more pieces."""
    sums = dict(total)
    for piece in pieces:
        for cls, vote in piece.votes.items():
            sums[cls] += share * vote
    return sums


def shares(total: Mapping[str, float]) -> dict[str, float]:
    """Weights as shares that add up to 1."""
    top = max(total.values())
    powers = {cls: math.exp(weight - top) for cls, weight in total.items()}
    whole = sum(powers.values())
    return {cls: power / whole for cls, power in powers.items()}
