"""Learn what single words tell of the cause, from the reports that explain knows and from phrases.

    python -m installer.words            writes resources/errors/words.json
    python -m installer.words --cross    only says how good explain is on projects not learned from

The reports are cut in ten by their projects. What nine parts teach is measured on the tenth: that
says how often explain is right, whether its first remedy helps, and what its numbers are worth.
Needs SciPy, which is no part of the program: ``pip install scipy``.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from itertools import product
from pathlib import Path
from typing import NamedTuple

import msgspec

from cudnn_assistant import places
from cudnn_assistant.explain import CLEAR, ELSEWHERE
from cudnn_assistant.explain.ranking import top_shares
from cudnn_assistant.explain.similar_reports import reports
from cudnn_assistant.explain.word_model import WordModel
from installer.learning import learn
from installer.lessons import PARTS, Asked, Lesson, ask, lessons, part_of

_KNOTS = 8
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
    def silent(self) -> bool:
        """Whether no cause is named."""
        return self.elsewhere >= ELSEWHERE

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


def cross(asked: Sequence[Asked]) -> Iterator[list[Answer]]:
    """Answers to each part of the reports by what the others teach."""
    for part in range(PARTS):
        model = learn([one for one in asked if part_of(one.lesson) != part])
        yield [
            Answer(
                one,
                top_shares(one.said, one.signs, model),
                model.elsewhere(one.signs_of_text),
            )
            for one in asked
            if part_of(one.lesson) == part
        ]


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
    return [(0.0, round(middle[0][1] / 2, 3)), *middle, (1.0, max(0.99, middle[-1][1]))]


def _pooled(points: Sequence[tuple[float, float, float]]) -> tuple[float, float, float]:
    """The middle of several points, and what they count for together."""
    whole = sum(count for _x, _y, count in points)
    return (
        sum(x * count for x, _y, count in points) / whole,
        sum(y * count for _x, y, count in points) / whole,
        whole,
    )


def numbered(parts: Sequence[Sequence[Answer]]) -> Iterator[tuple[Answer, float]]:
    """Each answer with the probability that it would show, as the other parts calibrate it."""
    for number, part in enumerate(parts):
        others = [one for at, some in enumerate(parts) if at != number for one in some]
        model = WordModel("", {}, calibration=calibrated(others))
        for one in part:
            likely = model.probability(one.sure, informed=bool(one.lesson.given))
            yield one, 0.0 if one.silent else likely


def figures(parts: Sequence[Sequence[Answer]]) -> Iterator[str]:
    """How good the answers are, each judged by what the other parts taught."""
    every = list(numbered(parts))
    for way, least in product(("text", "named", "all"), (0.0, 1.0)):
        some = [
            pair for pair in every if pair[0].lesson.way == way and pair[0].lesson.share >= least
        ]
        clear = [one for one, likely in some if likely >= CLEAR]
        seen = "no pattern was written for" if least else "all threads"
        yield f"{way:6} {seen}: first {_share(one.right(1) for one, _likely in some)}"
        yield f"       first three {_share(one.right(3) for one, _likely in some)}"
        yield f"       first remedy would help {_share(one.helps for one, _likely in some)}"
        yield f"       where one is given: right {_share(one.right(1) for one in clear)}"
        yield f"       where one is given: helps {_share(one.helps for one in clear)}"
    strange = [(one, likely) for one, likely in every if not one.lesson.cause]
    yield f"about something else: no cause named {_share(one.silent for one, _likely in strange)}"
    yield f"about something else: no remedy given {_share(x < CLEAR for _one, x in strange)}"
    yield from _bands([(x, one.right(1)) for one, x in every if one.lesson.cause and x])


def _bands(held: Iterable[tuple[float, bool]]) -> Iterator[str]:
    bands: list[list[tuple[float, bool]]] = [[] for _ in range(10)]
    for likely, right in held:
        bands[min(9, int(likely * 10))].append((likely, right))
    for band, some in enumerate(bands):
        if some:
            said = sum(likely for likely, _right in some) / len(some)
            yield f"says {band * 10:2} % and more: {said:.0%}, right {_share(r for _x, r in some)}"


def _share(right: Iterable[bool]) -> str:
    every = list(right)
    return f"{sum(every) / max(1, len(every)):.1%} of {len(every)}"


def main() -> None:
    """Learn, or measure."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cross", action="store_true")
    only_measured = parser.parse_args().cross
    with ProcessPoolExecutor() as pool:
        asked = list(pool.map(ask, lessons(reports()), chunksize=50))
    parts = list(cross(asked))
    for line in figures(parts):
        print(line, flush=True)
    if only_measured:
        return
    path = Path(places.resource("errors/words.json"))
    table = learn(asked)
    table = msgspec.structs.replace(
        table, calibration=calibrated(one for part in parts for one in part)
    )
    # A line a sign, so that a change can be read.
    path.write_bytes(msgspec.json.encode(table).replace(b'},"', b'},\n"') + b"\n")
    print(f"{len(table.weight)} words in {path}, {path.stat().st_size} bytes")


if __name__ == "__main__":
    main()
