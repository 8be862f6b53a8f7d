"""Which of the many literals stand in a piece of text, told without looking for each of them."""

from __future__ import annotations

import re
from array import array
from collections import Counter
from collections.abc import Iterable, Iterator
from functools import cache
from itertools import chain

_WIDTH = 4
_ONLY_DIGITS = bytes(code if code in b"0123456789" else 32 for code in range(256))


class Literals:
    """Literals in small letters, and what tells quickly that they are not in a long text.

    A text is read four bytes at a time, at every second place. Wherever a literal stands, some such
    fours lie in it: those from its first letter on, or those from its second. Few texts have all of
    them by chance, and a text of a few lines has few at all. Signs that no literal has count as
    one, so that few fours are possible around a literal that is too short to hold one of its own;
    so do digits, as logs repeat their lines with other numbers: each is read once.
    """

    def __init__(self, literals: Iterable[str]) -> None:
        self._place = {one: place for place, one in enumerate(literals)}
        numbers = filter(_is_number, self._place)
        self._numbers = {one: set(one.encode().translate(_ONLY_DIGITS).split()) for one in numbers}
        self._number_parts = frozenset().union(*self._numbers.values())
        data = {one: one.encode() for one in self._place if one not in self._numbers}
        self._signs = _signs(b" ".join(data.values()))
        every_four = [
            (fours, literal)
            for literal, spelled in data.items()
            for fours in _fours_of(spelled.translate(self._signs), set(self._signs))
        ]
        often = Counter(four for fours, _literal in every_four for four in fours)
        self._fours = frozenset(often)
        self._asking: dict[int, list[tuple[set[int], str]]] = {}
        for fours, literal in every_four:
            # By the rarest of them: few texts have it by chance.
            rarest = min(fours, key=lambda four: (often[four], four))
            self._asking.setdefault(rarest, []).append((fours, literal))

    def possible(self, low: str) -> list[str]:
        """Those that may stand in a text in small letters, or across two of its lines, in their
        order: none that does is left out."""
        data = low.encode("utf-8", "surrogatepass")
        forms = dict.fromkeys(data.translate(self._signs).split(b"\n"))
        found = self._fours.intersection(chain.from_iterable(_fours(b" ".join(forms))))
        told = {
            literal
            for four in found & self._asking.keys()
            for fours, literal in self._asking[four]
            if found.issuperset(fours)
        }
        numbers = self._number_parts.intersection(data.translate(_ONLY_DIGITS).split())
        told.update(one for one, parts in self._numbers.items() if numbers >= parts)
        return sorted(told, key=self._place.__getitem__)


def find(low: str, literal: str, at: int = 0) -> int:
    """Where it stands next; a number only where it isn't part of a longer one. -1: nowhere."""
    whole = _whole(literal)
    if not whole:
        return low.find(literal, at)
    found = whole.search(low, at)
    return found.start() if found else -1


def _is_number(literal: str) -> bool:
    """Whether it is digits and signs: "35", "(8)", "=48". Logs are full of such numbers' parts."""
    return bool(re.search(r"\d", literal)) and not re.search(r"[^\W\d_]", literal)


@cache
def _whole(literal: str) -> re.Pattern[str] | None:
    """What finds a number that is no part of a longer one; nothing for other literals."""
    if not _is_number(literal):
        return None
    first, last = literal[0].isdigit(), literal[-1].isdigit()
    # The text itself first: it is searched for much faster than what may not stand before it.
    before = rf"(?<!\d{re.escape(literal)})" if first else ""
    return re.compile(re.escape(literal) + before + (r"(?!\d)" if last else ""))


def _signs(used: bytes) -> bytes:
    """For each byte what it counts as."""
    counts = {code: code if code in used else 0 for code in range(128)}
    counts |= dict.fromkeys(b"0123456789", ord("0")) | {ord("\n"): ord("\n")}
    return bytes(counts.get(code, 128 + code % 16) for code in range(256))


def _fours(data: bytes) -> Iterator[array[int]]:
    """Four bytes at every second place, as numbers; spaces fill up the last ones."""
    for at in range(0, _WIDTH, 2):
        part = data[at:] + b" " * _WIDTH
        yield array("i", part[: len(part) // _WIDTH * _WIDTH])


def _fours_of(data: bytes, signs: Iterable[int]) -> Iterator[set[int]]:
    """Sets of fours, one of which is in a text as a whole wherever the bytes stand in it."""
    for start in (0, 1):
        inside = [data[at : at + _WIDTH] for at in range(start, len(data) - _WIDTH + 1, 2)]
        if inside:
            yield set(array("i", b"".join(inside)))
        else:
            for sign in signs:
                around = bytes([sign]) + data if start else data + bytes([sign])
                yield set(array("i", around[:_WIDTH]))
