"""The copy of the data that came with this program."""

from __future__ import annotations

from functools import cache

from cudnn_assistant import places
from cudnn_assistant.compat.facts import Compat, decode


@cache
def load_builtin() -> Compat:
    """The data that came with this program; it is always there."""
    return decode(places.resource("compat/compat.json").read_bytes())
