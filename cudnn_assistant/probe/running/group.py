"""A child process and all that it starts, ended together and collected."""

from __future__ import annotations

import contextlib
import os
import sys
import threading
from typing import TYPE_CHECKING

from cudnn_assistant.probe.running import processes

if TYPE_CHECKING:
    import subprocess

if TYPE_CHECKING or sys.platform == "win32":
    from cudnn_assistant.probe.running.windows_job import Job

MARK = "CUDNN_ASSISTANT_CHILD"
"""In the environment of a child: what it starts carries it on, into sessions of their own too."""


class Group:
    """Holds a child that was started with a session (Windows: nothing special) of its own.

    A thread waits for it, so that a process that the system can't end (stuck inside a driver)
    holds nobody up and is still collected when it does end.
    """

    def __init__(self, process: subprocess.Popen[bytes], mark: str, largest: int) -> None:
        self._process = process
        self._mark = f"{MARK}={mark}"
        self._job = Job(process, largest) if sys.platform == "win32" else None
        self._over = threading.Event()
        self._released = threading.Event()
        self._collected = threading.Event()
        threading.Thread(target=self._collect, daemon=True).start()

    def _collect(self) -> None:
        if sys.platform != "win32":
            # Not collected yet: until kill() is done its number can't become another's.
            os.waitid(os.P_PID, self._process.pid, os.WEXITED | os.WNOWAIT)
            self._over.set()
            self._released.wait()
        self._process.wait()
        self._over.set()
        self._collected.set()

    def wait(self, seconds: float) -> bool:
        """Whether the child itself is over within that time."""
        return self._over.wait(seconds)

    def memory(self) -> int:
        """Bytes of memory that they hold together; 0 where the system doesn't tell."""
        if self._over.is_set():
            return 0
        if self._job is not None:
            return self._job.memory()
        return processes.memory(processes.descendants(self._process.pid))

    def kill(self, patience: float) -> bool:
        """End the child and what it left behind; whether it is collected within ``patience``."""
        if self._job is not None:
            self._job.close()
        elif sys.platform != "win32":
            import signal

            # Who is below it must be asked first: what loses its parent is another's then.
            below = processes.descendants(self._process.pid)[1:]
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(self._process.pid, signal.SIGKILL)
            processes.end_all(below, self._mark)
        self._released.set()
        return self._collected.wait(patience)
