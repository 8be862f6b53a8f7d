"""Tests of every golden computer, a handful of them in one test."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable

import pytest
from machines.computers import AT_ONCE, NAMES

HOW_MANY = -(-len(NAMES) // AT_ONCE)
HANDFULS = [tuple(NAMES[start::HOW_MANY]) for start in range(HOW_MANY)]
"""Each has something of every kind, as the names stand by kind."""


def each_computer(test: Callable[..., None], every: int = 1) -> Callable[..., None]:
    """Call ``test`` with the ``name`` of each golden computer; say of which ones it failed.

    ``every``: of so many handfuls one is enough by day.

    To set up, hand over and report one test takes longer than most of these do on one computer,
    and there are twenty of them for four hundred computers.
    """

    @functools.wraps(test)
    def on_each(names: tuple[str, ...], **fixtures: object) -> None:
        failed = []
        for name in names:
            try:
                test(name=name, **fixtures)
            except Exception as error:  # noqa: BLE001  (each is told, and fails the test)
                error.add_note(f"golden computer: {name}")
                failed.append(error)
        if failed:
            raise ExceptionGroup("golden computers", failed)

    signature = inspect.signature(test)
    wanted = [one for one in signature.parameters.values() if one.name != "name"]
    names = inspect.Parameter("names", inspect.Parameter.POSITIONAL_OR_KEYWORD)
    on_each.__signature__ = signature.replace(parameters=[names, *wanted])  # type: ignore[attr-defined]
    mark = pytest.mark.parametrize("names", HANDFULS, ids=lambda names: f"{names[0]}...")
    return mark(pytest.mark.spread(every)(on_each))


each_third_computer = functools.partial(each_computer, every=3)
each_eighth_computer = functools.partial(each_computer, every=8)
