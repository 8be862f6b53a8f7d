"""Runs a program unchanged and notes which CUDA and cuDNN files it and its children map.

Nothing is preloaded, and no variable is set unless the loader's own word is asked for
(loader_notes.py). The maps (Windows: the lists of modules) are read often while the program starts
and seldom afterwards; what a program that dies within milliseconds had mapped can be missed, and
then that is said.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from types import FrameType

from cudnn_assistant.child.mapped import interesting
from cudnn_assistant.machine import Struct
from cudnn_assistant.probe.running import processes
from cudnn_assistant.probe.running.loader_notes import VARIABLES, LoaderNotes
from cudnn_assistant.probe.running.windows_job import Job, resume
from cudnn_assistant.probe.watch.passing_on import Tee

_FAST, _SLOW = 0.02, 0.2
"""Seconds between two looks: while it starts, and when nothing has been new for a while."""
_STARTING = 5.0
_AFTER_NEWS = 2.0
_SUSPENDED = 0x4
"""CREATE_SUSPENDED of Windows."""
_SURE = 0.2
"""A program that ended sooner after its last new file may have mapped more than was seen."""


class Watched(Struct, kw_only=True):
    """What was seen of a program."""

    command: tuple[str, ...]
    exit_code: int | None = None
    """As a shell has it: 128 + the signal's number; ``None`` for one that still runs."""
    seconds: float = 0.0
    libraries: tuple[str, ...] = ()
    """CUDA's and cuDNN's files that it and its children had mapped, as they came."""
    said: str = ""
    """The end of its standard error."""
    complete: bool = True
    """False: it ended so soon after a new file that more may have been mapped."""
    refusals: tuple[str, ...] = ()
    """What the loader said of files of theirs that it could not use, where it was asked."""


class _Seen:
    def __init__(self) -> None:
        self.files: dict[str, None] = {}
        self.began = self.news = time.monotonic()

    def look(self, pid: int, job: Job | None = None) -> None:
        if job is not None:
            self.add(interesting(job.modules()))
            return
        for one in processes.descendants(pid):
            self.add(processes.libraries(one))

    def add(self, paths: list[str]) -> None:
        for path in paths:
            if path not in self.files:
                self.files[path] = None
                self.news = time.monotonic()

    def pause(self) -> float:
        now = time.monotonic()
        busy = now - self.began < _STARTING or now - self.news < _AFTER_NEWS
        return _FAST if busy else _SLOW


def watch(command: Sequence[str], *, exact: bool = False) -> Watched:
    """Run ``command`` to its end and tell what was seen of it.

    Its standard input and output are ours, its standard error is passed on and its end kept.
    Signals that reach us reach it. ``exact`` has Linux' loader tell all that it opens and why it
    refuses a file, on that standard error, from which it is taken again. Raises OSError where it
    can't be started.
    """
    notes = LoaderNotes() if exact and sys.platform == "linux" else None
    tee = Tee(sift=notes.sift if notes else None)
    seen = _Seen()
    # As a terminal finds it: Windows itself would look beside our own Python first, for .exe alone.
    program = shutil.which(command[0]) or command[0]
    process = subprocess.Popen(
        [program, *command[1:]],
        stderr=tee.writing,
        env={**os.environ, **VARIABLES} if notes else None,
        creationflags=_SUSPENDED if sys.platform == "win32" else 0,
    )
    tee.begin()
    job = _job_of(process)
    over = threading.Event()
    looking = threading.Thread(target=_look_until, args=(over, seen, process.pid, job), daemon=True)
    looking.start()
    with _signals_for(process, tee):
        code = _wait(process)
    ended = time.monotonic()
    over.set()
    looking.join()
    if job is not None:
        job.release()
    said = tee.end()
    if notes is not None:
        seen.add(list(notes.files))
    return Watched(
        command=tuple(command),
        exit_code=code if code >= 0 else 128 - code,
        libraries=tuple(seen.files),
        said=said,
        seconds=ended - seen.began,
        complete=bool(notes) or code == 0 or ended - seen.news > _SURE,
        refusals=tuple(notes.refusals) if notes else (),
    )


def _job_of(process: subprocess.Popen[bytes]) -> Job | None:
    """Windows: a job that knows all that a program starts; nothing of it runs before."""
    if sys.platform != "win32":
        return None
    job = Job(process)
    resume(process)
    return job


def watch_running(pid: int) -> Watched | None:
    """What a running program has mapped now; ``None`` where it may not be looked at."""
    if sys.platform != "linux" or not processes.readable(pid):
        return None
    seen = _Seen()
    seen.look(pid)
    return Watched(command=tuple(processes.command(pid)), libraries=tuple(seen.files))


def _look_until(over: threading.Event, seen: _Seen, pid: int, job: Job | None) -> None:
    while not over.is_set():
        seen.look(pid, job)
        over.wait(seen.pause())


def _wait(process: subprocess.Popen[bytes]) -> int:
    while True:
        with contextlib.suppress(subprocess.TimeoutExpired):
            return process.wait(_SLOW)


@contextmanager
def _signals_for(process: subprocess.Popen[bytes], tee: Tee) -> Iterator[None]:
    """While the program runs, signals that would end us are its own."""

    def hand_on(number: int, _frame: FrameType | None) -> None:
        with contextlib.suppress(OSError):
            process.send_signal(number)

    def nothing(_number: int, _frame: FrameType | None) -> None:
        """The terminal has sent it to the program as well. Not SIG_IGN: children inherit that."""

    # Ctrl+C in a terminal reaches the program by itself; anything else has to be handed on.
    by_itself = sys.platform == "win32" or (sys.stdin is not None and sys.stdin.isatty())
    interrupted = nothing if by_itself else hand_on
    handlers = {"SIGINT": interrupted, "SIGQUIT": interrupted, "SIGTERM": hand_on}
    handlers |= {"SIGHUP": hand_on, "SIGWINCH": lambda *_told: tee.resize()}
    mine = threading.current_thread() is threading.main_thread()
    known = {name for name in handlers if mine and hasattr(signal, name)}
    before = {name: signal.signal(getattr(signal, name), handlers[name]) for name in known}
    try:
        yield
    finally:
        for name, handler in before.items():
            signal.signal(getattr(signal, name), handler)
