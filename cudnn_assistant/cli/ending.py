"""How the command line ends as a process: told to stop by a signal, or with nobody to hear it."""

from __future__ import annotations

import atexit
import contextlib
import errno
import os
import signal
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from cudnn_assistant.signals import listening

STOPPED = 130
"""The exit code of a program that was stopped with Ctrl+C."""
_UNHEARD = 141
"""The one of a program whose reader (head, less) went away, as a shell has it."""
_UNWRITTEN = 3
_PATIENCE = 5.0
"""Seconds that what was begun has to be ended."""

_told: list[int] = []
"""The signal that came before anything could be said about it."""
_last_words: list[bytes] = []


def carried_through(work: Callable[[], int]) -> int:
    """Do the work of a command and return the exit code; nothing that it says is lost unheard."""
    _open_streams()
    atexit.register(_nothing_left)
    for one in listening():
        signal.signal(one, _stop)
    try:
        code = work()
    except SystemExit as end:
        code = end.code if isinstance(end.code, int) else 0
    try:
        sys.stderr.flush()
    except OSError:  # Python would try once more at its end, and give another exit code.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stderr.fileno())
    try:
        with heard():
            sys.stdout.flush()
    except SystemExit as end:
        code = int(str(end.code))
    return code


@contextmanager
def heard() -> Iterator[None]:
    """Nothing goes on once what is said can't be written: it is no trouble of what is done."""
    try:
        yield
    except OSError as trouble:
        raise SystemExit(_unwritten(trouble)) from trouble


def ready_to_stop(sentence: str) -> None:
    """From now on a signal ends this program, with this sentence: the words are loaded."""
    # Over the line that tells how far it is.
    clear = "\r\x1b[K" if sys.stderr.isatty() else ""
    _last_words[:] = [f"{clear}{sentence}\n".encode(sys.stderr.encoding or "ascii", "replace")]
    for number in _told:
        _stop(number, None)


def _stop(number: int, _frame: object) -> None:
    """End here and now. An exception, as Python has it by default, would come in the middle of
    whatever is done: modules in C end with a segmentation fault, and clean-ups swallow it."""
    if not _last_words:
        _told[:] = [number]
        return
    with contextlib.suppress(OSError):
        os.write(2, _last_words[0])
    # In a thread of its own: this one may hold what that has to wait for.
    ending = threading.Thread(target=atexit._run_exitfuncs, daemon=True)
    ending.start()
    ending.join(_PATIENCE)
    os._exit(128 + number)


def _nothing_left() -> None:
    """What was asked is done, and the exit code says how: while Python takes itself apart it would
    let a signal end us, as if it weren't."""
    if threading.current_thread() is threading.main_thread():
        for one in listening():
            signal.signal(one, signal.SIG_IGN)


def _open_streams() -> None:
    """Where a shell has closed them (``>&-``): the next file that is opened, the journal, would
    take their place, and what is printed would be written into it."""
    for name in ("stdin", "stdout", "stderr"):
        if getattr(sys, name) is None:
            place = os.open(os.devnull, os.O_RDWR)
            if name != "stdin":
                setattr(sys, name, os.fdopen(place, "w", encoding="utf-8"))


def _unwritten(trouble: OSError) -> int:
    """The exit code of what can't be written to standard output, from now on let go; said."""
    with contextlib.suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    # Windows calls a pipe without a reader an invalid argument.
    if trouble.errno in (errno.EPIPE, errno.EINVAL):
        return _UNHEARD
    with contextlib.suppress(OSError):
        from cudnn_assistant.wording import refusal
        from cudnn_assistant.wording.refusals import why

        print(refusal("output-not-written", why=why(trouble)), file=sys.stderr, flush=True)
    return _UNWRITTEN
