"""Reads and writes the source tables; every row names its source and the day it was read."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterable, Sequence
from pathlib import Path

Row = dict[str, str]

TABLES = (
    "architectures",
    "branches",
    "components",
    "cudnn",
    "cudnn_files",
    "cudnn_parts",
    "floors",
    "frameworks",
    "gpus",
    "installers",
    "known_bad",
    "pci",
    "pins",
    "program",
    "toolkits",
    "wheels",
)
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
    return {name: read(folder, name) for name in TABLES}


def write(folder: Path, name: str, columns: Sequence[str], rows: Iterable[Row]) -> None:
    """Write one table in the given order of columns."""
    with (folder / f"{name}.csv").open("w", newline="", encoding="utf-8") as file:
        out = csv.DictWriter(file, columns, lineterminator="\n")
        out.writeheader()
        out.writerows(rows)


def columns(folder: Path, name: str) -> list[str]:
    """The heading of one table."""
    with (folder / f"{name}.csv").open(newline="", encoding="utf-8") as file:
        return next(csv.reader(file))
