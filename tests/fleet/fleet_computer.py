"""A computer of which the real program is told by a report: only what it looks at is another."""

from __future__ import annotations

import shlex
import sys
from pathlib import Path

import msgspec

from cudnn_assistant.machine import Machine


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
