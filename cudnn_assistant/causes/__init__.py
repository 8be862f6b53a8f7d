"""Causes: one row for each thing that can keep cuDNN from working, with all of its words.

A row of ``resources/causes/*.toml`` is used by the diagnosis (its name is a finding's code), by
``explain`` (patterns name it), and by whoever shows either.

How to add a cause
------------------
Append a table to the file that fits:

* ``class``: the group that ``explain`` counts it in, one of the rows of ``groups.toml`` or another
  row that is named like its class. That row's words serve where it isn't known which one it is.
* ``about``: the line of the summary that it marks.
* ``source``: where it can be looked up: a thread, a page, or "measured: how".
* ``title``: at most eight words; several are tried in turn, the first whose facts are known wins.
* ``why``, ``fix``, ``undo``: one sentence or several. ``{name}`` is a fact of the finding; a
  sentence whose facts are unknown is left out.
* ``way_out``: words of the button that helps, where its link alone doesn't say them.
* ``confirm``: what would settle whether it is this one.
* ``[name.form.X]``: what differs for a remedy's kind, a system or both ("manual", "@linux",
  "manual@wsl"), or where only an error text is known ("general"). All else is the row's own.

Then write the rule with that code, if the computer can tell.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from functools import cache
from typing import Any, Literal

import msgspec

from cudnn_assistant import places
from cudnn_assistant.regex import regex

About = Literal["gpu", "cuda", "cudnn", "settings", "trial", "python"]

_HEADER = regex(r"^\[([\w-]+)\]$", re.MULTILINE)


class Text(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The templates of a row for one situation."""

    title: tuple[str, ...]
    why: tuple[str, ...] = ()
    fix: tuple[str, ...]
    undo: tuple[str, ...] = ()
    way_out: str = ""


class Cause(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A row. The package's docstring says what each field is for."""

    name: str
    cls: str = msgspec.field(name="class")
    about: About
    source: str
    confirm: str = ""
    own: Text
    form: Mapping[str, Text]

    def text(self, *situations: str) -> Text:
        """The words for the first of ``situations`` that the row has a form for, or its own."""
        return next((self.form[s] for s in situations if s in self.form), self.own)


def _text(row: Mapping[str, Any]) -> dict[str, Any]:
    """The words of a row or a form of it; a sentence that stands alone is one of several."""
    alone = {n for n in row if n != "way_out" and isinstance(row[n], str)}
    return {n: (row[n],) if n in alone else row[n] for n in row}


@cache
def cause(name: str) -> Cause:
    """The row of a name. Raises KeyError where there is none.

    Only this row is decoded: reading all of them takes longer than most checks have words for.
    """
    return decoded(name, tomllib.loads(_texts()[name]))


def decoded(name: str, row: dict[str, Any]) -> Cause:
    """A row out of its file; each form has what differs in it, and all else of the row's own."""
    own = _text({n: row.pop(n) for n in Text.__struct_fields__ if n in row})
    forms = {situation: own | _text(form) for situation, form in row.pop("form", {}).items()}
    return msgspec.convert({"name": name, **row, "own": own, "form": forms}, Cause)


def causes() -> tuple[Cause, ...]:
    """All rows, in the order of the files."""
    return tuple(cause(name) for name in _texts())


@cache
def _texts() -> Mapping[str, str]:
    """The text of each row, by name, as a document of its own."""
    found: dict[str, str] = {}
    for file in sorted(places.resource("causes").glob("*.toml")):
        _head, *parts = _HEADER.split(file.read_text(encoding="utf-8"))
        for name, text in zip(parts[::2], parts[1::2], strict=True):
            found[name] = text.replace(f"\n[{name}.", "\n[")
    return found
