"""What may stay in a text that people post: words of the field, versions, codes, known names.

A list of what to hide can't be finished, so this is one of what is kept. Its words are those of
the messages that ``explain`` knows, of the public reports it learned from, of our own sentences
and of the compatibility data. Everything takes time that is linear in the text.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from functools import cache

from cudnn_assistant import places
from cudnn_assistant.compat import load_builtin
from cudnn_assistant.explain.patterns import patterns
from cudnn_assistant.explain.similar_reports import reports
from cudnn_assistant.report.marks import HIDDEN, LEFT_OUT, MARK
from cudnn_assistant.report.paths import known_name
from cudnn_assistant.report.patterns import expressions

_P = expressions("known")

_COMMON = 2
"""Public reports that must hold a word: what one person alone wrote may be a name."""
_LONGEST = 120
"""Characters of a name that is kept."""


@cache
def vocabulary() -> frozenset[str]:
    """Words in small letters."""
    common = Counter(
        word for report in reports() for word in set(_P["in-reports"].findall(report.log.lower()))
    )
    words = {word for word, count in common.items() if count >= _COMMON}
    for pattern in patterns():
        words.update(_words(" ".join((*pattern.find, pattern.means))))
        words.update(_words(_P["folders"].sub(" ", pattern.example)))
    for folder in ("words", "causes"):
        for file in places.resource(folder).glob("*.toml"):
            words.update(_words(_P["looked-up"].sub(" ", file.read_text("utf-8"))))
    words.update(_words(places.resource("errors/known_words.txt").read_text("utf-8")))
    data = load_builtin()
    names = (*data.gpus, *data.pci.values(), *(one.name for one in data.frameworks))
    return frozenset(words | set(_words(" ".join(names))))


def _words(text: str) -> Iterator[str]:
    return (match[0].lower() for match in _P["word"].finditer(text))


def only_known(text: str) -> str:
    """``text`` with every word that isn't known replaced by a mark, neighbours by one."""
    return _P["again"].sub(HIDDEN, _P["token"].sub(_token, text))


def _token(match: re.Match[str]) -> str:
    token = match[0]
    if "://" in token or token in (LEFT_OUT, HIDDEN) or known(token):
        return token
    if "/" in token or "\\" in token:
        pieces = re.split(r"([/\\]+)", token)
        return "".join(
            piece if number % 2 or not piece or known_name(piece) or known(piece) else HIDDEN
            for number, piece in enumerate(pieces)
        )
    return HIDDEN


def known(token: str) -> bool:
    """Whether a word says nothing of a person, a company or a computer."""
    bare = token.strip(".!?*…~&#-+@%$^/\\")
    return len(bare) <= _LONGEST and (
        _P["shape"].fullmatch(bare) is not None
        or MARK.fullmatch(bare) is not None
        or bare.lower() in vocabulary()
        or _P["symbol"].fullmatch(bare) is not None
        or _compound(bare)
    )


def _compound(bare: str) -> bool:
    """Several known words in one. Names of computers are made of words and numbers as well, so
    that only those of the field may hold both."""
    if "/" in bare or "\\" in bare or "@" in bare:
        return False
    parts = [part for part in _P["joint"].split(bare) if part]
    if len(parts) > 1 and re.search(r"[.-]", bare) and re.search(r"\d", bare):
        return _P["fields-own"].match(bare) is not None and all(map(_simple, parts))
    return all(map(_simple, parts))


def _simple(part: str) -> bool:
    low = part.lower()
    if low in vocabulary() or (len(part) == 1) or (part.isdigit() and len(part) <= 5):
        return True
    numbered = _P["numbered"].fullmatch(low)
    if numbered:
        return len(numbered[1] or "") < 2 or numbered[1] in vocabulary()
    pieces = _P["camel"].findall(part.removeprefix("cu"))
    return (
        len(pieces) > 1
        and "".join(pieces) == part.removeprefix("cu")
        and all(
            (len(p) > 2 and p.lower() in vocabulary()) or (p.isdigit() and len(p) < 4)
            for p in pieces
        )
    )


def somebodys(name: str) -> bool:
    """Whether a computer's name tells which one it is."""
    return _P["everybodys"].fullmatch(name) is None
