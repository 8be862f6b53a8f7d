"""Characters that can't be seen, or that change how others are seen, spelled out."""

from __future__ import annotations

import json


def visible(text: str) -> str:
    """``text`` with control, escape and direction characters as ``\\xNN`` or ``\\uNNNN``."""
    return text if text.isprintable() else "".join(map(_spelled, text))


_SPACES = "\xa0\u202f"
"""Those that French puts before a colon: they can be seen as what they are."""


def visible_json(text: str) -> str:
    """The same for JSON, spelled as JSON spells characters: what it holds stays the same."""
    return "".join(c if c.isprintable() or c == "\n" else json.dumps(c)[1:-1] for c in text)


def _spelled(c: str) -> str:
    if c.isprintable() or c in _SPACES:
        return c
    number = ord(c)
    return f"\\x{number:02x}" if number < 256 else f"\\u{number:04x}"
