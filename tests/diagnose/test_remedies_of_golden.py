"""Each golden computer's first problem is mended by us, or the reason why not stands in a table."""

from __future__ import annotations

import tomllib
from functools import cache
from pathlib import Path
from typing import NamedTuple

from machines.computers import NAMES, golden

from cudnn_assistant.feed import load_builtin
from cudnn_assistant.finding import Automatic
from cudnn_assistant.plan import kind_of
from cudnn_assistant.session.checkup import think

TABLE = tomllib.loads((Path(__file__).parent / "by_hand.toml").read_text("utf-8"))
LEAST = 116
"""Golden computers that are mended without an installer; there are never to be fewer."""
WITH_A_YES = 25
"""Those that an installer mends which we start on a yes of its own."""


class First(NamedTuple):
    """The code of a computer's first problem, and whether a plan of ours serves it."""

    code: str
    ours: bool
    asked: bool
    """By an installer, which has a question of its own."""


@cache
def first_problems() -> dict[str, First]:
    found: dict[str, First] = {}
    for name in NAMES:
        seen = think(golden(name), load_builtin())
        first = next((one for one in seen.findings if one.severity == "error"), None)
        if first is not None and seen.verdict != "works":
            serving = [step for step in seen.plan.steps if first.code in step.why]
            asked = any(kind_of(step).consent(step) for step in serving)
            ours = bool(serving) and not asked
            assert ours is isinstance(first.remedy, Automatic), name
            found[name] = First(first.code, ours, asked)
    return found


def test_what_we_do_not_mend_has_its_reason() -> None:
    codes = [code for reason in TABLE.values() for code in reason["codes"]]
    assert len(codes) == len(set(codes)), "one reason a code"
    assert {one.code for one in first_problems().values() if not one.ours} == set(codes)


def test_as_many_are_mended_as_ever() -> None:
    assert sum(one.ours for one in first_problems().values()) >= LEAST
    assert sum(one.asked for one in first_problems().values()) >= WITH_A_YES
