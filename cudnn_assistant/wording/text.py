"""The shape of an entry in the table of words."""

from typing import NamedTuple


class Text(NamedTuple):
    """Templates for one code. ``{name}`` is filled from the finding's facts.

    Sentences (and alternatives of a title) whose facts are unknown are left out.
    """

    part: str
    """The line of the summary that it belongs to: gpu, cuda, cudnn, settings, trial, python."""
    title: str | tuple[str, ...]
    """One title, or several: the first that can be filled is taken."""
    why: tuple[str, ...]
    fix: tuple[str, ...]
    undo: tuple[str, ...] = ()
    way_out: str = ""
