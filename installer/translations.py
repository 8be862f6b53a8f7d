"""Collect every sentence for translators: ``python -m installer.translations FILE.pot``.

A sentence of ``resources/words`` stands under its key (``msgctxt``), one of a cause under the
cause's name, what a pattern of a message means under "explain"; plurals have both forms.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

from babel.messages.catalog import Catalog
from babel.messages.pofile import write_po

from cudnn_assistant.causes import causes
from cudnn_assistant.explain.evidence import rules
from cudnn_assistant.explain.patterns import patterns
from cudnn_assistant.wording import sentences
from cudnn_assistant.wording.language import DOMAIN

Message = tuple[tuple[str, int], str, str | tuple[str, ...]]
"""Where it stands, its context, and the text or both forms of a plural."""


def catalogue() -> Catalog:
    """Every sentence of the program once: a text under one context is one message."""
    whole = Catalog(project=DOMAIN)
    for place, context, text in (*_words(), *_causes(), *_patterns()):
        whole.add(text, context=context, locations=[place])
    return whole


def _words() -> Iterator[Message]:
    for file in sentences.files():
        for name, row in sentences.rows(file).items():
            text = row if isinstance(row, str) else (row.one, row.other)
            yield (f"resources/words/{file}.toml", 0), f"{file}.{name}", text


def _causes() -> Iterator[Message]:
    for row in causes():
        for text in (row.text(), *(row.text(form) for form in row.form)):
            for said in (*text.title, *text.why, *text.fix, *text.undo, text.way_out, row.confirm):
                if said:
                    yield ("resources/causes", 0), row.name, said


def _patterns() -> Iterator[Message]:
    for text in (*(p.means for p in patterns()), *(r.because for r in rules().rule if r.because)):
        yield ("resources/errors", 0), "explain", text


def main(target: str) -> None:
    """Write the catalogue to a file."""
    with Path(target).open("wb") as file:
        write_po(file, catalogue(), sort_output=True)


if __name__ == "__main__":
    main(sys.argv[1])
