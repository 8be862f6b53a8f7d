"""Names and secrets inside a text: credentials, addresses, serials, people, computers."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Protocol

from cudnn_assistant.report.commands import PIPED, without_arguments
from cudnn_assistant.report.hosts import somebodys, without_hosts
from cudnn_assistant.report.people import CLOUD, PEOPLE
from cudnn_assistant.report.tokens import ADDRESSES, ASSIGNED, SERIALS, TOKENS, without_random

HIDDEN = "***"
MARK = re.compile(r"\b(user|folder|share|host|id|GPU(?!-\d{4})|MIG(?!-\d{4}))-ü?(\d+)(?![\w-])")
"""What stands in place of a name; the same in all reports. GPU-11112222 begins a UUID."""


class Marks:
    """Short stable marks for what must not be named: user-1, GPU-2 …

    ``given`` is text that holds marks already: of a report that is redacted again. New marks
    count on from them, so that no two things share one.
    """

    def __init__(self, given: Iterable[str] = ()) -> None:
        self._given: dict[tuple[str, str], str] = {}
        self._last: dict[str, int] = {}
        for text in given:
            for kind, number in MARK.findall(text):
                self._last[kind] = max(self._last.get(kind, 0), int(number[:6]))

    def mark(self, kind: str, value: str) -> str:
        """The mark of ``value``; the same value gets the same mark, small or capital letters.

        A name with letters beyond ASCII gets a mark with one, because that alone can be a cause.
        """
        key = (kind, value.casefold())
        if key not in self._given:
            self._last[kind] = self._last.get(kind, 0) + 1
            self._given[key] = f"{kind}-{'' if value.isascii() else 'ü'}{self._last[kind]}"
        return self._given[key]

    def device(self, kind: str, value: str) -> str:
        """The mark of a GPU; the beginning of its UUID, which CUDA takes as well, gets the same."""
        for (given, whole), mark in self._given.items():
            if given == kind and whole.startswith(value.casefold()):
                return mark
        return self.mark(kind, value)


class Cleaner(Protocol):
    """What cleans a path (see paths.py)."""

    def clean(self, path: str) -> str:
        """One path or list of paths."""

    def homes(self, text: str) -> str:
        """The owners of home folders in a text."""

    def within(self, text: str) -> str:
        """Every path inside of a sentence."""


_DEVICE = re.compile(r"\b(GPU|MIG)-([0-9a-f]{4,8}(?:-[0-9a-f]{2,12}){0,4})\b", re.IGNORECASE)
_UUID = re.compile(r"\b[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}\b")
_URL = re.compile(
    r"(?i)\b([a-z][a-z0-9+.-]{1,15})://(?:[^/@\s\"']*@)?"
    r"(\[[\da-fA-F:.]*\]|[^/\s\"'?#:]*)([^\s\"']*)"
)
_PUBLIC = re.compile(
    r"(?i)(?:.+\.)?(?:nvidia\.com|github\.com|pytorch\.org|tensorflow\.org|microsoft\.com|"
    r"python\.org|ubuntu\.com|debian\.org|conda\.io|anaconda\.(?:org|com))"
)
_MADE_BY = re.compile(
    r"(?i)/(?:nvidia|pytorch|tensorflow|jax-ml|google|openxla|microsoft|cupy|opennmt|conda-forge"
    r"|python|pypa|astral-sh|pkgs|main|free|archive|miniconda|numba|rapidsai|bioconda)(?:/|$)"
)
"""Whose repositories are everybody's; another owner may be the person."""
_OWNED = re.compile(r"(?i)github|anaconda")
"""Where everybody has a folder of their own."""
_PORT = re.compile(r":\d{1,5}\b")
_IPV4 = re.compile(r"(?<![\w.+-])(?:\d{1,3}\.){3}\d{1,3}(?::\d{2,5})?(?![\w.+-])")
_CUDNN = re.compile(r"9\.(?:\d|[1-4]\d)\.\d\.\d{1,3}|8\.\d\.[0-7]\.\d{1,3}")
"""cuDNN's versions have four numbers as an IP address has: 9.10.2.21."""
_VERSION_BEFORE = re.compile(
    r"(?i)(?:version|cudnn|cublas\w*|cuda|driver|nvrtc|release|runtime|compiled|loaded"
    r"|component\s+\w+|library|v|==|>=|<=|~=|with:?|for|than|\()[\s:=]*$"
    r"|(?-i:(?:^|[\s,])(?!\w*addr=|ip=|host=|src=|dst=|gw=|server=)[a-z][\w.+-]*=$)"
)
_ACCOUNT = re.compile(
    r"(?<![^\s\"'(=])(?!HK|NT |BUILTIN|NVIDIA|CUDNN|CUDA)"
    r"(?:[A-Z][A-Z0-9-]{1,14}|AzureAD|MicrosoftAccount)\\(?!v?\d)[\w$-]+(?:\.[\w$-]+)?"
    r"(?=[\s\"'),:]|\.?$)"
)
"""DOMAIN\\person, as Windows names an account; not a folder and a file in it."""
_FILE = re.compile(r"(?i)\.(?:dll|exe|pyd|py|lib|h|txt|json|sys|inf|bat|ps1|whl|so[\d.]*)$")
_PATH_BEFORE = re.compile(r"\\[^\"'<>|*?;]*$")
_TECHNICAL = re.compile(
    r"(?i)cuda|cudnn|nvidia|nvrtc|cublas|python|conda|torch|tensorflow|gpu|users?|root|admin|test|"
    r"driver|library|system|linux|windows|ubuntu|debian|home|data|work|lib|bin|usr|opt|local|tmp|"
    r"ok|error|load|handle|start|version|stage|default|none|true|false|dev|build|run|app|main"
)
"""Names that are also words of the field: as a person's name they are hidden in paths alone."""


def scrub(text: str, marks: Marks, paths: Cleaner, *, people: Iterable[str], host: str) -> str:
    """``text`` without credentials, addresses, serials, and names of people and computers."""
    if not text:
        return text
    text = _without(PIPED, text)
    text = without_arguments(text, HIDDEN)
    text = without_hosts(text, lambda name: marks.mark("host", name))
    text = _without(PEOPLE, text)
    text = _without(ASSIGNED, text)
    text = TOKENS.sub(HIDDEN, text)
    text = _URL.sub(lambda match: _address(match, marks), text)
    text = _DEVICE.sub(lambda match: marks.device(match[1].upper(), match[0]), text)
    text = _UUID.sub(lambda match: marks.mark("id", match[0]), text)
    text = _without(SERIALS, text)
    text = CLOUD.sub(lambda match: marks.mark("folder", match[0]), text)
    text = paths.within(text)
    text = _without(ADDRESSES, text)
    text = _IPV4.sub(_ip, text)
    text = _ACCOUNT.sub(_account, text)
    return _names(without_random(text, HIDDEN), marks, people, host)


def _without(patterns: Iterable[re.Pattern[str]], text: str) -> str:
    for pattern in patterns:
        text = pattern.sub(lambda match: match.groupdict().get("kept", "") + HIDDEN, text)
    return text


def _address(match: re.Match[str], marks: Marks) -> str:
    scheme, host, rest = match[1], match[2], match[3]
    if scheme.lower() == "file" and not host:
        return match[0]
    if _PUBLIC.fullmatch(host):
        foreign = _OWNED.search(host) and not _MADE_BY.match(rest)
        return f"{scheme}://{host}{'/' + HIDDEN if foreign and rest.strip('/') else rest}"
    if host and not MARK.fullmatch(host) and not somebodys(host.strip("[]")):
        port = _PORT.match(rest)
        rest = rest[port.end() :] if port else rest
        told = "/" + HIDDEN if rest.strip("/") else rest
        return f"{scheme}://{host}{port[0] if port else ''}{told}"
    known = host == HIDDEN or MARK.fullmatch(host)
    return f"{scheme}://{host if known else marks.mark('host', host)}/{HIDDEN}"


def _ip(match: re.Match[str]) -> str:
    numbers = match[0].split(":")[0].split(".")
    if any(int(number) > 255 for number in numbers) or _CUDNN.fullmatch(match[0]):
        return match[0]
    if numbers[0] == "127" or set(numbers) == {"0"}:
        return match[0]  # every computer's own
    before = match.string[max(0, match.start() - 40) : match.start()]
    return match[0] if _VERSION_BEFORE.search(before) else HIDDEN


def _account(match: re.Match[str]) -> str:
    inside_path = _PATH_BEFORE.search(match.string[: match.start()])
    return match[0] if inside_path or _FILE.search(match[0]) else HIDDEN


def _names(text: str, marks: Marks, people: Iterable[str], host: str) -> str:
    kinds = [("user", name) for name in people] + ([("host", host)] if host else [])
    if "." in host:
        kinds.append(("host", host.partition(".")[0]))
    for kind, name in sorted(kinds, key=lambda pair: (-len(pair[1]), pair)):
        if len(name) > 2 and not _TECHNICAL.fullmatch(name):
            text = re.sub(
                rf"(?i)(?<![\w-]){re.escape(name)}(?![\w-])", marks.mark(kind, name), text
            )
    return text
