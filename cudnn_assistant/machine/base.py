"""What all types of facts share."""

from __future__ import annotations

import re
from typing import Literal, dataclass_transform

import msgspec

Family = Literal["windows", "linux"]
Scope = Literal["user", "machine", "process"]

SYSTEM = "system"
"""The subject of every program that takes cuDNN from the system."""


@dataclass_transform(frozen_default=True, kw_only_default=True)
class Struct(msgspec.Struct, frozen=True, omit_defaults=True):
    """Base of all types of data: immutable, defaults left out of the JSON."""


def readable(text: str) -> str:
    """``text`` fit for JSON: undecodable bytes (Linux) spelled ``\\xNN``, and halves of characters
    (Windows, whose names are any 16 bits) ``\\uNNNN``."""
    whole = _HALVES.sub(lambda half: f"\\u{ord(half[0]):04x}", text)
    return whole.encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace")


_HALVES = re.compile("[\ud800-\udc7f\udd00-\udfff]")
"""Surrogates that stand for no byte."""
