"""Regular expressions of modules that every start loads: compiled when they are first asked for.

A check asks for a quarter of them, and compiling the others took a tenth of its time.
"""

from __future__ import annotations

import re
from typing import Any, AnyStr, cast


def regex(text: AnyStr, flags: int = 0) -> re.Pattern[AnyStr]:
    """As :func:`re.compile`. What is wrong with the expression is raised at its first use."""
    return cast("re.Pattern[AnyStr]", LatePattern(text, flags))


class LatePattern:
    """An expression that is compiled when the first method or attribute is asked of it."""

    def __init__(self, text: Any, flags: int) -> None:
        self._text = text
        self._flags = flags

    def __getattr__(self, name: str) -> Any:
        # Asked only for what isn't kept yet. ``re`` keeps the expression itself.
        found = getattr(re.compile(self._text, self._flags), name)
        setattr(self, name, found)
        return found
