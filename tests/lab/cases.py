"""Computers of the lab by name: how each is planted, and what has to be said about it."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import msgspec
from computer import Computer
from true_sentences import untrue

from cudnn_assistant.machine import Machine


class Case(NamedTuple):
    """How a computer is planted, and what has to be said about it."""

    plant: Callable[[Computer], object]
    verdict: str
    findings: tuple[str, ...] = ()
    variables: dict[str, str] = {}  # noqa: RUF012  (never changed)

    def told(self, folder):
        """What the program says of the computer, planted in the folder."""
        planted = Computer(folder / "computer")
        self.plant(planted)
        told = planted.look(**self.variables)
        assert untrue(msgspec.convert(told.machine, Machine)) == []
        return told


def collector(cases: dict[str, Case]):
    """A decorator that enters a computer under its function's name."""

    def case(verdict, *findings, **variables):
        def keep(plant):
            cases[plant.__name__.replace("_", "-")] = Case(plant, verdict, findings, variables)
            return plant

        return keep

    return case
