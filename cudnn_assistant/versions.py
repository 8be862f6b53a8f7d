"""Versions as numbers: the one reading of a version's text, what is older, and how people say it.

What stands behind the numbers never counts: "2.9.0rc1", "2.9.0+cu130" and "2.9.0" are one version,
because all builds of a release share its needs. What pip compares (a package against a demand) is
left to ``packaging``, which knows more.
"""

from __future__ import annotations

import re
from functools import lru_cache

from cudnn_assistant.regex import regex

_LEADING = regex(r"\s*[vVrR]?(\d{1,9}(?:\.\d{1,9}){0,7})")


@lru_cache(4096)
def numbers(text: str) -> tuple[int, ...]:
    """The leading dotted numbers: "v9.8" and "9.8" are (9, 8), "R580" is (580,); () for none."""
    match = _LEADING.match(text)
    return tuple(int(part) for part in match[1].split(".")) if match else ()


def older(one: str, other: str) -> bool:
    """Whether the first version is lower, as far as both are known: "12" may well be 12.8."""
    pairs = zip(numbers(one), numbers(other), strict=False)
    return next((a < b for a, b in pairs if a != b), False)


def major(text: str) -> int:
    """The first number of a version, 0 when it has none."""
    return (numbers(text) or (0,))[0]


def series(text: str) -> str:
    """The first two numbers: "12.4" of "12.4.1"; one where there is no second, "" for none."""
    return ".".join(map(str, numbers(text)[:2]))


def of_cuda(number: int) -> str:
    """CUDA's version by its own number: 12090 is "12.9"."""
    return f"{number // 1000}.{number % 1000 // 10}"


def dotted(cuda: str) -> str:
    """CUDA's version from the spellings of wheels: "112", "64_112" → "11.2", "12" → "12".

    >>> [dotted(text) for text in ("64_112", "100", "92", "12", "13.0")]
    ['11.2', '10.0', '9.2', '12', '13.0']
    """
    digits = cuda.removeprefix("64_")
    if not re.fullmatch(r"\d{2,3}", digits) or (len(digits) == 2 and digits < "40"):
        return digits
    return f"{digits[:-1]}.{digits[-1]}"


def short(text: str) -> str:
    """A version as people say it: "9.10.2", and "9.8" for 9.8.0."""
    parts = numbers(text)[:3]
    return ".".join(str(part) for part in (parts[:2] if parts[2:] == (0,) else parts))
