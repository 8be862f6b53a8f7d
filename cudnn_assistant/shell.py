"""Commands that people are shown: lists of words, written for the shell that they are pasted into.

A word may hold anything that a folder's name can, since it may come from a report that a stranger
wrote: whatever it holds, a shell reads it back as that one word, and a person sees all of it.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable
from typing import Literal

from cudnn_assistant.regex import regex

Shell = Literal["sh", "powershell", "Exec"]
"""POSIX shells and fish; PowerShell; the Exec line of a Linux desktop's entry."""


def shell_of(family: str) -> Shell:
    """The shell that people of that system have open."""
    return "powershell" if family == "windows" else "sh"


class Syntax(str):
    """A piece that is the shell's own, such as ``|`` or ``"$USER"``: never made of a fact."""

    __slots__ = ()


def command(shell: Shell, *words: str) -> str:
    """The words as a line to paste; all of its characters can be seen."""
    own = shell == "powershell" and _CMDLET.fullmatch(words[0])
    text = " ".join(_cmdlet(word) if own else quote(word, shell) for word in words)
    # To PowerShell a quoted word at the beginning is a value, not a program.
    return f"& {text}" if shell == "powershell" and text[:1] in "'(" else text


def in_any_terminal(*words: str) -> str:
    """The words as a line that both PowerShell and the old command prompt of Windows read."""
    if all(_PLAIN.fullmatch(word) for word in words):
        return " ".join(words)
    if not all(_FOR_BOTH.fullmatch(word) for word in words):
        return command("powershell", *words)
    # PowerShell starts nothing that stands in quotation marks, and the prompt knows no "&". Behind
    # "call" it keeps all of them, also of what people add ("cmd /?": it drops those at the ends).
    return "cmd /c call " + " ".join(map(word_in_any_terminal, words))


def word_in_any_terminal(word: str) -> str:
    """One word of such a line; one that only PowerShell can be told is written for that."""
    if not _FOR_BOTH.fullmatch(word):
        return quote(word, "powershell")
    return f'"{word}"' if " " in word else word


def quote(word: str, shell: Shell) -> str:
    """``word`` as one word of that shell."""
    return word if isinstance(word, Syntax) else _QUOTE[shell](word)


def _sh(word: str) -> str:
    """Read alike by sh, bash, zsh and fish, which reads a backslash in ``'…'`` in its own way."""
    if _BARE.fullmatch(word):
        return word
    if word.isprintable():
        return "".join(map(_piece, _PIECES.findall(word))) or "''"
    # What can't be seen is spelled out. The shell cuts newlines off at the very end.
    return f"\"$(printf '{''.join(map(_printf, word))}')\""


_BARE = regex(r"[\w@+:,./-][\w@+:,./=-]*", re.ASCII)
_PIECES = regex(r"(?:[^'\\]|\\(?![\\']|$))+|'+|\\")


def _piece(run: str) -> str:
    if run[0] == "'":
        return f'"{run}"'
    return '"\\\\"' if run == "\\" else f"'{run}'"


def _printf(c: str) -> str:
    if c in "'\\!-" or not c.isprintable():
        how = "surrogateescape" if "\udc80" <= c <= "\udcff" else "surrogatepass"
        return "".join(f"\\{byte:03o}" for byte in c.encode("utf-8", how))
    return "%%" if c == "%" else c


_CMDLET = regex(r"[A-Z][a-z]+-[A-Z][A-Za-z]+")
# What begins with one dash and goes on behind a "." or ":" is two words to PowerShell.
_PLAIN = regex(r"(?!-[^-]*[.:])(?=[:-]*[A-Za-z0-9_./\\+=])[A-Za-z0-9_./\\:+=-]+")
# Brackets would begin something of the prompt's, and a backslash would keep a quotation mark open.
_FOR_BOTH = regex(r"(?!-[^-]*[.:])[\w./\\:+-]+(?: (?:[\w ./\\:+-]*[\w ./:+-])?)?")
_CLOSING = regex("(['‘’‚‛])")
"""PowerShell takes typographic quotation marks for its own."""


def _handed_on(word: str) -> str:
    """What Windows PowerShell makes the word of for a program: it adds no backslash of its own."""
    word = re.sub(r'(?<!\\)(\\*)"', r'\1\1\\"', word)
    return re.sub(r"(?<!\\)(\\+)$", r"\1\1", word) if re.search(r"\s", word) else word


def _cmdlet(word: str) -> str:
    """A word for a part of PowerShell itself, which takes numbers and names of options for such."""
    if isinstance(word, Syntax):
        return word
    return _literal(word) if re.fullmatch(r"(?:[+.]?\d|-)[ -~]*", word) else _powershell(word)


def _powershell(word: str) -> str:
    if _PLAIN.fullmatch(word):
        return word
    if word.isprintable():
        return _literal(word)
    return f"('' + {' + '.join(map(_seen, _RUNS.findall(word)))})"


_RUNS = regex(r"[ -~]+|.", re.DOTALL)


def _seen(run: str) -> str:
    if run.isprintable():
        return _literal(run)
    number = f"0x{ord(run):x}"
    return f"[char]{number}" if ord(run) < 0x10000 else f"[char]::ConvertFromUtf32({number})"


def _literal(text: str) -> str:
    return "'" + _CLOSING.sub(r"\1\1", text) + "'"


def _exec(word: str) -> str:
    if word == shlex.quote(word) and "%" not in word:
        return word
    # The value of a key is unescaped once more before the quotes are looked at.
    escaped = re.sub(r'(["`$\\])', r"\\\1", word).replace("\\", "\\\\")
    return '"' + escaped.replace("%", "%%") + '"'


_QUOTE: dict[Shell, Callable[[str], str]] = {
    "sh": _sh,
    "powershell": lambda word: _powershell(_handed_on(word)),
    "Exec": _exec,
}
