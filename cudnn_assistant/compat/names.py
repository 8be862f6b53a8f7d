"""Which GPU a person means: "rtx4090", "P100", "DGX Spark", "GTX 1060 6GB", "10de:2684".

Pure. A name that several chips were sold under is never decided for the person.
"""

from __future__ import annotations

import re
from typing import Literal

from cudnn_assistant.compat.facts import Compat, once
from cudnn_assistant.compat.lookup import architecture, gpu_by_pci, order, plain_name
from cudnn_assistant.machine import Struct
from cudnn_assistant.regex import regex

Maker = Literal["", "amd", "intel", "apple", "jetson"]

_MAKERS: tuple[tuple[Maker, re.Pattern[str]], ...] = (
    ("jetson", regex(r"\b(jetson|orin|thor|tegra|tx[12]|xavier)\b")),
    (
        "amd",
        regex(
            r"\b(amd|radeon|ryzen|instinct|firepro|strix (halo|point)|rx ?(vega|[4-9]\d{2,3}\w*)"
            r"|vega ?(56|64|ii)|\d{4} ?(xtx?|gre)|mi\d{2,3}[ax]?|w[67][5-9]00)\b"
        ),
    ),
    ("intel", regex(r"\b(intel|arc( [ab]?\d+)?|iris|uhd|gaudi ?\d?|b580|a770)\b")),
    ("apple", regex(r"\b(apple|macbook)\b|\Am[1-5]( (pro|max|ultra))?\Z")),
)
_SERIES = regex(r"\b(rtx|gtx|gts|gt|mx|titan|quadro|tesla)(?=[a-z]?\d)|(?<=\d)(?=ti\b|super\b)")
_FAMILY = regex(r"\A[rgtx]{3} (?=\d{4}\b)")
"""Another family than the number's, or its letters in another order: "GTX 3090", "RXT 3090"."""
_SIZE = regex(r"\b(\d+ ?gb?|pcie?|sxm\d?\w*|nvl|hbm\d?e?|fhhl|gddr\d\w?|oem|ti gpu|gpu)\b")
_LAPTOP = regex(r"\b(laptop|mobile|max q|with max q design|notebook)\b")
_PRO = regex(r"(?<=\brtx )([1-6]?[05]00) pro\b")
"""NVIDIA writes "RTX PRO 6000"."""
_TYPED: tuple[tuple[re.Pattern[str], str], ...] = (
    (regex(r"[®™]|\((tm|r)\)"), " "),
    (regex(r"[()\[\],]"), " "),
    (regex(r"(?<=\d)o(?=\d|\b)"), "0"),
    (regex(r"(?<=[24]0[5-8]0)s\b|(?<=16[56]0)s\b"), " super"),
    (regex(r"(?<=\d{4})d\b"), " d"),
    (regex(r"(?<=\d) (rtx|gtx)\Z"), ""),
)
"""How people and shops write a name, and what stands for it in the data: "RTX(TM)", "2060S"."""
_SPELLED = {"dgx spark": "gb10", "grace hopper": "gh200", "rtx 6000 blackwell": "rtx pro 6000"}
_GRACE = regex(r"\b(grace|gh200|gb10|gb[23]00|dgx spark)\b")
_PCI = regex(r"(10de[: ](?:0x)?|0x)?([0-9a-f]{4})")


_CAPABILITY = regex(
    r"(?:(?:cc|sm|compute|(?:compute )?capability)[ _:-]*)?(\d{1,2}\.\d)"
    r"|(?:sm|compute)[ _-]?(\d{1,2})(\d)[af]?"
)
_COUNT = regex(r"\A\d{1,2} ?x ?(?=[a-z])|(?<=\d) ?x ?\d{1,2}\Z")
_OTHER_CHIP = {"ti", "super", "d", "max", "ada", "blackwell", "generation"}
"""Words that make another product of a name."""
_WORDS = 12
"""Of a longer text, no more are looked at."""
_CHARACTERS = 2000
"""What is longer names no GPU: a report of somebody's may hold anything in this place."""
_OURS = regex(r"\b(nvidia|geforce|[rg]tx|quadro|tesla)\b")


_Products = dict[str, set[str]]
"""Product, without its maker and family, → its capabilities."""


class Meant(Struct, kw_only=True):
    """What a text may mean."""

    computes: tuple[str, ...] = ()
    """Compute capabilities; one when the text decides, several when it doesn't."""
    names: tuple[str, ...] = ()
    """With several: a product for each, with its generation."""
    maker: Maker = ""
    """Not NVIDIA's, or a board whose software comes with its own system image."""
    arm: bool = False
    """Sold with an Arm processor only."""


def gpu_compute(compat: Compat, text: str) -> str | None:
    """Compute capability of the one GPU that a text names.

    "" for a name that was sold with several; None where none is known by it.
    """
    found = meant(compat, text).computes
    return None if not found else "" if len(found) > 1 else found[0]


@once
def meant(compat: Compat, text: str) -> Meant:
    """The GPU that a text names, as people write it."""
    if len(text) > _CHARACTERS:
        return Meant()
    table = _products(compat)
    if numbered := _CAPABILITY.fullmatch(text.strip().lower()):
        compute = numbered[1] or f"{numbered[2]}.{numbered[3]}"
        sold = [name for name, computes in table.items() if compute in computes]
        return Meant(
            computes=(compute,) if architecture(compat, compute).name else (),
            arm=bool(sold) and all(map(_GRACE.search, sold)),
        )
    plain = _plain(_bracketed(text))
    found = _by_id(compat, text) or _of_generation(compat, table, plain)
    found = found or _by_name(table, plain) or _among_words(table, plain)
    found = found or _by_name(table, _FAMILY.sub("", plain))
    named = () if _OURS.search(plain) else _MAKERS
    maker: Maker = next((one for one, pattern in named if pattern.search(plain)), "")
    boards = bool(found) and all(architecture(compat, one).board for one in found)
    if boards or (maker and (maker in ("jetson", "apple") or not found)):
        return Meant(maker=maker or "jetson", computes=tuple(found) if boards else ())
    arm = bool(_GRACE.search(plain))
    if len(found) < 2:
        return Meant(computes=tuple(found), arm=arm)
    names = tuple(f"{found[one]} ({architecture(compat, one).name}, {one})" for one in found)
    return Meant(computes=tuple(found), names=names)


def _bracketed(text: str) -> str:
    """ "GA102 [GeForce RTX 3090] (rev a1)", as lspci says, is what stands in brackets."""
    found = re.findall(r"\[([^\[\]]*[A-Za-z][^\[\]]*)\]", text)
    return found[-1] if found else text


def _among_words(table: _Products, plain: str) -> dict[str, str]:
    """The one product in a longer text: "EVGA GTX 1080 FTW", "2x RTX 3090".

    Not where another number, or a word that makes another product, stands beside it.
    """
    words = _LAPTOP.sub(" ", _SIZE.sub(" ", _COUNT.sub("", plain))).split()[:_WORDS]
    for length in range(len(words), 0, -1):
        for start in range(len(words) - length + 1):
            name = " ".join(words[start : start + length])
            rest = {*words[:start], *words[start + length :]}
            if re.search(r"\A[^a-z]*[a-z].*\d{3}|\b[a-z]\d", name) and (
                found := _by_name(table, name)
            ):
                taken = rest & _OTHER_CHIP or any(re.search(r"\d", word) for word in rest)
                return {} if taken else found
    return {}


def _plain(text: str) -> str:
    plain = text.lower()
    for typed, meant in _TYPED:
        plain = typed.sub(meant, plain)
    plain = plain_name(plain)
    spaced = re.sub(r"\s+", " ", _SERIES.sub(lambda found: f"{found[0]} ", plain))
    return _PRO.sub(r"pro \1", spaced).removeprefix("geforce ").strip()


def _by_id(compat: Compat, text: str) -> dict[str, str]:
    """By PCI id, "10de:2684" or four hexadecimal digits that aren't a number of a product."""
    found = _PCI.fullmatch(text.strip().lower())
    if not found or (not found[1] and found[2].isdecimal()):
        return {}
    name, compute = gpu_by_pci(compat, found[2])
    return {compute: name} if compute else {}


def _of_generation(compat: Compat, table: _Products, plain: str) -> dict[str, str]:
    """By a name with its generation, "TITAN X (Pascal)", "RTX 6000 Turing"."""
    name, _, generation = plain.rpartition(" ")
    found = _by_name(table, name) if name else {}
    same = (one for one in found if architecture(compat, one).name.lower() == generation)
    return {one: found[one] for one in same}


def _by_name(table: _Products, plain: str) -> dict[str, str]:
    """Capability → product, of every product that has the words of a text in this order."""
    bare = re.sub(r"\s+", " ", _SIZE.sub(" ", plain)).strip()
    short = re.sub(r"\s+", " ", _LAPTOP.sub(" ", bare)).strip()
    spelled = dict.fromkeys(_SPELLED.get(name, name) for name in (plain, bare, short))
    for name in spelled:
        if name in table:
            return _matching(table, re.compile(rf"(?:^| ){re.escape(name)}\Z"))
    telling = [name for name in spelled if re.search(r"\d{3}|[a-z] ?\d", name)]
    contained = (re.compile(rf"(?:^| ){re.escape(name)}(?: |\Z)") for name in telling)
    return next(filter(None, (_matching(table, pattern) for pattern in contained)), {})


def _matching(table: _Products, pattern: re.Pattern[str]) -> dict[str, str]:
    found: dict[str, str] = {}
    for product, computes in table.items():
        for compute in computes if pattern.search(product) else ():
            found.setdefault(compute, product)
    return dict(sorted(found.items(), key=lambda one: order(one[0])))


@once
def _products(compat: Compat) -> _Products:
    table: _Products = {}
    by_id = [text.partition(" ") for text in compat.pci.values()]
    more = [(plain, one) for one, _, it in by_id if not compat.gpus.get(plain := plain_name(it))]
    for name, compute in (*compat.gpus.items(), *more):
        if compute:
            table.setdefault(_plain(name), set()).add(compute)
    return table
