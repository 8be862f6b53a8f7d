"""Runs a program unchanged and notes which CUDA and cuDNN files it and its children map.

Nothing is preloaded, and no variable is set but a mark (group.py), unless the word of the loader
(loader_notes.py), of cuDNN and of Python is asked for. The maps (Windows: the lists of modules) are
read often while the program starts and seldom afterwards; what a program that dies within
milliseconds had mapped can be missed, and then that is said.
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

from cudnn_assistant import codes
from cudnn_assistant.child.mapped import interesting
from cudnn_assistant.machine import Family, Struct
from cudnn_assistant.probe.computer import kernel_log
from cudnn_assistant.probe.files.disk import Disk
from cudnn_assistant.probe.running import processes
from cudnn_assistant.probe.running.group import MARK
from cudnn_assistant.probe.running.loader_notes import VARIABLES, LoaderNotes
from cudnn_assistant.probe.running.windows_job import Job, resume
from cudnn_assistant.probe.trials.child_environment import talkative
from cudnn_assistant.probe.watch.passing_on import Tee

_FAST, _SLOW = 0.02, 0.2
"""Seconds between two looks: while it starts, and when nothing has been new for a while."""
_STARTING = 5.0
_AFTER_NEWS = 2.0
_SUSPENDED = 0x4
"""CREATE_SUSPENDED of Windows."""
_SURE = 0.2
"""A program that ended sooner after its last new file may have mapped more than was seen."""
_FAREWELL = 5.0
"""Seconds that it has to end once it was told to."""
_TOLD_TO_STOP = ("SIGHUP", "SIGINT", "SIGTERM", "STATUS_CONTROL_C_EXIT")
_FAMILY: Family = "windows" if sys.platform == "win32" else "linux"


class Watched(Struct, kw_only=True):
    """What was seen of a program."""

    command: tuple[str, ...]
    exit_code: int | None = None
    """As a shell has it: 128 + the signal's number; ``None`` for one that still runs."""
    seconds: float = 0.0
    libraries: tuple[str, ...] = ()
    """CUDA's and cuDNN's files that it and its children had mapped, as they came."""
    said: str = ""
    """The beginning and the end of its standard error."""
    complete: bool = True
    """False: it ended so soon after a new file that more may have been mapped."""
    refusals: tuple[str, ...] = ()
    """What the loader said of files of theirs that it could not use, where it was asked."""
    exact: bool = False
    """The loader, cuDNN and Python were asked to say more."""
    end: str = ""
    """What its exit code is known as: "SIGSEGV", "STATUS_DLL_NOT_FOUND"."""
    stopped: bool = False
    """It was told to stop, by whoever uses it or looks after the computer."""
    stopped_by_us: bool = False
    """They did it here."""
    memory_ran_out: bool | None = None
    """Whether the kernel ended it, or what it started, for its memory; ``None``: not known."""
    crashed_in: str = ""
    """The file whose code ran when it crashed, where the kernel said so."""

    @property
    def ended_early(self) -> bool:
        """Whether it failed or was stopped, as one that hangs is."""
        return bool(self.exit_code) or self.stopped


class _Seen:
    def __init__(self) -> None:
        self.files: dict[str, None] = {}
        self.threads: set[int] = set()
        """The first of each process has its number."""
        self.began = self.news = time.monotonic()

    def look(self, pid: int, job: Job | None = None) -> None:
        if job is not None:
            self.add(interesting(job.modules()))
            return
        for one in processes.descendants(pid):
            self.threads.update(processes.threads(one))
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


def watch(
    command: Sequence[str], *, exact: bool = False, stop: threading.Event | None = None
) -> Watched:
    """Run ``command`` to its end and tell what was seen of it.

    Its standard input and output are ours, its standard error is passed on; beginning and end of
    that are kept. Signals that reach us reach it; set, ``stop`` ends it and all that it started.
    ``exact`` has cuDNN and Python say there why they stop, and Linux' loader all that it opens and
    why it refuses a file, which is taken out again. Raises OSError where it can't be started.
    """
    stop = stop or threading.Event()
    kills = processes.memory_kills()
    mark = os.urandom(16).hex()
    notes = LoaderNotes() if exact and sys.platform == "linux" else None
    tee = Tee(sift=notes.sift if notes else None)
    seen = _Seen()
    # As a terminal finds it: Windows itself would look beside our own Python first, for .exe alone.
    program = shutil.which(command[0]) or command[0]
    process = subprocess.Popen(
        [program, *command[1:]],
        stderr=tee.writing,
        env={**(_asking() if exact else os.environ), MARK: mark},
        creationflags=_SUSPENDED if sys.platform == "win32" else 0,
    )
    with _signals_for(process, tee):
        tee.begin()
        job = _job_of(process)
        over = threading.Event()
        told = (over, seen, process.pid, job)
        looking = threading.Thread(target=_look_until, args=told, daemon=True)
        looking.start()
        code = _wait(process, stop, job, f"{MARK}={mark}")
    ended, by_us = time.monotonic(), stop.is_set()
    over.set()
    looking.join()
    if job is not None:
        job.release()
    said = tee.end()
    if notes is not None:
        seen.add(list(notes.files))
    end, killed = codes.process_end(code, _FAMILY), processes.memory_kills()
    # Who hands 137 on (a shell, docker, srun) may speak of a program that others count.
    itself = end == "SIGKILL" and code < 0
    counted = None not in (kills, killed) and (itself or kills != killed)
    ran_out = kills != killed if counted else None
    return Watched(
        command=tuple(command),
        exit_code=code if code >= 0 else 128 - code,
        libraries=tuple(seen.files),
        said=said,
        seconds=ended - seen.began,
        complete=bool(notes) or code == 0 or ended - seen.news > _SURE,
        refusals=tuple(notes.refusals) if notes else (),
        exact=exact,
        end=end,
        stopped=by_us or end in _TOLD_TO_STOP or ran_out is False,
        stopped_by_us=by_us,
        memory_ran_out=ran_out,
        crashed_in=kernel_log.crashed_in(Disk(_FAMILY), seen.threads, seen.began) if end else "",
    )


def _asking() -> dict[str, str]:
    """The environment in which cuDNN, Python and Linux' loader say why."""
    asking = {"PYTHONFAULTHANDLER": "1", **talkative(os.environ)}
    return {**asking, **VARIABLES} if _FAMILY == "linux" else asking


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


def _wait(
    process: subprocess.Popen[bytes], stop: threading.Event, job: Job | None, mark: str
) -> int:
    while not stop.is_set():
        with contextlib.suppress(subprocess.TimeoutExpired):
            return process.wait(_SLOW)
    if job is not None:
        job.close()
    else:
        _stop(process.pid, mark)
    return process.wait()


def _stop(pid: int, mark: str) -> None:
    """Linux: tell it and all that it started to stop, and end what is left of them."""
    left = dict.fromkeys((*processes.descendants(pid), *processes.started_with(mark)))
    processes.send(left, "SIGTERM")
    until = time.monotonic() + _FAREWELL
    while left and time.monotonic() < until:
        time.sleep(_SLOW)
        # What is below is another's once its parent is gone; the mark stays.
        alive = filter(processes.alive, left)
        left = dict.fromkeys((*alive, *processes.started_with(mark)))
    processes.end_all(left, mark)


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
