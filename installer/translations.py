"""Collect every sentence for translators: ``python -m installer.translations FILE.pot``.

A sentence of ``resources/words`` stands under its key (``msgctxt``), plurals with both forms.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

from babel.messages.catalog import Catalog
from babel.messages.extract import extract
from babel.messages.pofile import write_po

from cudnn_assistant.wording import sentences
from cudnn_assistant.wording.language import DOMAIN
from installer.windows.build import ROOT

_KEYWORDS = {"_": None, "N_": None, "ngettext": (1, 2)}


def catalogue() -> Catalog:
    """Every sentence of the program once."""
    whole = Catalog(project=DOMAIN)
    for file in sentences.files():
        for name, row in sentences.rows(file).items():
            text = row if isinstance(row, str) else (row.one, row.other)
            key = f"{file}.{name}"
            whole.add(text, context=key, locations=[(f"resources/words/{file}.toml", 0)])
    for place, found in _in_sources():
        whole.add(found, locations=[place])
    return whole


def _in_sources() -> Iterator[tuple[tuple[str, int], str | tuple[str, ...]]]:
    for path in sorted((ROOT / "cudnn_assistant").rglob("*.py")):
        name = path.relative_to(ROOT).as_posix()
        with path.open("rb") as source:
            for line, text, *_rest in extract("python", source, keywords=_KEYWORDS):
                yield (name, line), text


def main(target: str) -> None:
    """Write the catalogue to a file."""
    with Path(target).open("wb") as file:
        write_po(file, catalogue(), sort_output=True)


if __name__ == "__main__":
    main(sys.argv[1])
