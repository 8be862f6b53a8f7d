"""A report as one self-contained page for a support desk, with nothing from outside.

The only script sorts a table that is meant to be sorted. The page is whole without it, and its
hash in the page's own policy keeps every other script from running.
"""

from __future__ import annotations

from collections.abc import Iterable
from html import escape

from cudnn_assistant import places
from cudnn_assistant.report.document import (
    Block,
    Bullets,
    Chart,
    Code,
    Folded,
    Heading,
    PagePart,
    Paragraph,
    Pieces,
    Strong,
    Table,
)
from cudnn_assistant.visible import visible
from cudnn_assistant.wording import number, say, spoken


def page(parts: Iterable[PagePart], title: str) -> str:
    """The parts as one HTML document. Machine data is folded away at the end."""
    known = tuple(parts)
    language = spoken().replace("_", "-")
    body = "\n".join(map(_part, known))
    allowed = script = ""
    if any(isinstance(part, Table) and part.sortable for part in known):
        # Late: every check loads this module, and hardly one sorts.
        import base64
        import hashlib

        sort = _file("sort.js")
        proof = base64.b64encode(hashlib.sha256(sort.encode()).digest()).decode()
        allowed, script = f"; script-src 'sha256-{proof}'", f"<script>{sort}</script>\n"
    return (
        f'<!DOCTYPE html>\n<html lang="{language}">\n<head>\n<meta charset="utf-8">\n'
        '<meta http-equiv="Content-Security-Policy" '
        f"content=\"default-src 'none'; style-src 'unsafe-inline'{allowed}\">\n"
        '<meta name="viewport" content="width=device-width">\n'
        f"<title>{_text(title)}</title>\n<style>{_file('page.css')}</style>\n</head>\n"
        f"<body>\n{body}\n{script}</body>\n</html>\n"
    )


def fragment(parts: Iterable[PagePart]) -> str:
    """The parts for the middle of somebody else's page, in the colours and fonts of that."""
    body = "\n".join(map(_part, parts))
    return f'<div class="cudnn-assistant"><style>{_file("inside.css")}</style>\n{body}\n</div>'


def _file(name: str) -> str:
    return "\n" + places.resource(f"report/{name}").read_text("utf-8")


def _part(part: PagePart) -> str:
    if isinstance(part, Heading):
        return f"<h{part.level}>{_pieces(part.pieces)}</h{part.level}>"
    if isinstance(part, Paragraph):
        return f"<p>{_pieces(part.pieces)}</p>"
    if isinstance(part, Bullets):
        rows = (f"<li>{_pieces(item.pieces)}{_below(item.below)}</li>" for item in part.items)
        return f"<ul>{''.join(rows)}</ul>"
    if isinstance(part, Table):
        return _table(part)
    if isinstance(part, Chart):
        return _chart(part)
    if isinstance(part, Folded):
        return _folded(_pieces(part.title), f"<p>{_pieces(part.pieces)}</p>")
    return _block(part)


def _chart(chart: Chart) -> str:
    most = max((bar.number for bar in chart.bars), default=1)
    rows = (
        f"<span>{_pieces(bar.pieces)}</span><b>{number(bar.number)}</b>"
        f'<i style="width:{100 * bar.number / most:.1f}%"></i>'
        for bar in chart.bars
    )
    return f'<div class="chart">{"".join(rows)}</div>'


def _folded(title: str, inside: str) -> str:
    return f"<details><summary>{title}</summary>{inside}</details>"


def _below(below: tuple[Pieces, ...]) -> str:
    items = "".join(f"<li>{_pieces(pieces)}</li>" for pieces in below)
    return f"<ul>{items}</ul>" if items else ""


def _table(table: Table) -> str:
    head = "".join(f"<th>{_text(cell)}</th>" for cell in table.head)
    rows = "".join(
        f"<tr>{''.join(f'<td>{_pieces(cell)}</td>' for cell in row)}</tr>" for row in table.rows
    )
    kind = ' class="sortable"' if table.sortable else ""
    return f"<table{kind}><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table>"


def _block(block: Block) -> str:
    text = "\n".join(map(_text, block.text.splitlines()))
    shown = f"<pre>{text}</pre>"
    if not block.kind:
        return shown
    return _folded(_text(say("report.show")), shown)


def _pieces(pieces: Pieces) -> str:
    return "".join(map(_piece, pieces))


def _piece(piece: str | Code | Strong) -> str:
    if isinstance(piece, Code):
        return f"<code>{_text(piece.text)}</code>"
    if isinstance(piece, Strong):
        return f"<strong>{_text(piece.text)}</strong>"
    return _text(piece)


def _text(text: str) -> str:
    return escape(visible(text))
