"""A report as blocks of text, before it becomes Markdown or a page. No markup lives in here."""

from __future__ import annotations

import re
from typing import NamedTuple

from cudnn_assistant.wording import sentences


class Code(NamedTuple):
    """A path, value, code or version: shown as it is, in a fixed-width font."""

    text: str


class Strong(NamedTuple):
    """Words to be seen first."""

    text: str


Piece = str | Code | Strong
Pieces = tuple[Piece, ...]


def say(key: str, /, **facts: Piece | Pieces) -> Pieces:
    """The sentence of ``key``, in which each fact stays what it is, wherever the language puts it.

    For sentences without a count.
    """
    said = sentences.say(key, **{name: f"\0{name}\0" for name in facts})
    parts = re.split("\0(.*?)\0", said)
    pieces: list[Piece] = []
    for number, part in enumerate(parts):
        fact = facts[part] if number % 2 else part
        pieces += fact if type(fact) is tuple else (fact,)  # Code and Strong are tuples too.
    return tuple(piece for piece in pieces if piece)


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
