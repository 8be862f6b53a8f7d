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
    old = _present(folder / "compat.json")
    tables = read_all(folder / "sources")
    same = build(tables, old.version, old.published) if old else None
    changed = difference(old, same) if old and same else ()
    stale = old is None or bool(changed)
    number = (old.version + 1 if old else 1) if stale else (old.version if old else 1)
    made = build(tables, number, day if stale or old is None else old.published)
    return Compiled(
        compat=made,
        difference=tuple(sorted(changed, key=lambda line: line[2:])),
        breaches=breaches(made),
        stale=stale,
    )


def _present(path: Path) -> Compat | None:
    try:
        return decode(path.read_bytes())
    except (FileNotFoundError, msgspec.MsgspecError):
        return None


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
