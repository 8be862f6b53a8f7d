"""What changed between two versions of the data, in lines that a reviewer can read."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import msgspec

from cudnn_assistant.compat.facts import Compat

KEYS: Mapping[str, Callable[[Any], str]] = {
    "architectures": lambda one: f"capability {one.compute}",
    "branches": lambda one: f"driver branch {one.branch}",
    "floors": lambda one: f"driver floor for CUDA {one.cuda}",
    "toolkits": lambda one: f"CUDA toolkit {one.version}",
    "cudnns": lambda one: f"cuDNN {one.version}",
    "parts": lambda one: f"cuDNN {one.first}: parts",
    "builds": lambda one: f"for CUDA {one.cuda}",
    "components": lambda one: str(one.name),
    "files": lambda one: str(one.platform),
    "frameworks": lambda one: " ".join(
        filter(None, (one.name, one.version, one.family, one.cuda, one.found, one.index))
    ),
    "wheels": lambda one: f"{one.package} {one.version}",
    "known_bad": lambda one: f"known bad: {one.product} {one.version} {one.sha256[:8]}".strip(),
}
"""What tells the rows of a table apart."""


def difference(old: Compat, new: Compat) -> tuple[str, ...]:
    """One line for each addition (+), removal (-) and change (~); empty when nothing changed.

    The version and the day of publication don't count as changes.
    """
    return tuple(_tables(old, new, ""))


def _tables(old: msgspec.Struct, new: msgspec.Struct, prefix: str) -> Iterator[str]:
    for field in type(new).__struct_fields__:
        before, after = getattr(old, field), getattr(new, field)
        if field in KEYS:
            yield from _rows(field, before, after, prefix)
        elif isinstance(after, dict):
            yield from _names(f"{prefix}{field}", before, after)
        elif before != after and (prefix or field not in ("version", "published")):
            yield f"~ {prefix}{field}: {_show(before)} → {_show(after)}"


def _rows(table: str, old: Sequence[Any], new: Sequence[Any], prefix: str) -> Iterator[str]:
    key = KEYS[table]
    before, after = {key(one): one for one in old}, {key(one): one for one in new}
    for name in before.keys() | after.keys():
        if name not in before:
            yield f"+ {prefix}{name}"
        elif name not in after:
            yield f"- {prefix}{name}"
        elif before[name] != after[name]:
            yield from _tables(before[name], after[name], f"{prefix}{name}, ")


def _names(what: str, old: Mapping[str, str], new: Mapping[str, str]) -> Iterator[str]:
    for name in old.keys() | new.keys():
        before, after = old.get(name), new.get(name)
        if before != after:
            mark = "+" if before is None else "-" if after is None else "~"
            yield f"{mark} {what} {name}: {_show(before)} → {_show(after)}"


def _show(value: object) -> str:
    if isinstance(value, tuple):
        return " ".join(str(one) for one in value) or "unknown"
    if isinstance(value, bool):
        return "yes" if value else "no"
    return "unknown" if value in ("", 0, None) else str(value)
