"""What changed between two reports of one computer: since it worked."""

from __future__ import annotations

import tomllib
from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Any, Literal, NamedTuple

import msgspec

from cudnn_assistant import places
from cudnn_assistant.machine import Machine
from cudnn_assistant.wording import listed, say, told

_TABLE = tomllib.loads(places.resource("report/compare.toml").read_text("utf-8"))
_KEYS: dict[str, list[str]] = _TABLE["known-by"]


class Difference(NamedTuple):
    """One fact that is not as it was."""

    kind: Literal["added", "removed", "changed"]
    where: str
    before: str = ""
    after: str = ""


def compare(old: Machine, new: Machine) -> tuple[Difference, ...]:
    """The facts that differ, in the snapshot's order, without those that differ at every look."""
    return tuple(_differences("", msgspec.to_builtins(old), msgspec.to_builtins(new)))


def _differences(where: str, old: Any, new: Any) -> Iterator[Difference]:
    if isinstance(old, dict) and isinstance(new, dict):
        for name in dict.fromkeys([*old, *new]):
            inner = f"{where} · {name}" if where else name
            if name in _KEYS:
                yield from _entries(inner, name, old.get(name, []), new.get(name, []))
            elif name not in _TABLE["passing"]:
                yield from _one(inner, name, old, new)
    elif old != new:
        yield Difference("changed", where, _shown(old), _shown(new))


def _one(where: str, name: str, old: dict[str, Any], new: dict[str, Any]) -> Iterator[Difference]:
    if name not in old:
        yield Difference("added", where, after=_shown(new[name]))
    elif name not in new:
        yield Difference("removed", where, before=_shown(old[name]))
    else:
        yield from _differences(where, old[name], new[name])


def _entries(where: str, name: str, old: Iterable[Any], new: Iterable[Any]) -> Iterator[Difference]:
    before, after = _by_key(name, old), _by_key(name, new)
    for key in dict.fromkeys([*before, *after]):
        yield from _one(f"{where} · {key}", key, before, after)
    kept = [key for key in before if key in after], [key for key in after if key in before]
    if kept[0] != kept[1]:
        yield Difference("changed", f"{where} · {say('report.order')}", *map(listed, kept))


def _by_key(name: str, entries: Iterable[Any]) -> dict[str, Any]:
    """The entries by what they are known by; of two that are known by the same, both."""
    found: dict[str, Any] = {}
    times = Counter[str]()
    for entry in entries:
        key = _key(name, entry)
        times[key] += 1
        found[key if times[key] == 1 else f"{key} ({times[key]})"] = entry
    return found


def _key(name: str, entry: Any) -> str:
    if isinstance(entry, dict):
        return " ".join(str(entry[field]) for field in _KEYS[name] if entry.get(field))
    return str(entry)


def _shown(value: Any) -> str:
    if isinstance(value, str):
        return told(value)
    if isinstance(value, dict) and set(value) <= {"text", "expand", "length"}:
        return str(value.get("text", ""))
    return msgspec.json.encode(value).decode()
