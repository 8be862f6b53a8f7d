"""A Windows job object: which processes a program has started, and an end for all of them."""

from __future__ import annotations

import contextlib
import ctypes
import subprocess
import sys
from collections.abc import Callable, Iterator
from typing import Any, TypeVar

from cudnn_assistant.child.mapped import modules_of

_T = TypeVar("_T")

MOST_PROCESSES = 200
"""In one job at a time; a test of a framework needs three."""
COMMITTED = 4
"""Times as much as may be held that may be promised: CUDA reserves more than it ever uses."""

_KILL_ON_CLOSE, _JOB_MEMORY, _ACTIVE_PROCESSES = 0x2000, 0x200, 0x8
_PROCESS_IDS, _EXTENDED_LIMITS = 3, 9
_QUERY = 0x1000
_ASK_MODULES = 0x0410
"""PROCESS_QUERY_INFORMATION and PROCESS_VM_READ."""


class Limits(ctypes.Structure):
    """JOBOBJECT_EXTENDED_LIMIT_INFORMATION of 64-bit Windows."""

    _fields_ = (
        ("process_time", ctypes.c_int64),
        ("job_time", ctypes.c_int64),
        ("flags", ctypes.c_uint32),
        ("least_working_set", ctypes.c_uint64),
        ("most_working_set", ctypes.c_uint64),
        ("processes", ctypes.c_uint32),
        ("affinity", ctypes.c_uint64),
        ("priority", ctypes.c_uint32),
        ("scheduling", ctypes.c_uint32),
        ("io_counters", ctypes.c_uint64 * 6),
        ("process_memory", ctypes.c_uint64),
        ("job_memory", ctypes.c_uint64),
        ("peak_process_memory", ctypes.c_uint64),
        ("peak_job_memory", ctypes.c_uint64),
    )


class _ProcessIds(ctypes.Structure):
    _fields_ = (
        ("assigned", ctypes.c_uint32),
        ("listed", ctypes.c_uint32),
        ("ids", ctypes.c_uint64 * MOST_PROCESSES),
    )


class _Memory(ctypes.Structure):
    """PROCESS_MEMORY_COUNTERS of 64-bit Windows."""

    _fields_ = (
        ("size", ctypes.c_uint32),
        ("page_faults", ctypes.c_uint32),
        ("peak", ctypes.c_uint64),
        ("held", ctypes.c_uint64),
        ("quotas", ctypes.c_uint64 * 4),
        ("promised", ctypes.c_uint64),
        ("peak_promised", ctypes.c_uint64),
    )


def limits(largest: int) -> Limits:
    """What holds for the processes of a job that may hold ``largest`` bytes together."""
    return Limits(
        flags=_KILL_ON_CLOSE | _JOB_MEMORY | _ACTIVE_PROCESSES,
        processes=MOST_PROCESSES,
        job_memory=COMMITTED * largest,
    )


def resume(process: subprocess.Popen[bytes]) -> None:
    """Let a process go on that was started suspended."""
    if sys.platform == "win32":
        from ctypes import wintypes

        go_on = ctypes.WinDLL("ntdll").NtResumeProcess
        go_on.argtypes = (wintypes.HANDLE,)
        go_on(int(process._handle))  # type: ignore[attr-defined]


class Job:
    """The job of one process that was started a moment ago, and of all that it starts.

    With ``largest`` bytes that they may hold together it ends them all when it is closed, and so
    does our own end; without, it only knows them.
    """

    def __init__(self, process: subprocess.Popen[bytes], largest: int = 0) -> None:
        self._process = process
        self._handle = 0
        self._kernel: Any = None
        if sys.platform == "win32":
            from ctypes import wintypes

            kernel = ctypes.WinDLL("kernel32", use_last_error=True)
            handle, number, pointer = wintypes.HANDLE, wintypes.DWORD, ctypes.c_void_p
            kernel.CreateJobObjectW.restype = kernel.OpenProcess.restype = handle
            kernel.SetInformationJobObject.argtypes = (handle, ctypes.c_int, pointer, number)
            query = kernel.QueryInformationJobObject
            query.argtypes = (handle, ctypes.c_int, pointer, number, pointer)
            kernel.AssignProcessToJobObject.argtypes = (handle, handle)
            kernel.K32GetProcessMemoryInfo.argtypes = (handle, pointer, number)
            kernel.CloseHandle.argtypes = (handle,)
            kernel.TerminateJobObject.argtypes = (handle, ctypes.c_uint)
            self._kernel = kernel
            self._handle = kernel.CreateJobObjectW(None, None) or 0
            if largest:
                wanted = limits(largest)
                size = ctypes.sizeof(wanted)
                kernel.SetInformationJobObject(
                    self._handle, _EXTENDED_LIMITS, ctypes.byref(wanted), size
                )
            # A process of a job that forbids others stays outside; kill() then ends it alone.
            kernel.AssignProcessToJobObject(self._handle, int(process._handle))  # type: ignore[attr-defined]

    def memory(self) -> int:
        """Bytes of memory that its processes hold together; 0 where Windows doesn't tell."""
        return sum(self._asked(self._held, _QUERY))

    def modules(self) -> list[str]:
        """The libraries that its processes have loaded now."""
        return [path for paths in self._asked(modules_of, _ASK_MODULES) for path in paths]

    def _asked(self, ask: Callable[[int], _T], rights: int) -> Iterator[_T]:
        """What each of its processes answers that may be asked."""
        for pid in self._processes():
            if process := self._kernel.OpenProcess(rights, False, pid):
                yield ask(process)
                self._kernel.CloseHandle(process)

    def _processes(self) -> list[int]:
        found = _ProcessIds()
        if not self._handle:
            return []
        asked = self._kernel.QueryInformationJobObject(
            self._handle, _PROCESS_IDS, ctypes.byref(found), ctypes.sizeof(found), None
        )
        return found.ids[: found.listed] if asked else []

    def _held(self, process: int) -> int:
        counted = _Memory()
        ask, size = self._kernel.K32GetProcessMemoryInfo, ctypes.sizeof(counted)
        return int(counted.held) if ask(process, ctypes.byref(counted), size) else 0

    def release(self) -> None:
        """Leave them alone, where they were only known."""
        if self._handle:
            self._kernel.CloseHandle(self._handle)
            self._handle = 0

    def close(self) -> None:
        """End them all."""
        if self._handle:
            self._kernel.TerminateJobObject(self._handle, 1)
        self.release()
        with contextlib.suppress(OSError):  # over already
            self._process.kill()
