"""What a shell script sets for certain, read without running it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from cudnn_assistant.regex import regex

_PLAIN = regex(
    r"""(export[ \t]+)?([A-Za-z_]\w*)="""
    r"""(?:"([^"`\\]*)"|'([^']*)'|([^\s"'`;&|<>()\\]*))[ \t]*(?:\#.*)?""",
    re.ASCII,
)
_NAMES = regex(r"(export|unset)((?:[ \t]+[A-Za-z_]\w*)+)[ \t]*(?:\#.*)?", re.ASCII)
_WRITTEN = regex(
    r"(?<![\w$])([A-Za-z_]\w*)(?=[:+]?=)|(?<![\w-])(?:export|unset|read)((?:[ \t]+[\w-]+)+)",
    re.ASCII,
)
_TOKEN = regex(
    r"""(?s)\\.|'[^']*'|"(?:[^"\\]|\\.)*"|`[^`]*`|(?<![^\s;&|()])\#[^\n]*"""
    r"""|<<-?[ \t]*\\?(['"]?)([^\s'"`\\;&|()<>]+)\1|\n|[;&|]+|[ \t]+|[^\s'"`\\;&|()<>]+|."""
)
_CLOSED_BY = {
    "if": "fi", "case": "esac", "for": "done", "while": "done", "until": "done", "select": "done",
}  # fmt: skip
_BEFORE_COMMANDS = {"{", "if", "while", "until", "then", "else", "elif", "do", "!", "time"}
_FUNCTION = "function"


class Setting(NamedTuple):
    """One thing that a script does with a variable."""

    name: str
    kind: str
    """"set", "export", "unset"; "unknown" for what only a shell can tell."""
    text: str = ""
    literal: bool = False
    """Nothing in the text is replaced."""


def settings(script: str) -> Iterator[Setting]:
    """What happens to variables, in order.

    Only a line that is one command, which runs whenever the script does, says it: what stands in a
    condition, a function or a text may happen or not.
    """
    certain = set(_certain_lines(script))
    for number, line in enumerate(script.split("\n")):
        yield from (number in certain and [*_plain(line)]) or _unknown(line)


def _plain(line: str) -> Iterator[Setting]:
    if match := _PLAIN.fullmatch(line):
        exported, name, double, single, bare = match.groups()
        yield Setting(name, "set", double or single or bare or "", literal=single is not None)
        if exported:
            yield Setting(name, "export")
    elif match := _NAMES.fullmatch(line):
        yield from (Setting(name, match[1]) for name in match[2].split())


def _unknown(line: str) -> Iterator[Setting]:
    for name, names in _WRITTEN.findall(line):
        yield from (Setting(one, "unknown") for one in (name or names).split())


class _Place:
    """Where in a script its reader is."""

    def __init__(self) -> None:
        self.open: list[str] = []
        """The words that will close what was opened."""
        self.line = 0
        self.first = True
        """The next word is a command."""
        self.waits = False
        """The next command depends on the one before."""
        self.before = ""
        self.texts: list[str] = []
        """Words that end the texts which begin on the next line."""
        self.over = False

    def word(self, word: str) -> None:
        if word == "{" or (self.first and word in _CLOSED_BY):
            body = self.before in (")", _FUNCTION)
            self.open.append(_FUNCTION if word == "{" and body else _CLOSED_BY.get(word, "}"))
        elif self.first and self.open and word == self.open[-1].replace(_FUNCTION, "}"):
            self.open.pop()
        elif self.first and word == "return" and self.open[:1] != [_FUNCTION]:
            self.over = True
        function = self.before == _FUNCTION or word == _FUNCTION
        self.first = word in _BEFORE_COMMANDS and (self.first or word == "{")
        self.before = _FUNCTION if function else word

    def sign(self, sign: str) -> None:
        if sign == "(":
            self.open.append(")")
        elif sign == ")" and self.open[-1:] == [")"]:
            self.open.pop()
        self.waits = sign in ("&&", "||", "|", "|&")
        self.first, self.before = True, sign


def _certain_lines(script: str) -> Iterator[int]:
    """The numbers of the lines that begin where every command runs."""
    place, at = _Place(), 0
    yield 0
    while at < len(script) and not place.over:
        found = _TOKEN.match(script, at)
        assert found is not None  # the last alternative takes any character
        part, at = found[0], found.end()
        place.line += part.count("\n")
        if found[2]:
            place.texts.append(found[2])
        elif part == "\n":
            at = _behind_texts(script, at, place)
            place.first, place.before = True, ""
            if not (place.open or place.waits):
                yield place.line
        elif part[0] in "();&|":
            place.sign(part)
        elif not part.isspace() and part[0] != "#":
            place.waits = False
            place.word(part)


def _behind_texts(script: str, at: int, place: _Place) -> int:
    """Where the script goes on behind the texts that begin here."""
    for end in place.texts:
        line = ""
        while at < len(script) and line != end:
            behind = script.find("\n", at) + 1 or len(script) + 1
            line, at = script[at : behind - 1].lstrip("\t"), behind
            place.line += 1
    place.texts.clear()
    return at
