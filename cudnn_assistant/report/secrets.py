"""Names and secrets inside a text: what isn't known to be harmless is left out."""

from __future__ import annotations

import re
from collections.abc import Iterable

from cudnn_assistant.report.known import only_known, somebodys, vocabulary
from cudnn_assistant.report.marks import HIDDEN, MARK, Marks
from cudnn_assistant.report.paths import Paths

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
    r"|component\s+\w+|library|nvidia-cu[a-z]{1,12}-cu1\d|v|==|>=|<=|~=)[\s:=]*$"
    r"|(?:^|[\s,])(?:cu|nv|lib|torch|tensorflow|onnx|version|driver)[\w.+-]*=$"
)
_SYSLOG = re.compile(
    r"^((?:<\d{1,3}>)?(?:\w{3} [ \d]\d [\d:]{8}|\d{4}-\d\d-\d\dT[\d:.,]{8,16}(?:Z|[+-][\d:]{4,5})?)"
    r"\s)(?!(?:DEBUG|INFO|NOTICE|WARN|WARNING|ERROR|CRITICAL|FATAL)\s)"
    r"(\S{1,80})(?=\s(?:kernel|[\w./-]{1,60}\[\d{1,10}\]):)"
)
"""A moment and the computer that wrote the line, before who said it."""
_CREDENTIAL = re.compile(
    r"(?i)(?P<kept>(?<![\w.-])[\w.-]{0,60}?(?:pass\w{0,12}|pwd?|secret\w{0,8}|token|creds?|credentials?"
    r"|auth|authorization|cookie|signature|sig|sid|session\w{0,6}|login|pat|pin|cvv|cvc|otp|webhook|key"
    r"|key[_-]id|kennwort|mot de passe|senha|contrase.a|пароль|密码|密碼|パスワード|비밀번호)s?"
    r"\d{0,2}[\"'\\]{0,3}"
    r"(?:\s{0,3}[=：:](?!:)\s{0,3}|\s(?:is\s)?(?=\S{0,80}\d)))(?=\S)(?!\*\*\*|⟨).+"
)
"""What a name that may be a password's is said to hold, to the end of the line."""
_OPTION = re.compile(
    r"(?i)(?P<kept>\b(?:sshpass -p ?|(?<=\s-)u ?\S{1,40}:"
    r"|pass(?:word|phrase|wort)\s(?:is\s)?(?!for\b|to\b|in\b)"
    r"|echo (?=[^|\n]{1,80}\|[^\n]{0,80}(?:-S|stdin)\b))"
    r"|(?<!\S)--?[\w.-]{0,40}(?:pass|pw|pin|key|secret|token|cred|auth|user)[\w.-]{0,40}\s)"
    r"(?!\*\*\*).+"
)
"""What programs take as a secret, and what is said to be one, likewise."""
_ADDRESS = re.compile(
    r"\b[0-9A-Fa-f]{2}(?:[:-][0-9A-Fa-f]{2}){5}\b"
    r"|(?<![\w:.])(?=[0-9A-Fa-f:]{0,40}(?:::|[A-Fa-f]))(?!::1?(?![\w:]))(?:[0-9A-Fa-f]{0,4}:){2,7}"
    r"[0-9A-Fa-f]{1,4}(?![\w:.])"
)
"""Addresses of network cards, which can consist of small numbers alone."""
_NUMBERS = re.compile(
    r"""(?ix)(?<![\w.,:/+*-])[+-]?(?:
    # a telephone's, a card's, a citizen's
    (?<=\+)\d{1,3}(?:[ -]\d{1,7}){2,6} |
    (?=(?:\d\ ?){9}|(?:\d-?){9}) \d{2,6}([ -])\d{2,7}(?:\1\d{1,7}){1,8}
    | \d{3}\.\d{3,4}\.\d{3,4}[.-]\d\d
    # a day before CUDA was
    | \d{1,2}([./-])\d{1,2}\2(?:19\d\d|200[0-5])
    | (?:19\d\d|200[0-5])([./-])\d{1,2}\3\d{1,2}
    # a place on the earth, a network card as Cisco writes it
    | \d{1,3}\.\d{4,9}\s{0,2}[,;/\ ]\s{0,2}[-+]?\d{1,3}\.\d{4,9}
    | [\da-f]{4}\.[\da-f]{4}\.[\da-f]{4}
    )(?![\w.:/-])"""
)
"""Numbers that are one person's or one computer's, each of which alone could be a version."""


def scrub(text: str, marks: Marks, paths: Paths, *, people: Iterable[str], host: str) -> str:
    """``text`` with what is known to be harmless; the rest is marked or left out."""
    if not text:
        return text
    text = _SYSLOG.sub(lambda match: match[1] + _computer(match[2], marks), text)
    for secret in (_CREDENTIAL, _OPTION):
        text = secret.sub(rf"\g<kept>{HIDDEN}", text)
    text = _URL.sub(lambda match: _address(match, marks), text)
    text = _DEVICE.sub(lambda match: marks.device(match[1].upper(), match[0]), text)
    text = _UUID.sub(lambda match: marks.mark("id", match[0]), text)
    text = paths.within(text)
    text = _IPV4.sub(_ip, _NUMBERS.sub(HIDDEN, _ADDRESS.sub(HIDDEN, text)))
    return _names(only_known(text), marks, people, host)


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


def _computer(name: str, marks: Marks) -> str:
    return marks.mark("host", name) if somebodys(name) else name


def _ip(match: re.Match[str]) -> str:
    numbers = match[0].split(":")[0].split(".")
    if any(int(number) > 255 for number in numbers) or _CUDNN.fullmatch(match[0]):
        return match[0]
    if numbers[0] == "127" or set(numbers) == {"0"}:
        return match[0]  # every computer's own
    before = match.string[max(0, match.start() - 40) : match.start()]
    return match[0] if _VERSION_BEFORE.search(before) else HIDDEN


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
