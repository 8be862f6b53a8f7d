"""A child process under watch: started bare, listened to, and ended whatever it does."""

from __future__ import annotations

import atexit
import json
import os
import queue
import re
import stat
import sys
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import IO, TYPE_CHECKING, Any

import msgspec

from cudnn_assistant import places
from cudnn_assistant.envpath import searched
from cudnn_assistant.probe.files.disk import json_object, names_in
from cudnn_assistant.probe.running.group import MARK, Group
from cudnn_assistant.probe.running.person import behind_sudo
from cudnn_assistant.trouble import Cancelled
from cudnn_assistant.wording import met

if TYPE_CHECKING:
    import subprocess

Facts = dict[str, Any]
Cancel = Callable[[], bool]
"""Asked several times a second whether to give up; called from any thread. Whoever takes one ends
what it started and then raises :class:`Cancelled`."""

_FAREWELL = 3.0
"""Seconds a child has to end after its answer, and to die after it was killed."""
_OUTPUT = 16_384
"""Bytes of noise that are kept, from the end."""
_GLANCE = 0.1
"""Seconds between two questions whether the answer is still wanted."""
_LINES = 10_000
"""Most lines of an answer that are kept; a child that says more has lost its mind."""
_NEUTRAL = os.environ.get("SYSTEMROOT", "C:\\") if os.name == "nt" else "/"
_OF_DRIVER = ("libcuda.so", "libnvidia-ml.so")
_ALL = (*_OF_DRIVER, "libcudart", "libcudnn", "libcublas", "libnvrtc", "libnvJitLink")
"""How the names of libraries begin."""
LARGEST = 8 << 30
"""Bytes of memory that a child and what it starts may hold; a framework's test needs 4 GB."""
LARGEST_LIBRARY = 3 << 29
"""The same for a child that only loads a library and asks for its version."""


_LIVING: set[Group] = set()
_ending = threading.Event()
"""This program goes, and starts nothing more."""


@atexit.register
def _end_all() -> None:
    """What was begun and not seen through goes with us, however we were told to stop."""
    _ending.set()
    for group in tuple(_LIVING):
        group.kill(_FAREWELL)


def never() -> bool:
    """For those who see everything through."""
    return False


class Ended(msgspec.Struct, frozen=True):
    """How a child ended and all it said."""

    lines: tuple[Facts, ...]
    """What it told on its channel, in order; the last one has "status" if it answered."""
    exit_code: int | None
    """Negative signal number on Linux; ``None``: it could not even be killed."""
    timed_out: bool
    output: str
    """The end of what it printed."""
    started: float
    """Milliseconds until its first line."""
    milliseconds: float
    too_large: bool = False
    """It was ended because it held more memory than it may."""


def run_child(
    kind: str,
    wish: Mapping[str, object],
    environment: Mapping[str, str],
    deadline: float,
    folder: str = "",
    *,
    python: str = "",
    cancel: Cancel = never,
    largest: int = LARGEST,
) -> Ended:
    """Start one of our child programs and watch it to its end, as :func:`run_command` does.

    It is run by ``python``, else by what runs us.
    """
    command = places.child_command(kind, python=python)
    opened = _OF_DRIVER if kind == "gpu" else _ALL
    return run_command(
        command, wish, environment, deadline, folder,
        cancel=cancel, largest=largest, libraries=opened,
    )  # fmt: skip


def run_command(
    command: Sequence[str],
    wish: Mapping[str, object],
    environment: Mapping[str, str],
    deadline: float,
    folder: str = "",
    *,
    cancel: Cancel = never,
    largest: int = LARGEST,
    libraries: tuple[str, ...] = _ALL,
) -> Ended:
    """Start a command, with one JSON argument more, and watch it to its end.

    The argument is the wish, with the number of the pipe to answer on and a deadline that the child
    itself keeps, a little later than ours.

    The child has no standard input, a session (Windows: a job) of its own, and ``deadline``
    seconds and ``largest`` bytes of memory. When this returns it and all that it started, also in
    sessions of their own where its environment is kept, are dead and collected; only a process
    that the system itself can't end stays, and is collected whenever it does end. Where it would
    wait for a pipe in the place of one of ``libraries``, it isn't started, and the answer says so.
    ``folder`` is where it starts, else a folder of the system: the loader of Windows also looks
    into the current one, and what lies beside the person by chance is no answer. Raises OSError
    or ValueError when no process can be started.
    """
    if cancel() or _ending.is_set():
        raise Cancelled
    if pipe := next(filter(_is_pipe, _first_of_each_name(environment, libraries)), ""):
        refused = {"status": "unloadable", "detail": met("is-a-pipe", file=pipe), "at": 0.0}
        told = ({"stage": "load", "at": 0.0}, refused)
        return Ended(told, 0, timed_out=False, output="", started=0.0, milliseconds=0.0)
    reading, writing = os.pipe()
    mark = os.urandom(16).hex()
    began = time.monotonic()
    try:
        marked = {**environment, MARK: mark}
        asked = {**wish, "deadline": deadline + 5}
        process = _start(command, asked, marked, writing, folder or _NEUTRAL)
    except BaseException:
        os.close(reading)
        raise
    finally:
        os.close(writing)
    group = Group(process, mark, largest)
    _LIVING.add(group)
    if _ending.is_set():
        _end_all()
    sizes: list[int] = []
    """The size for which it was ended."""

    def stop() -> bool:
        size = group.memory()
        if size > largest:
            sizes.append(size)
        return size > largest or cancel()

    lines: queue.SimpleQueue[Facts | None] = queue.SimpleQueue()
    noise = bytearray()
    threading.Thread(target=_listen, args=(reading, lines), daemon=True).start()
    printer = threading.Thread(target=_drain, args=(process.stdout, noise), daemon=True)
    printer.start()
    heard = _hear(lines, began + deadline, stop)
    answered = any("status" in line for _, line in heard)
    until = time.monotonic() + _FAREWELL if answered else began + deadline
    ended = _over(group, until, stop)
    # Asked before the end: who asks whether the child is there gets another answer afterwards.
    unwanted = cancel()
    group.kill(_FAREWELL)
    _LIVING.discard(group)
    printer.join(1)
    if unwanted or cancel():
        raise Cancelled
    return Ended(
        lines=tuple(line for _, line in heard),
        exit_code=process.returncode,
        timed_out=not (ended or answered or sizes),
        output=bytes(noise).decode("utf-8", "backslashreplace"),
        started=(heard[0][0] - began) * 1000 if heard else 0.0,
        milliseconds=(time.monotonic() - began) * 1000,
        too_large=bool(sizes) and not answered,
    )


def _first_of_each_name(
    environment: Mapping[str, str], libraries: tuple[str, ...]
) -> Iterator[str]:
    """The files that a program would open, or wait for, in the place of these libraries."""
    yield from filter(os.path.isabs, re.split("[: ]", environment.get("LD_PRELOAD", "")))
    seen: set[str] = set()
    for folder in filter(None, searched(environment.get("LD_LIBRARY_PATH", ""), "linux")):
        names = [name for name in names_in(folder) if name.startswith(libraries)]
        yield from (os.path.join(folder, name) for name in names if name not in seen)
        seen.update(names)


def _is_pipe(path: str) -> bool:
    try:
        return stat.S_ISFIFO(os.stat(path).st_mode)
    except OSError:
        return False


def _start(
    command: Sequence[str],
    wish: Mapping[str, object],
    environment: Mapping[str, str],
    pipe: int,
    folder: str,
) -> subprocess.Popen[bytes]:
    # Late: a computer without a driver and without tests needs no child.
    import subprocess

    options: dict[str, Any]
    person = behind_sudo()
    if sys.platform == "win32":
        import msvcrt

        pipe = msvcrt.get_osfhandle(pipe)
        os.set_handle_inheritable(pipe, True)
        startup = subprocess.STARTUPINFO(lpAttributeList={"handle_list": [pipe]})
        options = {"startupinfo": startup, "creationflags": subprocess.CREATE_NO_WINDOW}
    else:
        options = {"pass_fds": (pipe,), "start_new_session": True}
        if person is not None:
            # Started by sudo: what is the person's is not run as root.
            groups = os.getgrouplist(person.pw_name, person.pw_gid)
            options |= {"user": person.pw_uid, "group": person.pw_gid, "extra_groups": groups}
            known = dict.fromkeys(("USER", "LOGNAME"), person.pw_name) | {"HOME": person.pw_dir}
            environment = {**environment, **known}
    try:
        return subprocess.Popen(
            [*command, json.dumps({**wish, "pipe": pipe})],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            env=dict(environment),
            cwd=folder,
            **options,
        )
    except PermissionError as trouble:
        if person is None:
            raise
        # A program that only root can read isn't run as root instead.
        why = met("not-startable-by", program=command[0], name=person.pw_name)
        raise ValueError(why) from trouble


def _listen(pipe: int, lines: queue.SimpleQueue[Facts | None]) -> None:
    count = 0
    with os.fdopen(pipe, "rb") as stream:
        for raw in iter(lambda: stream.readline(1 << 20), b""):
            count += 1
            facts = json_object(raw)
            if facts and count <= _LINES:
                lines.put(facts)
    lines.put(None)


def _drain(stream: IO[bytes] | None, noise: bytearray) -> None:
    if stream is None:
        return
    with stream:
        while chunk := os.read(stream.fileno(), 65536):
            noise += chunk
            del noise[:-_OUTPUT]


def _over(group: Group, until: float, cancel: Cancel) -> bool:
    """Whether the child ends by itself before ``until``; not waited for when nobody cares."""
    while not group.wait(_slice(until)):
        if cancel() or time.monotonic() >= until:
            return False
    return True


def _slice(until: float) -> float:
    return min(max(until - time.monotonic(), 0.01), _GLANCE)


def _hear(
    lines: queue.SimpleQueue[Facts | None], until: float, cancel: Cancel
) -> list[tuple[float, Facts]]:
    """Lines with the time each came, until the answer, the end of the channel or the deadline."""
    heard: list[tuple[float, Facts]] = []
    while not cancel():
        try:
            facts = lines.get(timeout=_slice(until))
        except queue.Empty:
            if time.monotonic() >= until:
                return heard
            continue
        if facts is None:
            return heard
        heard.append((time.monotonic(), facts))
        if "status" in facts:
            return heard
    return heard
