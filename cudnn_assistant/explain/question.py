"""What of a text is compared with earlier reports: its telling lines, as words."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from cudnn_assistant.explain.patterns import Hit, is_harmless
from cudnn_assistant.explain.versions import known

_FEW = 12
"""Lines that are compared: reports are as short."""
SEARCHED = 5_000
"""Lines from the end of a log that are searched for trouble in other words."""
_HEAD = 400
"""Characters of each."""
_FOLDERS = re.compile(r"[/\\][\w./\\-]{1,300}[/\\]")
_LIBRARY = re.compile(
    r"\blib([a-z_]{2,40})\d{0,8}\.so\b|\b([a-z_]{2,40}?)(?:_?\d{1,8}){0,4}\.dll\b"
)
_WORD = re.compile(r"[a-z][a-z_]*[a-z]|[a-z]")
_LONG_NUMBER = re.compile(r"\d(?:\d{3,}|(?<=0)x[0-9a-f]+)")
"""Addresses and counters. Begun with what both begin with, it is found thrice as fast."""


class Question(NamedTuple):
    """The words of a text and of what is known beside it, by what they tell of."""

    letters: frozenset[str]
    """The message's letters by threes, within words: spellings and endings share most of them."""
    message: frozenset[str]
    notes: frozenset[str]
    framework: frozenset[str]
    os: str


def question(message: str, facts: Mapping[str, str]) -> Question:
    """The words of a message and of the facts; of the facts, framework and os have a special
    meaning."""
    notes = " ".join(text for key, text in facts.items() if key not in {"framework", "os"})
    framework = facts.get("framework", "")
    return Question(
        _letters(message), names(message), names(notes), names(framework), facts.get("os", "")
    )


def spelled(text: str) -> list[str]:
    """All words in small letters, without folders, addresses and counters."""
    return _LONG_NUMBER.sub("#", _FOLDERS.sub(" ", text.lower())).split()


def _letters(text: str) -> frozenset[str]:
    """Three letters, digits or signs side by side."""
    padded = (f" {word} " for word in spelled(text))
    return frozenset(word[at : at + 3] for word in padded for at in range(len(word) - 2))


def names(text: str) -> frozenset[str]:
    """Names and their parts, in small letters, without folders and numbers; a library's file as
    "file NAME"."""
    low = text.lower()
    found = set(_WORD.findall(_FOLDERS.sub(" ", low)))
    files = {f"file {match[1] or match[2]}" for match in _LIBRARY.finditer(low)}
    return frozenset(found.union(files, *(word.split("_") for word in found)) - {""})


def telling_lines(last: Sequence[str], found: Sequence[Hit]) -> list[str]:
    """What is compared of a text, of which the last lines are given that hold anything: a short one
    whole; of a log the known messages, then the last lines that sound like trouble."""
    if len(last) <= _FEW:
        return [line for line in last if not is_harmless(line)]
    first = {hit.pattern.id: hit.text for hit in reversed(found)}
    chosen = list(dict.fromkeys(reversed(first.values())))[:_FEW]
    alarm = re.compile("|".join(known().alarm))
    for line in reversed(last):
        if len(chosen) >= _FEW:
            break
        if alarm.search(line[:_HEAD].lower()) and line not in chosen and not is_harmless(line):
            chosen.append(line)
    return chosen


def sounds(lines: Sequence[str]) -> set[str]:
    """Whether anything sounds like trouble, and whether a GPU's matters are spoken of: signs."""
    about = " ".join(line[:_HEAD] for line in lines).lower()
    heard = {"sounds troubled": known().alarm, "speaks of a gpu": known().subject}
    return {sign for sign, words in heard.items() if re.search("|".join(words), about)}
