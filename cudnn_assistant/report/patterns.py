"""By what a report is redacted: names and patterns (``resources/report/redaction.toml``)."""

from __future__ import annotations

import re
import tomllib

from cudnn_assistant import places
from cudnn_assistant.regex import regex

_TABLE = tomllib.loads(places.resource("report/redaction.toml").read_text("utf-8"))
_FIELD = "".join(_TABLE["field"])
NAMES = {kind: frozenset(names) for kind, names in _TABLE["names"].items()}


def expressions(part: str) -> dict[str, re.Pattern[str]]:
    """The patterns of one part of the work, by their names."""
    rows = ((name, "".join(lines)) for name, lines in _TABLE[part].items())
    return {name: regex(text.replace("<field>", _FIELD)) for name, text in rows}
