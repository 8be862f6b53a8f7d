"""Whether an advice would have helped: kinds of remedies, from ``teaching/remedies.toml``."""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from pathlib import Path

from cudnn_assistant.causes import cause
from cudnn_assistant.explain.causes import advising, situations
from cudnn_assistant.explain.facts import Facts

Table = Mapping[str, Mapping[str, Sequence[str]]]


@cache
def table() -> Table:
    """What the words of causes advise, and what mends a class of causes."""
    file = Path(__file__).parent / "teaching" / "remedies.toml"
    return tomllib.loads(file.read_text(encoding="utf-8"))


def advised(code: str, facts: Facts) -> Sequence[str]:
    """The kinds of remedy in the words of a cause, as they are said for these facts."""
    code = advising(facts, code, cause(code).cls)
    form = next((form for form in situations(facts) if form in cause(code).form), "")
    advice = table()["advice"]
    return advice.get(f"{code}@{form.removeprefix('general@')}", advice[code])


def accepted(classes: Iterable[str], helped: str, framework: str) -> set[str]:
    """What helped, as the thread tells; else whatever mends one of these classes."""
    if helped:
        return {helped}
    mends = table()["implied"]
    return {kind for cls in classes for kind in mends.get(f"{cls}@{framework}", mends.get(cls, ()))}
