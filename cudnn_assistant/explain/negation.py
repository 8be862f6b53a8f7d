"""Whether words deny: "no Docker", "works without conda"."""

from __future__ import annotations

import re

from cudnn_assistant.explain.versions import known

_CLAUSE = re.compile(r"[^.;:,()\n]{0,60}\Z")
_WORD = re.compile(r"[a-z']+")


def denied(text: str, start: int, end: int) -> bool:
    """Whether what stands from ``start`` to ``end`` is denied, in the same clause.

    Two denials before it are none: of "doesn't work in Docker" and "works without Docker" neither
    denies.
    """
    words = known().denial
    if re.compile(words.behind, re.IGNORECASE).match(text, end):
        return True
    clause = _CLAUSE.search(text, max(0, start - 60), start)
    flips, praised = 0, False
    for word in reversed(_WORD.findall(clause.group().lower() if clause else "")):
        if word in words.praise or (flips and word in words.runs):
            flips += not praised
            praised = True
        elif word in words.denials or word.endswith("n't"):
            flips += 1
        elif word not in words.fillers:
            break
    return flips % 2 == 1


def affirmed(pattern: str, text: str) -> bool:
    """Whether the pattern occurs anywhere without being denied there."""
    found = re.finditer(pattern, text, re.IGNORECASE)
    return any(not denied(text, *match.span()) for match in found)
