"""What the person has settled about this program, and where its window stood."""

from __future__ import annotations

import contextlib
from pathlib import Path
from typing import Literal

import msgspec

from cudnn_assistant.places import anothers
from cudnn_assistant.plain_file import content
from cudnn_assistant.whole_file import put

Theme = Literal["system", "light", "dark"]
Origin = Literal["here", "elsewhere"]
RECENT = 6
"""Reports that are kept in the menu."""


class Preferences(msgspec.Struct, kw_only=True, omit_defaults=True):
    """Kept in a file of our own; one that can't be read or written keeps nobody from anything."""

    language: str = ""
    """Code of a catalogue, "de"; "" follows the system."""
    theme: Theme = "system"
    offline: bool = False
    """Nobody is asked what is newer."""
    folders: tuple[str, ...] = ()
    """Folders to look in besides."""
    recent: tuple[str, ...] = ()
    """Reports that were opened, the last first."""
    messages: Origin | Literal[""] = ""
    """Where pasted messages are from; "" until it was asked."""
    geometry: str = ""
    """Size and place of the window, as Qt writes it, in hexadecimal."""

    def opened(self, path: str) -> None:
        """Remember a report."""
        others = (one for one in self.recent if one != path)
        self.recent = (path, *others)[:RECENT]


def load(path: Path) -> Preferences:
    """What was kept, or what everybody begins with."""
    with contextlib.suppress(OSError, msgspec.DecodeError):
        return msgspec.json.decode(content(path), type=Preferences)
    return Preferences()


def save(preferences: Preferences, field: str, path: Path) -> None:
    """Keep one of them, where the disk allows; another window may have settled the others."""
    if anothers(path):
        return
    kept = load(path)
    setattr(kept, field, getattr(preferences, field))
    with contextlib.suppress(OSError):
        path.parent.mkdir(parents=True, exist_ok=True)
        put(path.resolve(), msgspec.json.encode(kept))
