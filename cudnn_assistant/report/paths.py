"""Paths in a report: what every computer has is kept, what one person made is marked."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cache

from cudnn_assistant import places
from cudnn_assistant.envpath import separator
from cudnn_assistant.machine import SYSTEM, Family
from cudnn_assistant.report.marks import HIDDEN, MARK, Marks
from cudnn_assistant.report.patterns import NAMES, expressions

_P = expressions("paths")

_LONGEST = 255
"""Characters of the name of a file or folder, on every system."""


class Paths:
    """Cleans the paths of one report."""

    def __init__(self, marks: Marks, family: Family, home: str = "") -> None:
        self._marks = marks
        self._family = family
        self._separator = separator(family)
        # A home that no pattern knows: of a service, on another disk.
        unusual = len(home) > 2 and home not in ("/root", "/") and not _P["homes"].fullmatch(home)
        self._home = home if unusual else ""

    def people(self, texts: Iterable[str]) -> set[str]:
        """Whose home folders these texts name."""
        found = {match["name"].strip() for text in texts for match in _P["homes"].finditer(text)}
        return {name for name in found if not _nobodys(name)}

    def clean(self, path: str) -> str:
        """One path, or a list of them, with the names that people gave marked."""
        if path == SYSTEM:
            return path
        pieces = path.split(self._separator) if self._is_list(path) else [path]
        if len(pieces) > 1:
            pieces = [self._relative(piece) for piece in pieces]
        return self._separator.join(map(self._one, pieces))

    def _relative(self, piece: str) -> str:
        """In a list a bare name is a folder, too."""
        bare = bool(piece) and not re.search(r"[\\/]", piece) and not known_name(piece)
        return self._marks.mark("folder", piece) if bare else piece

    def homes(self, text: str) -> str:
        """``text`` with the owner of every home folder marked, the rest as it is."""
        if self._home and self._home in text:
            text = text.replace(self._home, "/home/" + self._marks.mark("user", self._home))
        return _P["homes"].sub(lambda match: match["root"] + self._owner(match["name"]), text)

    def within(self, text: str) -> str:
        """``text`` with every path in it cleaned; one that is a path from end to end as a whole."""
        text = _P["pipe"].sub(rf"\1{HIDDEN}", text)
        if _P["whole"].match(text) and not _P["sentence"].search(text):
            return self.clean(text)
        text = _P["quoted"].sub(lambda match: match[1] + self.clean(match[2]), text)
        text = self.homes(text)
        return _P[f"within-{self._family}"].sub(lambda match: self.clean(match[0]), text)

    def _is_list(self, text: str) -> bool:
        if self._separator == ";":
            return ";" in text
        return ":" in text and not re.search(r"^[A-Za-z]:[\\/]|:\d+$|://", text)

    def _one(self, path: str) -> str:
        if _P["no-path"].match(path):
            return path
        share = _P["share"].match(path)
        if share:
            name = share["name"] and self._marks.mark("share", share["name"].replace("/", "\\"))
            return f"\\\\{name or share['given']}{self._rest(path[share.end() :])}"
        path = self.homes(path)
        if _P["standard"].match(path.lstrip('" ')) or not re.search(r"[\\/]", path):
            return path
        return self._rest(path)

    def _rest(self, path: str) -> str:
        """Every component that isn't known on other computers too becomes a mark."""
        # Below site-packages lie names of published packages.
        below = re.search(r"[\\/](?:site|dist)-packages(?=[\\/])", path)
        end = below.start() if below else len(path)
        told = (
            piece
            if number % 2 or not piece or known_name(piece.strip('" :)'))
            else self._marks.mark("folder", piece)
            for number, piece in enumerate(re.split(r"([\\/]+)", path[:end]))
        )
        return "".join(told) + path[end:]

    def _owner(self, name: str) -> str:
        return name if _nobodys(name) else self._marks.mark("user", name.strip())


@cache
def _folders() -> frozenset[str]:
    """Names of folders that programs and systems make, in small letters."""
    return frozenset(places.resource("errors/known_folders.txt").read_text("utf-8").split())


def known_name(name: str) -> bool:
    """Whether folders and files have this name on every computer."""
    return len(name) <= _LONGEST and (
        name.casefold().removeprefix(".") in _folders() or _P["shape"].fullmatch(name) is not None
    )


def _nobodys(name: str) -> bool:
    return name.casefold() in NAMES["shared"] or MARK.fullmatch(name) is not None
