"""Names and secrets inside a text: credentials, addresses, serials, people, computers."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterable
from typing import Protocol

HIDDEN = "***"


class Marks:
    """Short stable marks for what must not be named: user-1, GPU-2 …"""

    def __init__(self) -> None:
        self._given: dict[tuple[str, str], str] = {}

    def mark(self, kind: str, value: str) -> str:
        """The mark of ``value``; the same value gets the same mark, small or capital letters.

        A name with letters beyond ASCII gets a mark with one, because that alone can be a cause.
        """
        key = (kind, value.casefold())
        if key not in self._given:
            number = sum(1 for given, _ in self._given if given == kind) + 1
            self._given[key] = f"{kind}-{'' if value.isascii() else 'ü'}{number}"
        return self._given[key]


class Cleaner(Protocol):
    """What cleans a path (see paths.py)."""

    def clean(self, path: str) -> str:
        """One path or list of paths."""

    def homes(self, text: str) -> str:
        """The owners of home folders in a text."""


_DEVICE = re.compile(r"\b(GPU|MIG)-[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}\b")
_UUID = re.compile(r"\b[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}\b")
_SERIAL = re.compile(r"(?i)\b(serial(?:[ _-]?(?:number|no\.?))?\s*[:=]?\s*)([A-Z0-9-]{6,})")
_URL = re.compile(r"(?i)\b([a-z][a-z0-9+.-]{1,15})://(?:[^/@\s\"']*@)?([^/\s\"'?#:]+)([^\s\"']*)")
_PUBLIC = re.compile(
    r"(?i)(?:.+\.)?(?:nvidia\.com|github\.com|pytorch\.org|tensorflow\.org|microsoft\.com|"
    r"python\.org|ubuntu\.com|debian\.org|conda\.io|anaconda\.org)"
)
_MAIL = re.compile(r"[A-Za-z0-9._%+-]{1,64}@[A-Za-z0-9-]{1,63}(?:\.[A-Za-z0-9-]{1,63}){0,8}")
_ASSIGNED = re.compile(
    r"(?i)(\b[\w.-]*(?:key|token|secret|passw(?:or)?d|pwd|credential|auth(?:orization)?)s?\b"
    r"[\"']?\s*[:=]\s*[\"']?(?:bearer\s+|basic\s+)?)([^\s\"',;&]+)"
)
_KNOWN_TOKENS = re.compile(
    r"\b(?:gh[opsu]_[A-Za-z0-9]{16,}|github_pat_\w{16,}|glpat-[\w-]{12,}|hf_[A-Za-z0-9]{12,}|"
    r"sk-[\w-]{12,}|AKIA[A-Z0-9]{12,}|xox[abpr]-[\w-]{8,}|nvapi-[\w-]{12,}|pypi-[\w-]{12,}|"
    r"eyJ[\w-]{8,}\.[\w-]+(?:\.[\w-]+)?)"
)
_RANDOM = re.compile(r"(?<![\w/\\.+:-])[A-Za-z0-9_+=-]{20,}(?:/[A-Za-z0-9_+=-]{4,})*(?![\w/\\.])")
_MAC = re.compile(r"\b[0-9A-Fa-f]{2}(?:[:-][0-9A-Fa-f]{2}){5}\b")
_IPV6 = re.compile(
    r"(?<![\w:.])(?:(?:[0-9A-Fa-f]{1,4}:){7}[0-9A-Fa-f]{1,4}"
    r"|(?:[0-9A-Fa-f]{1,4}:){0,6}[0-9A-Fa-f]{0,4}::(?:[0-9A-Fa-f]{1,4}:){0,6}[0-9A-Fa-f]{1,4})(?![\w:])"
)
"""Eight groups or a double colon; a PCI address (0000:01:00.0) has neither."""
_IPV4 = re.compile(r"(?<![\w.+=-])(?:\d{1,3}\.){3}\d{1,3}(?::\d{2,5})?(?![\w.+-])")
_VERSION_BEFORE = re.compile(
    r"(?i)(?:version|cudnn|cublas\w*|cuda|driver|nvrtc|release|runtime|compiled|loaded|component\s+\w+|"
    r"library|v|==|>=|<=|~=|with:?|for|than|\()[\s:=]*$"
)
_PATH = re.compile(
    r"(?<![\w/\\.:-])(?:[A-Za-z]:[\\/]|\\\\(?![?.])|/(?=[\w.])|~/)[^\s\"'<>|*?;,()\[\]]*"
)
_PROMPT = re.compile(r"\b[\w.-]+@[\w.-]+(?=[:~])")
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
    text = _ASSIGNED.sub(rf"\1{HIDDEN}", text)
    text = _KNOWN_TOKENS.sub(HIDDEN, text)
    text = _URL.sub(lambda match: _address(match, marks), text)
    text = _DEVICE.sub(lambda match: marks.mark(match[1].upper(), match[0]), text)
    text = _UUID.sub(lambda match: marks.mark("id", match[0]), text)
    text = _SERIAL.sub(rf"\1{HIDDEN}", text)
    text = _PROMPT.sub(HIDDEN, _MAIL.sub(HIDDEN, text))
    text = _MAC.sub(HIDDEN, text)
    text = _IPV6.sub(HIDDEN, text)
    text = _IPV4.sub(_ip, text)
    text = _all_paths(text, paths)
    text = _RANDOM.sub(lambda match: HIDDEN if _looks_random(match[0]) else match[0], text)
    return _names(text, marks, people, host)


def _all_paths(text: str, paths: Cleaner) -> str:
    whole = re.match(r"^[\"\s]*(?:[A-Za-z]:[\\/]|\\\\|/|~/|%\w+%[\\/]|\$\w+/)[^\n<>|]*$", text)
    if whole and not re.search(r"\s(?:is|was|not|can't|cannot|from|to|in|because)\s|: ", text):
        return paths.clean(text)
    text = paths.homes(text)
    return _PATH.sub(lambda match: paths.clean(match[0]), text)


def _address(match: re.Match[str], marks: Marks) -> str:
    scheme, host, rest = match[1], match[2], match[3]
    if scheme.lower() == "file":
        return match[0]
    if _PUBLIC.fullmatch(host):
        return f"{scheme}://{host}{rest}"
    return f"{scheme}://{host if _mark(host) else marks.mark('host', host)}/{HIDDEN}"


def _mark(name: str) -> bool:
    return re.fullmatch(r"host-ü?\d+", name) is not None


def _ip(match: re.Match[str]) -> str:
    numbers = match[0].split(":")[0].split(".")
    if any(int(number) > 255 for number in numbers):
        return match[0]
    # A cuDNN version has four numbers as well: 9.10.2.21.
    before = match.string[max(0, match.start() - 40) : match.start()]
    return match[0] if _VERSION_BEFORE.search(before) else HIDDEN


def _looks_random(text: str) -> bool:
    """Whether a run of letters and digits is more like a key than like a name."""
    digits = sum(c.isdigit() for c in text)
    if digits < 2 or digits == len(text) or re.fullmatch(r"[\w]+(?:[-_][a-z]+){2,}", text):
        return False
    counts = Counter(text)
    entropy = -sum(n / len(text) * math.log2(n / len(text)) for n in counts.values())
    return entropy > 3.4


def _names(text: str, marks: Marks, people: Iterable[str], host: str) -> str:
    kinds = [("user", name) for name in people] + ([("host", host)] if host else [])
    if "." in host:
        kinds.append(("host", host.partition(".")[0]))
    for kind, name in sorted(kinds, key=lambda pair: -len(pair[1])):
        if len(name) > 2 and not _TECHNICAL.fullmatch(name):
            text = re.sub(
                rf"(?i)(?<![\w-]){re.escape(name)}(?![\w-])", marks.mark(kind, name), text
            )
    return text
