"""The catalogues of translators.

``python -m installer.translations FILE.pot`` collects every sentence; without a file it brings
each ``resources/locale/*.po`` up to date: what is new stands there
untranslated, what changed is marked as unsure ("fuzzy"), what is gone goes.

A sentence of ``resources/words`` stands under its key (``msgctxt``), one of a cause under the
cause's name, what a pattern of a message means under "explain"; plurals have both forms. What
argparse says has no context.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from pathlib import Path

from babel.messages.catalog import Catalog
from babel.messages.extract import extract_from_file
from babel.messages.pofile import read_po, write_po

from cudnn_assistant import places
from cudnn_assistant.causes import causes
from cudnn_assistant.explain.evidence import rules
from cudnn_assistant.explain.patterns import patterns
from cudnn_assistant.wording import LANGUAGES, sentences

Message = tuple[tuple[str, int], str | None, str | tuple[str, ...]]
"""Where it stands, its context, and the text or both forms of a plural."""


_OF_PROGRAMMERS = (
    "conflict", "__call__", "cannot merge", "mutually", "'required'", "not callable", "dest=",
    "cannot have", "unexpected option", " mode ", "must start",
)  # fmt: skip
"""In what argparse says only to whoever writes a command line."""


def catalogue() -> Catalog:
    """Every sentence of the program once: a text under one context is one message."""
    whole = Catalog(project="cudnn-assistant", header_comment="", fuzzy=False)
    for place, context, text in (*_words(), *_causes(), *_patterns(), *_of_argparse()):
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


def _of_argparse() -> Iterator[Message]:
    """What a person can meet of argparse: usage, headings of the help, wrong use."""
    for _line, text, _comments, _context in extract_from_file("python", argparse.__file__):
        if any(word in text for word in _OF_PROGRAMMERS):
            continue
        yield ("argparse", 0), None, text if isinstance(text, str) else tuple(text[:2])


def update(folder: Path) -> None:
    """Bring the catalogue of each language below ``folder`` up to date with the sentences."""
    template = catalogue()
    for name in LANGUAGES.keys() - {"en"}:
        path = folder / f"{name}.po"
        path.parent.mkdir(parents=True, exist_ok=True)
        known = Catalog(locale=name, project="cudnn-assistant", header_comment="", fuzzy=False)
        if path.is_file():
            with path.open("rb") as file:
                known = read_po(file, locale=name)
        known.update(template)
        known.obsolete.clear()
        with path.open("wb") as file:
            write_po(file, known, no_location=True, width=0)


def main(arguments: list[str]) -> None:
    """Write the catalogue to the file that is named, or bring all languages up to date."""
    tool = argparse.ArgumentParser(prog="installer.translations", description=main.__doc__)
    tool.add_argument("file", nargs="?", type=Path, metavar="FILE.pot")
    named: Path | None = tool.parse_args(arguments).file
    if named is None:
        update(places.resource("locale"))
        return
    with named.open("wb") as file:
        write_po(file, catalogue(), sort_output=True)


if __name__ == "__main__":
    main(sys.argv[1:])
