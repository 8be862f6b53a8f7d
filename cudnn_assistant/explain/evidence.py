"""What speaks for or against a class: patterns that were found, and rules whose conditions hold.

Votes are natural-log weights for classes: +2.3 makes a class ten times as likely beside the
others, -2.3 a tenth. They are data: the patterns' files and ``resources/errors/rules.toml``.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Mapping, Sequence
from functools import cache

import msgspec

from cudnn_assistant import places
from cudnn_assistant.explain.patterns import Hit
from cudnn_assistant.wording.language import pgettext

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
    because: str = ""
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
    hits: Sequence[Hit], note_hits: Sequence[Hit], features: Mapping[str, str]
) -> list[Evidence]:
    """All evidence: each pattern once however often it was found, then the rules that hold.

    ``hits`` were found in the text, ``note_hits`` in what the person knows of the computer.
    """
    found: dict[str, Evidence] = {}
    names = set(features)
    for hit in (*hits, *note_hits):
        found.setdefault(hit.pattern.id, _of_hit(hit))
        names |= {hit.pattern.id, *hit.pattern.tags}
    return [*found.values(), *_of_rules(names, features)]


def _of_hit(hit: Hit) -> Evidence:
    text = " ".join(hit.text.split())
    quoted = "“" + (text if len(text) <= _QUOTED else text[: _QUOTED - 1] + "…") + "”"
    row = hit.pattern
    return Evidence(votes=row.votes, because=quoted, code=row.code, group=row.group)


def _of_rules(names: set[str], features: Mapping[str, str]) -> Iterator[Evidence]:
    """Rules that hold. The lines that take part speak for themselves and aren't quoted again."""
    for rule in rules().rule:
        met = all(names.intersection(either.split("|")) for either in rule.when)
        if met and names.isdisjoint(rule.unless):
            parts = (features.get(n, "") for c in rule.when for n in c.split("|"))
            because = pgettext("explain", rule.because) or " ".join(filter(None, parts))
            yield Evidence(votes=rule.votes, because=because, code=rule.code)
