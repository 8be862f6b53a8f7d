"""The classes of causes with their words, and what a computer's snapshot says about each."""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache

import msgspec

from cudnn_assistant import places
from cudnn_assistant.explain.answer import Cause, State
from cudnn_assistant.explain.evidence import Evidence
from cudnn_assistant.wording import _

_MOST_REASONS = 8


class Class(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A row of ``resources/errors/causes.toml``."""

    id: str
    code: str
    title: str
    why: str
    fix: str
    confirm: str


class Special(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A row of ``resources/errors/catalogue.toml``: closer words than those of its class."""

    code: str
    cls: str = msgspec.field(name="class")
    title: str
    why: str = ""
    fix: str
    confirm: str = ""


class Table(msgspec.Struct, frozen=True):
    """Both files as one."""

    rows: tuple[Class, ...] = msgspec.field(name="class")
    cause: tuple[Special, ...] = ()


@cache
def table() -> Table:
    """The words, read once."""
    files = [places.resource(f"errors/{name}.toml") for name in ("causes", "catalogue")]
    read = [tomllib.loads(file.read_text(encoding="utf-8")) for file in files]
    return msgspec.convert({**read[0], **read[1]}, Table)


@cache
def classes() -> Mapping[str, Class]:
    """Every class by its id."""
    return {row.id: row for row in table().rows}


@cache
def specials() -> Mapping[str, Special]:
    """The causes of the catalogue with words of their own, by code."""
    return {row.code: row for row in table().cause}


def messages() -> Iterator[str]:
    """Every sentence of this table, for the collection of texts to translate."""
    rows: list[Class | Special] = [*table().rows, *table().cause]
    for row in rows:
        yield from filter(None, (row.title, row.why, row.fix, row.confirm))


def cause(
    cls: str, score: float, state: State, reasons: Iterable[str], found: Sequence[Evidence]
) -> Cause:
    """The cause of a class with the words of the closest entry of the catalogue."""
    row = classes()[cls]
    code = _closest(cls, found) or row.code
    near = specials().get(code)
    if near and near.cls != cls:
        near = None
    return Cause(
        code=code,
        cls=cls,
        score=round(score, 4),
        state=state,
        because=tuple(dict.fromkeys(filter(None, reasons)))[:_MOST_REASONS],
        title=_(near.title if near else row.title),
        why=_((near and near.why) or row.why),
        fix=_(near.fix if near else row.fix),
        confirm=_((near and near.confirm) or row.confirm),
    )


def _closest(cls: str, found: Sequence[Evidence]) -> str:
    """The code whose evidence speaks loudest for the class, among codes that belong to it."""
    loud: dict[str, float] = {}
    for piece in found:
        if piece.code and class_of(piece.code) in {cls, ""}:
            loud[piece.code] = loud.get(piece.code, 0.0) + piece.votes.get(cls, 0.0)
    best = max(loud, key=lambda code: loud[code], default="")
    return best if best and loud[best] > 0 else ""


def class_of(code: str) -> str:
    """The class that a catalogue code belongs to, "" when no table says."""
    if code in specials():
        return specials()[code].cls
    return next((row.id for row in table().rows if row.code == code), "")
