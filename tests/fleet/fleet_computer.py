"""A computer of which the real program is told by a report: only what it looks at is another."""

from __future__ import annotations

import shlex
import sys
from pathlib import Path

import msgspec
from machines.computers import COMPUTERS

from cudnn_assistant.machine import Machine
from cudnn_assistant.session import Look
from cudnn_assistant.system import Readable


def assistant(folder: Path, machine: Machine, name: str = "cudnn-assistant") -> Path:
    """A command that is ``cudnn-assistant`` on that computer."""
    folder.mkdir(parents=True, exist_ok=True)
    report = folder / f"{name}.json"
    report.write_bytes(msgspec.json.encode({"machine": machine}))
    command = folder / name
    start = f"exec {shlex.quote(sys.executable)} -m cudnn_assistant"
    command.write_text(f'#!/bin/sh\n{start} "$@" --machine {shlex.quote(str(report))}\n')
    command.chmod(0o755)
    return command


def following(*names: str) -> Look:
    """Golden computers: the first, and with each folder that LD_LIBRARY_PATH names the next.

    It is enough that the folder is thought of as being named, as a rehearsal does.
    """

    def look(system: Readable, *_asked: object) -> Machine:
        listed = system.fresh_environment().get("LD_LIBRARY_PATH", "")
        folders = list(filter(None, listed.split(":")))
        here = COMPUTERS[names[min(len(folders), len(names) - 1)]].machine
        kept = tuple(one for one in system.variables() if one.ours)
        return msgspec.structs.replace(here, variables=(*here.variables, *kept))

    return look
