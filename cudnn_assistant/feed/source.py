"""Where the data is from, how old it is, and the one sentence that says so."""

from __future__ import annotations

from datetime import UTC, date, datetime
from typing import Literal, TypeVar

from cudnn_assistant import __version__
from cudnn_assistant.machine import Struct
from cudnn_assistant.wording import day, in_words, listed, say

Kind = Literal["online", "saved", "built-in"]

Trouble = Literal[
    "", "unreachable", "server", "slow", "not-the-feed", "not-trusted", "rolled-back", "expired",
    "clock", "not-usable", "cache", "busy", "no-address",
]  # fmt: skip
"""Why nothing newer could be had; "" when nothing stood in the way."""


_T = TypeVar("_T")


Answer = tuple[_T | None, Trouble]
"""What an exchange brought, or why it brought nothing."""


class Source(Struct, kw_only=True):
    """What is known about the data in use."""

    kind: Kind
    version: int
    published: str
    """Day of publication, ISO 8601."""
    checked: str = ""
    """When the server last confirmed that this is the newest, UTC; "" for never."""
    trouble: Trouble = ""
    feed: bool = True
    """False: this program was built without an online feed."""
    added: tuple[str, ...] = ()
    """Releases that the copy that came with this program doesn't have: "cuDNN 9.29.0"."""
    unreviewed: tuple[str, ...] = ()
    """Those of them that no person has looked at."""
    program: str = ""
    """The published version of this program that is newer than this copy; "" for none."""

    def age(self, today: date | None = None) -> int | None:
        """Days since publication; None when that day is unknown or still to come."""
        try:
            born = date.fromisoformat(self.published)
        except ValueError:
            return None
        days = ((today or datetime.now(UTC).date()) - born).days
        return days if days >= 0 else None


def describe(source: Source, today: date | None = None) -> str:
    """One plain sentence about the data, with its age and what stood in the way."""
    days = source.age(today)
    age = f" ({say('feed.days-old', count=days)})" if days else ""
    told = say(f"feed.{source.kind}", version=source.version, date=day(source.published), age=age)
    return f"{told} {say(f'feed.trouble-{source.trouble}')}" if source.trouble else told


def data_named(source: Source) -> str:
    """Which compatibility data was used."""
    return say(
        "report.data-named",
        version=source.version,
        published=day(source.published),
        source=in_words(source.kind),
    )


def news(source: Source) -> tuple[str, ...]:
    """What is newer than the copy that came with this program, a sentence a line."""
    reviewed = tuple(name for name in source.added if name not in source.unreviewed)
    when = source.checked[:10] or source.published
    lines = (("feed.added", reviewed), ("feed.unreviewed", source.unreviewed))
    told = [say(key, names=listed(names), date=day(when)) for key, names in lines if names]
    told += filter(None, [newer_program(source)])
    return tuple(told if source.feed or source.trouble else [say("feed.no-feed"), *told])


def newer_program(source: Source) -> str:
    """That a newer version of this program is there, in a sentence; "" where none is known of."""
    if not source.program:
        return ""
    return say("feed.newer-program", version=source.program, ours=__version__)
