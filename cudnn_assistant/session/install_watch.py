"""A quick look whether something was installed: milliseconds, no child process, nothing opened."""

from __future__ import annotations

import os
import tomllib
from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any

from cudnn_assistant import places
from cudnn_assistant.envpath import expand
from cudnn_assistant.machine import Family


@cache
def _table() -> dict[str, Any]:
    return tomllib.loads(places.resource("installed.toml").read_text("utf-8"))


def watched(family: Family, environment: Mapping[str, str]) -> tuple[str, ...]:
    """The files and folders that an installer of a driver, toolkit, runtime or cuDNN touches."""
    usual = {"SystemRoot": r"C:\Windows", "ProgramFiles": r"C:\Program Files"}
    known = {name: environment.get(name) or text for name, text in usual.items()}
    return tuple(expand(path, known.get, family) for path in _table()[family])


def marks(paths: Sequence[str]) -> tuple[object, ...]:
    """Something that differs when one of these was made, changed, replaced or removed."""
    return tuple(map(_mark, paths))


def _mark(path: str) -> object:
    try:
        if path.startswith("/proc"):
            # Its time of change is the time it was asked for; its text is what counts.
            with open(path, encoding="utf-8", errors="replace") as file:
                return file.read(500)
        seen = os.stat(path)
    except OSError:
        return None
    # An installer may give a file the age that it had when it was packed.
    return seen.st_mtime_ns, seen.st_ino, seen.st_size
