"""Names and secrets inside a text: what isn't known to be harmless is left out."""

from __future__ import annotations

import re
from collections.abc import Iterable

from cudnn_assistant.report.known import only_known, somebodys, vocabulary
from cudnn_assistant.report.marks import HIDDEN, MARK, Marks
from cudnn_assistant.report.paths import Paths
from cudnn_assistant.report.patterns import expressions

_P = expressions("secrets")


def scrub(text: str, marks: Marks, paths: Paths, *, people: Iterable[str], host: str) -> str:
    """``text`` with what is known to be harmless; the rest is marked or left out."""
    if not text:
        return text
    text = _P["syslog"].sub(lambda match: match[1] + _computer(match[2], marks), text)
    for secret in (_P["credential"], _P["option"]):
        text = secret.sub(rf"\g<kept>{HIDDEN}", text)
    text = _P["url"].sub(lambda match: _address(match, marks), text)
    text = _P["device"].sub(lambda match: marks.device(match[1].upper(), match[0]), text)
    text = _P["uuid"].sub(lambda match: marks.mark("id", match[0]), text)
    text = paths.within(text)
    text = _P["ipv4"].sub(_ip, _P["numbers"].sub(HIDDEN, _P["address"].sub(HIDDEN, text)))
    return _names(only_known(text), marks, people, host)


def _address(match: re.Match[str], marks: Marks) -> str:
    scheme, host, rest = match[1], match[2], match[3]
    if scheme.lower() == "file" and not host:
        return match[0]
    if _P["public"].fullmatch(host):
        foreign = _P["owned"].search(host) and not _P["made-by"].match(rest)
        return f"{scheme}://{host}{'/' + HIDDEN if foreign and rest.strip('/') else rest}"
    if host and not MARK.fullmatch(host) and not somebodys(host.strip("[]")):
        port = _P["port"].match(rest)
        rest = rest[port.end() :] if port else rest
        told = "/" + HIDDEN if rest.strip("/") else rest
        return f"{scheme}://{host}{port[0] if port else ''}{told}"
    known = host == HIDDEN or MARK.fullmatch(host)
    return f"{scheme}://{host if known else marks.mark('host', host)}/{HIDDEN}"


def _computer(name: str, marks: Marks) -> str:
    return marks.mark("host", name) if somebodys(name) else name


def _ip(match: re.Match[str]) -> str:
    numbers = match[0].split(":")[0].split(".")
    if any(int(number) > 255 for number in numbers) or _P["cudnn"].fullmatch(match[0]):
        return match[0]
    if numbers[0] == "127" or set(numbers) == {"0"}:
        return match[0]  # every computer's own
    before = match.string[max(0, match.start() - 40) : match.start()]
    return match[0] if _P["version-before"].search(before) else HIDDEN


def _names(text: str, marks: Marks, people: Iterable[str], host: str) -> str:
    kinds = [("user", name) for name in people] + ([("host", host)] if host else [])
    if "." in host:
        kinds.append(("host", host.partition(".")[0]))
    for kind, name in sorted(kinds, key=lambda pair: (-len(pair[1]), pair)):
        # One that is a word of the field as well is hidden in paths alone.
        if len(name) > 2 and name.lower() not in vocabulary():
            text = re.sub(
                rf"(?i)(?<![\w-]){re.escape(name)}(?![\w-])", marks.mark(kind, name), text
            )
    return text
