"""The words of the command line: commands, flags, and what they mean."""

from __future__ import annotations

import argparse
import re
import shlex
import sys
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Any, get_args, get_type_hints

import msgspec

from cudnn_assistant import __version__
from cudnn_assistant.cli.ending import heard
from cudnn_assistant.cli.options import Options
from cudnn_assistant.cli.screen import fit
from cudnn_assistant.visible import visible
from cudnn_assistant.wording import language, listed, prose, say
from cudnn_assistant.wording.refusals import did_you_mean


class _Flag(msgspec.Struct, frozen=True):
    """What a command is given, and the key of its meaning after "cli.option-"; "": none."""

    names: tuple[str, ...]
    key: str
    more: Mapping[str, Any]


def _switch(*names: str, key: str = "", **more: Any) -> _Flag:
    return _Flag(names, key or names[-1].lstrip("-"), {"action": "store_true", **more})


def _text(name: str, shown: str, key: str = "", **more: Any) -> _Flag:
    # A default of argparse's own would be read as what was said: the one of the options holds.
    told = {"metavar": shown, "default": argparse.SUPPRESS, "type": _named, **more}
    return _Flag((name,), key or name.lstrip("-"), told)


def _named(text: str) -> str:
    """The text. A script's empty variable would ask for anything: of undo, for the last change."""
    if not text:
        raise argparse.ArgumentTypeError(say("cli.nothing-named"))
    return text


def _texts(name: str, shown: str, key: str, **more: Any) -> _Flag:
    return _text(name, shown, key, action="append", default=[], **more)


def _many(name: str, shown: str) -> _Flag:
    return _text(name, shown, action="extend", nargs="+", default=[])


def _choice(*names: str, key: str = "", dest: str = "") -> _Flag:
    """One of those that the options know."""
    dest = dest or names[-1].lstrip("-")
    known = filter(None, get_args(get_type_hints(Options)[dest]))
    return _Flag(names, key, {"choices": tuple(known), "dest": dest, "default": argparse.SUPPRESS})


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


def _once_said(*flags: _Flag) -> tuple[_Flag, ...]:
    """What makes no difference and isn't shown, but scripts say it."""
    return tuple(
        msgspec.structs.replace(one, key="", more={**one.more, "help": argparse.SUPPRESS})
        for one in flags
    )


_JSON = _switch("--json")
_TALK = (
    _switch("-v", "--verbose"),
    _choice("--color", key="colour"),
)
_QUIET = _switch("-q", "--quiet")
_SAY = (_JSON, *_TALK, _QUIET)
_TRUST = _texts("--trust", "FOLDER", "folder")
_TRY = (_switch("--no-test"), _switch("--quick"), _TRUST)
_SEE = (_switch("--offline"), _text("--python", "PATH"))
_LOOK = (*_TRY, *_SEE)
_MACHINE = _text("--machine", "FILE", "from-report")
_CHANGE = (_switch("--yes"), _switch("--dry-run"))

_COMMANDS: dict[str, tuple[_Flag, ...]] = {
    "check": (_text("--prometheus", "FILE"), *_SAY, *_LOOK, _MACHINE),
    "explain": (
        _text("file", "FILE", "input", nargs="?", default="-"),
        _texts("--given", "NAME=VALUE", "fact"),
        _switch("--here"),
        _MACHINE,
        _JSON,
        # Not to look at this computer is usual now.
        *_once_said(_switch("--no-look"), *_TALK, _QUIET),
    ),
    "fix": (_many("--only", "CODE"), *_CHANGE, *_SAY, *_LOOK),
    "undo": (
        _text("id", "ID", "change", nargs="?"),
        _switch("--list"),
        *_CHANGE,
        _JSON,
        *_once_said(*_TALK, _QUIET, *_LOOK),
    ),
    "report": (
        _text("file", "FILE", "output", nargs="?"),
        _switch("--short"),
        _switch("--html"),
        _switch("--csv"),
        _switch("--json", key="json-of-many"),
        _text("--text", "FILE"),
        _text("--keep-lines", "N,N-N", type=_numbers, default=()),
        _Flag(("--compare",), "compare", {"nargs": 2, "metavar": ("OLD", "NEW")}),
        _many("--many", "REPORTS"),
        _text("--earlier", "FOLDER"),
        *_LOOK,
        _MACHINE,
    ),
    "test": (
        *_SAY,
        _text("--python", "PATH", "test-python"),
        _TRUST,
        _text("--library", "FOLDER"),
        _text("--framework", "NAME"),
        _text("--gpu", "UUID"),
    ),
    "watch": (
        _JSON,
        _switch("--exact"),
        _Flag(("--pid",), "pid", {"type": int, "default": 0}),
        _Flag(("program",), "", {"nargs": argparse.REMAINDER, "metavar": "-- COMMAND …"}),
    ),
    "feed": (
        _Flag(("action",), "", {"nargs": "?", "choices": ("show", "update"), "default": "show"}),
        _JSON,
    ),
    "recommend": (
        _texts("--for", "FRAMEWORK", "wanted-framework", dest="wishes"),
        _text("--gpu", "NAME", "wanted-gpu"),
        _text("--driver", "VERSION"),
        _text("--requirements", "FILE"),
        _choice("--as", key="as", dest="tool"),
        _text("--python-version", "X.Y"),
        _choice("--system", key="system"),
        _JSON,
        *_TALK,
        *_SEE,
        _MACHINE,
        *_once_said(*_TRY, _QUIET),
    ),
    "integrate": (_switch("--remove", key="out-of-menus", dest="out_of_menus"),),
    "mcp": (),
    "installed": (_text("--remove", "FOLDER"), *_CHANGE, _JSON, *_once_said(*_TALK, _QUIET)),
}  # fmt: skip
COMMANDS = tuple(_COMMANDS)
_FLAGS = tuple(flag for some in _COMMANDS.values() for flag in some)
_SEVERAL = {name for flag in _FLAGS if flag.more.get("nargs") == "+" for name in flag.names}


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
    takes = [(name, one.more.get("action") != "store_true") for one in _FLAGS for name in one.names]
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
            command.add_argument(*flag.names, **told, **flag.more)
    test, watch = commands.choices["test"], commands.choices["watch"]
    test.epilog = say("cli.test-epilog")
    watch.usage = "cudnn-assistant watch [--json] [--exact] [--pid PID | -- COMMAND …]"
    return top
