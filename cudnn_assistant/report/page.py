"""A report as one self-contained page for a support desk, with nothing from outside.

The only script sorts a table that is meant to be sorted. The page is whole without it, and its
hash in the page's own policy keeps every other script from running.
"""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Iterable
from html import escape

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
th button { font: inherit; color: inherit; background: none; border: 0; padding: 0; }
th button { cursor: pointer; white-space: nowrap; }
th button::after { content: " ↕"; color: var(--quiet); }
th[aria-sort="ascending"] button::after { content: " ↑"; }
th[aria-sort="descending"] button::after { content: " ↓"; }
.chart { display: grid; grid-template-columns: auto 2.5rem minmax(4rem, 1fr); gap: 0.4rem 0.75rem; }
.chart b { text-align: right; font-weight: 600; }
.chart i { display: block; height: 1.1rem; border-radius: 3px; margin-top: 0.2rem;
  background: light-dark(#1f6feb, #4c8dff); print-color-adjust: exact; }
@media print { body { margin: 0; font-size: 11px; } details { display: none; } }
"""


_SORT = """
const order = new Intl.Collator(undefined, {numeric: true});
for (const table of document.querySelectorAll("table.sortable")) {
  const body = table.tBodies[0];
  [...table.tHead.rows[0].cells].forEach((cell, n) => {
    const button = document.createElement("button");
    button.append(...cell.childNodes);
    cell.append(button);
    button.addEventListener("click", () => {
      const down = cell.ariaSort === "ascending";
      for (const other of cell.parentNode.cells) other.removeAttribute("aria-sort");
      cell.ariaSort = down ? "descending" : "ascending";
      const rows = [...body.rows].sort(
        (a, b) => order.compare(a.cells[n].textContent, b.cells[n].textContent));
      body.append(...(down ? rows.reverse() : rows));
    });
  });
}
"""


def page(parts: Iterable[PagePart], title: str) -> str:
    """The parts as one HTML document. Machine data is folded away at the end."""
    known = tuple(parts)
    language = spoken().replace("_", "-")
    body = "\n".join(map(_part, known))
    sorts = any(isinstance(part, Table) and part.sortable for part in known)
    proof = base64.b64encode(hashlib.sha256(_SORT.encode()).digest()).decode()
    allowed = f"; script-src 'sha256-{proof}'" if sorts else ""
    script = f"<script>{_SORT}</script>\n" if sorts else ""
    return (
        f'<!DOCTYPE html>\n<html lang="{language}">\n<head>\n<meta charset="utf-8">\n'
        '<meta http-equiv="Content-Security-Policy" '
        f"content=\"default-src 'none'; style-src 'unsafe-inline'{allowed}\">\n"
        '<meta name="viewport" content="width=device-width">\n'
        f"<title>{_text(title)}</title>\n<style>{_STYLE}</style>\n</head>\n"
        f"<body>\n{body}\n{script}</body>\n</html>\n"
    )


_INSIDE = """
.cudnn-assistant h3, .cudnn-assistant h4 { margin: 1em 0 0.25em; }
.cudnn-assistant p, .cudnn-assistant ul { margin: 0.25em 0; }
.cudnn-assistant code, .cudnn-assistant pre { background: #8882; color: inherit; }
.cudnn-assistant code { padding: 0.1em 0.3em; }
.cudnn-assistant pre { padding: 0.5em; white-space: pre-wrap; }
"""


def fragment(parts: Iterable[PagePart]) -> str:
    """The parts for the middle of somebody else's page, in the colours and fonts of that."""
    body = "\n".join(map(_part, parts))
    return f'<div class="cudnn-assistant"><style>{_INSIDE}</style>\n{body}\n</div>'


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
