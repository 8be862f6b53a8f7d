"""What stands in a report in place of what was left out: equal names get equal marks."""

from __future__ import annotations

import re
from collections.abc import Iterable

HIDDEN = "***"
"""In facts, where programs look for it."""
LEFT_OUT = "⟨left out⟩"
"""In a text that people read."""
MARK = re.compile(r"\b(user|folder|share|host|id|GPU(?!-\d{4})|MIG(?!-\d{4}))-ü?(\d+)(?![\w-])")
"""What stands in place of a name; the same in all reports. GPU-11112222 begins a UUID."""


class Marks:
    """Short stable marks for what must not be named: user-1, GPU-2 …

    ``given`` is text that holds marks already: of a report that is redacted again. New marks
    count on from them, so that no two things share one.
    """

    def __init__(self, given: Iterable[str] = ()) -> None:
        self._given: dict[tuple[str, str], str] = {}
        self._last: dict[str, int] = {}
        for text in given:
            for kind, number in MARK.findall(text):
                self._last[kind] = max(self._last.get(kind, 0), int(number[:6]))

    def mark(self, kind: str, value: str) -> str:
        """The mark of ``value``; the same value gets the same mark, small or capital letters.

        A name with letters beyond ASCII gets a mark with one, because that alone can be a cause.
        """
        key = (kind, value.casefold())
        if key not in self._given:
            self._last[kind] = self._last.get(kind, 0) + 1
            self._given[key] = f"{kind}-{'' if value.isascii() else 'ü'}{self._last[kind]}"
        return self._given[key]

    def device(self, kind: str, value: str) -> str:
        """The mark of a GPU; the beginning of its UUID, which CUDA takes as well, gets the same."""
        for (given, whole), mark in self._given.items():
            if given == kind and whole.startswith(value.casefold()):
                return mark
        return self.mark(kind, value)
