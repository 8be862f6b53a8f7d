"""What speaks for or against a class: patterns that were found, and rules whose conditions hold.

Votes are natural-log weights for classes: +2.3 makes a class ten times as likely beside the
others, -2.3 a tenth. They are data: the patterns' files and ``resources/errors/rules.toml``.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Mapping, Sequence
from functools import cache, lru_cache
from typing import NamedTuple

import msgspec

from cudnn_assistant import places
from cudnn_assistant.explain.patterns import Hit, hits
from cudnn_assistant.explain.reading import lines_of
from cudnn_assistant.wording.language import pgettext

_QUOTED = 160
"""Characters of a line that are quoted as a reason."""
_LITERAL = 3.0
"""The vote of a row whose message says it literally."""


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
    compared: bool = False
    """It rests on facts that don't belong together, not on a line alone."""


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


class Named(NamedTuple):
    """A cause that a program's own messages name; "" for none."""

    code: str = ""
    line: str = ""
    """The message."""
    needs: str = ""
    """What pip is to install against it, where that is known."""


@lru_cache(maxsize=16)
def named(raised: str, printed: str = "") -> Named:
    """What an exception says literally, by known messages alone; nothing where it says two things.

    What was printed is often a mere warning: it counts only for what the exception speaks of.
    """
    if not raised:
        return Named()
    spoken, beside = (
        [h for h in hits(lines_of(t)) if not h.pattern.words] for t in (raised, printed)
    )
    codes = {hit.pattern.code for hit in spoken if hit.pattern.code}
    told = [hit for hit in (*spoken, *beside) if hit.pattern.code in codes]
    literal = [hit for hit in told if max(hit.pattern.votes.values()) >= _LITERAL]
    if len({hit.pattern.code for hit in literal}) != 1:
        return Named()
    needs = {hit.pattern.needs for hit in literal if hit.pattern.needs}
    return Named(literal[0].pattern.code, literal[0].text, *(needs if len(needs) == 1 else ()))


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
            named = (features.get(n, "") for c in rule.when for n in c.split("|"))
            parts = [*filter(None, named)]
            because = pgettext("explain", rule.because) or " ".join(parts)
            compared = bool(parts)
            yield Evidence(votes=rule.votes, because=because, code=rule.code, compared=compared)
