"""Reads and writes the source tables; every row names its source and the day it was read."""

from __future__ import annotations

import csv
import re
from collections.abc import Sequence
from pathlib import Path

Row = dict[str, str]

_DAY = re.compile(r"\A[0-9]{4}-[0-9]{2}-[0-9]{2}\Z")


class SourceError(Exception):
    """A source table can't be used; the text says which row of which table and why."""


def read(folder: Path, name: str) -> list[Row]:
    """All rows of one table. Raises :class:`SourceError` for a row without source or day."""
    with (folder / f"{name}.csv").open(newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    for number, row in enumerate(rows, start=2):
        where = f"{name}.csv line {number}"
        if None in row or None in row.values():
            raise SourceError(f"{where}: number of cells differs from the heading")
        if not row["source"].strip() or not _DAY.match(row["read"]):
            raise SourceError(f"{where}: needs a source and the day it was read")
    return rows


def read_all(folder: Path) -> dict[str, list[Row]]:
    """Every table by its name."""
    return {path.stem: read(folder, path.stem) for path in sorted(folder.glob("*.csv"))}


def write(folder: Path, name: str, rows: Sequence[Row]) -> None:
    """Write one table, with the columns of its first row."""
    with (folder / f"{name}.csv").open("w", newline="", encoding="utf-8") as file:
        out = csv.DictWriter(file, list(rows[0]), lineterminator="\n")
        out.writeheader()
        out.writerows(rows)
