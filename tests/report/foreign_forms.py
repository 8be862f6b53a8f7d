"""Reports that somebody else wrote and a person opens: damaged, hostile and newer ones, by name."""

from __future__ import annotations

import io
import json
import zipfile
from collections.abc import Iterator
from typing import Any

import msgspec
from machines.computers import golden

from cudnn_assistant.machine import dump
from cudnn_assistant.report.reading import MARK, REPORT, pack

SNAPSHOT: dict[str, Any] = msgspec.json.decode(dump(golden("linux-many-frameworks-healthy")))
ESCAPES = "\x1b]0;taken\x07\x1b[2J\x9b8m\u202e\u2066\r\x85"
TEXTS = {
    "escapes": ESCAPES,
    "a form": "{0.__class__} %(x)s %n ${HOME} $(id) `id`",
    "a way out": "../../../../etc/passwd\n/dev/zero",
    "a script": "</script><script>alert(1)</script><img src=x onerror=alert(1)>",
    "a fence": f"\n```\n```json {MARK}\n{{}}\n```\n",
    "a formula": "=cmd|' /C calc'!A0",
    "length": "9." * 20_000,
    "no letters": "\u0660\u0661.\u0662\U000e0001\ufeff\u200b",
    "nothing": "",
}
NUMBERS = {"large": 2**62, "below zero": -(2**62), "nought": 0}
WRONG: dict[str, Any] = {
    "null": None, "a number": 10**300, "a text": "x", "a list": [[[[3]]]], "an object": {"a": {}},
    "truth": True, "a fraction": -1.5e308,
}  # fmt: skip
KINDS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA)


def fenced(snapshot: object) -> bytes:
    """As a report holds a snapshot."""
    return f"# x\n\n```json {MARK}\n".encode() + _json(snapshot) + b"\n```\n"


def _json(snapshot: object) -> bytes:
    return snapshot if isinstance(snapshot, bytes) else json.dumps(snapshot).encode()


def packed(content: bytes, name: str = REPORT, kind: int = zipfile.ZIP_DEFLATED) -> bytes:
    """As a packed report holds it."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", kind) as archive:
        archive.writestr(name, content)
    return buffer.getvalue()


def everywhere(value: Any, kind: type, new: Any) -> Any:
    """The same with every value of that kind replaced, but for the system's family."""
    if isinstance(value, dict):
        return {
            k: v if k in ("family", "schema") else everywhere(v, kind, new)
            for k, v in value.items()
        }
    if isinstance(value, list):
        return [everywhere(one, kind, new) for one in value]
    return new if type(value) is kind else value


def free_texts(value: Any, new: str) -> Any:
    """The same with the text put behind every text with a blank, a point or a folder in it."""
    if isinstance(value, dict):
        return {k: free_texts(v, new) for k, v in value.items()}
    if isinstance(value, list):
        return [free_texts(one, new) for one in value]
    return value + new if isinstance(value, str) and {*" ./"} & {*value} else value


def many_times(value: Any) -> Any:
    """The same with each entry of each list a hundred times, but for lists within lists."""
    if isinstance(value, dict):
        return {k: v * 100 if isinstance(v, list) else many_times(v) for k, v in value.items()}
    return value


def _damaged() -> Iterator[tuple[str, bytes]]:
    whole, small = fenced(SNAPSHOT), _json(SNAPSHOT)
    for tenth in range(1, 10):
        yield f"cut after {tenth} tenths", whole[: len(whole) * tenth // 10]
        yield f"bare, cut after {tenth} tenths", small[: len(small) * tenth // 10]
    for name, value in WRONG.items():
        yield f"{name} as the snapshot", fenced(value)
        for field in ("os", "gpus", "pythons", "trials"):
            if not (value is None or (field == "os" and name == "an object")):
                yield f"{name} as {field}", fenced({**SNAPSHOT, field: value})
    for kind in KINDS:
        content = packed(whole, kind=kind)
        yield f"packed, cut, method {kind}", content[: len(content) * 2 // 3]
        yield f"packed, overwritten, method {kind}", content[:60] + b"\xff" * 99 + content[159:]
        yield f"packed twice, method {kind}", packed(packed(whole), kind=kind)
    for name in ("other.md", f"../{REPORT}", f"/{REPORT}", REPORT.upper(), f"{REPORT}/x"):
        yield f"packed as {name}", packed(whole, name)
    deep = b"[" * 99_999
    yield "deep", fenced(small.replace(b"{", b'{"z":' + deep + b"]" * 99_999 + b",", 1))
    yield "deep without an end", fenced(deep)
    for field in ("gpus", "pythons", "cudnns"):
        yield f"{field} without end", fenced({**SNAPSHOT, field: SNAPSHOT[field] * 5000})
    unknown = {f"n{number}": {"a": [1, {"b": 2}]} for number in range(20_000)}
    yield "unknown fields without end", fenced({**SNAPSHOT, **unknown})
    yield "not JSON", fenced(b"{'os': NaN}")
    yield "nothing", b""
    yield "zeros", bytes(100_000)
    yield "of another program", b"\x7fELF" + bytes(range(256)) * 99
    yield "a text", "Grüße\r\n".encode("utf-16")
    yield "newer and unreadable", fenced({**SNAPSHOT, "schema": 99, "gpus": {"by": "name"}})
    yield "no number as its schema", fenced({**SNAPSHOT, "schema": "new"})


def _hostile() -> Iterator[tuple[str, bytes]]:
    for name, text in TEXTS.items():
        if text:
            yield f"{name} in every text", fenced(free_texts(SNAPSHOT, text))
        yield f"{name} as the day", fenced({**SNAPSHOT, "taken_at": text, "tool": text})
    for name, number in NUMBERS.items():
        yield f"{name} numbers", fenced(everywhere(SNAPSHOT, int, number))
    yield "everything a hundred times", fenced(many_times(SNAPSHOT))
    yield "nothing but a system", fenced({"os": {"family": "linux"}})
    yield "nothing but Windows", fenced({"os": {"family": "windows"}})
    for field in ("gpus", "cudnns", "pythons", "search", "trials", "driver"):
        without = {name: value for name, value in SNAPSHOT.items() if name != field}
        yield f"without {field}", fenced(without)
    newer = {**SNAPSHOT, "schema": 99, "seats": [{"at": ESCAPES}], ESCAPES: {"a": [None, 2**70]}}
    yield "newer", fenced(newer)
    yield "newer and packed", pack({REPORT: fenced(newer).decode()})
    yield "with a message that looks like one", fenced({"os": 3}) + fenced(SNAPSHOT)
    yield "after a mark of order", b"\xef\xbb\xbf" + _json(SNAPSHOT)


DAMAGED = dict(_damaged())
"""None of them holds a computer."""
HOSTILE = dict(_hostile())
"""Each holds a computer, of a sort."""
