"""One change as the person sees it: the type that all kinds of step become."""

from __future__ import annotations

from typing import Literal

from cudnn_assistant.machine import Struct


class ChangeLine(Struct, kw_only=True):
    """One line of a change."""

    sign: Literal["+", "-", " "]
    text: str
    note: str = ""
    """The sign in words, "added, first"; colour and sign alone tell nothing to some."""


class Change(Struct, kw_only=True):
    """One step in words."""

    title: str
    says: str = ""
    """The same for people who know no variable: "Let Windows look in this folder first: …"."""
    place: str = ""
    """Where it is stored: a file, a registry key, a folder."""
    lines: tuple[ChangeLine, ...] = ()
    """All entries of a list, the unchanged ones too; the page decides how many it shows."""
    notes: tuple[str, ...] = ()
    administrator: bool = False

    @property
    def plain(self) -> str:
        """What it does, in a sentence that needs no knowledge."""
        return self.says or self.title
