"""Nothing in the product sends a reader to a document that isn't there."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import cudnn_assistant

ROOT = Path(cudnn_assistant.__file__).parent.parent
_DOCUMENT = re.compile(r"(?<![\w/.-])((?:[\w.-]+/)*[\w-]+\.md)\b")
_CLOSED = re.compile(r"\bdesign (?:note )?\d|§")


def lines() -> Iterator[tuple[str, int, str]]:
    for folder in ("cudnn_assistant", "installer", "resources"):
        for file in sorted((ROOT / folder).rglob("*")):
            if (
                file.suffix in {".py", ".toml"}
                and "compat" not in file.relative_to(ROOT).parts[1:2]
            ):
                for number, line in enumerate(file.read_text(encoding="utf-8").splitlines(), 1):
                    yield str(file.relative_to(ROOT)), number, line


def test_every_document_that_is_named_is_here() -> None:
    here = {path.name for path in ROOT.glob("*.md")}
    here |= {
        path.name for folder in ("installer", "resources") for path in (ROOT / folder).rglob("*.md")
    }
    # What the program itself writes, and what NVIDIA's packages hold.
    here |= {"cudnn-report.md", "NAME.md", "report.md", "notes.md"}
    closed = [
        (file, number, name)
        for file, number, line in lines()
        if "http" not in line and not line.startswith("source =")
        for name in _DOCUMENT.findall(line)
        if name.rsplit("/", 1)[-1] not in here
    ]
    assert not closed


def test_no_paragraph_of_a_paper_of_ours_is_cited() -> None:
    assert not [
        (f, n, text) for f, n, text in lines() if _CLOSED.search(text) and "http" not in text
    ]
