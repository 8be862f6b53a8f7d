"""What a look met, in words: facts hold it in English, as they are the same in every language."""

from __future__ import annotations

import re
from functools import cache

from cudnn_assistant.wording.numbers import listed
from cudnn_assistant.wording.sentences import capitalized, refusal, rows, say

_LONGEST = 1000
"""Characters of a text that may be ours."""
_PATHS = re.compile(r", (?=/|\\\\|[A-Za-z]:\\)")
"""Between two whole paths."""
_OF_SETTINGS = ("other-kind-of-value", "unkeepable-characters")
"""Refusals that stand in facts as well: why a variable could not be read."""


def met(name: str, /, **facts: object) -> str:
    """The sentence of ``resources/words/met.toml`` as it is written into facts."""
    row = rows("met")[name]
    assert isinstance(row, str)
    return row.format(**facts)


def in_words(code: str) -> str:
    """What a code of facts means (``codes.toml``): a part of the look, an end of a test …"""
    return say(f"codes.{code}") if code in rows("codes") else code


def convolution(name: str) -> str:
    """A convolution of the test, "fp32 channels last": its type, and what is unusual of it."""
    kind, _blank, how = name.partition(" ")
    code = how.replace(" ", "-")
    return f"{kind} {in_words(code)}" if code in rows("codes") else name


def told(text: str) -> str:
    """A text out of facts in the language spoken now, as far as the words are ours.

    What others said (a loader, a driver, a framework) stays as it is.
    """
    if len(text) > _LONGEST:
        return text
    return "; ".join(map(_behind_names, text.split("; ")))


def _behind_names(text: str) -> str:
    """A clause with what it is about before it: "cudnnCreate: no engine was offered"."""
    words = text.split(": ")
    for at in range(len(words)):
        if said := _whole(": ".join(words[at:])):
            return ": ".join((*map(convolution, words[:at]), said))
    return text


def _whole(text: str) -> str:
    for name, row in rows("met").items():
        if (facts := _places(row, text)) is not None:
            inner = {one: told(facts[one]) for one in facts.keys() & {"said", "before"}}
            files = {one: listed(_PATHS.split(facts[one])) for one in facts.keys() & {"files"}}
            return say(f"met.{name}", **facts | inner | files)
    for name, row in rows("errno").items():
        # Without a file before it, it begins a sentence.
        if text in (row, capitalized(str(row))):
            return say(f"errno.{name}")
    for code in _OF_SETTINGS:
        if (facts := _places(rows("refusals")[code], text)) is not None:
            return refusal(code, **facts)
    return ""


def _places(row: object, text: str) -> dict[str, str] | None:
    """What stands in the places of a sentence, where ``text`` is that sentence."""
    first, *others = _pieces(str(row))
    if not text.startswith(first):
        return None
    found, rest = {}, text.removeprefix(first)
    for name, literal in zip(others[::2], others[1::2], strict=True):
        found[name], end, rest = rest.partition(literal) if literal else (rest, "", "")
        if not found[name] or end != literal:
            return None
    return found if not rest else None


@cache
def _pieces(row: str) -> tuple[str, ...]:
    return tuple(re.split(r"\{(\w+)\}", row))
