"""The words of the command line: commands, flags, and what they mean."""

from __future__ import annotations

import argparse
import re
import shlex
import sys
import tomllib
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from typing import Any, NamedTuple, get_args, get_type_hints

import msgspec

from cudnn_assistant import __version__, places
from cudnn_assistant.cli.ending import heard
from cudnn_assistant.cli.options import Options
from cudnn_assistant.cli.screen import fit
from cudnn_assistant.visible import visible
from cudnn_assistant.wording import language, listed, prose, say
from cudnn_assistant.wording.refusals import did_you_mean


class _Flag(NamedTuple):
    """How a flag is written, what argparse is told of it, and the key of its meaning; "": none."""

    names: tuple[str, ...]
    told: dict[str, Any]
    key: str


def _named(text: str) -> str:
    """The text. A script's empty variable would ask for anything: of undo, for the last change."""
    if not text:
        raise argparse.ArgumentTypeError(say("cli.nothing-named"))
    return text


def _numbers(text: str) -> tuple[int, ...]:
    """``3,7-9`` as numbers of lines."""
    found: list[int] = []
    for piece in text.split(","):
        pair = re.fullmatch(r"(\d{1,6})(?:-(\d{1,6}))?", piece.strip(), re.ASCII)
        numbers = range(int(pair[1]), int(pair[2] or pair[1]) + 1) if pair else ()
        if not numbers:
            raise argparse.ArgumentTypeError(say("cli.not-line-numbers", text=text))
        found += numbers
    return tuple(found)


_TABLE = tomllib.loads(places.resource("command_line.toml").read_text("utf-8"))
_KNOWN = get_type_hints(Options)
_TYPES = {"int": int, "lines": _numbers}


def _flag(key: str) -> _Flag:
    """A row of the table."""
    told: dict[str, Any] = {**_TABLE["flags"][key]}
    names, says = tuple(told.pop("names", (f"--{key}",))), told.pop("says", True)
    if not told.keys() - {"dest"}:
        told["action"] = "store_true"
    # A default of argparse's own would be read as what was said: the one of the options holds.
    if shown := told.pop("text", ""):
        told = {"metavar": shown, "default": argparse.SUPPRESS, "type": _named, **told}
    if field := told.pop("one-of", ""):
        known = tuple(filter(None, get_args(_KNOWN[field])))
        told |= {"choices": known, "dest": field, "default": argparse.SUPPRESS}
    if isinstance(told.get("type"), str):
        told["type"] = _TYPES[told["type"]]
    if isinstance(told.get("metavar"), list):
        told["metavar"] = tuple(told["metavar"])
    return _Flag(names, told, key if says else "")


def _flags(names: Iterable[str]) -> Iterator[_Flag]:
    for name in names:
        group = _TABLE["groups"].get(name)
        yield from _flags(group) if group else [_flag(name)]


def _hidden(one: _Flag) -> _Flag:
    return _Flag(one.names, {**one.told, "help": argparse.SUPPRESS}, "")


_COMMANDS = {
    name: (*_flags(row["takes"]), *map(_hidden, _flags(row.get("once-said", ()))))
    for name, row in _TABLE["commands"].items()
}
COMMANDS = tuple(_COMMANDS)
_FLAGS = tuple(flag for some in _COMMANDS.values() for flag in some)
_SEVERAL = {name for flag in _FLAGS if flag.told.get("nargs") == "+" for name in flag.names}


def module_of(command: str) -> str:
    """Where the function stands that has a command's name."""
    return str(_TABLE["commands"][command]["module"])


def options(words: Sequence[str]) -> Options:
    """What these words ask for. Exits with 2 on wrong use, as argparse does."""
    chosen = _command_first(words)
    top = parser(chosen)
    found, rest = top.parse_known_args(chosen)
    if rest:
        told = say("cli.not-understood", words=shlex.join(rest))
        top.error(prose((told, *(_meant(word, found.command) for word in rest))))
    return msgspec.convert(vars(found), Options)


def _command_first(words: Sequence[str]) -> list[str]:
    """``-q check`` is ``check -q``; where no command stands, it is a check."""
    # What comes behind is a program's that is watched.
    own = words[: words.index("--")] if "--" in words else words
    if "--version" in own:
        return ["--version"]
    free = [n for n, w in enumerate(own) if w[:1] != "-" and not (n and _takes_text(own[n - 1]))]
    # Behind several words of one option (--only A B fix) it is known by its name alone.
    named = [place for place in free if own[place] in _COMMANDS]
    if place := named or [one for one in free[:1] if own[max(one - 2, 0)] not in _SEVERAL]:
        return [words[place[0]], *words[: place[0]], *words[place[0] + 1 :]]
    return list(words) if {"-h", "--help"} & set(own) else ["check", *words]


def _takes_text(word: str) -> bool:
    """Whether the next word belongs to this one: an option, or the beginning of its name."""
    takes = [(name, one.told.get("action") != "store_true") for one in _FLAGS for name in one.names]
    if whole := {text for name, text in takes if name == word}:
        return True in whole
    return word.startswith("--") and {text for name, text in takes if name.startswith(word)} == {
        True
    }


def _meant(word: str, command: str) -> str:
    """What an option that a command doesn't have may have meant; "" for another word."""
    name = word.partition("=")[0]
    if not name.startswith("-"):
        return ""
    has = {one: {name for flag in flags for name in flag.names} for one, flags in _COMMANDS.items()}
    if others := [one for one, names in has.items() if name in names]:
        return say("cli.belongs-to", option=name, commands=listed(others))
    return did_you_mean(name, sorted(has[command]))


class _Parser(argparse.ArgumentParser):
    """Says what it doesn't understand so that a terminal obeys nothing of it."""

    def _check_value(self, action: argparse.Action, value: Any) -> None:
        try:
            super()._check_value(action, value)
        except argparse.ArgumentError as wrong:
            near = did_you_mean(str(value), action.choices or ())
            raise argparse.ArgumentError(action, prose((wrong.message, near))) from wrong

    def _print_message(self, message: str, file: Any = None) -> None:
        told = "\n".join(map(visible, message.split("\n")))
        if file is sys.stdout:
            with heard():
                file.write(fit(file, told))
        else:
            # As newer versions of argparse do: where it can't be said, the exit code is left.
            with suppress(OSError):
                super()._print_message(told, file)


def parser(words: Sequence[str] = COMMANDS) -> argparse.ArgumentParser:
    """The command line, with argparse's own words in the language that is spoken.

    Commands that aren't among ``words`` have no flags: nobody asks for them.
    """
    own = language.translations()
    vars(argparse).update(_=own.gettext, ngettext=own.ngettext)
    top = _Parser(
        prog="cudnn-assistant",
        description=say("cli.description"),
        epilog=say("cli.exit-codes"),
    )
    version = f"cudnn-assistant {__version__}"
    top.add_argument("--version", action="version", version=version, help=say("cli.option-version"))
    commands = top.add_subparsers(dest="command", metavar="COMMAND")
    for name, flags in _COMMANDS.items():
        command = commands.add_parser(name, help=say(f"cli.command-{name}"))
        for flag in flags if name in words else ():
            told: dict[str, Any] = {"help": say(f"cli.option-{flag.key}")} if flag.key else {}
            command.add_argument(*flag.names, **told, **flag.told)
    test, watch = commands.choices["test"], commands.choices["watch"]
    test.epilog = say("cli.test-epilog")
    watch.usage = "cudnn-assistant watch [--json] [--exact] [--pid PID | -- COMMAND …]"
    return top
