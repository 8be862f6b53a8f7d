"""Versions, GPUs and frameworks: how people spell them, and how they deny."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping, Sequence
from functools import cache

import msgspec

from cudnn_assistant import places
from cudnn_assistant.compat import Compat, gpu_compute
from cudnn_assistant.versions import numbers

Version = tuple[int, ...]

_FIRST_JOINED = 50
"""Digits from here on are a major and a minor: 92 is 9.2, 12 is 12."""
_CAPABILITY = re.compile(
    r"(?:capability|compute|\bcc) ?(?:is |of |: ?)?(\d{1,2}\.\d)\b|\bsm_?(\d{2,3})\b", re.IGNORECASE
)


class Denial(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Words by which it is told whether something is denied, or works."""

    denials: frozenset[str]
    praise: frozenset[str]
    runs: frozenset[str]
    fillers: frozenset[str]
    behind: str


class Spellings(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The table ``resources/errors/spellings.toml``."""

    framework_names: Mapping[str, Sequence[str]]
    gpus: Sequence[tuple[str, str]]
    """Pattern, and the product that it means."""
    meant: Sequence[tuple[str, str]]
    """Pattern, and what stands in its place when facts are read."""
    facts: Sequence[tuple[str, str]]
    """Field of the facts, and a pattern whose first group is its value."""
    systems: Sequence[tuple[str, str]]
    said: Mapping[str, str]
    containers: Sequence[tuple[str, str]]
    builds: Sequence[str]
    versioned: Sequence[str]
    version_behind: str
    code_pages: Sequence[tuple[str, Sequence[str]]]
    alarm: Sequence[str]
    subject: Sequence[str]
    denial: Denial
    called: Mapping[str, str]


@cache
def known() -> Spellings:
    """The table of spellings, read once."""
    text = places.resource("errors/spellings.toml").read_text(encoding="utf-8")
    return msgspec.convert(tomllib.loads(text), Spellings)


def says(what: str, text: str) -> bool:
    """Whether a text says something that the table has words for."""
    return bool(re.search(known().said[what], text, re.IGNORECASE))


def version(text: str) -> Version:
    """The first dotted number in ``text`` as integers; () when there is none."""
    found = re.search(r"(?<![\d.])\d{1,5}(?:\.\d{1,6}){0,4}", text)
    return numbers(found.group()) if found else ()


def version_text(v: Version) -> str:
    """A version with dots; "" for none."""
    return ".".join(map(str, v))


def driver_text(v: Version) -> str:
    """A driver's version: each of its numbers but the first has two digits or more."""
    return ".".join(f"{number:02}" for number in v)


def versions(text: str) -> set[str]:
    """All numbers in ``text`` that look like versions, as they stand there."""
    return set(re.findall(r"(?<![\d.])v?(\d{1,3}(?:\.\d{1,6}){0,4})(?![\d.]*[ -]?bit)", text))


def cuda_number(said: str, minor: str = "") -> Version:
    """A CUDA version as files and packages spell it: 11.8, 118, 92; "cu12" has only its major."""
    joined = said.isdigit() and int(said) >= _FIRST_JOINED
    return numbers(f"{said[:-1]}.{said[-1]}" if joined else f"{said}.{minor}".strip("."))


def cudnn_number(text: str) -> Version:
    """A cuDNN version in any of its spellings: 8.3.2, "(8, 3, 2)", 7301, 8904, 90100."""
    parts = [int(part) for part in re.findall(r"\d{1,6}", text)[:4]]
    if len(parts) != 1 or parts[0] < 1000:
        return tuple(parts)
    whole = parts[0]
    scale = 10000 if whole >= 90000 else 1000
    return (whole // scale, whole % scale // 100, whole % 100)


def compute_of(compat: Compat, name: str) -> str:
    """Compute capability by a product's name, "" when it is not known.

    A capability that stands beside the name wins: "RTX 5000 series (compute capability 12.0)".
    """
    if said := _CAPABILITY.search(name):
        return capability(said[1] or said[2])
    found = gpu_compute(compat, name)
    if found is None:
        meant = (p for spelling, p in known().gpus if re.search(spelling, name, re.IGNORECASE))
        found = gpu_compute(compat, next(meant, ""))
    return found or ""


def capability(said: str) -> str:
    """Of "86", as in sm_86, and of "8.6"."""
    return said if "." in said else f"{said[:-1]}.{said[-1]}"


_CLAUSE = re.compile(r"[^.;:,()\n]{0,60}\Z")
_WORD = re.compile(r"[a-z']+")


def denied(text: str, start: int, end: int) -> bool:
    """Whether what stands from ``start`` to ``end`` is denied, in the same clause.

    Two denials before it are none: of "doesn't work in Docker" and "works without Docker" neither
    denies.
    """
    words = known().denial
    if re.compile(words.behind, re.IGNORECASE).match(text, end):
        return True
    clause = _CLAUSE.search(text, max(0, start - 60), start)
    flips, praised = 0, False
    for word in reversed(_WORD.findall(clause.group().lower() if clause else "")):
        if word in words.praise or (flips and word in words.runs):
            flips += not praised
            praised = True
        elif word in words.denials or word.endswith("n't"):
            flips += 1
        elif word not in words.fillers:
            break
    return flips % 2 == 1


def affirmed(pattern: str, text: str) -> bool:
    """Whether the pattern occurs anywhere without being denied there."""
    found = re.finditer(pattern, text, re.IGNORECASE)
    return any(not denied(text, *match.span()) for match in found)
