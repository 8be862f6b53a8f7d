"""Each golden computer's first problem is mended by us, or the reason why not stands in a table."""

from __future__ import annotations

import tomllib
from functools import cache
from pathlib import Path

from machines.computers import NAMES, golden

from cudnn_assistant.feed import load_builtin
from cudnn_assistant.finding import Automatic
from cudnn_assistant.plan import kind_of
from cudnn_assistant.session.checkup import think

TABLE = tomllib.loads((Path(__file__).parent / "by_hand.toml").read_text("utf-8"))
LEAST = 113
"""Golden computers that are mended without an installer; there are never to be fewer."""


@cache
def first_problems() -> dict[str, tuple[str, bool]]:
    """By computer: the code of its first problem, and whether our plan serves it by itself."""
    found: dict[str, tuple[str, bool]] = {}
    for name in NAMES:
        seen = think(golden(name), load_builtin())
        first = next((one for one in seen.findings if one.severity == "error"), None)
        if first is not None and seen.verdict != "works":
            own = (step for step in seen.plan.steps if not kind_of(step).consent(step))
            served = {code for step in own for code in step.why}
            assert (first.code in served) is isinstance(first.remedy, Automatic), name
            found[name] = first.code, first.code in served
    return found


def test_what_we_do_not_mend_has_its_reason() -> None:
    codes = [code for reason in TABLE.values() for code in reason["codes"]]
    assert len(codes) == len(set(codes)), "one reason a code"
    assert {code for code, ours in first_problems().values() if not ours} == set(codes)


def test_as_many_are_mended_as_ever() -> None:
    assert sum(ours for _code, ours in first_problems().values()) >= LEAST
