"""The one entry: child programs first (nothing else is imported for them), else window or text."""

from __future__ import annotations

import sys

_WRONG_USE = 2
_STOPPED = 130
CHILDREN = ("trial", "library", "gpu", "cuda_pathfinder", "elevated")


def main() -> int:
    """Run the command line; with no arguments, on a desktop and outside a terminal, the window."""
    arguments = sys.argv[1:]
    if arguments[:1] == ["--child"]:
        return _child(arguments[1:])
    _own_modules_first()
    _end_quietly()
    if arguments[:1] == ["--window"] or (not arguments and not _terminal() and _desktop()):
        return window()
    from cudnn_assistant.cli.ending import carried_through

    return carried_through(lambda: _command(arguments))


def _command(arguments: list[str]) -> int:
    if arguments == ["--version"]:
        from cudnn_assistant import __version__
        from cudnn_assistant.cli.ending import heard

        with heard():
            print(f"cudnn-assistant {__version__}")  # noqa: T201  (argparse is not worth loading)
        return 0
    if arguments[:1] == ["--self-test"]:
        if _without_window():
            return 3
        from cudnn_assistant.gui.self_test import run as test

        return test(arguments[1] if arguments[1:] else "")
    if arguments[:1] == ["--terminal-folder"]:
        from cudnn_assistant.system import terminal_folder, this_system

        return terminal_folder.run(arguments[1:], this_system())
    import gc

    # Modules make many objects and no garbage: looking for it takes a twentieth of a check.
    gc.set_threshold(200_000)
    from cudnn_assistant.cli import run

    return run(arguments)


def window() -> int:
    """Open the window; ``--window FILE`` shows that report first, as a double click on one does."""
    arguments = sys.argv[1:]
    _own_modules_first()
    _end_quietly()
    import signal

    from cudnn_assistant.signals import listening

    # The system's own way: Qt lets no handler of Python's run.
    if signal.SIGINT in listening():
        signal.signal(signal.SIGINT, signal.SIG_DFL)
    if _without_window():
        return 3
    from cudnn_assistant.gui.app import run

    return run(arguments)


def _own_modules_first() -> None:
    """What PYTHONPATH lists comes last: a file there may have the name of a module of ours."""
    import os

    listed = [os.path.abspath(p) for p in os.environ.get("PYTHONPATH", "").split(os.pathsep) if p]
    sys.path.sort(key=lambda entry: entry in listed)


def _end_quietly() -> None:
    """As long as it loads there is nothing to close: Ctrl+C ends it, not some module halfway."""
    import os

    try:
        import signal

        if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
            signal.signal(signal.SIGINT, lambda *_: os._exit(_STOPPED))
    except KeyboardInterrupt:
        os._exit(_STOPPED)


def _without_window() -> bool:
    """Whether no window can be opened here; said, because Qt would end the process itself."""
    from cudnn_assistant.gui.requirements import unmet_requirement

    if trouble := unmet_requirement():
        from cudnn_assistant.wording import say

        print(trouble, say("gui.use-terminal"), sep="\n", file=sys.stderr)  # noqa: T201
    return bool(trouble)


def _terminal() -> bool:
    streams = (sys.stdin, sys.stdout, sys.stderr)
    return any(stream is not None and stream.isatty() for stream in streams)


def _desktop() -> bool:
    import os

    shown = os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY")
    return sys.platform == "win32" or bool(shown)


def _child(words: list[str]) -> int:
    kind, arguments = "".join(words[:1]), words[1:]
    if kind not in CHILDREN:
        print(f"no such child: {kind}", file=sys.stderr)  # noqa: T201
        return _WRONG_USE
    sys.path[:] = filter(None, sys.path)
    while arguments[:1] == ["--path"] and arguments[1:]:
        # Ours go last: the standard library of the interpreter that was started stays first.
        sys.path.append(arguments[1])
        arguments = arguments[2:]
    from importlib import import_module

    run = import_module(f"cudnn_assistant.child.{kind}").main
    code = int(run(arguments))
    if code == _WRONG_USE:
        print("only cudnn-assistant itself starts this", file=sys.stderr)  # noqa: T201
    return code


if __name__ == "__main__":
    sys.exit(main())
