"""Start-up files of shells on Linux: our one line in them, and what a person wrote there.

Works on bytes: line ends, encoding and everything else in the file stay as they are.
"""

from __future__ import annotations

import contextlib
import os
import re
import shlex
from collections.abc import Iterator, Mapping

import msgspec

from cudnn_assistant import envpath, plain_file
from cudnn_assistant.regex import regex
from cudnn_assistant.system.known_variables import matters
from cudnn_assistant.system.settings_file import quoted

_MARK = b"# cudnn-assistant: our settings"
_NEWLINE = b" (and the line end before this one)"
_CREATED = b" (and this file)"
_OURS = regex(
    rb"^if \[ -r (?P<file>[^\r\n]+) \]; then \. (?P=file); fi "
    + re.escape(_MARK)
    + rb"(?P<note>(?: \([a-z ]+\))?)(?P<end>\r?\n|\Z)",
    re.MULTILINE,
)


def with_line(content: bytes | None, settings: str) -> bytes:
    """A start-up file's content with our line behind all settings; unchanged where it is.

    The line is harmless while ``settings`` doesn't exist. It remembers in its comment what else
    was added, so that :func:`without_line` needs no other memory.
    """
    if content is not None and (found := _find(content, settings)):
        if not any(assignments(content[found.end() :])):
            return content
        # What stands behind it would have the last word.
        content = without_line(content, settings)
    text = content or b""
    end = b"\r\n" if b"\r\n" in text and b"\n" not in text.replace(b"\r\n", b"") else b"\n"
    note, before = b"", b""
    if content is None:
        note = _CREATED
    elif text and (not text.endswith(b"\n") or text.rstrip(b"\r\n").endswith(b"\\")):
        # Without it our words would become part of the person's last line.
        note, before = _NEWLINE, end
    file = _quote(settings)
    line = b"if [ -r %s ]; then . %s; fi %s%s" % (file, file, _MARK, note)
    return text + before + line + end


def _quote(text: str) -> bytes:
    return quoted(text).encode("utf-8", "surrogateescape")


def _find(content: bytes, settings: str) -> re.Match[bytes] | None:
    """Our line for this settings file; one for another belongs to another configuration."""
    file = _quote(settings)
    return next((match for match in _OURS.finditer(content) if match["file"] == file), None)


def settings_read(content: bytes) -> Iterator[str]:
    """The settings files that lines of ours in a start-up file read."""
    for match in _OURS.finditer(content):
        with contextlib.suppress(ValueError):
            yield from shlex.split(match["file"].decode("utf-8", "surrogateescape"))


def without_line(content: bytes | None, settings: str) -> bytes | None:
    """The content without our line; ``None`` when the file was made for it and holds no more.

    What a person wrote since, before or after the line, stays. A line of ours that a person has
    edited is theirs and stays.
    """
    if content is None:
        return None
    created = False
    while match := _find(content, settings):
        start, stop = match.span()
        created = created or match["note"] == _CREATED
        if match["note"] == _NEWLINE and stop == len(content):
            # The line end before ours is the same; where ours is gone, it is looked at.
            start -= len(match["end"]) or (2 if content[:start].endswith(b"\r\n") else 1)
        content = content[:start] + content[stop:]
    return None if created and not content else content


def files(home: str, environment: Mapping[str, str], login_shell: str) -> tuple[str, ...]:
    """The start-up files that this person's shells read and that take our line, in order.

    bash: ``.bashrc`` for interactive shells, and the first of ``.bash_profile``, ``.bash_login``
    and ``.profile`` for login shells, as bash itself chooses (a new ``.bash_profile`` would hide
    ``.profile``). ``.profile`` too where it exists: desktops and sh read it. zsh: ``.zshenv``,
    and the ``.zshrc`` that may put other folders first. fish reads no line of ours.
    """
    shell = os.path.basename(login_shell)
    chosen = [os.path.join(home, ".bashrc"), *_login_files(home)]
    first, folder = _zsh_folders(home, environment)
    zshenv, zshrc = os.path.join(first, ".zshenv"), os.path.join(folder, ".zshrc")
    if shell == "zsh" or os.path.lexists(zshenv) or os.path.lexists(zshrc):
        chosen.append(zshenv)
        chosen += [zshrc] if os.path.lexists(zshrc) else []
    return _each_once(chosen)


def _zsh_folders(home: str, environment: Mapping[str, str]) -> tuple[str, str]:
    """The folders of ``.zshenv`` and of zsh's other files; relative ones are meant from home.

    Most who have a ZDOTDIR name it in the ``.zshenv`` at home, which zsh reads all the same; a
    desktop's programs and other shells don't know of it.
    """
    folder = first = os.path.join(home, environment.get("ZDOTDIR") or home)
    known = {**environment, "HOME": home}.get
    with contextlib.suppress(OSError):
        for one in _every_assignment(plain_file.content(os.path.join(home, ".zshenv"))):
            if one.name == "ZDOTDIR":
                text = re.sub("^~(?=/|$)", "$HOME", one.text)
                first, folder = home, os.path.join(home, envpath.expand(text, known, "linux"))
    return first, folder


def _each_once(paths: list[str]) -> tuple[str, ...]:
    """Of names that lead to one file (``.bash_profile`` is often a link to ``.bashrc``) the first:
    it is written to once."""
    return tuple({os.path.realpath(path): path for path in reversed(paths)}.values())[::-1]


def _login_files(home: str) -> list[str]:
    *bashs_own, profile = (
        os.path.join(home, name) for name in (".bash_profile", ".bash_login", ".profile")
    )
    read = [name for name in bashs_own if os.path.lexists(name)][:1]
    return [*read, profile] if not read or os.path.lexists(profile) else read


def candidates(home: str, environment: Mapping[str, str]) -> tuple[str, ...]:
    """Every start-up file that may hold a line of ours or of the person."""
    names = (".bashrc", ".bash_profile", ".bash_login", ".profile", ".xprofile", ".xsessionrc")
    zsh = (".zshenv", ".zprofile", ".zshrc", ".zlogin")
    found = [os.path.join(home, name) for name in names]
    folders = (*_zsh_folders(home, environment), home)
    found += [os.path.join(folder, name) for folder in folders for name in zsh]
    return _each_once(found)


def config_folder(environment: Mapping[str, str], home: str) -> str:
    """Where fish, systemd and the desktop keep their settings of this person."""
    # Ignored where it is relative (XDG Base Directory Specification), as for our own folder.
    base = environment.get("XDG_CONFIG_HOME", "")
    return base if os.path.isabs(base) else os.path.join(home, ".config")


class Assignment(msgspec.Struct, frozen=True):
    """One line that sets a variable."""

    name: str
    text: str
    """The right-hand side without quotes, variables not expanded."""
    line: int


_LONGEST = 1 << 17
"""Linux hands no program a longer variable, and shlex takes the square of a word's length."""


def assignments(content: bytes) -> Iterator[Assignment]:
    """The assignments of variables that matter."""
    return (one for one in _every_assignment(content) if matters(one.name))


def _every_assignment(content: bytes) -> Iterator[Assignment]:
    """All of them, found line by line.

    No shell runs and no condition is followed: a line inside an ``if`` is reported like others.
    Understood: ``NAME=x``, ``export NAME=x OTHER=y``, ``declare -x``, ``typeset -x``, fish's
    ``set -x`` and ``fish_add_path``.
    """
    ours = _OURS.sub(rb"\g<end>", content)
    for number, line in enumerate(ours.decode("utf-8", "surrogateescape").split("\n"), 1):
        said = "=" in line or "set" in line or "fish_add_path" in line
        if len(line) > _LONGEST or not said:
            continue
        for command in _commands(line):
            for name, text in _sets(command):
                yield Assignment(name, text, number)


def _commands(line: str) -> Iterator[list[str]]:
    reader = shlex.shlex(line, posix=True, punctuation_chars=";&|")
    reader.whitespace_split = True
    try:
        words = list(reader)
    except ValueError:
        return
    command: list[str] = []
    for word in [*words, ";"]:
        if word.strip(";&|"):
            command.append(word)
        elif command:
            yield command
            command = []


_ASSIGN = regex(r"([A-Za-z_]\w*)(\+?)=(.*)", re.ASCII | re.DOTALL)
_STARTERS = frozenset({"then", "else", "do", "export", "declare", "typeset", "local", "readonly"})


def _sets(command: list[str]) -> Iterator[tuple[str, str]]:
    words = list(command)
    if words[0] == "set":
        yield from _fish_set(words[1:])
        return
    if words[0] == "fish_add_path":
        folders = [word for word in words[1:] if not word.startswith("-")]
        yield "PATH", ":".join((*folders, "$PATH"))
        return
    for word in words:
        if word in _STARTERS or word.startswith("-"):
            continue
        match = _ASSIGN.fullmatch(word)
        if not match:
            return
        yield match[1], f"${match[1]}{match[3]}" if match[2] else match[3]


def _fish_set(words: list[str]) -> Iterator[tuple[str, str]]:
    flags = "".join(word for word in words if word.startswith("-"))
    rest = [word for word in words if not word.startswith("-")]
    if rest and ("x" in flags or rest[0] == "PATH") and "e" not in flags.replace("--export", "x"):
        yield rest[0], ":".join(rest[1:])
