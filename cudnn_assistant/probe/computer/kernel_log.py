"""Telling lines of the Linux kernel log: what NVIDIA's module said, why one was refused, Xids."""

from __future__ import annotations

import os
import re
import sys
import time
from collections.abc import Collection, Iterable

from cudnn_assistant.machine import Gap
from cudnn_assistant.probe.files.disk import Disk
from cudnn_assistant.regex import regex
from cudnn_assistant.wording import met

_TELLING = regex(
    r"NVRM|nvidia|nouveau|Xid|Loading of module with unavailable key|Lockdown: .*module"
    r"|module verification failed|GPU has fallen off|PM: suspend (?:entry|exit)",
    re.IGNORECASE,
)
_QUIET = regex(
    r"input: HDA NVidia|snd_hda|nvidia-persistenced|\bIPv6\b|audit|apparmor|systemd\["
    r"|No coherent DMA|Modules linked in",
    re.IGNORECASE,
)
_CRASHED = regex(r"(?m)^\d+,\d+,(\d+),[^;]*;[^\n]*\[(\d+)\]:? [^\n]* in ([^\s\[]+)\[")
"""python[4711]: segfault at 8 ip … sp … error 6 in libcudnn.so.9[2a12,7fe86a659000+4000]"""
_XID = regex(r"Xid \(PCI:([0-9a-fA-F:.]+)\):? (\d{1,9})")
_WRAPPED = regex(
    r"NVRM: (?:The NVIDIA|API mismatch|This (?:can occur|PCI|is a)|No NVIDIA|Try unloading"
    r"|GPU has fallen)"
)
_LONGEST = 800
_MOST_LINES, _FIRST = 60, 20
_MOST_BYTES = 4 << 20
_PATIENCE = 0.2
"""Seconds; the ring buffer of a busy machine is read in a few milliseconds."""


def read(disk: Disk) -> tuple[tuple[str, ...], Gap | None]:
    """Telling lines of this boot, oldest first, and a gap when nothing may be read."""
    text, why = _ring(disk.real("/dev/kmsg"))
    if text is None:
        text = disk.text("/var/log/dmesg", _MOST_BYTES) or None
    if text is None:
        return (), Gap(what="kernel-log", why=met("kernel-log", said=why))
    return telling(text.splitlines()), None


def crashed_in(disk: Disk, threads: Collection[int], since: float) -> str:
    """The file whose code ran when the last of these crashed; "" where the kernel doesn't say.

    It numbers the thread, not its process. ``since`` is when they started, by a clock from which
    the log's own strays a little. In a container the log may tell of others that have the same
    numbers outside.
    """
    found = _CRASHED.findall(_ring(disk.real("/dev/kmsg"))[0] or "")
    mine = (file for at, thread, file in reversed(found)
            if int(thread) in threads and int(at) / 1e6 > 0.999 * since - 1)  # fmt: skip
    return next(mine, "")


def _ring(path: str) -> tuple[str | None, str]:
    if sys.platform == "win32":
        return None, ""
    try:
        with open(os.open(path, os.O_RDONLY | os.O_NONBLOCK), "rb", buffering=0) as ring:
            return _records(ring.fileno()), ""
    except OSError as trouble:
        return None, trouble.strerror or str(trouble)


def _records(handle: int) -> str:
    # One read gives one record: "prio,seq,usec,flags;text". A writer may overtake us (EPIPE).
    pieces: list[str] = []
    size, end = 0, time.monotonic() + _PATIENCE
    while size < _MOST_BYTES and time.monotonic() < end:
        try:
            record = os.read(handle, 8192)
        except BlockingIOError:
            break
        except BrokenPipeError:
            continue
        if not record:
            break
        size += len(record)
        pieces.append(record.decode("utf-8", "replace"))
    return "".join(piece if piece.endswith("\n") else piece + "\n" for piece in pieces)


def telling(lines: Iterable[str]) -> tuple[str, ...]:
    """The lines that say something about the driver: prefixes gone, wrapped ones joined."""
    found: list[str] = []
    for raw in lines:
        line = _bare(raw)
        if not _TELLING.search(line) or _QUIET.search(line):
            continue
        if found and _continues(line, found[-1]):
            found[-1] += " " + re.sub(r"^NVRM:\s*", "", line)
        elif not found or found[-1] != line:
            found.append(line)
    # What was said at the start (a GPU ignored, a module refused) and what was said last.
    return tuple(
        found if len(found) <= _MOST_LINES else found[:_FIRST] + found[_FIRST - _MOST_LINES :]
    )


def _continues(line: str, before: str) -> bool:
    """Whether a line goes on with the sentence before: NVIDIA wraps its long messages."""
    unfinished = bool(_WRAPPED.match(before)) and not before.endswith((".", "!"))
    new = _WRAPPED.match(line) or _XID.search(line) or not line.startswith("NVRM:")
    return unfinished and not new and len(before) < _LONGEST


def _bare(line: str) -> str:
    line = re.sub(r"^\d+,\d+,\d+,[^;]*;", "", line.strip("\n"))  # /dev/kmsg
    line = re.sub(r"^(?:<\d+>)?\[\s*\d+\.\d+\]\s?(?:kernel: )?", "", line)  # dmesg, its file
    return line.rstrip()


def xids(lines: Iterable[str]) -> dict[str, tuple[int, ...]]:
    """Xid numbers by PCI address without function ("0000:01:00"), each once, in order."""
    found: dict[str, dict[int, None]] = {}
    for line in lines:
        for bus, number in _XID.findall(line):
            found.setdefault(bus.lower().split(".")[0], {})[int(number)] = None
    return {bus: tuple(numbers) for bus, numbers in found.items()}
