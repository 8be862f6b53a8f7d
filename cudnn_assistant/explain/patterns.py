"""The table of patterns, and the search for them: linear in the size of the text."""

from __future__ import annotations

import re
import tomllib
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from itertools import accumulate, count, zip_longest
from operator import add

import msgspec

from cudnn_assistant import places
from cudnn_assistant.explain.literals import Literals, find
from cudnn_assistant.explain.reading import Lines
from cudnn_assistant.explain.versions import denied

_ENOUGH = 4
"""Hits of one pattern after which it is not searched further."""
_TRIES = 1_000
"""Different lines on which one pattern is tried. A log is searched from both ends inwards, so that
what a hostile one leaves out lies in its middle."""
_WRAPPED_TRIES = 300
"""Lines for which one pattern is also searched across neighbours: wrapped messages are rare."""
_SHORT = 100
"""Lines up to which a text may be a person's own words, or a few lines picked by a person."""
_COUNTERS = re.compile(
    r"0x[0-9a-f]{9,16}|\d{4,400}|\d{1,3}:\d\d(?::\d\d)?(?:[.,]\d{1,9})?", re.IGNORECASE
)
"""What changes from line to line. Short numbers stay: they can be a code or a version."""
_ENCODED = re.compile(r"(?!/)[A-Za-z0-9+/=]{60,5000}")
"""Lines of a picture or of a file that was sent by mail."""


class Pattern(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A row of the table. See the package's docstring for what each field is for."""

    id: str
    find: tuple[str, ...]
    match: str
    example: str
    source: str
    means: str
    votes: Mapping[str, float]
    code: str = ""
    group: str = ""
    needs: str = ""
    tags: tuple[str, ...] = ()
    vague: bool = False
    """Such a line alone doesn't tell why."""
    words: bool = False
    """People's words rather than a program's message: sought in short texts only."""
    deniable: bool = False
    """Not found where it is denied: "works inside Docker"."""

    def find_in(self, line: str) -> re.Match[str] | None:
        """Where the line says it, if it does; case never matters."""
        found = _compiled(self.match).finditer(line)
        return next((o for o in found if not (self.deniable and denied(line, *o.span()))), None)


class Harmless(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A line of ``resources/errors/harmless.toml`` that tells nothing though it looks like it."""

    find: str
    match: str
    example: str


class Hit(msgspec.Struct, frozen=True, kw_only=True):
    """A pattern that was found."""

    pattern: Pattern
    line: int
    """Index into the lines."""
    text: str
    names: Mapping[str, str]
    """What the pattern's named groups caught; empty ones left out."""


@cache
def _compiled(source: str) -> re.Pattern[str]:
    return re.compile(source, re.IGNORECASE)


@cache
def patterns() -> tuple[Pattern, ...]:
    """All rows of ``resources/errors/patterns``, in a stable order.

    Raises :class:`msgspec.ValidationError` for a row that lacks a field or has an unknown one.
    """
    rows: list[Pattern] = []
    for file in sorted(places.resource("errors/patterns").glob("*.toml")):
        table = tomllib.loads(file.read_text(encoding="utf-8"))
        rows += msgspec.convert(table["pattern"], list[Pattern])
    return tuple(rows)


@cache
def harmless() -> tuple[Harmless, ...]:
    """Lines that are passed over."""
    text = places.resource("errors/harmless.toml").read_text(encoding="utf-8")
    return msgspec.convert(tomllib.loads(text)["line"], tuple[Harmless, ...])


def is_harmless(line: str) -> bool:
    """Whether a line is known to tell nothing."""
    low = line.lower()
    return any(row.find in low and _compiled(row.match).search(line) for row in harmless())


class _Search:
    """What one search has found and tried so far."""

    def __init__(self, lines: Lines) -> None:
        self.lines = lines
        self.found: dict[str, list[Hit]] = {}
        self.seen: set[int] = set()
        self.tried: Counter[str] = Counter()
        self.wrapped: dict[str, int] = {}
        self.short = len(lines.last_written(_SHORT + 1)) <= _SHORT
        self.asking = _asking(self.short)

    def _wanted(self, pattern: Pattern) -> bool:
        return len(self.found.get(pattern.id, ())) < _ENOUGH and self.tried[pattern.id] < _TRIES

    def block(self, start: int, text: str) -> None:
        """Search the lines of a text, of which the first is the line ``start``."""
        if not text or text.isspace():
            return
        rows = text.split("\n")
        told = [row for row in dict.fromkeys(rows) if " " in row or not _ENCODED.fullmatch(row)]
        low = "\n".join(told).lower()
        # A space stands for the end of a line, so that a wrapped literal is found as well.
        flat = low.replace("\n", " ")
        wanted = {
            literal: asking
            for literal in self._possible(low, flat)
            if (asking := [p for p in self.asking[literal] if self._wanted(p)])
        }
        if not wanted:
            return
        first = dict(zip(reversed(rows), range(len(rows) - 1, -1, -1), strict=True))
        for spot, candidates in _candidates(flat, _starts(told, flat), wanted):
            row = told[spot]
            # Logs repeat themselves with other numbers; such a line tells nothing new.
            form = hash(_COUNTERS.sub("", row))
            if form not in self.seen:
                self.seen.add(form)
                self._line(start + first[row], row, candidates)

    def _possible(self, low: str, flat: str) -> list[str]:
        # Looking through a short text is quicker than learning what tells of a long one.
        if self.short:
            return [literal for literal in self.asking if literal in flat]
        return literals().possible(low)

    def _line(self, index: int, line: str, candidates: Iterable[Pattern]) -> None:
        for pattern in candidates:
            have = self.found.setdefault(pattern.id, [])
            self.tried[pattern.id] += 1
            match = pattern.find_in(line) or self._across(index, pattern, have)
            if match and is_harmless(line):
                return
            if match and len(have) < _ENOUGH:
                names = {_plain(k): v for k, v in match.groupdict().items() if v}
                have.append(Hit(pattern=pattern, line=index, text=line, names=names))

    def _across(self, index: int, pattern: Pattern, have: list[Hit]) -> re.Match[str] | None:
        """The pattern in this line and its neighbours as one, as a terminal may have wrapped it."""
        tries = self.wrapped.get(pattern.id, 0)
        if tries >= _WRAPPED_TRIES or (have and have[-1].line >= index - 3):
            return None
        self.wrapped[pattern.id] = tries + 1
        near = _around(self.lines, index)
        match = pattern.find_in(" ".join(near)) if near else None
        # Where a neighbour says it alone, it stands there and isn't wrapped.
        return None if match and any(map(pattern.find_in, near)) else match


def hits(lines: Lines) -> list[Hit]:
    """The patterns found in ``lines``: at most a few hits of each, in order of appearance."""
    search = _Search(lines)
    for number in _inwards(range(lines.blocks)):
        search.block(*lines.block(number))
    return sorted((hit for some in search.found.values() for hit in some), key=lambda h: h.line)


def _inwards(numbers: Sequence[int]) -> Iterator[int]:
    """First, last, second, last but one, and so on."""
    half = (len(numbers) + 1) // 2
    for near, far in zip_longest(numbers[:half], reversed(numbers[half:])):
        yield near
        if far is not None:
            yield far


@cache
def _asking(words: bool) -> Mapping[str, list[Pattern]]:
    """Each literal with the patterns that ask for it; with people's words or without."""
    table: dict[str, list[Pattern]] = {}
    for pattern in patterns():
        for literal in pattern.find if words or not pattern.words else ():
            table.setdefault(literal, []).append(pattern)
    return table


@cache
def literals() -> Literals:
    """Those that are sought in long texts."""
    return Literals(_asking(False))


def _candidates(
    text: str, starts: Sequence[int], wanted: Mapping[str, list[Pattern]]
) -> Iterator[tuple[int, Iterable[Pattern]]]:
    """Lines that hold a literal, each with the patterns that asked for it."""
    spots: dict[int, dict[str, Pattern]] = {}
    for literal, asking in wanted.items():
        asked = {p.id: p for p in asking}
        for index in _lines_with(text, starts, literal):
            spots.setdefault(index, {}).update(asked)
    for index in sorted(spots):
        yield index, spots[index].values()


def _starts(rows: Sequence[str], flat: str) -> list[int]:
    """Where each line starts in small letters, with a sign between two of them."""
    ends = list(accumulate(map(len, rows)))
    if ends[-1] + len(rows) - 1 != len(flat):  # A few letters become two.
        ends = list(accumulate(len(row.lower()) for row in rows))
    return [0, *map(add, ends[:-1], count(1))]


def _lines_with(text: str, starts: Sequence[int], literal: str) -> Iterator[int]:
    at = find(text, literal)
    while at >= 0:
        index = bisect_right(starts, at) - 1
        yield index
        if index + 1 == len(starts):
            return
        at = find(text, literal, starts[index + 1])


def _plain(name: str) -> str:
    """``missing2`` is another spelling of ``missing``: a name may stand once in a regex."""
    return name.rstrip("23456789")


def _around(lines: Lines, index: int) -> list[str]:
    """The line with its neighbours, or nothing where no message can be wrapped."""
    near = [part.strip() for part in lines[max(0, index - 1) : index + 3] if part]
    if len(near) < 2 or max(map(len, near)) > 400:
        return []
    return near
