"""The signed compatibility feed: the newest valid of online, saved and built-in data.

Offline is a date on the page, never an obstacle: :func:`current` always answers. Nothing that
isn't verified is used, and the last good copy is kept whatever a server sends.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, TypeVar

import msgspec

from cudnn_assistant import __version__
from cudnn_assistant.compat import Compat
from cudnn_assistant.compat import load_builtin as load_builtin
from cudnn_assistant.feed.address import address as address
from cudnn_assistant.feed.address import direct_addresses, may_ask
from cudnn_assistant.feed.source import Answer, Kind, Trouble
from cudnn_assistant.feed.source import Source as Source
from cudnn_assistant.feed.source import data_named as data_named
from cudnn_assistant.feed.source import describe as describe
from cudnn_assistant.feed.source import newer_program as newer_program
from cudnn_assistant.feed.source import news as news
from cudnn_assistant.system.policy import anothers_place, policy
from cudnn_assistant.versions import older

if TYPE_CHECKING:
    from cudnn_assistant.feed.saved import Kept

_Kept = TypeVar("_Kept")

FRESH = timedelta(hours=12)
"""Data that was confirmed this recently isn't asked for again, unless one insists."""
PATIENCE = 30.0
"""Seconds that the whole exchange may take, whatever the server does."""


def current(
    offline: bool = False,
    *,
    insist: bool = False,
    patience: float = PATIENCE,
    now: datetime | None = None,
) -> tuple[Compat, Source]:
    """The newest valid data and where it is from. Never raises for trouble outside.

    ``offline`` asks nobody, nor does root among another's files: the saved copy would be root's.
    ``insist`` asks even when the data was confirmed a moment ago. Without an address (see
    :func:`address`) the built-in copy answers, with what NVIDIA's and PyPI's own indexes say is
    newer.
    """
    moment = now or datetime.now(UTC)
    where = address()
    if where is None:
        return _directly(moment, offline=offline, insist=insist, patience=patience)
    from cudnn_assistant.feed import saved

    kept = saved.load(where)
    if (
        offline
        or anothers_place()
        or not may_ask()
        or (kept is not None and not insist and kept.is_fresh(moment, FRESH))
    ):
        return _newest(kept, "saved")
    from cudnn_assistant.feed.online import refresh

    fresh, trouble = _within(patience, lambda: refresh(where, moment))
    if fresh is not None:
        return _newest(fresh, "online", trouble)
    return _newest(saved.load(where), "saved", _suspect(trouble, moment))


def _directly(
    moment: datetime, *, offline: bool, insist: bool, patience: float
) -> tuple[Compat, Source]:
    """The built-in data with what was learned of newer releases, asked for once a day."""
    from cudnn_assistant.feed import additions

    known, fresh = additions.kept(moment)
    trouble: Trouble = ""
    if not any(direct_addresses()):
        trouble, known = "no-address", None
    elif not (offline or anothers_place()) and (insist or not fresh):
        from cudnn_assistant.feed import direct

        known, met = _within(patience, lambda: direct.answer(load_builtin(), moment))
        trouble = _suspect(met, moment)
        if known is None:
            known = additions.kept(moment)[0] or additions.Additions()
            # A network that swallows requests would make every start wait.
            additions.keep(known)
    compat = additions.merge(load_builtin(), known) if known else load_builtin()
    source = _source("built-in", compat, known.made if known else "", trouble)
    return compat, msgspec.structs.replace(source, feed=False)


def _within(seconds: float, work: Callable[[], Answer[_Kept]]) -> Answer[_Kept]:
    """The result of ``work``, or "slow" when it takes too long.

    The work goes on in a thread that ends with the program: a server that sends a byte now and
    then would hold any read for ever. What it may still bring is verified before it is kept.
    """
    done: list[Answer[_Kept]] = []
    thread = threading.Thread(target=lambda: done.append(work()), name="feed", daemon=True)
    thread.start()
    thread.join(seconds)
    return done[0] if done else (None, "slow")


def _suspect(trouble: Trouble, moment: datetime) -> Trouble:
    """A clock from before this program was made explains trouble with dates and certificates."""
    dated = trouble in ("expired", "unreachable")
    return "clock" if dated and moment.date().isoformat() < load_builtin().published else trouble


def _newest(kept: Kept | None, kind: Kind, trouble: Trouble = "") -> tuple[Compat, Source]:
    builtin = load_builtin()
    if kept is not None and kept.compat.version >= builtin.version:
        return kept.compat, _source(kind, kept.compat, kept.checked, trouble)
    return builtin, _source("built-in", builtin, kept.checked if kept else "", trouble)


def _source(kind: Kind, compat: Compat, checked: str = "", trouble: Trouble = "") -> Source:
    return Source(
        kind=kind, version=compat.version, published=compat.published,
        checked=checked, trouble=trouble, added=_added(compat), unreviewed=compat.unreviewed,
        # For whoever may get it: where nobody may ask, somebody else looks after it.
        program=compat.program if older(__version__, compat.program) and policy().ask else "",
    )  # fmt: skip


def _added(compat: Compat) -> tuple[str, ...]:
    """The releases that the copy that came with this program doesn't have."""
    old, new = (
        {
            *(f"cuDNN {one.version}" for one in data.cudnns),
            *(f"{one.name} {one.version}" for one in data.frameworks),
        }
        for data in (load_builtin(), compat)
    )
    return tuple(sorted(new - old)) if compat is not load_builtin() else ()
