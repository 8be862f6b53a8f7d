"""A report as blocks of text, before it becomes Markdown or a page. No markup lives in here."""

from __future__ import annotations

from typing import NamedTuple


class Code(NamedTuple):
    """A path, value, code or version: shown as it is, in a fixed-width font."""

    text: str


class Strong(NamedTuple):
    """Words to be seen first."""

    text: str


Pieces = tuple[str | Code | Strong, ...]


class Heading(NamedTuple):
    """A title of level 1 to 4."""

    level: int
    pieces: Pieces


class Paragraph(NamedTuple):
    """Sentences."""

    pieces: Pieces


class Item(NamedTuple):
    """One entry of a list, with facts below it."""

    pieces: Pieces
    below: tuple[Pieces, ...] = ()


class Bullets(NamedTuple):
    """A list."""

    items: tuple[Item, ...]


class Table(NamedTuple):
    """Rows under a head; all have as many cells as the head."""

    head: tuple[str, ...]
    rows: tuple[tuple[Pieces, ...], ...]
    sortable: bool = False
    """On a page a click on the head sorts it."""


class Block(NamedTuple):
    """Text kept line by line; ``kind`` says to programs what it is."""

    text: str
    kind: str = ""


class Bar(NamedTuple):
    """One row of a chart."""

    pieces: Pieces
    number: int


class Chart(NamedTuple):
    """Counts beside each other; of pages alone."""

    bars: tuple[Bar, ...]


class Folded(NamedTuple):
    """Something long behind its title; of pages alone."""

    title: Pieces
    pieces: Pieces


Part = Heading | Paragraph | Bullets | Table | Block
PagePart = Part | Chart | Folded
