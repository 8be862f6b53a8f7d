"""A report as Markdown that pastes into a forum or an issue as it is."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from cudnn_assistant.report.document import (
    Block,
    Bullets,
    Code,
    Heading,
    Paragraph,
    Part,
    Pieces,
    Strong,
    Table,
)
from cudnn_assistant.visible import visible

_MARKUP = re.compile(r"(\\(?=[!-/:-@\[-`{-~]|$)|[`*\[\]<>#|~&]|(?<![A-Za-z0-9])_|_(?![A-Za-z0-9]))")
"""What could be markup where it stands. A backslash before a letter and _ in a word are none, and
paths and names of libraries stay as people know them."""
_START = re.compile(r"^(|\d+)((?<!\d)[-+=](?=[\s=-]|$)|(?<=\d)[.)](?=\s|$))")
"""What would begin a list or underline a heading."""


def markdown(parts: Iterable[Part]) -> str:
    """The parts as Markdown. No text of theirs can become markup or leave its line."""
    return "\n\n".join("\n".join(_part(part)) for part in parts) + "\n"


def _part(part: Part) -> Iterator[str]:
    if isinstance(part, Heading):
        yield f"{'#' * part.level} {_pieces(part.pieces)}"
    elif isinstance(part, Paragraph):
        yield _pieces(part.pieces)
    elif isinstance(part, Bullets):
        for item in part.items:
            yield f"- {_pieces(item.pieces)}"
            yield from (f"  - {_pieces(pieces)}" for pieces in item.below)
    elif isinstance(part, Table):
        yield _row(part.head)
        yield _row(["---"] * len(part.head))
        yield from (_row([_pieces(c).replace("|", "\\|") for c in row]) for row in part.rows)
    else:
        yield from _block(part)


def _row(cells: Iterable[str]) -> str:
    return "| " + " | ".join(cells) + " |"


def _block(block: Block) -> Iterator[str]:
    longest = max((len(run) for run in re.findall(r"^`{3,}", block.text, re.MULTILINE)), default=2)
    fence = "`" * max(3, longest + 1)
    yield f"{fence}{block.kind}"
    yield from (visible(line) for line in block.text.splitlines())
    yield fence


def _pieces(pieces: Pieces) -> str:
    return _START.sub(r"\1\\\2", "".join(map(_piece, pieces)).strip())


def _piece(piece: str | Code | Strong) -> str:
    if isinstance(piece, Code):
        return _code(piece.text)
    if isinstance(piece, Strong):
        return f"**{escaped(piece.text)}**"
    return escaped(piece)


def escaped(text: str) -> str:
    """``text`` in one line, so that nothing in it is markup."""
    return _MARKUP.sub(r"\\\1", "".join(c if c.isprintable() else " " for c in text))


def _code(text: str) -> str:
    shown = visible(text)
    fence = "`" * (max(map(len, re.findall(r"`+", shown)), default=0) + 1)
    pad = " " if not shown or shown.startswith("`") or shown.endswith("`") else ""
    return f"{fence}{pad}{shown}{pad}{fence}"
