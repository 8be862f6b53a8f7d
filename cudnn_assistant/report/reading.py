"""Reading a report back: the one fenced JSON block that holds the whole snapshot."""

from __future__ import annotations

import contextlib
import io
import os
import re
import zipfile
import zlib
from typing import NamedTuple

import msgspec

from cudnn_assistant.machine import SCHEMA, Machine, load
from cudnn_assistant.report.newer import Unknown, unknown_fields
from cudnn_assistant.report.packing import REPORT
from cudnn_assistant.wording import _

LIMIT = 32 * 1024 * 1024
"""Bytes of the largest report that is read; a real one has a few hundred kilobytes."""
MARK = "cudnn-assistant-machine"
"""Info string of the fenced block that holds the snapshot."""

_BEGIN = re.compile(r"^```json[ \t]+" + MARK + r"[ \t]*\r?\n", re.MULTILINE)
_END = re.compile(r"\r?\n```[ \t]*\r?$", re.MULTILINE)


class NotAReport(ValueError):
    """The text is not one of our reports; the message says why, for the person."""


class Report(NamedTuple):
    """What a report holds for programs."""

    machine: Machine
    unknown: tuple[Unknown, ...] = ()
    """Fields of a newer program, to be written back."""


def newer_report() -> str:
    """What is said beside a report whose schema is above ours."""
    return _("It was made by a newer cuDNN Assistant and may say more than this one understands.")


def open_report(path: str | os.PathLike[str]) -> Report:
    """The report in a file: Markdown, ``check --json``, a bare snapshot, or a packed report.

    Never reads more than :data:`LIMIT` bytes, whatever size the file claims to have.
    Raises :class:`NotAReport` and :class:`OSError`.
    """
    with open(path, "rb") as file:
        start = file.read(LIMIT + 1)
    if start.startswith(b"PK\x03\x04"):
        start = _unpacked(start)
    if len(start) > LIMIT:
        raise NotAReport(_too_large())
    return read_report(start.decode("utf-8", "replace"))


def _unpacked(content: bytes) -> bytes:
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive, archive.open(REPORT) as member:
            return member.read(LIMIT + 1)
    except (KeyError, zipfile.BadZipFile, zlib.error, NotImplementedError, RuntimeError) as trouble:
        raise NotAReport(_("This archive isn't a packed report of cuDNN Assistant.")) from trouble


def _too_large() -> str:
    return _("The file is too large to be a report of cuDNN Assistant.")


def read_machine(text: str) -> Machine:
    """The snapshot in a report, in the output of ``check --json``, or in a bare snapshot.

    Raises :class:`NotAReport`; nothing else, whatever the text holds.
    """
    return read_report(text).machine


def read_report(text: str) -> Report:
    """The same with everything in it that this program doesn't know.

    Raises :class:`NotAReport`; nothing else, whatever the text holds.
    """
    if len(text) > LIMIT:
        raise NotAReport(_too_large())
    data: bytes | str = ""
    try:
        data = _block(text)
        return Report(load(data), unknown_fields(data))
    except (msgspec.DecodeError, RecursionError, ValueError) as trouble:
        if isinstance(trouble, NotAReport):
            raise
        raise NotAReport(_why(data, trouble)) from trouble


class _Versioned(msgspec.Struct):
    schema: int = SCHEMA


def _why(data: bytes | str, trouble: Exception) -> str:
    """Why it can't be read, for the person; that it is newer comes before what is odd in it."""
    with contextlib.suppress(msgspec.DecodeError, RecursionError, ValueError):
        version = msgspec.json.decode(data, type=_Versioned).schema
        if version > SCHEMA:
            return _(
                "This report was made by a newer cuDNN Assistant (its data has version {theirs}, "
                "this program knows {ours}). Update this program to open it."
            ).format(theirs=version, ours=SCHEMA)
    reason = str(trouble) if isinstance(trouble, msgspec.DecodeError) else ""
    return _("The machine data in this report can't be read: {reason}.").format(
        reason=reason or _("it is nested too deeply")
    )


def _block(text: str) -> bytes | str:
    begin = _BEGIN.search(text)
    # Two searches, not one pattern: a file of nothing but beginnings must not take hours.
    end = _END.search(text, begin.end() - 1) if begin else None
    if begin and end:
        return text[begin.end() : end.start()]
    if not text.lstrip("\ufeff \t\r\n").startswith("{"):
        raise NotAReport(_("This file isn't a report of cuDNN Assistant: it has no machine data."))
    return _from_json(text.lstrip("\ufeff"))


class _Checked(msgspec.Struct):
    machine: msgspec.Raw


def _from_json(text: str) -> bytes | str:
    """The snapshot inside the output of ``check --json``, else the text itself."""
    try:
        return bytes(msgspec.json.decode(text, type=_Checked).machine)
    except msgspec.ValidationError:
        return text
