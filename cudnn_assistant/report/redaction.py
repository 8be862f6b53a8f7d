"""What is left out of a report: who the person is, and which computer and project it was.

Works on the typed snapshot, never on the finished text: keys and our own words can't be hit, so
that a person called "cuda" breaks nothing. Equal things get equal marks within one report, so
that a path that is found in two places is still seen to be the same.
"""

from __future__ import annotations

import typing
from collections.abc import Callable
from functools import cache
from typing import Any, Literal, TypeVar

import msgspec

from cudnn_assistant.machine import Machine, Value
from cudnn_assistant.report.paths import Paths
from cudnn_assistant.report.secrets import Marks, scrub

Kind = Literal["kept", "path", "text"]

KEPT = {
    "version", "header_version", "file_version", "package_version", "kernel_version", "cuda",
    "compute", "cudnn", "wants", "has", "satisfied", "taken_at", "tool", "architecture", "pci_bus",
    "pci_id", "owner", "code_name", "family", "libc", "package", "missing", "file", "variable",
    "part", "call", "what", "found_via", "distribution", "checks", "skipped", "architectures", "modules",
}  # fmt: skip
"""Fields of the snapshot that hold versions, names of products and words of our own."""

PATHS = {
    "folder", "path", "root", "links", "python", "id", "environment", "sites", "loaded", "mapped",
    "library", "nvml_library", "cuda_library", "libraries", "subject", "wins_for", "source",
}  # fmt: skip
"""Fields that hold one path each."""

S = TypeVar("S")


def redacted(machine: Machine, *, home: str = "", user: str = "", host: str = "") -> Machine:
    """The snapshot without names of people, computers and projects, serials and credentials.

    ``home``, ``user`` and ``host`` are the person's own. Redacting twice changes nothing more.
    """
    marks = Marks()
    paths = Paths(marks, machine.os.family, home)
    names = paths.people(_strings(machine)) | ({user} if user else set())

    def text(value: str) -> str:
        return scrub(value, marks, paths, people=names, host=host)

    return _struct(machine, text, paths.clean)


def redacted_text(
    text: str, machine: Machine, *, home: str = "", user: str = "", host: str = ""
) -> str:
    """A pasted message without the same things, line by line."""
    marks = Marks()
    paths = Paths(marks, machine.os.family, home)
    people = paths.people([text]) | ({user} if user else set())
    rows = (scrub(row, marks, paths, people=people, host=host) for row in text.splitlines())
    return "\n".join(rows)


def _struct(value: S, text: Callable[[str], str], path: Callable[[str], str]) -> S:
    changes = {}
    for name, kind in _fields(type(value)):  # type: ignore[arg-type]
        if kind != "kept":
            clean = path if kind == "path" else text
            changes[name] = _value(getattr(value, name), clean, text, path)
    if isinstance(value, Value) and changes["text"] != value.text and value.length is None:
        # Lengths are evidence (a PATH cut off at 1,024 characters) and tell nothing.
        changes["length"] = len(value.text)
    return msgspec.structs.replace(value, **changes)  # type: ignore[type-var]


def _value(
    value: Any,
    clean: Callable[[str], str],
    text: Callable[[str], str],
    path: Callable[[str], str],
) -> Any:
    if isinstance(value, str):
        return clean(value)
    if isinstance(value, tuple):
        return tuple(_value(item, clean, text, path) for item in value)
    return _struct(value, text, path) if isinstance(value, msgspec.Struct) else value


@cache
def _fields(kind: type) -> tuple[tuple[str, Kind], ...]:
    """The fields of a type that can hold text, and of which kind it is."""
    found: list[tuple[str, Kind]] = []
    for name, hint in typing.get_type_hints(kind).items():
        if name in KEPT and not _holds_structs(hint):
            continue
        if typing.get_origin(hint) is Literal:
            continue
        found.append((name, "path" if name in PATHS else "text"))
    return tuple(found)


def _holds_structs(hint: Any) -> bool:
    if isinstance(hint, type) and issubclass(hint, msgspec.Struct):
        return True
    return any(_holds_structs(part) for part in typing.get_args(hint))


def _strings(value: Any) -> list[str]:
    if isinstance(value, str):
        return [value]
    if isinstance(value, tuple):
        return [text for item in value for text in _strings(item)]
    if isinstance(value, msgspec.Struct):
        return [text for name in value.__struct_fields__ for text in _strings(getattr(value, name))]
    return []
