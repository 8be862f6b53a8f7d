"""A report as one self-contained page for a support desk: no script, nothing from outside."""

from __future__ import annotations

from collections.abc import Iterable
from html import escape

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
from cudnn_assistant.wording import spoken

_STYLE = """
:root { color-scheme: light dark; --line: #8886; --soft: #8882; --quiet: light-dark(#555, #aaa); }
body { font: 16px/1.5 system-ui, sans-serif; max-width: 60rem; margin: 2rem auto; padding: 0 1rem; }
h1 { font-size: 1.75rem; line-height: 1.25; margin-bottom: 0.25rem; }
h1 + p { color: var(--quiet); margin-top: 0; }
h2 { font-size: 1.25rem; margin-top: 2.5rem; border-top: 1px solid var(--line); padding-top: 1rem; }
h3 { font-size: 1.0625rem; margin: 1.5rem 0 0.25rem; } h3 + p { margin-top: 0; }
ul { padding-left: 1.5rem; } li { margin: 0.125rem 0; }
code, pre { font: 0.875em/1.45 ui-monospace, monospace; overflow-wrap: anywhere; }
code { background: var(--soft); padding: 0.1em 0.3em; border-radius: 3px; }
pre { background: var(--soft); padding: 1rem; white-space: pre-wrap; border-radius: 6px; }
table { border-collapse: collapse; display: block; overflow-x: auto; }
th, td { text-align: left; vertical-align: top; padding: 0.3rem 1rem 0.3rem 0; }
th, td { border-bottom: 1px solid var(--line); min-width: 4rem; }
summary { cursor: pointer; }
@media print { body { margin: 0; font-size: 11px; } details { display: none; } }
"""


def page(parts: Iterable[Part], title: str) -> str:
    """The parts as one HTML document. Machine data is folded away at the end."""
    body = "\n".join(map(_part, parts))
    language = spoken().replace("_", "-")
    return (
        f'<!DOCTYPE html>\n<html lang="{language}">\n<head>\n<meta charset="utf-8">\n'
        '<meta http-equiv="Content-Security-Policy" '
        "content=\"default-src 'none'; style-src 'unsafe-inline'\">\n"
        '<meta name="viewport" content="width=device-width">\n'
        f"<title>{_text(title)}</title>\n<style>{_STYLE}</style>\n</head>\n"
        f"<body>\n{body}\n</body>\n</html>\n"
    )


def _part(part: Part) -> str:
    if isinstance(part, Heading):
        return f"<h{part.level}>{_pieces(part.pieces)}</h{part.level}>"
    if isinstance(part, Paragraph):
        return f"<p>{_pieces(part.pieces)}</p>"
    if isinstance(part, Bullets):
        rows = (f"<li>{_pieces(item.pieces)}{_below(item.below)}</li>" for item in part.items)
        return f"<ul>{''.join(rows)}</ul>"
    if isinstance(part, Table):
        return _table(part)
    return _block(part)


def _below(below: tuple[Pieces, ...]) -> str:
    items = "".join(f"<li>{_pieces(pieces)}</li>" for pieces in below)
    return f"<ul>{items}</ul>" if items else ""


def _table(table: Table) -> str:
    head = "".join(f"<th>{_text(cell)}</th>" for cell in table.head)
    rows = "".join(
        f"<tr>{''.join(f'<td>{_pieces(cell)}</td>' for cell in row)}</tr>" for row in table.rows
    )
    return f"<table><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table>"


def _block(block: Block) -> str:
    shown = f"<pre>{escape(_lines(block.text))}</pre>"
    if not block.kind:
        return shown
    return f"<details><summary>Show it</summary>{shown}</details>"


def _pieces(pieces: Pieces) -> str:
    return "".join(map(_piece, pieces))


def _piece(piece: str | Code | Strong) -> str:
    if isinstance(piece, Code):
        return f"<code>{_text(piece.text)}</code>"
    if isinstance(piece, Strong):
        return f"<strong>{_text(piece.text)}</strong>"
    return _text(piece)


def _lines(text: str) -> str:
    return "\n".join(map(visible, text.splitlines()))


def _text(text: str) -> str:
    return escape(visible(text))
