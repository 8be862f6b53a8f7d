"""Compiles the sources into the file that the program reads."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import msgspec

from cudnn_assistant.compat import Compat, decode
from installer.feed.build import build
from installer.feed.difference import difference
from installer.feed.invariants import breaches
from installer.feed.tables import read_all


@dataclass(frozen=True)
class Compiled:
    """The result of a compilation, not yet written."""

    compat: Compat
    difference: tuple[str, ...]
    breaches: tuple[str, ...]
    stale: bool
    """The file on disk doesn't say the same."""


def compile_feed(folder: Path, day: str) -> Compiled:
    """Compile ``folder/sources``; the version counts up when anything changed.

    Raises :class:`installer.feed.tables.SourceError` for a table that can't be used.
    """
    try:
        old = decode((folder / "compat.json").read_bytes())
    except (FileNotFoundError, msgspec.MsgspecError):
        old = None
    tables = read_all(folder / "sources")
    made = build(tables, old.version if old else 0, old.published if old else day)
    changed = difference(old, made) if old else ()
    stale = old is None or bool(changed)
    if stale:
        made = msgspec.structs.replace(made, version=made.version + 1, published=day)
    return Compiled(
        compat=made,
        difference=tuple(sorted(changed, key=lambda line: line[2:])),
        breaches=breaches(made),
        stale=stale,
    )


def encode(compat: Compat) -> bytes:
    """The JSON of the data; compact, with the tables on lines of their own."""
    parts = []
    for name, value in msgspec.to_builtins(compat).items():
        rows = b",\n  ".join(msgspec.json.encode(row) for row in value) if _table(value) else b""
        body = b"[\n  " + rows + b"\n]" if rows else msgspec.json.encode(value)
        parts.append(msgspec.json.encode(name) + b": " + body)
    return b"{\n" + b",\n".join(parts) + b"\n}\n"


def _table(value: object) -> bool:
    return isinstance(value, list) and bool(value)
