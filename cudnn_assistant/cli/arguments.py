"""The words of the command line: commands, flags, and what they mean."""

from __future__ import annotations

import argparse
from collections.abc import Sequence

import msgspec

from cudnn_assistant import __version__
from cudnn_assistant.cli.options import Options
from cudnn_assistant.wording import _

COMMANDS = (
    "check", "explain", "fix", "undo", "report", "test", "watch", "feed", "recommend",
    "installed", "integrate",
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


def parser() -> argparse.ArgumentParser:
    """The whole command line."""
    top = argparse.ArgumentParser(
        prog="cudnn-assistant",
        formatter_class=_Formatter,
        description=_(
            "Finds out why cuDNN doesn't start, mends it, and proves it on the GPU.\n"
            "Without a command it checks this computer; nothing is changed by that."
        ),
        epilog=_(
            "exit codes: 0 cuDNN works or the change is done; 1 problems found, nothing changed; "
            "2 wrong use;\n3 could not find out; 4 changed, but cuDNN still doesn't start; "
            "5 could not be changed, all as before"
        ),
    )
    top.add_argument("--version", action="version", version=f"cudnn-assistant {__version__}")
    commands = top.add_subparsers(dest="command", metavar="COMMAND")
    _check(commands.add_parser("check", help=_("look, test, say what is wrong (default)")))
    _explain(commands.add_parser("explain", help=_("say what an error text really means")))
    _fix(commands.add_parser("fix", help=_("show what would help, ask once, do it, check again")))
    _undo(commands.add_parser("undo", help=_("take the last change back")))
    _report(commands.add_parser("report", help=_("write a report that others can examine")))
    _test(commands.add_parser("test", help=_("only run cuDNN on the GPU, for scripts")))
    _watch(commands.add_parser("watch", help=_("run your program and see which cuDNN it loads")))
    _feed(commands.add_parser("feed", help=_("show or fetch the compatibility data")))
    _recommend(commands.add_parser("recommend", help=_("say what fits together")))
    _integrate(commands.add_parser("integrate", help=_("add the program to your menus (Linux)")))
    _installed(commands.add_parser("installed", help=_("list or remove what was installed")))
    return top


def _say_flags(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--json", action="store_true", help=_("print JSON for programs"))
    parser.add_argument("-v", "--verbose", action="store_true", help=_("all facts and details"))
    parser.add_argument("-q", "--quiet", action="store_true", help=_("only the last line"))
    parser.add_argument(
        "--color",
        choices=("auto", "always", "never"),
        default="auto",
        help=_("colour of the marks (NO_COLOR is honoured)"),
    )


def _look_flags(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--no-test", action="store_true", help=_("don't start the GPU test"))
    parser.add_argument(
        "--quick", action="store_true", help=_("don't ask PyTorch and others to run themselves")
    )
    parser.add_argument(
        "--trust",
        action="append",
        default=[],
        metavar="FOLDER",
        help=_("also try libraries and environments in this folder"),
    )
    parser.add_argument("--offline", action="store_true", help=_("use saved data only"))
    parser.add_argument(
        "--python", metavar="PATH", default="", help=_("also look at this Python environment")
    )


def _machine_flag(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--machine",
        metavar="FILE",
        default="",
        help=_("examine a saved report instead of this computer"),
    )


def _check(parser: argparse.ArgumentParser) -> None:
    _say_flags(parser)
    _look_flags(parser)
    _machine_flag(parser)


def _explain(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("file", nargs="?", default="-", metavar="FILE", help=_("- for input"))
    parser.add_argument(
        "--given",
        action="append",
        default=[],
        metavar="NAME=VALUE",
        help=_("a fact you know: gpu, driver, cuda, cudnn, python, framework, os"),
    )
    parser.add_argument(
        "--no-look", action="store_true", help=_("judge the text alone, not this computer")
    )
    _machine_flag(parser)
    _say_flags(parser)


def _change_flags(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--yes", action="store_true", help=_("don't ask"))
    parser.add_argument("--dry-run", action="store_true", help=_("only show what would change"))


def _fix(parser: argparse.ArgumentParser) -> None:
    _change_flags(parser)
    _say_flags(parser)
    _look_flags(parser)


def _undo(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("id", nargs="?", default="", metavar="ID", help=_("which change"))
    parser.add_argument("--list", action="store_true", help=_("show the changes made so far"))
    _change_flags(parser)
    _say_flags(parser)
    _look_flags(parser)


def _report(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "file",
        nargs="?",
        default="",
        metavar="FILE",
        help=_(".md, .html, or .zip with both and a log; - for standard output"),
    )
    parser.add_argument("--short", action="store_true", help=_("at most 60 lines, for a chat"))
    parser.add_argument("--html", action="store_true", help=_("one page for a support desk"))
    parser.add_argument(
        "--text", metavar="FILE", default="", help=_("add the error text that is in this file")
    )
    parser.add_argument(
        "--compare",
        nargs=2,
        metavar=("OLD", "NEW"),
        default=None,
        help=_("say what changed between two reports"),
    )
    _look_flags(parser)
    _machine_flag(parser)


def _test(parser: argparse.ArgumentParser) -> None:
    parser.epilog = _(
        "Every GPU is tested, all at the same time. With --json one object is printed for each\n"
        "test: alone for one GPU, in a list for several."
    )
    parser.formatter_class = _Formatter
    _say_flags(parser)
    parser.add_argument("--python", metavar="PATH", default="", help=_("that environment's copy"))
    parser.add_argument("--library", metavar="FOLDER", default="", help=_("one copy of cuDNN"))
    parser.add_argument(
        "--framework",
        metavar="NAME",
        default="",
        help=_(
            "run the convolution inside torch, tensorflow, jax, onnxruntime or cupy itself, in the"
            " active environment or that of --python"
        ),
    )
    parser.add_argument("--gpu", metavar="UUID", default="", help=_("one GPU; else all"))


def _watch(parser: argparse.ArgumentParser) -> None:
    parser.usage = "cudnn-assistant watch [--json] [--pid PID | -- COMMAND …]"
    parser.add_argument("--json", action="store_true", help=_("print JSON for programs"))
    parser.add_argument("--pid", type=int, default=0, help=_("look at a program that runs"))
    parser.add_argument("program", nargs=argparse.REMAINDER, metavar="-- COMMAND …")


def _feed(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("action", nargs="?", choices=("show", "update"), default="show")
    parser.add_argument("--json", action="store_true", help=_("print JSON for programs"))


def _installed(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--remove",
        metavar="FOLDER",
        default="",
        help=_("remove this copy; undo downloads it again"),
    )
    _change_flags(parser)
    _say_flags(parser)


def _recommend(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--for",
        dest="framework",
        metavar="FRAMEWORK",
        default="",
        help=_('a framework and its version: "tensorflow 2.10", "torch"'),
    )
    parser.add_argument(
        "--gpu", metavar="NAME", default="", help=_("this GPU (name or 8.6), not this computer's")
    )
    parser.add_argument("--driver", metavar="VERSION", default="", help=_("with this driver"))
    parser.add_argument(
        "--python-version", metavar="X.Y", default="", help=_("on this version of Python")
    )
    parser.add_argument(
        "--system", choices=("linux", "windows"), default="", help=_("with --gpu: on this system")
    )
    _say_flags(parser)
    _look_flags(parser)
    _machine_flag(parser)


def _integrate(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--remove", dest="out_of_menus", action="store_true", help=_("take that back")
    )
