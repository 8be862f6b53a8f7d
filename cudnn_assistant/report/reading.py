"""Reading a report back: the one fenced JSON block that holds the whole snapshot."""

from __future__ import annotations

import re

import msgspec

from cudnn_assistant.machine import SCHEMA, Machine, load

LIMIT = 32 * 1024 * 1024
"""Bytes of the largest report that is read; a real one has a few hundred kilobytes."""
MARK = "cudnn-assistant-machine"
"""Info string of the fenced block that holds the snapshot."""

_BLOCK = re.compile(
    r"^```json[ \t]+" + MARK + r"[ \t]*\r?\n(.*?)\r?\n```[ \t]*\r?$", re.MULTILINE | re.DOTALL
)


class NotAReport(ValueError):
    """The text is not one of our reports; the message says why, for the person."""


def read_machine(text: str) -> Machine:
    """The snapshot in a report, in the output of ``check --json``, or in a bare snapshot.

    Raises :class:`NotAReport`; nothing else, whatever the text holds.
    """
    if len(text) > LIMIT:
        raise NotAReport("The file is too large to be a report of cuDNN Assistant.")
    try:
        machine = load(_block(text))
    except (msgspec.DecodeError, RecursionError) as trouble:
        reason = str(trouble) or "it is nested too deeply"
        raise NotAReport(f"The machine data in this report can't be read: {reason}.") from trouble
    if machine.schema > SCHEMA:
        raise NotAReport(
            f"This report was made by a newer cuDNN Assistant (its data has version "
            f"{machine.schema}, this program knows {SCHEMA}). Update this program to open it."
        )
    return machine


def _block(text: str) -> bytes | str:
    match = _BLOCK.search(text)
    if match:
        return match[1]
    if not text.lstrip("\ufeff \t\r\n").startswith("{"):
        raise NotAReport("This file isn't a report of cuDNN Assistant: it has no machine data.")
    return _from_json(text.lstrip("\ufeff"))


class _Checked(msgspec.Struct):
    machine: msgspec.Raw


def _from_json(text: str) -> bytes | str:
    """The snapshot inside the output of ``check --json``, else the text itself."""
    try:
        return bytes(msgspec.json.decode(text, type=_Checked).machine)
    except msgspec.ValidationError:
        return text
