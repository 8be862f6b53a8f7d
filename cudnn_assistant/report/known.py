"""What may stay in a text that people post: words of the field, versions, codes, known names.

A list of what to hide can't be finished, so this is one of what is kept. Its words are those of
the messages that ``explain`` knows, of the public reports it learned from, of our own sentences
and of the compatibility data. Everything takes time that is linear in the text.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from functools import cache

from cudnn_assistant import places
from cudnn_assistant.compat import load_builtin
from cudnn_assistant.explain.patterns import patterns
from cudnn_assistant.explain.similar_reports import reports
from cudnn_assistant.report.marks import HIDDEN, LEFT_OUT, MARK
from cudnn_assistant.report.paths import known_name

_COMMON = 2
"""Public reports that must hold a word: what one person alone wrote may be a name."""
_LONGEST = 120
"""Characters of a name that is kept."""
_WORD = re.compile(r"[^\W\d_]{1,40}")
_IN_REPORTS = re.compile(r"(?<![^\W_])[^\W\d_]{1,40}\d{0,3}(?![^\W_])")
"""With the number behind it: a program called brian2 makes no word of the name."""
_LOOKED_UP = re.compile(r"(?m)^(?:source = |#).*|\\n")
"""Where a cause can be looked up names people, and a comment is no sentence of ours."""
_FOLDERS = re.compile(r"[/\\][\w.~-]{1,80}(?=[/\\])")


@cache
def vocabulary() -> frozenset[str]:
    """Words in small letters."""
    common = Counter(
        word for report in reports() for word in set(_IN_REPORTS.findall(report.log.lower()))
    )
    words = {word for word, count in common.items() if count >= _COMMON}
    for pattern in patterns():
        words.update(_words(" ".join((*pattern.find, pattern.means))))
        words.update(_words(_FOLDERS.sub(" ", pattern.example)))
    for folder in ("words", "causes"):
        for file in places.resource(folder).glob("*.toml"):
            words.update(_words(_LOOKED_UP.sub(" ", file.read_text("utf-8"))))
    words.update(_words(places.resource("errors/known_words.txt").read_text("utf-8")))
    data = load_builtin()
    names = (*data.gpus, *data.pci.values(), *(one.name for one in data.frameworks))
    return frozenset(words | set(_words(" ".join(names))))


def _words(text: str) -> Iterator[str]:
    return (match[0].lower() for match in _WORD.finditer(text))


_FIELD = (
    r"nvidia|cudnn|cublas|cuda|cu|lib|torch|tensorflow|tf|jax|onnx|onnxruntime|python|linux|windows|x86|amd64"
    r"|rtx|gtx|py|pytorch|cupy|numba|triton|flash|llama|tensorrt|mxnet|sm|compute|ubuntu|debian|rhel|gcc|pip"
)
_SHAPE = re.compile(
    rf"""(?ix)
    \W*
    | [-+]?\d{{1,5}}(?:\.\d{{1,6}})?(?:e[-+]?\d{{1,3}}|%|x|[kmgt]i?b?|[mun]?s|[mg]?hz|[bwcp]|bit
      |st|nd|rd|th)?
    | v?\d{{1,5}}(?:\.\d{{1,5}}){{1,4}}(?:[-+.~]?(?:rc|a|b|c|post|dev|build|cu|cpu|gpu|lts|beta
      |alpha|p|el|fc|ubuntu|generic|aws|azure|gcp|microsoft|standard|wsl|archive|base|runtime|devel|arch
      |cuda|cudnn|py|r|g|-|\+|\.|~|\d){{0,6}}){{0,2}}
    | [dlcbps-][rwxst-]{{5,9}} | \d{{3}}\.x{{1,3}} | c10d | \d{{1,3}}-\d{{1,3}}
    | [0-9a-f]{{2}}\.[0-7]
    | lib(?:cu|nv|torch|tensorflow|onnx|python|stdc|gcc|c10|z|gomp|mkl|c|m|gl)\w{{0,40}}
      \.(?:so|a)[\d.]{{0,20}}
    | (?:cu|nv|torch|tensorflow|onnx|python|vcruntime|msvcp|zlibwapi|c10|mkl|api-ms)[\w-]{{0,40}}
      \.(?:dll|pyd|h|exe|lib)
    | 0x[0-9a-f]{{1,8}} | (?:32212|10737)\d{{5}}
    | \w{{0,30}}@?(?:GLIBC|GLIBCXX|CXXABI)_[\d.]{{1,12}}
    | \d{{4}}-\d\d-\d\d(?:T\d\d)? | \d{{1,2}}[.,]\d{{1,9}}(?:Z|[+-]\d\d)? | \d{{1,7}}\.\d{{6}}
    | (?:{_FIELD})[-_.]?v?\d{{1,4}}(?:[-_.]\d{{1,4}}){{0,4}}
    | (?-i:(?:CUDNN|CUDA|CUBLAS|NVML|NVRTC|CUFFT|CUSOLVER|NCCL)_?[A-Z0-9_]{{0,80}})
    | (?:WinError|Errno|Xid) | cudnn_assistant(?:\.[a-z_]{{1,40}}){{1,6}}
    | _Z\w{{0,20}}(?:cudnn|cublas|cask|torch|tensorflow|xla|onnxruntime|nvinfer)\w{{0,100}}
    """
)
"""Numbers and versions, codes, dates, symbols of the libraries."""
_SYMBOL = re.compile(
    r"_{0,2}(?:cudnn|cublas|cublasLt|cuda|nvrtc|nvml|nvJitLink|NVreg)[A-Z_]\w{0,60}"
)
_CAMEL = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])|\d+")
_NUMBERED = re.compile(r"([a-z]{1,30})\d{1,4}[a-z]?|\d{1,4}(?:[gmt]b?|x)")
_JOINT = re.compile(r"[^\w]+|_+")
_FIELDS_OWN = re.compile(
    rf"(?:lib)?(?:{_FIELD}|[a-z]{{1,2}}\d{{2,4}}[a-z]?)(?:[-_.\d]|$)", re.IGNORECASE
)
_TOKEN = re.compile(
    r"\w{1,16}://[^\s\"']{0,2000}|⟨left out⟩|\*\*\*|[^\s\"'(){}\[\]<>,;=|:：“”‘’`⟨⟩]+"
)
_AGAIN = re.compile(r"\*\*\*(?:[\s,:;.=/\\]{0,3}\*\*\*)+")


def only_known(text: str) -> str:
    """``text`` with every word that isn't known replaced by a mark, neighbours by one."""
    return _AGAIN.sub(HIDDEN, _TOKEN.sub(_token, text))


def _token(match: re.Match[str]) -> str:
    token = match[0]
    if "://" in token or token in (LEFT_OUT, HIDDEN) or known(token):
        return token
    if "/" in token or "\\" in token:
        pieces = re.split(r"([/\\]+)", token)
        return "".join(
            piece if number % 2 or not piece or known_name(piece) or known(piece) else HIDDEN
            for number, piece in enumerate(pieces)
        )
    return HIDDEN


def known(token: str) -> bool:
    """Whether a word says nothing of a person, a company or a computer."""
    bare = token.strip(".!?*…~&#-+@%$^/\\")
    return len(bare) <= _LONGEST and (
        _SHAPE.fullmatch(bare) is not None
        or MARK.fullmatch(bare) is not None
        or bare.lower() in vocabulary()
        or _SYMBOL.fullmatch(bare) is not None
        or _compound(bare)
    )


def _compound(bare: str) -> bool:
    """Several known words in one. Names of computers are made of words and numbers as well, so
    that only those of the field may hold both."""
    if "/" in bare or "\\" in bare or "@" in bare:
        return False
    parts = [part for part in _JOINT.split(bare) if part]
    if len(parts) > 1 and re.search(r"[.-]", bare) and re.search(r"\d", bare):
        return _FIELDS_OWN.match(bare) is not None and all(map(_simple, parts))
    return all(map(_simple, parts))


def _simple(part: str) -> bool:
    low = part.lower()
    if low in vocabulary() or (len(part) == 1) or (part.isdigit() and len(part) <= 5):
        return True
    numbered = _NUMBERED.fullmatch(low)
    if numbered:
        return len(numbered[1] or "") < 2 or numbered[1] in vocabulary()
    pieces = _CAMEL.findall(part.removeprefix("cu"))
    return (
        len(pieces) > 1
        and "".join(pieces) == part.removeprefix("cu")
        and all(
            (len(p) > 2 and p.lower() in vocabulary()) or (p.isdigit() and len(p) < 4)
            for p in pieces
        )
    )


_EVERYBODYS = re.compile(
    r"(?i)(?:localhost|ip6-\w+)(?:\.localdomain\d?)?|127(?:\.\d+){3}|0\.0\.0\.0|[\d.-]*\d|::1?"
    r"|(?:host|user|share|folder|id)-ü?\d+"
)


def somebodys(name: str) -> bool:
    """Whether a computer's name tells which one it is."""
    return _EVERYBODYS.fullmatch(name) is None
