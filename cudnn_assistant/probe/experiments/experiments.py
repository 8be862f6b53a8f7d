"""Finds what keeps a test from its end: the same test again, each time with one difference.

A failure that doesn't repeat itself is no basis. What helps is narrowed down to the single entry,
variable or limit, tried twice, and only then called proven. Where no single difference helps,
all of them are left out at once, and the set is halved (delta debugging, Zeller 1999).
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor

import msgspec

from cudnn_assistant.machine import Experiment, Family, Outcome, Trial
from cudnn_assistant.probe.experiments.conditions import (
    Conditions,
    Removal,
    difference,
    groups,
    last_resorts,
)
from cudnn_assistant.probe.files.catalogue import MAIN
from cudnn_assistant.probe.running.children import Cancel, never

Test = Callable[[Conditions], Trial]
Helps = Callable[[Trial], bool]

BUDGET = 10.0
"""Seconds after which no further experiment is begun."""
_AT_ONCE = 2
"""Children at a time that need no GPU."""
_DRIVER = ("driver", "context")
_LIBRARY = ("start", "load", "version", "sublibraries")
"""Stages that a computer without a working driver passes as well."""


def unfinished(trial: Trial) -> bool:
    """Whether a test, or a part that it did without, ended as experiments may explain.

    Where the loader of Linux found cuDNN nowhere, nothing that is left out has it find one.
    """
    nowhere = not trial.framework and MAIN["linux"].fullmatch(trial.missing)
    ended = trial.status in ("ok", "not-run", "timed-out")
    return bool(trial.spared) or not (ended or nowhere)


def experiments(
    test: Test,
    conditions: Conditions,
    first: Trial,
    family: Family,
    *,
    budget: float = BUDGET,
    cancel: Cancel = never,
) -> tuple[Experiment, ...]:
    """What was tried after ``first`` stopped under ``conditions``, in order; () for nothing to try.

    A better end is one where the test ends well, or gets from the libraries to the driver. At most
    one of the experiments is proven, the smallest that helps.
    """
    helps = _further_than(first)
    bench = _Bench(test, conditions, first, helps, time.monotonic() + budget, cancel)
    parts = [group for group in groups(conditions, family) if group]
    last = [group for group in last_resorts(conditions, family) if group]
    if (parts or last) and bench.repeats():
        bench.search(parts, last)
    return tuple(bench.done)


def _further_than(first: Trial) -> Helps:
    if first.spared:
        return lambda trial: trial.status == "ok" and not trial.spared
    # A difference that takes the driver away as well has shown nothing.
    in_library = first.stage in _LIBRARY and not first.gpu
    return lambda trial: trial.status == "ok" or (in_library and trial.stage in _DRIVER)


class _Bench(msgspec.Struct):
    """Experiments on one test, and what they have shown so far."""

    _test: Test
    _conditions: Conditions
    _first: Trial
    _helps: Helps
    _until: float
    _cancel: Cancel
    done: list[Experiment] = []

    def repeats(self) -> bool:
        """Whether the test stops again, in the same way."""
        return _kind(self._test(self._conditions)) == _kind(self._first)

    def search(self, parts: Sequence[Sequence[Removal]], last: Sequence[Sequence[Removal]]) -> None:
        """Each kind of difference alone, halves of it, quarters …, each single part, the first two,
        three …, the ``last`` resorts, all at once.

        What stands first in a list wins, so that a second fault shows when the first is gone.
        """
        lists = [group for group in parts if len(group) > 1]
        pieces = {tuple(piece): None for group in lists for piece in _pieces(group)}
        firsts = [group[:count] for group in lists for count in range(2, len(group))]
        firsts = [group for group in firsts if tuple(group) not in pieces]
        for each in (parts, [*pieces], firsts, last):
            if group := self._first_that_helps(each):
                smallest = self._smallest(group)
                self._prove(self._with_more(smallest, parts) or smallest)
                return
        for kept in ({"search-order"}, {"search-order", "search-entry"}):
            # cuDNN itself may lie in one of the folders, so that they can't all be left out.
            left_out = [group for group in (*parts, *last) if group[0].kind not in kept]
            everything = [one for group in left_out for one in group]
            if len(left_out) > 1 and self._run(everything):
                self._prove(self._smallest(everything))
                return

    def _first_that_helps(self, parts: Sequence[Sequence[Removal]]) -> Sequence[Removal] | None:
        if self._first.stage not in _LIBRARY:
            # A GPU serves one at a time: contexts take memory, and some modes allow only one.
            return next((group for group in parts if self._run(group)), None)
        with ThreadPoolExecutor(_AT_ONCE) as pool:
            answers = zip(parts, pool.map(self._run, parts), strict=True)
            first = next((group for group, helped in answers if helped), None)
            pool.shutdown(cancel_futures=True)
            return first

    def _with_more(
        self, group: Sequence[Removal], parts: Sequence[Sequence[Removal]]
    ) -> Sequence[Removal]:
        """Where the test only stops later without ``group``: what else lets it end well; () for
        nothing."""
        if self._changed(group).status == "ok":
            return group
        for others in parts:
            more = [*group, *(one for one in others if one not in group)]
            if len(more) > len(group) and not self._over():
                trial = self._changed(more)
                self._note(more, trial, proven=False)
                if trial.status == "ok":
                    self._helps = lambda trial: trial.status == "ok"
                    return self._without_idle(more)
        return ()

    def _smallest(self, group: Sequence[Removal]) -> Sequence[Removal]:
        """A part of ``group`` that still helps and of which no half does."""
        while len(group) > 1 and not self._over():
            middle = len(group) // 2
            halves = (group[:middle], group[middle:])
            better = next((half for half in halves if self._run(half)), None)
            if better is None:
                return self._without_idle(group)
            group = better
        return group

    def _without_idle(self, group: Sequence[Removal]) -> Sequence[Removal]:
        """The same without those parts that can stay in place."""
        for one in tuple(group):
            fewer = [other for other in group if other is not one]
            if fewer and not self._over() and self._run(fewer):
                group = fewer
        return group

    def _prove(self, group: Sequence[Removal]) -> None:
        trial = self._changed(group)
        self._note(group, trial, proven=self._helps(trial) and self.repeats())

    def _run(self, group: Sequence[Removal]) -> bool:
        if self._over():
            return False
        trial = self._changed(group)
        self._note(group, trial, proven=False)
        return self._helps(trial)

    def _changed(self, group: Sequence[Removal]) -> Trial:
        conditions = self._conditions
        for one in group:
            conditions = one.change(conditions)
        return self._test(conditions)

    def _note(self, group: Sequence[Removal], trial: Trial, *, proven: bool) -> None:
        wanted = difference(group, proven=proven)
        same = [one for one in self.done if one.difference == wanted]
        for one in same:
            self.done.remove(one)
        first = self._first
        self.done.append(
            Experiment(
                subject=first.subject,
                framework=first.framework,
                difference=wanted,
                before=msgspec.convert(first, Outcome, from_attributes=True),
                after=msgspec.convert(trial, Outcome, from_attributes=True),
                proven=proven,
            )
        )

    def _over(self) -> bool:
        return self._cancel() or time.monotonic() >= self._until


def _pieces(group: Sequence[Removal]) -> Iterator[Sequence[Removal]]:
    """Its halves, quarters … and single parts."""
    size = len(group)
    while size > 1:
        size = (size + 1) // 2
        yield from (group[at : at + size] for at in range(0, len(group), size))


def _kind(trial: Trial) -> tuple[object, ...]:
    calls = tuple(one.call for one in trial.spared)
    return trial.stage, trial.status, trial.code, trial.missing, calls
