"""Environment variables, and the lists of folders that they make up."""

from __future__ import annotations

from cudnn_assistant.machine.base import Scope, Struct


class Value(Struct, kw_only=True):
    """The text of a variable as it is stored."""

    text: str
    expand: bool = False
    """Windows: stored as REG_EXPAND_SZ. Read, never guessed from "%"."""
    gone: bool = False
    """Linux, in our own settings file: the variable is taken away, whoever set it before."""
    length: int | None = None
    """In a report: characters of the stored text, where names in it were replaced."""

    @property
    def characters(self) -> int:
        """Characters of the stored text."""
        return len(self.text) if self.length is None else self.length


class Variable(Struct, kw_only=True):
    """One layer of one environment variable."""

    scope: Scope
    name: str
    value: Value
    source: str = ""
    """Registry key, or file (and line: "/home/x/.bashrc:12"), or "" for the process."""
    ours: bool = False
    """Linux: it stands in the settings file that this program owns."""
    exists: bool | None = None
    """Whether the folder is there, for a variable that names one folder (CUDA_PATH)."""


class PathEntry(Struct, kw_only=True):
    """One folder of a search list, in the order that new programs use."""

    variable: str
    """PATH, LD_LIBRARY_PATH, "ld.so.conf" or "default"."""
    scope: Scope
    text: str
    """As stored."""
    folder: str = ""
    """Expanded and absolute; "" when it can't be."""
    exists: bool | None = None
    closed: bool = False
    """The person may not look into it, so what it holds is unknown."""
    source: str = ""
