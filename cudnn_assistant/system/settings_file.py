"""The settings file that this program owns on Linux, and the same settings for other readers.

``environment.sh`` is POSIX sh, read by bash, zsh, dash and ksh through one line in their
start-up files; it is the one that counts. fish and systemd's user manager (which starts the
desktop's programs) read a twin in their own form. All three are written from one set of values
and may be read any number of times in one session without a list growing.

Other files may have set a variable before. One that is ``gone`` is taken away; in a list, a folder
behind a minus is taken out ("-" alone: the empty entry, which means the current folder).
"""

from __future__ import annotations

import re
import shlex
import zlib
from collections.abc import Iterable, Iterator, Mapping

from cudnn_assistant import envpath
from cudnn_assistant.machine import Value
from cudnn_assistant.places import resource
from cudnn_assistant.regex import regex

Values = Mapping[str, Value]
"""By name what the file says."""

_TWIN = "# cuDNN Assistant's own settings, the same as in its environment.sh.\n"
_CHECK = "# unchanged since it was written: "
_LIST = regex(r'_cudnn_assistant_first "\$\{(\w+)-\}" (.+)')
_SCALAR = regex(r"export (\w+)=(.*)")
_GONE = regex(r"unset (\w+)")
_NAME = regex(r"[A-Za-z_]\w*", re.ASCII)


def storable(name: str, text: str) -> bool:
    """Whether all readers can hold this value: a shell name, no control characters; for a list,
    no empty element (it would mean the current folder) and only absolute folders."""
    if not _NAME.fullmatch(name) or any(ord(c) < 32 or c == "\x7f" for c in text):
        return False
    if any(0xD800 <= ord(c) <= 0xDFFF for c in text):
        return False
    if envpath.is_list(name, "linux"):
        return all(envpath.fits(folder, "linux") for folder in envpath.parts(text)[0])
    return True


def to_sh(values: Values) -> bytes | None:
    """The file that sh reads; ``None`` (no file) when there are no values."""
    head, _, tail = resource("environment.sh").read_text("utf-8").partition("{settings}\n")
    return _file(head, (_sh_lines(name, values[name]) for name in sorted(values)), tail)


def _file(head: str, lines: Iterable[str], tail: str = "") -> bytes | None:
    text = "".join(lines)
    body = f"{head}{text}{tail}".encode()
    return body + f"{_CHECK}{zlib.crc32(body):08x}\n".encode() if text else None


def _sh_lines(name: str, value: Value) -> str:
    if value.gone:
        return f"unset {name}\n"
    if not envpath.is_list(name, "linux"):
        return f"export {name}={quoted(value.text)}\n"
    folders = " ".join(quoted(folder) for folder in envpath.split(value.text, "linux"))
    first, _out = envpath.parts(value.text)
    empty = "" if first else f'test -n "${name}" || unset {name}\n'
    return (
        f'_cudnn_assistant_first "${{{name}-}}" {folders}\n'
        f'export {name}="$_cudnn_assistant_list"\n{empty}'
    )


def quoted(text: str) -> str:
    """A word that every POSIX shell reads back as ``text``."""
    return "'" + text.replace("'", "'\\''") + "'"


def from_sh(data: bytes | None) -> dict[str, Value]:
    """The values that the file holds. Never raises: foreign lines are passed over."""
    values: dict[str, Value] = {}
    # Not splitlines(): a folder's name may hold a sign that ends a line in Unicode, not in sh.
    for line in (data or b"").decode("utf-8", "replace").split("\n"):
        if match := _LIST.fullmatch(line):
            values[match[1]] = Value(text=":".join(_words(match[2])))
        elif (match := _SCALAR.fullmatch(line)) and "$_cudnn_assistant_list" not in match[2]:
            values[match[1]] = Value(text="".join(_words(match[2])))
        elif match := _GONE.fullmatch(line):
            values[match[1]] = Value(text="", gone=True)
    return values


def _words(text: str) -> list[str]:
    try:
        return shlex.split(text)
    except ValueError:
        return []


def is_ours(data: bytes | None) -> bool:
    """Whether it is as some version of us wrote it: to rewrite another could lose one's work."""
    body, check, number = (data or b"").rpartition(_CHECK.encode())
    return data is None or (bool(check) and number.strip() == f"{zlib.crc32(body):08x}".encode())


def to_fish(values: Values) -> bytes | None:
    """The file for fish's ``conf.d``; ``None`` when there are no values."""
    lines = (line for name in sorted(values) for line in _fish_lines(name, values[name]))
    return _file(_TWIN, (f"{line}\n" for line in lines))


def _fish_lines(name: str, value: Value) -> list[str]:
    if value.gone:
        return [f"set -e {name}"]
    if not envpath.is_list(name, "linux"):
        return [f"set -gx {name} {_fish_quote(value.text)}"]
    first, out = envpath.parts(value.text)
    put = f"    set -gx --path {name} $_cudnn_assistant_folder ${name}"
    return [
        f'test -z "${name}"; and set -gx --path {name}',
        *_fish_loop(name, out),
        *_fish_loop(name, first[::-1], put),
        "set -e _cudnn_assistant_folder",
    ]


def _fish_loop(name: str, folders: list[str], *last: str) -> Iterator[str]:
    """Takes each folder out of the list, and does ``last``."""
    if folders:
        yield f"for _cudnn_assistant_folder in {' '.join(map(_fish_quote, folders))}"
        yield f"    while set -l _i (contains -i -- $_cudnn_assistant_folder ${name})"
        yield f"        set -e {name}[$_i]"
        yield "    end"
        yield from last
        yield "end"


def _fish_quote(text: str) -> str:
    return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"


def to_systemd(values: Values) -> bytes | None:
    """The file for ``environment.d``; ``None`` when there are no values.

    Nothing can be taken away there: a start-up file of a shell is not read for it either.

    systemd's ``${X:+…}`` asks whether X is set, not whether it is empty; a session that sets an
    empty LD_LIBRARY_PATH gets an empty element from it, and there is no other way to write it.
    """
    return _file(_TWIN, (_systemd_line(name, values[name]) for name in sorted(values)))


def _systemd_line(name: str, value: Value) -> str:
    is_list = envpath.is_list(name, "linux")
    kept = ":".join(envpath.parts(value.text)[0]) if is_list else value.text
    if value.gone or (is_list and not kept):
        return ""
    rest = f"${{{name}:+:${{{name}}}}}" if is_list else ""
    quoted = re.sub(r'(["\\`])', r"\\\1", kept).replace("$", "$$")
    return f'{name}="{quoted}{rest}"\n'


def effect(values: Values, environment: Mapping[str, str]) -> dict[str, str]:
    """``environment`` as it is after the file was read, by the same rules, without a shell."""
    result = dict(environment)
    for name, value in values.items():
        text = None if value.gone else value.text
        if text is not None and envpath.is_list(name, "linux"):
            first, out = envpath.parts(text)
            # The shell compares letter by letter, and so does this.
            there = envpath.split(result.get(name, ""), "linux")
            kept = (entry for entry in there if entry not in (*first, *out))
            text = ":".join((*first, *kept)) or None
        if text is None:
            result.pop(name, None)
        else:
            result[name] = text
    return result


def without(values: Values, environment: Mapping[str, str]) -> dict[str, str]:
    """``environment`` as it was before the file with ``values`` was read, as far as that shows."""
    result = dict(environment)
    for name, value in values.items():
        if value.gone:
            continue
        if envpath.is_list(name, "linux"):
            folders = envpath.parts(value.text)[0]
            entries = envpath.split(result.get(name, ""), "linux")
            if kept := [entry for entry in entries if entry not in folders]:
                result[name] = ":".join(kept)
            else:
                result.pop(name, None)
        elif result.get(name) == value.text:
            del result[name]
    return result
