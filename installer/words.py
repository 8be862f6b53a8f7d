"""Learn what single words tell of the cause, from the reports that explain knows and from phrases.

    python -m installer.words            writes resources/errors/words.json
    python -m installer.words --cross    only says how good explain is on projects not learned from
    python -m installer.words FILE       the same for a set of reports that it never learned from

The reports are cut in ten by their projects. What nine parts teach is measured on the tenth: that
says how often explain is right, whether its first remedy helps, and what its numbers are worth.
Needs SciPy, which is no part of the program: ``pip install scipy``.

How good it is, and what was tried, stands in ``installer/teaching/README.md``.
"""

from __future__ import annotations

import argparse
import math
import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from itertools import product
from pathlib import Path
from typing import NamedTuple

import msgspec

from cudnn_assistant import places
from cudnn_assistant.explain import CLEAR, about_something_else
from cudnn_assistant.explain.ranking import top_shares
from cudnn_assistant.explain.similar_reports import read_reports, reports
from cudnn_assistant.explain.word_model import WordModel, load_words
from installer.learning import learn
from installer.lessons import (
    NOT_CUDAS,
    PARTS,
    Asked,
    Lesson,
    ask,
    judged_threads,
    lessons_of,
    part_of,
    taught,
)

_KNOTS = 10
"""Straight lines of the calibration, at most."""


class Answer(NamedTuple):
    """What was said of a lesson by a model that doesn't know its project."""

    asked: Asked
    shares: list[tuple[str, float]]
    """Classes with their shares, best first."""
    elsewhere: float
    """How likely the text is about something else."""

    @property
    def lesson(self) -> Lesson:
        """What was asked."""
        return self.asked.lesson

    @property
    def helps(self) -> bool:
        """Whether the first cause's advice helps."""
        return not self.silent and self.shares[0][0] in self.asked.mended

    @property
    def foreign(self) -> bool:
        """Whether the trouble isn't CUDA's."""
        return self.lesson.cause in NOT_CUDAS

    def clear(self, likely: float) -> bool:
        """Whether a remedy is given, where the first cause is that likely."""
        unnamed = self.asked.unnamed and not self.lesson.given
        return likely >= CLEAR and not unnamed and self.shares[0][0] not in self.asked.untold

    @property
    def silent(self) -> bool:
        """Whether no cause is named."""
        return about_something_else(self.elsewhere, told=self.asked.told)

    @property
    def sure(self) -> float:
        """What the probability of the first class is read off by."""
        return self.shares[0][1] * (1 - self.elsewhere)

    def right(self, first: int) -> bool:
        """Whether an accepted class is among the first ones."""
        if not self.lesson.cause:
            return self.silent
        accepted = {self.lesson.cause, *self.lesson.also}
        return not self.silent and any(cls in accepted for cls, _share in self.shares[:first])


def answered(asked: Iterable[Asked], model: WordModel) -> list[Answer]:
    """What explain would say with the words of this model."""
    return [
        Answer(
            one,
            top_shares(one.said, one.signs, model),
            model.elsewhere(one.signs_of_text),
        )
        for one in asked
    ]


def cross(asked: Sequence[Asked]) -> Iterator[list[Answer]]:
    """Answers to each part of the reports by what the others teach."""
    for part in range(PARTS):
        model = learn([one for one in asked if part_of(one.lesson) != part])
        yield answered((one for one in asked if part_of(one.lesson) == part), model)


def calibrated(answers: Iterable[Answer]) -> dict[str, list[tuple[float, float]]]:
    """The two tables of the model: for a text alone, and with facts beside it."""
    some = [one for one in answers if one.lesson.cause and not one.silent]
    return {
        "text": _isotonic(one for one in some if not one.lesson.given),
        "facts": _isotonic(one for one in some if one.lesson.given),
    }


def _isotonic(answers: Iterable[Answer]) -> list[tuple[float, float]]:
    """How often a first class was right, by its share: never less for a larger share.

    Isotonic regression (pool adjacent violators) over equal groups, with straight lines between. A
    thread that patterns were written for counts for less, as where it is learned from.
    """
    points = sorted((one.sure, float(one.right(1)), one.lesson.share) for one in answers)
    size = -(-len(points) // _KNOTS)
    pools = [_pooled(points[at : at + size]) for at in range(0, len(points), size)]
    at = 1
    while at < len(pools):
        if pools[at - 1][1] <= pools[at][1]:
            at += 1
            continue
        pools[at - 1 : at + 1] = [_pooled(pools[at - 1 : at + 1])]
        at = max(1, at - 1)
    middle = [(round(x, 3), round(y, 3)) for x, y, _count in pools]
    return [(0.0, middle[0][1]), *middle, (1.0, max(0.99, middle[-1][1]))]


def _pooled(points: Sequence[tuple[float, float, float]]) -> tuple[float, float, float]:
    """The middle of several points, and what they count for together."""
    whole = sum(count for _x, _y, count in points)
    return (
        sum(x * count for x, _y, count in points) / whole,
        sum(y * count for _x, y, count in points) / whole,
        whole,
    )


Numbered = tuple[Answer, float]
"""An answer with the probability that it would show; 0 where no cause is named."""


def numbered(answers: Iterable[Answer], model: WordModel) -> list[Numbered]:
    """The answers as this model's calibration numbers them."""
    return [
        (one, 0.0 if one.silent else model.probability(one.sure, informed=bool(one.lesson.given)))
        for one in answers
    ]


def cross_numbered(parts: Sequence[Sequence[Answer]]) -> Iterator[Numbered]:
    """The answers to each part as the other parts calibrate them."""
    for number, part in enumerate(parts):
        others = [one for at, some in enumerate(parts) if at != number for one in some]
        yield from numbered(part, WordModel("", (), {}, calibration=calibrated(others)))


_THREADS: Mapping[str, Callable[[Lesson], bool]] = {
    "all threads": lambda one: not one.judged,
    "no pattern was written for": lambda one: not one.judged and one.share >= 1.0,
    "readers agree": lambda one: one.judged,
}
"""Threads that are told apart: their cause is confirmed, or two readers named it."""


def figures(every: Sequence[Numbered]) -> Iterator[str]:
    """How good the answers are."""
    for way, (seen, is_so) in product(("text", "named", "all"), _THREADS.items()):
        some = [pair for pair in every if pair[0].lesson.way == way and is_so(pair[0].lesson)]
        if not some:
            continue
        given = [one for one, likely in some if one.clear(likely)]
        yield f"{way:6} {seen}: first {_share((one, one.right(1)) for one, _likely in some)}"
        yield f"       first three {_share((one, one.right(3)) for one, _likely in some)}"
        yield f"       first remedy would help {_share((one, one.helps) for one, _likely in some)}"
        yield f"       where one is given: right {_share((one, one.right(1)) for one in given)}"
        yield f"       where one is given: helps {_share((one, one.helps) for one in given)}"
    yield from _not_ours(every)
    yield from _bands([(x, one) for one, x in every if one.lesson.cause and x])


def _not_ours(every: Sequence[Numbered]) -> Iterator[str]:
    """What people take for CUDA's trouble, and what they ask of something else."""
    foreign = [(one, one.right(1) or not one.clear(x)) for one, x in every if one.foreign]
    strange = [(one, x) for one, x in every if not one.lesson.cause]
    yield f"not CUDA's: right, or no remedy given {_share(foreign)}"
    yield f"about something else: no cause named {_share((o, o.silent) for o, _x in strange)}"
    yield f"about something else: no remedy given {_share((o, not o.clear(x)) for o, x in strange)}"


def _bands(held: Iterable[tuple[float, Answer]]) -> Iterator[str]:
    bands: list[list[tuple[float, Answer]]] = [[] for _ in range(10)]
    for likely, one in held:
        bands[min(9, int(likely * 10))].append((likely, one))
    for band, some in enumerate(bands):
        if some:
            said = sum(likely for likely, _one in some) / len(some)
            right = _share((one, one.right(1)) for _x, one in some)
            yield f"says {band * 10:2} % and more: {said:.0%}, right {right}"


def _share(judged: Iterable[tuple[Answer, bool]]) -> str:
    """How many are, with the standard error: the threads of a project are no separate draws."""
    every = [(one.lesson.project or one.lesson.text, float(is_so)) for one, is_so in judged]
    share = sum(is_so for _project, is_so in every) / max(1, len(every))
    off: dict[str, float] = defaultdict(float)
    for project, is_so in every:
        off[project] += is_so - share
    error = math.sqrt(sum(x * x for x in off.values())) / max(1, len(every))
    return f"{share:.1%} ± {error:.1%} of {len(every)}"


def _read_all(some: Iterable[Lesson]) -> list[Asked]:
    with ProcessPoolExecutor() as pool:
        return list(pool.map(ask, some, chunksize=50))


def main() -> None:
    """Learn, or measure."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cross", action="store_true")
    parser.add_argument("sets", nargs="*", type=Path, metavar="FILE")
    options = parser.parse_args()
    if options.sets:
        # The product's own table, and reports that it never learned from.
        some = (one for file in options.sets for one in read_reports(file.read_bytes()))
        _say(numbered(answered(_read_all(lessons_of(some)), load_words()), load_words()))
    else:
        _learn(only_measured=options.cross)


def _learn(*, only_measured: bool) -> None:
    threads = (*lessons_of(reports()), *lessons_of(judged_threads(), judged=True))
    asked = _read_all([*threads, *taught()])
    parts = list(cross(asked))
    _say(list(cross_numbered(parts)))
    if only_measured:
        return
    path = Path(places.resource("errors/words.json"))
    table = learn(asked)
    table = msgspec.structs.replace(
        table, calibration=calibrated(one for part in parts for one in part)
    )
    # A line a sign, so that a change can be read.
    lines = re.sub(rb'(":\[[-0-9,]+\],)(?=")', rb"\1\n", msgspec.json.encode(table))
    path.write_bytes(lines + b"\n")
    print(f"{sum(map(len, table.weight.values()))} words, {path.stat().st_size} bytes")


def _say(every: Sequence[Numbered]) -> None:
    for line in figures(every):
        print(line, flush=True)


if __name__ == "__main__":
    main()
