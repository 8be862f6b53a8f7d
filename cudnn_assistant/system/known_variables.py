"""Which variables matter here. Others are never read into a snapshot: they may hold secrets."""

from __future__ import annotations

import fnmatch
import re
import tomllib

from cudnn_assistant.places import resource
from cudnn_assistant.regex import regex

_SECRET = regex(r"TOKEN|SECRET|PASSWORD|API_?KEY", re.IGNORECASE)
_PATTERNS = tomllib.loads(resource("variables.toml").read_text("utf-8"))["known"]
_KNOWN = regex("|".join(map(fnmatch.translate, _PATTERNS)))


def matters(name: str) -> bool:
    """Whether a variable belongs to the snapshot. Case doesn't count: Windows ignores it, and
    nobody on Linux means another variable by ``path``-like spellings of these names."""
    return bool(_KNOWN.match(name.upper())) and not _SECRET.search(name)
