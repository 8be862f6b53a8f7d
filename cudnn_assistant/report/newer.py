"""What a newer program wrote into a report and this one doesn't know: kept, and written back.

A snapshot of this program holds only what its types know. The rest of the JSON is kept beside it,
each field with its place, and put back where it was when the report is written again.
"""

from __future__ import annotations

import types
import typing
from collections.abc import Iterable, Iterator
from functools import cache
from typing import Any, NamedTuple

import msgspec

from cudnn_assistant.machine import Machine, dump
from cudnn_assistant.trouble import Refused


class Unknown(NamedTuple):
    """One field of a report that no type here has."""

    place: tuple[str | int, ...]
    """Names of fields and numbers in lists on the way to it, its own name last."""
    value: Any
    """As JSON gives it."""


DEEPEST = 64
MOST = 50_000
"""Levels, and values, of a snapshot; more was made to do harm. A large one has eight and 1,000."""


def unknown_fields(data: bytes | str) -> tuple[Unknown, ...]:
    """All such fields in the JSON of a snapshot that could be read; in the order they stand.

    Raises :class:`RecursionError` for JSON that is nested too deeply, :class:`Refused` for one with
    too many values.
    """
    whole = msgspec.json.decode(data)
    level, values = [whole], 0
    for _depth in range(DEEPEST):
        level = [item for value in level for item in inside(value)]
        values += len(level)
        if values > MOST:
            raise Refused("report-too-full")
    if level:
        raise RecursionError
    return tuple(_within(Machine, whole, ()))


def dump_with(machine: Machine, fields: Iterable[Unknown]) -> bytes:
    """JSON of a snapshot with these fields back in their places; a place that's gone is left out.

    ``dump_with(m, ())`` is ``dump(m)``.
    """
    known = tuple(fields)
    if not known:
        return dump(machine)
    whole = msgspec.json.decode(dump(machine))
    for field in known:
        _put(whole, field)
    return msgspec.json.encode(whole)


def _within(hint: Any, value: Any, place: tuple[str | int, ...]) -> Iterator[Unknown]:
    if isinstance(value, list):
        for number, item in enumerate(value):
            yield from _within(hint, item, (*place, number))
    elif isinstance(value, dict) and (kind := _struct_in(hint)):
        fields = _hints(kind)
        for name, inner in value.items():
            if name in fields:
                yield from _within(fields[name], inner, (*place, name))
            else:
                yield Unknown((*place, name), inner)


def inside(value: Any) -> Iterable[Any]:
    """The values that a list or an object of JSON holds."""
    if isinstance(value, dict):
        return value.values()
    return value if isinstance(value, list) else ()


def _put(whole: Any, field: Unknown) -> None:
    here = whole
    for step in field.place[:-1]:
        there = isinstance(here, list) and isinstance(step, int) and step < len(here)
        if not there and not (isinstance(here, dict) and step in here):
            return
        here = here[step]
    if isinstance(here, dict):
        here[field.place[-1]] = field.value


_hints = cache(typing.get_type_hints)


@cache
def _struct_in(hint: Any) -> type | None:
    """The one type of ours that a field holds: alone, in a list, or if it is known."""
    if isinstance(hint, type) and not isinstance(hint, types.GenericAlias):
        return hint if issubclass(hint, msgspec.Struct) else None
    found = filter(None, map(_struct_in, typing.get_args(hint)))
    return next(found, None)
