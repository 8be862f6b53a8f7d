"""The words of the command line: commands, flags, and what they mean."""

from __future__ import annotations

import argparse
import re
from collections.abc import Sequence
from typing import Any

import msgspec

from cudnn_assistant import __version__
from cudnn_assistant.cli.options import Options
from cudnn_assistant.visible import visible
from cudnn_assistant.wording import language, say

COMMANDS = (
    "check", "explain", "fix", "undo", "report", "test", "watch", "feed", "recommend",
    "installed", "integrate", "mcp",
)  # fmt: skip


def options(words: Sequence[str]) -> Options:
    """What these words ask for. Exits with 2 on wrong use, as argparse does."""
    chosen = list(words)
    if not any(word in COMMANDS for word in chosen[: _until_program(chosen)]) and not {
        "-h",
        "--help",
    } & set(chosen):
        chosen.insert(0, "check")
    return msgspec.convert(vars(parser().parse_args(chosen)), Options)


def _until_program(words: Sequence[str]) -> int:
    """How many words come before those of a program that is watched."""
    return words.index("--") if "--" in words else len(words)


class _Formatter(argparse.RawDescriptionHelpFormatter):
    def __init__(self, prog: str) -> None:
        super().__init__(prog, max_help_position=26, width=92)


class _Parser(argparse.ArgumentParser):
    """Says what it doesn't understand so that a terminal obeys nothing of it."""

    def _print_message(self, message: str, file: Any = None) -> None:
        super()._print_message("\n".join(map(visible, message.split("\n"))), file)


def parser() -> argparse.ArgumentParser:
    """The whole command line, with argparse's own words in the language that is spoken."""
    vars(argparse).update(_=language.gettext, ngettext=language.ngettext)
    top = _Parser(
        prog="cudnn-assistant",
        formatter_class=_Formatter,
        description=say("cli.description"),
        epilog=say("cli.exit-codes"),
    )
    top.add_argument("--version", action="version", version=f"cudnn-assistant {__version__}")
    commands = top.add_subparsers(dest="command", metavar="COMMAND")
    _check(commands.add_parser("check", help=say("cli.command-check")))
    _explain(commands.add_parser("explain", help=say("cli.command-explain")))
    _fix(commands.add_parser("fix", help=say("cli.command-fix")))
    _undo(commands.add_parser("undo", help=say("cli.command-undo")))
    _report(commands.add_parser("report", help=say("cli.command-report")))
    _test(commands.add_parser("test", help=say("cli.command-test")))
    _watch(commands.add_parser("watch", help=say("cli.command-watch")))
    _feed(commands.add_parser("feed", help=say("cli.command-feed")))
    _recommend(commands.add_parser("recommend", help=say("cli.command-recommend")))
    _integrate(commands.add_parser("integrate", help=say("cli.command-integrate")))
    commands.add_parser("mcp", help=say("cli.command-mcp"))
    _installed(commands.add_parser("installed", help=say("cli.command-installed")))
    return top


def _say_flags(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--json", action="store_true", help=say("cli.option-json"))
    parser.add_argument("-v", "--verbose", action="store_true", help=say("cli.option-verbose"))
    parser.add_argument("-q", "--quiet", action="store_true", help=say("cli.option-quiet"))
    parser.add_argument(
        "--color",
        choices=("auto", "always", "never"),
        default="auto",
        help=say("cli.option-colour"),
    )


def _look_flags(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--no-test", action="store_true", help=say("cli.option-no-test"))
    parser.add_argument("--quick", action="store_true", help=say("cli.option-quick"))
    _trust_flag(parser)
    parser.add_argument("--offline", action="store_true", help=say("cli.option-offline"))
    parser.add_argument("--python", metavar="PATH", default="", help=say("cli.option-python"))


def _trust_flag(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--trust",
        action="append",
        default=[],
        metavar="FOLDER",
        help=say("cli.option-folder"),
    )


def _machine_flag(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--machine",
        metavar="FILE",
        default="",
        help=say("cli.option-from-report"),
    )


def _check(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--prometheus", metavar="FILE", default="", help=say("cli.option-prometheus")
    )
    _say_flags(parser)
    _look_flags(parser)
    _machine_flag(parser)


def _explain(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "file", nargs="?", default="-", metavar="FILE", help=say("cli.option-input")
    )
    parser.add_argument(
        "--given",
        action="append",
        default=[],
        metavar="NAME=VALUE",
        help=say("cli.option-fact"),
    )
    parser.add_argument("--here", action="store_true", help=say("cli.option-here"))
    # What is usual now; scripts still say it.
    parser.add_argument("--no-look", action="store_true", help=argparse.SUPPRESS)
    _machine_flag(parser)
    _say_flags(parser)


def _change_flags(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--yes", action="store_true", help=say("cli.option-yes"))
    parser.add_argument("--dry-run", action="store_true", help=say("cli.option-dry-run"))


def _fix(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--only", nargs="+", metavar="CODE", default=(), help=say("cli.option-only")
    )
    _change_flags(parser)
    _say_flags(parser)
    _look_flags(parser)


def _undo(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("id", nargs="?", default="", metavar="ID", help=say("cli.option-change"))
    parser.add_argument("--list", action="store_true", help=say("cli.option-list"))
    _change_flags(parser)
    _say_flags(parser)
    _look_flags(parser)


def _report(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "file",
        nargs="?",
        default="",
        metavar="FILE",
        help=say("cli.option-output"),
    )
    parser.add_argument("--short", action="store_true", help=say("cli.option-short"))
    form = parser.add_mutually_exclusive_group()
    form.add_argument("--html", action="store_true", help=say("cli.option-html"))
    form.add_argument("--csv", action="store_true", help=say("cli.option-csv"))
    form.add_argument("--json", action="store_true", help=say("cli.option-json-of-many"))
    parser.add_argument("--text", metavar="FILE", default="", help=say("cli.option-text"))
    parser.add_argument(
        "--keep-lines",
        metavar="N,N-N",
        type=_numbers,
        default=(),
        help=say("cli.option-keep-lines"),
    )
    parser.add_argument(
        "--compare",
        nargs=2,
        metavar=("OLD", "NEW"),
        default=None,
        help=say("cli.option-compare"),
    )
    parser.add_argument(
        "--many",
        nargs="+",
        metavar="REPORTS",
        default=(),
        help=say("cli.option-many"),
    )
    parser.add_argument("--earlier", metavar="FOLDER", default="", help=say("cli.option-earlier"))
    _look_flags(parser)
    _machine_flag(parser)


def _numbers(text: str) -> tuple[int, ...]:
    """``3,7-9`` as numbers of lines."""
    found: list[int] = []
    for piece in text.split(","):
        pair = re.fullmatch(r"(\d{1,6})(?:-(\d{1,6}))?", piece.strip(), re.ASCII)
        if pair is None:
            raise argparse.ArgumentTypeError(say("cli.not-line-numbers", text=text))
        found.extend(range(int(pair[1]), int(pair[2] or pair[1]) + 1))
    return tuple(found)


def _test(parser: argparse.ArgumentParser) -> None:
    parser.epilog = say("cli.test-epilog")
    parser.formatter_class = _Formatter
    _say_flags(parser)
    parser.add_argument("--python", metavar="PATH", default="", help=say("cli.option-test-python"))
    _trust_flag(parser)
    parser.add_argument("--library", metavar="FOLDER", default="", help=say("cli.option-library"))
    parser.add_argument(
        "--framework",
        metavar="NAME",
        default="",
        help=say("cli.option-framework"),
    )
    parser.add_argument("--gpu", metavar="UUID", default="", help=say("cli.option-gpu"))


def _watch(parser: argparse.ArgumentParser) -> None:
    parser.usage = "cudnn-assistant watch [--json] [--pid PID | -- COMMAND …]"
    parser.add_argument("--json", action="store_true", help=say("cli.option-json"))
    parser.add_argument("--pid", type=int, default=0, help=say("cli.option-pid"))
    parser.add_argument("program", nargs=argparse.REMAINDER, metavar="-- COMMAND …")


def _feed(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("action", nargs="?", choices=("show", "update"), default="show")
    parser.add_argument("--json", action="store_true", help=say("cli.option-json"))


def _installed(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--remove",
        metavar="FOLDER",
        default="",
        help=say("cli.option-remove"),
    )
    _change_flags(parser)
    _say_flags(parser)


def _recommend(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--for",
        dest="framework",
        metavar="FRAMEWORK",
        default="",
        help=say("cli.option-wanted-framework"),
    )
    parser.add_argument("--gpu", metavar="NAME", default="", help=say("cli.option-wanted-gpu"))
    parser.add_argument("--driver", metavar="VERSION", default="", help=say("cli.option-driver"))
    parser.add_argument(
        "--requirements", metavar="FILE", default="", help=say("cli.option-requirements")
    )
    parser.add_argument(
        "--as",
        dest="tool",
        choices=("pip", "uv", "conda"),
        default="pip",
        help=say("cli.option-as"),
    )
    parser.add_argument(
        "--python-version", metavar="X.Y", default="", help=say("cli.option-python-version")
    )
    parser.add_argument(
        "--system", choices=("linux", "windows"), default="", help=say("cli.option-system")
    )
    _say_flags(parser)
    _look_flags(parser)
    _machine_flag(parser)


def _integrate(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--remove", dest="out_of_menus", action="store_true", help=say("cli.option-out-of-menus")
    )
