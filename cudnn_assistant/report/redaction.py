"""What is left out of a report: who the person is, and which computer and project it was.

Works on the typed snapshot, never on the finished text: keys and our own words can't be hit, so
that a person called "cuda" breaks nothing. Equal things get equal marks within one report, so
that a path that is found in two places is still seen to be the same.
"""

from __future__ import annotations

import re
import typing
from collections.abc import Callable, Iterable
from functools import cache
from typing import Any, Literal, NamedTuple, TypeVar

import msgspec

from cudnn_assistant.finding import Having
from cudnn_assistant.machine import Difference, Gpu, Machine, OperatingSystem, Value, Variable
from cudnn_assistant.plan import Entry
from cudnn_assistant.report.known import known
from cudnn_assistant.report.marks import HIDDEN, LEFT_OUT, Marks
from cudnn_assistant.report.newer import Unknown, inside
from cudnn_assistant.report.paths import Paths
from cudnn_assistant.report.patterns import NAMES, expressions
from cudnn_assistant.report.secrets import scrub

_P = expressions("redaction")

Kind = Literal["kept", "path", "text"]
Clean = Callable[[str], str]

_MADE = {Gpu, OperatingSystem}
"""Kinds of things whose name is a product's, also where a person or a computer is called so."""

LONGEST = 40_000
"""Characters of one line that is looked through; Windows' longest variable has 32,767."""

S = TypeVar("S")


class Line(NamedTuple):
    """A line of a text that the person pasted, as it came and as a report tells it."""

    number: int
    """From 1."""
    pasted: str
    told: str


class Redactor:
    """Cleans all parts of one report with the same marks.

    ``home``, ``user`` and ``host`` are the person's own. Redacting twice changes nothing more.
    """

    def __init__(self, machine: Machine, *, home: str = "", user: str = "", host: str = "") -> None:
        told = _strings(msgspec.to_builtins(machine))
        self._machine = machine
        self._host = host
        self._marks = Marks(told)
        self._paths = Paths(self._marks, machine.os.family, home)
        self._people = self._paths.people(told) | ({user} if user else set())

    def machine(self) -> Machine:
        """The snapshot without names of people, computers and projects, serials, credentials."""
        return self._struct(self._machine)

    def text(self, text: str) -> str:
        """A message or log, line by line; what isn't known to be harmless is left out."""
        return "\n".join(line.told for line in self.lines(text))

    def lines(self, text: str) -> tuple[Line, ...]:
        """The same with what was pasted beside it, for the person alone."""
        self._people |= self._paths.people([text])
        return tuple(
            Line(number, pasted, self._clean(pasted).replace(HIDDEN, LEFT_OUT))
            for number, pasted in enumerate(text.splitlines(), 1)
        )

    def entries(self, entries: Iterable[Entry]) -> tuple[Entry, ...]:
        """Changes of the journal."""
        known = tuple(entries)
        self._people |= self._paths.people(_strings(msgspec.to_builtins(known)))
        return tuple(map(self._struct, known))

    def unknown(self, fields: Iterable[Unknown]) -> tuple[Unknown, ...]:
        """Fields of a newer program's report; what their text means is guessed by their names.

        A name may be a path or a host itself, where that program keeps things by them.
        """
        return tuple(
            Unknown((*field.place[:-1], self._name(name)), self._builtin(name, field.value))
            for field in fields
            for name in [str(field.place[-1])]
        )

    def _builtin(self, name: str, value: Any) -> Any:
        if isinstance(value, str):
            return value if _kept(name, value) else _named(name, value, self._clean)
        if isinstance(value, dict):
            return {self._name(key): self._builtin(key, inner) for key, inner in value.items()}
        if isinstance(value, list):
            return [self._builtin(name, inner) for inner in value]
        return value

    def _name(self, name: str) -> str:
        return name if re.fullmatch(r"[a-z][a-z_]{0,40}", name) else self._clean(name)

    def _struct(self, value: S) -> S:
        changes: dict[str, Any] = {}
        for name, kind in _fields(type(value)):  # type: ignore[arg-type]
            clean = {"path": self._paths.clean, "kept": self._product}.get(kind, self._clean)
            changes[name] = self._value(getattr(value, name), clean)
        if isinstance(value, Variable):
            hidden = _named(value.name, value.value.text, self._clean)
            changes["value"] = _shortened(value.value, hidden)
        if isinstance(value, Difference) and value.kind == "limit":
            # A number of bytes or files is evidence and tells nothing.
            told = zip(value.without, changes["without"], strict=True)
            changes["without"] = tuple(n if n.isdecimal() else hidden for n, hidden in told)
        if isinstance(value, Value):
            changes["length"] = _shortened(value, changes["text"]).length
        return msgspec.structs.replace(value, **changes)  # type: ignore[type-var]

    def _value(self, value: Any, clean: Clean) -> Any:
        if isinstance(value, str):
            return clean(value)
        if isinstance(value, tuple):
            told = (self._value(item, clean) for item in value)
            return Having(*told) if isinstance(value, Having) else tuple(told)
        if isinstance(value, dict):
            return {name: self._value(one, self._clean) for name, one in value.items()}
        return self._struct(value) if isinstance(value, msgspec.Struct) else value

    def _product(self, text: str) -> str:
        return _P["build"].sub(_label, text) if _P["plain"].fullmatch(text) else self._clean(text)

    def _clean(self, text: str) -> str:
        return "\n".join(map(self._line, text.split("\n")))

    def _line(self, text: str) -> str:
        if len(text) > LONGEST:
            return HIDDEN
        return scrub(text, self._marks, self._paths, people=self._people, host=self._host)


def _kept(name: str, value: str) -> bool:
    """Whether a field of a newer program holds a version, which looks like an address."""
    return name.endswith("version") and re.fullmatch(r"v?\d[\w.+-]*", value) is not None


def _named(name: str, value: str, clean: Clean) -> str:
    """``value`` cleaned in the light of its name: what API_KEY holds is a secret in any form."""
    told = clean(f"{name}={value}")
    return clean(told.removeprefix(f"{name}=") if told.startswith(f"{name}=") else value)


def _shortened(value: Value, text: str) -> Value:
    # Lengths are evidence (a PATH cut off at 1,024 characters) and tell nothing.
    length = len(value.text) if text != value.text and value.length is None else value.length
    return msgspec.structs.replace(value, text=text, length=length)


def _label(match: re.Match[str]) -> str:
    return match[0] if known(match[0]) else "local"


@cache
def _fields(kind: type) -> tuple[tuple[str, Kind], ...]:
    """The fields of a type that can hold text, and of which kind it is."""
    found: list[tuple[str, Kind]] = []
    for name, hint in typing.get_type_hints(kind).items():
        if typing.get_origin(hint) is not Literal:
            kept = kind in _MADE if name == "name" else name in NAMES["kept"]
            found.append((name, "kept" if kept else "path" if name in NAMES["paths"] else "text"))
    return tuple(found)


def _strings(value: Any) -> list[str]:
    """All texts in what JSON would hold."""
    if isinstance(value, str):
        return [value]
    return [text for item in inside(value) for text in _strings(item)]
