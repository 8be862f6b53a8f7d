"""Packing a report, and reading it back: the fenced JSON block that holds the whole snapshot."""

from __future__ import annotations

import contextlib
import html
import io
import lzma
import os
import re
import zipfile
import zlib
from collections.abc import Mapping
from typing import NamedTuple

import msgspec

from cudnn_assistant.explain.reading import text_of
from cudnn_assistant.machine import SCHEMA, Machine, load
from cudnn_assistant.plain_file import NOT_PLAIN, plain
from cudnn_assistant.report.newer import Unknown, unknown_fields
from cudnn_assistant.trouble import Refused

LIMIT = 32 * 1024 * 1024
"""Bytes of the largest report that is read; a real one has a few hundred kilobytes."""
REPORT = "cudnn-report.md"
"""Its name where nothing else is known, and inside of a ZIP."""
_EARLIEST = (1980, 1, 1, 0, 0, 0)
"""The one time a ZIP can give that tells nothing."""
MARK = "cudnn-assistant-machine"
"""Info string of the fenced block that holds the snapshot."""

_MARGIN = re.compile(r"^[> \t\xa0]+", re.MULTILINE)
"""What mails and forums put before each line of what they quote; no line begins in a text."""
_BEGIN = re.compile(r"^```json[ \t]+" + MARK + r"[ \t]*\r?\n", re.MULTILINE)
_BARE = re.compile(r'^(?=\{\s*"schema":)|\A(?=\{)', re.MULTILINE)
"""Where it begins that somebody copied from a page, which shows no fences."""
_END = re.compile(r"\r?\n```[ \t]*\r?$", re.MULTILINE)


class Report(NamedTuple):
    """What a report holds for programs."""

    machine: Machine
    unknown: tuple[Unknown, ...] = ()
    """Fields of a newer program, to be written back."""


def open_report(path: str | os.PathLike[str]) -> Report:
    """The report in a file: Markdown or a page, ``check --json``, a bare snapshot, or all packed.

    Never reads more than :data:`LIMIT` bytes, whatever size the file claims to have, and no
    pipe or device, which might never end.
    Raises :class:`Refused` and :class:`OSError`.
    """
    try:
        with plain(path) as file:
            start = file.read(LIMIT + 1)
    except OSError as trouble:
        if trouble.strerror == NOT_PLAIN:
            raise Refused("report-no-file") from None
        raise
    if start.startswith(b"PK\x03\x04"):
        start = _unpacked(start)
    if len(start) > LIMIT:
        raise Refused("report-too-large")
    return read_report(text_of(start))


_DAMAGED = (
    KeyError,
    zipfile.BadZipFile,
    NotImplementedError,
    RuntimeError,
    ValueError,
    EOFError,
    OSError,
    zlib.error,
    lzma.LZMAError,
)
"""What Python's readers of archives raise for one that is damaged, cut or locked."""


def pack(files: Mapping[str, str]) -> bytes:
    """A ZIP of these texts by name; empty ones are left out. The same texts give the same bytes."""
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in files.items():
            if text:
                member = zipfile.ZipInfo(name, _EARLIEST)
                member.external_attr = 0o644 << 16
                archive.writestr(member, text, zipfile.ZIP_DEFLATED)
    return packed.getvalue()


def _unpacked(content: bytes) -> bytes:
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive, archive.open(REPORT) as member:
            return member.read(LIMIT + 1)
    except _DAMAGED as trouble:
        raise Refused("not-a-packed-report") from trouble


def read_report(text: str) -> Report:
    """The snapshot in a report, in the output of ``check --json``, or in a bare snapshot.

    Raises :class:`Refused`; nothing else, whatever the text holds.
    """
    if len(text) > LIMIT:
        raise Refused("report-too-large")
    data: bytes | str = ""
    try:
        data = _block(text)
        return Report(load(data), unknown_fields(data))
    except (msgspec.DecodeError, RecursionError, ValueError) as trouble:
        raise _unreadable(data, trouble) from trouble


class _Versioned(msgspec.Struct):
    schema: int = SCHEMA


def _unreadable(data: bytes | str, trouble: Exception) -> Refused:
    """Why it can't be read; that it is newer comes before what is odd in it."""
    with contextlib.suppress(msgspec.DecodeError, RecursionError, ValueError):
        version = msgspec.json.decode(data, type=_Versioned).schema
        if version > SCHEMA:
            return Refused("report-newer", theirs=version, ours=SCHEMA)
    if isinstance(trouble, msgspec.DecodeError) and str(trouble):
        return Refused("report-unreadable", reason=str(trouble))
    return Refused("report-too-deep")


def _block(text: str) -> bytes | str:
    # The snapshot stands last: a pasted message above it may hold what looks like one.
    text = text.lstrip("\ufeff \t\r\n")
    if text.startswith("<!DOCTYPE html>"):
        # No text on a page can hold a tag.
        text = html.unescape(text[text.rfind("<pre>") + 5 :].partition("<")[0])
    text = _MARGIN.sub("", text)
    found = (max(p.finditer(text), key=re.Match.start, default=None) for p in (_BEGIN, _BARE))
    begin = next(filter(None, found), None)
    if begin is None:
        raise Refused("report-without-machine")
    # Two searches, not one pattern: a file of nothing but beginnings must not take hours.
    end = _END.search(text, max(begin.end() - 1, 0))
    return _from_json(text[begin.end() : end.start() if end else text.rfind("}") + 1])


class _Checked(msgspec.Struct):
    machine: msgspec.Raw


def _from_json(text: str) -> bytes | str:
    """The snapshot inside the output of ``check --json``, else the text itself."""
    try:
        return bytes(msgspec.json.decode(text, type=_Checked).machine)
    except msgspec.ValidationError:
        return text
