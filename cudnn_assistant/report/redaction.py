"""What is left out of a report: who the person is and which computer it was.

Works on the typed snapshot, never on the finished text: keys and our own words can't be hit,
so a person called "cuda" breaks nothing. Equal things stay equal within one report.
"""

from __future__ import annotations

import re
from typing import Any

import msgspec

from cudnn_assistant.machine import Machine

_HOMES = re.compile(
    r"(?P<root>/home/|/Users/|/var/home/|[A-Za-z]:[\\/]+Users[\\/]+|[A-Za-z]:[\\/]+Documents and "
    r"Settings[\\/]+|/mnt/[a-z]/Users/)(?P<name>[^\\/:;\"'\n]+)"
)
_SHARED = {"public", "default", "all users", "default user", "linuxbrew"}
_DEVICE = re.compile(r"\b(GPU|MIG)-[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}")
_LOGIN = re.compile(r"(?P<scheme>[a-z][a-z0-9+.-]{1,15}://)[^/@\s]+@")
_MAIL = re.compile(r"[A-Za-z0-9._%+-]{1,64}@[A-Za-z0-9-]{1,63}(?:\.[A-Za-z0-9-]{1,63}){1,8}")
_SHARE = re.compile(r"^\\\\(?!\?)[^\\]+\\[^\\]+")


class Marks:
    """Short stable marks for what must not be named: user-1, GPU-2 …"""

    def __init__(self) -> None:
        self._given: dict[tuple[str, str], str] = {}

    def mark(self, kind: str, value: str) -> str:
        """The mark of ``value``; the same value gets the same mark."""
        key = (kind, value.casefold())
        if key not in self._given:
            number = sum(1 for given, _ in self._given if given == kind) + 1
            self._given[key] = f"{kind}-{number}"
        return self._given[key]


def redacted(machine: Machine, *, home: str = "", user: str = "", host: str = "") -> Machine:
    """The snapshot without names of people and computers, GPU serials and credentials.

    ``home``, ``user`` and ``host`` are those of the person, for what lies at unusual places.
    """
    marks = Marks()

    def clean(value: Any) -> Any:
        if isinstance(value, str):
            return _clean(value, marks, home, user, host)
        if isinstance(value, list):
            return [clean(item) for item in value]
        if isinstance(value, dict):
            return {key: clean(item) for key, item in value.items()}
        return value

    return msgspec.convert(clean(msgspec.to_builtins(machine)), Machine)


def _clean(text: str, marks: Marks, home: str, user: str, host: str) -> str:
    if len(home) > 1 and not _HOMES.match(home):
        text = re.sub(re.escape(home) + r"(?=$|[\\/:;])", _home_mark(home, marks), text)
    text = _HOMES.sub(lambda match: _person(match, marks), text)
    text = _DEVICE.sub(lambda match: marks.mark(match[1], match[0]), text)
    text = _LOGIN.sub(lambda match: f"{match['scheme']}***@", text)
    text = _MAIL.sub("***", text)
    text = _SHARE.sub(lambda match: "\\\\" + marks.mark("share", match[0]), text)
    for kind, name in (("user", user), ("host", host)):
        # Only a whole component of a path: a person called "cuda" owns no CUDA folder.
        if len(name) > 2 and kind == "host":
            text = re.sub(rf"(?<![\w.-]){re.escape(name)}(?![\w.-])", marks.mark(kind, name), text)
    return text


def _home_mark(home: str, marks: Marks) -> str:
    # /root and service homes name nobody; anything else does.
    return home if home in {"/root", "/"} else "/home/" + marks.mark("user", home)


def _person(match: re.Match[str], marks: Marks) -> str:
    name = match["name"]
    kept = name.casefold() in _SHARED or re.fullmatch(r"user-\d+", name)
    return match["root"] + (name if kept else marks.mark("user", name))
