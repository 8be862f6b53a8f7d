"""What every child shares: a line of its own to the parent, and reins on itself.

The answer travels on a pipe that is neither standard output nor standard error, because the
libraries print there. Each line is one JSON object; the last one has the key "status". Written for
the Pythons that framework.py is: its text goes before that one's.
"""

import json
import os
import sys
import time

_BORN = time.perf_counter()
TRACE = 1
"""A core limit of one byte: the kernel's own sign for "dump nothing, to no helper either".

With 0, systemd-coredump and apport would still be started for a crash that we provoked.
"""

NO_WISH = 2
"""The exit code of a child that wasn't started by us."""
_LARGEST_FILE = 1 << 28
"""Bytes of a file that a child without the driver may write."""

TYPE_CHECKING = False  # the module typing alone costs a tenth of a child's start
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    Wish = dict[str, Any]
else:
    Wish = dict

_ACCESS_VIOLATION = 0xC0000005


class Stopped(Exception):
    """The test can't go on: the facts say where the trouble is."""

    def __init__(self, status: str, **facts: object) -> None:
        super().__init__(status)
        self.facts: dict[str, object] = {"status": status, **facts}


class Channel:
    """The line to the parent. Every call is written at once, before anything risky follows."""

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor

    def say(self, **facts: object) -> None:
        """Tell facts. A parent that is gone ends this process."""
        line = json.dumps({**facts, "at": (time.perf_counter() - _BORN) * 1000}) + "\n"
        try:
            os.write(self._descriptor, line.encode("ascii"))
        except OSError:
            os._exit(3)

    def stage(self, name: str) -> None:
        """Tell that a stage begins."""
        self.say(stage=name, call="")

    def about(self, call: str) -> None:
        """Tell what is called next, so that a crash has a name."""
        self.say(call=call)


def dotted(number: int) -> str:
    """ "9.10.2" of cuDNN's 91002, "8.9.7" of 8907: from 9 on each part has two digits."""
    if number >= 90000:
        return f"{number // 10000}.{number % 10000 // 100}.{number % 100}"
    return f"{number // 1000}.{number % 1000 // 100}.{number % 100}"


def open_channel(pipe: int) -> Channel:
    """The channel on an inherited descriptor (Windows: on an inherited handle)."""
    if sys.platform == "win32":
        import msvcrt

        pipe = msvcrt.open_osfhandle(pipe, os.O_WRONLY)
    # Helpers that a driver starts (nvidia-modprobe) must not hold the line open.
    os.set_inheritable(pipe, False)
    return Channel(pipe)


def limit_process(deadline: float, *, driver: bool = True) -> None:
    """See to it that this process ends: with its parent, after ``deadline`` seconds, silently.

    It gains no rights that its parent hasn't, and what it starts and leaves stays below it;
    without ``driver``, which no child that only loads a library needs, less is allowed. The
    parent keeps its own watch; this one is for a parent that was killed or suspended.
    """
    import ctypes

    if sys.platform == "win32":
        import threading

        # No box for a missing DLL, a crash or a drive without a disk.
        no_boxes = 0x0001 | 0x0002 | 0x8000
        ctypes.windll.kernel32.SetErrorMode(no_boxes)
        timer = threading.Timer(deadline, os._exit, (4,))
        timer.daemon = True
        timer.start()
        return
    import resource
    import signal

    resource.setrlimit(resource.RLIMIT_CORE, core_limits(resource.getrlimit(resource.RLIMIT_CORE)))
    if sys.platform == "linux":
        set_parent_death_signal = 1  # PR_SET_PDEATHSIG
        set_child_subreaper, set_no_new_privileges = 36, 38  # PR_SET_..., see prctl(2)
        prctl = ctypes.CDLL(None).prctl
        prctl(set_parent_death_signal, signal.SIGKILL, 0, 0, 0)
        prctl(set_child_subreaper, 1, 0, 0, 0)
        # The driver lets a helper that runs as root make device files when they are first needed.
        if not (driver and os.path.exists("/usr/bin/nvidia-modprobe")):
            prctl(set_no_new_privileges, 1, 0, 0, 0)
    if not driver:
        hard = resource.getrlimit(resource.RLIMIT_FSIZE)[1]
        limit = _LARGEST_FILE if hard == resource.RLIM_INFINITY else min(hard, _LARGEST_FILE)
        resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))
    # The default action of the alarm ends the process wherever it is, in a C call as well.
    signal.signal(signal.SIGALRM, signal.SIG_DFL)
    signal.setitimer(signal.ITIMER_REAL, max(deadline, 0.1))


def lift(limits: "list[str]") -> None:
    """Raise these limits of this process ("AS", "NOFILE") as far as everybody may."""
    if not limits:
        return
    import resource

    for name in limits:
        number = getattr(resource, f"RLIMIT_{name}")
        hard = resource.getrlimit(number)[1]
        resource.setrlimit(number, (hard, hard))


def core_limits(present: "tuple[int, int]") -> "tuple[int, int]":
    """Soft and hard limit that leave no core; a hard one of 0 can't be raised, and stays."""
    hard = present[1]
    return (0, 0) if hard == 0 else (TRACE, TRACE)


def serve(
    arguments: "list[str]", work: "Callable[[Channel, Wish], None]", *, driver: bool = True
) -> int:
    """Do the work that the one JSON argument wishes for, within limits, and answer how it ended.

    ``driver`` as in :func:`limit_process`.
    """
    try:
        wish = json.loads(arguments[0])
        deadline = float(wish["deadline"])
        channel = open_channel(wish["pipe"])
    except (LookupError, OSError, OverflowError, RecursionError, TypeError, ValueError):
        return NO_WISH
    limit_process(deadline, driver=driver)
    facts: dict[str, object] = {"status": "ok"}
    try:
        work(channel, wish)
    except Stopped as stopped:
        facts = stopped.facts
    except OSError as fault:
        # Windows: ctypes turns an access violation inside a library into this.
        if "access violation" not in str(fault):
            raise
        facts = {"status": "crashed", "code": _ACCESS_VIOLATION, "detail": str(fault)}
    channel.say(**facts)
    # The libraries' own clean-up at exit is skipped: it can hang or crash, and the end of a process
    # frees all that it held.
    if sys.stdout is not None:  # a Python without a console has none
        sys.stdout.flush()
    os._exit(0)
