"""Every sentence by its key: ``resources/words/FILE.toml`` holds ``FILE.NAME``.

A row is one text, or the forms ``{one = "…", other = "…"}`` of which a count picks one. Places like
``{folder}`` are filled from the facts given. A file is read when a key of it is first said.
"""

from __future__ import annotations

import os
import tomllib
from functools import cache

import msgspec

from cudnn_assistant import places, shell
from cudnn_assistant.wording.language import pgettext, translations


class Plural(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A sentence that depends on ``{count}``."""

    one: str
    other: str


Row = str | Plural


def say(key: str, /, **facts: object) -> str:
    """The sentence of ``key`` in the language spoken now, with its places filled.

    The fact ``count`` picks the form of a plural. A fact's own braces stay as they are. Raises
    KeyError for a key without a row and for a place without its fact: both are bugs.
    """
    file, _dot, name = key.partition(".")
    row = rows(file)[name]
    if _OURS in (row if isinstance(row, str) else row.other):
        facts[_OURS[1:-1]] = our_command()
    if isinstance(row, str):
        return pgettext(key, row).format(**facts)
    count = facts["count"]
    assert isinstance(count, int)
    return translations().npgettext(key, row.one, row.other, count).format(**facts)


_OURS = "{cudnn-assistant}"
"""The place of the command that starts us; it has no other facts."""


def our_command() -> str:
    """What a person types to start our command line, wherever this was started."""
    words = places.terminal_command()
    return shell.in_any_terminal(*words) if os.name == "nt" else shell.command("sh", *words)


def refusal(code: str, /, **facts: object) -> str:
    """Why something wasn't done, by the code that an exception carries (``refusals.toml``)."""
    return say(f"refusals.{code}", **facts)


def capitalized(text: str) -> str:
    """A text that begins a sentence; all behind its first letter stays as it is."""
    return text[:1].upper() + text[1:]


def stage(name: str) -> str:
    """What the test does in a stage, to follow "while"; an unknown stage's own name."""
    return say(f"stages.{name}") if name in rows("stages") else name


def symbol_means(symbol: str) -> str:
    """What "SIGSEGV" means, for example; "" for symbols that no ordinary person meets."""
    return say(f"symbols.{symbol}") if symbol in rows("symbols") else ""


@cache
def rows(file: str) -> dict[str, Row]:
    """The rows of one file by name. Raises KeyError where there is no such file."""
    path = places.resource(f"words/{file}.toml")
    if not path.is_file():
        raise KeyError(file)
    return msgspec.convert(tomllib.loads(path.read_text(encoding="utf-8")), dict[str, Row])


def files() -> tuple[str, ...]:
    """Names of all files of sentences, sorted."""
    return tuple(sorted(path.stem for path in places.resource("words").glob("*.toml")))
