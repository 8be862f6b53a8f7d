"""The overview while the look is under way: what is known so far, and what is looked at now."""

from __future__ import annotations

from collections.abc import Collection, Iterator

import msgspec

from cudnn_assistant.machine import SYSTEM, Machine
from cudnn_assistant.summary.chain import Chain, Part, Station, chain, test_of
from cudnn_assistant.summary.rows import Row, ran, rows
from cudnn_assistant.wording import say

LOOKED_AT = ("settings", "gpu", "cuda", "cudnn", "trial", "frameworks")
"""The parts of a look, each with a sentence."""
_KNOWN_BY: dict[Part, str] = {"driver": "gpu", "cuda": "cuda", "cudnn": "cudnn"}


def filling(machine: Machine, done: Collection[str], now: str) -> Iterator[Row]:
    """Every subject that is known, the system first, judged by nothing yet."""
    found = sorted(rows(machine), key=lambda row: row.subject != SYSTEM)
    for row in found:
        test = test_of(machine, row.subject)
        tested = test is not None and test.status == "ok"
        told = _so_far(chain(machine, row.subject, ()), done, tested=tested)
        state = say(f"summary.looking-{now}") if now in LOOKED_AT else ""
        if tested and test is not None:
            state = ran(test)
        yield msgspec.structs.replace(row, mark="ok" if tested else "wait", state=state, chain=told)


def _so_far(whole: Chain, done: Collection[str], *, tested: bool) -> Chain:
    stations = tuple(_station(one, done, tested=tested) for one in whole.stations)
    return Chain(stations, whole.joints if tested else ("unknown", "unknown", "unknown"))


def _station(one: Station, done: Collection[str], *, tested: bool) -> Station:
    if one.part == "program":
        return msgspec.structs.replace(one, mark="ok" if tested else "wait")
    if _KNOWN_BY[one.part] in done:
        return msgspec.structs.replace(one, mark="ok" if one.mark == "ok" else "wait")
    return msgspec.structs.replace(one, text="…", mark="wait")
