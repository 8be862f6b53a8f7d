"""What a terminal can show: marks, colour, wrapping, and nothing a hostile text could do to it."""

from __future__ import annotations

import io
import json
import os
import shutil
import sys
import textwrap
import unicodedata
from collections.abc import Callable, Iterable
from typing import Literal, TextIO

import msgspec

from cudnn_assistant.cli.ending import heard
from cudnn_assistant.cli.options import Color
from cudnn_assistant.regex import regex
from cudnn_assistant.visible import visible, visible_json
from cudnn_assistant.wording import say

Mark = Literal["ok", "note", "bad", "unknown", "wait"]

_SIGNS: dict[Mark, tuple[str, str, str]] = {
    "ok": ("✓", "[ok]", "32"),
    "note": ("!", "[note]", "33"),
    "bad": ("✗", "[bad]", "31"),
    "unknown": ("?", "[?]", "33"),
    "wait": ("…", "[..]", "36"),
}
_BLANK = regex(r"[\n\t\u00a0]")
_NO_TEXT = regex("[\ud800-\udfff]")
_KEEP = "\u00a0"
"""Stands for a space inside a path while a text is wrapped."""
_PATH = regex(
    r"(?:[A-Za-z]:\\|\\\\|~?/)[^\s\"',;]*(?: (?:GPU|Computing|Toolkit|Files|NVIDIA)\b"
    r"[^\s\"',;]*)*"
)


class Screen:
    """Standard output for results, standard error for progress and questions."""

    def __init__(self, *, color: Color = "auto", quiet: bool = False, json: bool = False) -> None:
        self.out = in_utf8(sys.stdout)
        self.err = in_utf8(sys.stderr)
        self.quiet = quiet
        self.json = json
        self.unicode = fit(self.out, "✓✗…") == "✓✗…"
        self.color = _wants_color(self.out, color)
        self.width = shutil.get_terminal_size((100, 24)).columns if self.out.isatty() else 0

    def line(self, text: str = "", *, indent: int = 0) -> None:
        """One paragraph of a result, wrapped at the terminal's width; paths stay whole."""
        for row in self._rows(text, indent, indent):
            self._write(row)

    def lines(self, texts: Iterable[str], *, indent: int = 0) -> None:
        """Several of them."""
        for text in texts:
            self.line(text, indent=indent)

    def marked(self, mark: Mark, label: str, text: str, *, column: int = 14) -> None:
        """A line that begins with a mark: ``✓ cuDNN  9.8``; later rows stand under the text."""
        sign, letters, number = _SIGNS[mark]
        if self.unicode:
            start, size = sign, 1
        else:
            start, size = f"{letters:<6}", 6
        if self.color:
            start = f"\x1b[{number}m{start}\x1b[0m"
        label = one_line(label)
        label += " " * max(2, column + 1 - cells(label))
        rows = self._rows(text, size + 1 + cells(label), 0)
        self._write(f"{start} {label}{rows[0] if rows else ''}".rstrip())
        for row in rows[1:]:
            self._write(" " * (size + 1 + cells(label)) + row)

    def as_json(self, value: object) -> None:
        """A value for programs, as JSON in a line of its own."""
        self.raw(json_line(value) + "\n")

    def raw(self, text: str) -> None:
        """Text for programs, as it is, a report: UTF-8 on every console."""
        with heard():
            self.out.flush()
            if (buffer := getattr(self.out, "buffer", None)) is not None:
                buffer.write(text.encode())
            else:
                self.out.write(text)
            self.out.flush()

    def verbatim(self, text: str, *, indent: int = 4) -> None:
        """A command or an address, to be copied: neither wrapped nor changed."""
        self._write(" " * indent + visible(text))

    def progress(self, text: str) -> None:
        """What goes on, on standard error; nothing for scripts."""
        if not (self.quiet or self.json) and self.err.isatty():
            self._aside(f"\r\x1b[K{one_line(text)}")

    def trouble(self, text: str) -> None:
        """A sentence on standard error that says why nothing came."""
        self.progress("")
        self._aside(fit(self.err, one_line(text)) + "\n")

    def _aside(self, text: str) -> bool:
        """Write to standard error; whether it went: on a full disk nobody is told."""
        try:
            self.err.write(text)
            self.err.flush()
        except OSError:
            return False
        return True

    def ask(self, question: str, more: Callable[[], None] | None = None) -> bool | None:
        """Whether the person says yes; ``None`` when nobody is there to be asked.

        The answer "r" calls ``more``, which shows something to read first, and asks again.
        """
        if not (sys.stdin and sys.stdin.isatty()):
            return None
        choice = say("cli.choice" if more is None else "cli.choice-or-read")
        yes = {"y", "yes", *say("cli.yes").split()}
        read = {"r", "read", *say("cli.read").split()}
        # What it is about stands above it.
        with heard():
            self.out.flush()
        while self._aside(f"{one_line(question)} {choice} "):
            said = sys.stdin.readline().strip().casefold()
            if more is None or said not in read:
                return said in yes
            more()
        return None

    def _rows(self, text: str, indent: int, lead: int) -> list[str]:
        prefix = " " * lead
        room = max(self.width - indent, 24) if self.width else 0
        if not room:
            return [prefix + one_line(text)]
        held = _PATH.sub(lambda match: match[0].replace(" ", _KEEP), one_line(text))
        rows = textwrap.wrap(held, room, break_long_words=False, break_on_hyphens=False) or [""]
        return [prefix + row.replace(_KEEP, " ") for row in rows]

    def _write(self, text: str) -> None:
        if self.json:  # Which has standard output for itself.
            self._aside(fit(self.err, text) + "\n")
            return
        with heard():
            print(fit(self.out, text), file=self.out)


def json_line(value: object) -> str:
    """A value as JSON; a terminal is shown nothing that it would obey.

    Bytes of a name that are no text are spelled ``\\xNN``.
    """
    try:
        return visible_json(msgspec.json.encode(value).decode())
    except UnicodeEncodeError:
        whole = json.dumps(msgspec.to_builtins(value), ensure_ascii=False, separators=(",", ":"))
        return visible_json(_NO_TEXT.sub(lambda c: f"\\\\x{ord(c[0]) & 0xFF:02x}", whole))


def in_utf8(stream: TextIO, platform: str = sys.platform) -> TextIO:
    """A file or a pipe on Windows gets UTF-8, where Python would write the ANSI code page."""
    if platform == "win32" and isinstance(stream, io.TextIOWrapper) and not stream.isatty():
        stream.reconfigure(encoding="utf-8")
    return stream


def one_line(text: str) -> str:
    """``text`` on one line, with everything in it that a terminal obeys spelled out."""
    return visible(_BLANK.sub(" ", text))


def column(labels: Iterable[str]) -> int:
    """Width of a column that all labels fit in."""
    return max((cells(label) for label in labels), default=0) + 1


def cells(text: str) -> int:
    """How many columns of a terminal a text takes: Chinese and Japanese letters take two."""
    return sum(2 if unicodedata.east_asian_width(letter) in "WF" else 1 for letter in text)


def fit(stream: TextIO, text: str) -> str:
    """``text`` as far as a stream can show it."""
    encoding = stream.encoding or "ascii"
    return text.encode(encoding, "replace").decode(encoding)


def _wants_color(stream: TextIO, color: Color) -> bool:
    if color != "auto":
        return color == "always"
    return stream.isatty() and "NO_COLOR" not in os.environ and os.environ.get("TERM") != "dumb"
