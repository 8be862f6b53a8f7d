"""Learn weights of signs from lessons: two logistic regressions. Needs SciPy."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain
from typing import Any

from cudnn_assistant.explain.evidence import rules
from cudnn_assistant.explain.word_model import WordModel
from installer.lessons import NOT_CUDAS, Asked, Lesson, digest

_RARE = 3
"""Reports that must hold a sign for it to be learned."""
_SMALL = 0.208
"""What a weight moves at least to stand in the table: its size, and that of a sign that few texts
hold counts for less (by the fourth root of how many hundred lessons hold it)."""
_SMALL_STRANGE = 0.14
"""The least weight of texts about something else."""
_HEARD = 0.75
"""Share of what was said already that words are learned on top of. Patterns say more of the threads
that they were written for than of new ones, so words learned beside them would say too little."""
_HOLD = 12.0
"""How strongly weights are held near zero; 6 to 20 gave the same within half a point."""
_HOLD_STRANGE = 4.0
"""The same for texts about something else."""
_STRANGE = 1.3
"""What such texts count for, all together, beside the reports: they are few, and a wrong answer to
one is worse than none to a report."""
_ALSO = 0.25
"""Share of a class that would have been accepted as well."""
_RARITY = (0.5, 1.6)
"""How much more easily a rare sign speaks than one of many lessons, at least and at most: a word
that stands in nearly every log says the less, the more weights it could spread over them."""
_STEPS = 60


def learn(every: Sequence[Asked]) -> WordModel:
    """Weights from these lessons; the same lessons give the same weights.

    A logistic regression that starts from what patterns, rules and reports say already.
    """
    import numpy

    asked = [one for one in every if one.lesson.cause]
    names = sorted(rules().prior)
    heard = _HEARD * numpy.array([[one.said[cls] for cls in names] for one in asked])
    right = numpy.array([[_share(one.lesson, cls) for cls in names] for one in asked])
    count = numpy.array([one.lesson.share for one in asked])
    signs = _Signs([one.signs for one in asked], _projects(asked))
    right /= right.sum(axis=1, keepdims=True)
    rarity = numpy.clip(numpy.log(len(asked) / signs.often) / 4, *_RARITY)
    table = (signs.table * rarity[None, :]).tocsr()
    found = rarity[:, None] * _regression(table, heard, right, count, _HOLD)
    moves = abs(found) * (signs.often[:, None] / 100) ** 0.25
    ours = (
        (sign, number, float(found[at, number]))
        for sign, at in signs.column.items()
        for number in numpy.flatnonzero(moves[at] >= _SMALL).tolist()
    )
    strange = ((sign, len(names), value) for sign, value in _strange(every))
    weight: dict[str, dict[str, list[int]]] = {}
    for sign, number, value in chain(ours, strange):
        part, _space, word = sign.partition(" ")
        row = weight.setdefault(part, {}).setdefault(word, [])
        row += (number, round(100 * value))
    return WordModel(digest(), [*names, ""], weight)


def _strange(every: Sequence[Asked]) -> Iterator[tuple[str, float]]:
    """Weights that tell texts about something else, from texts without facts.

    Made-up accounts of what isn't CUDA's are left out: much of it is told of something else, too.
    """
    import numpy

    left_out = NOT_CUDAS | {"other"}
    asked = [
        one
        for one in every
        if not (one.lesson.given or (one.lesson.whole and one.lesson.cause in left_out))
    ]
    right = numpy.array([[1.0, 0.0] if one.lesson.cause else [0.0, 1.0] for one in asked])
    ours, strange = right.sum(axis=0)
    count = numpy.where(right[:, 1] > 0, _STRANGE * ours / strange, 1.0)
    signs = _Signs([one.signs_of_text for one in asked], _projects(asked))
    found = _regression(signs.table, 0 * right, right, count, _HOLD_STRANGE)
    for sign, at in signs.column.items():
        if abs(value := float(found[at, 1] - found[at, 0])) >= _SMALL_STRANGE:
            yield sign, value


def _projects(asked: Sequence[Asked]) -> list[str]:
    return [one.lesson.project or str(number) for number, one in enumerate(asked)]


class _Signs:
    """Which lessons hold which signs, of those that are worth a weight."""

    def __init__(self, held: Sequence[Iterable[str]], projects: Sequence[str]) -> None:
        import numpy
        from scipy.sparse import csr_array

        pairs = {(project, s) for project, some in zip(projects, held, strict=True) for s in some}
        often = Counter(sign for _project, sign in pairs)
        worth = sorted(sign for sign in often if often[sign] >= _RARE)
        self.column = {sign: at for at, sign in enumerate(["", *worth])}
        """By sign its place; "" stands for every lesson. A project counts once."""
        where = [
            (row, self.column[sign])
            for row, some in enumerate(held)
            for sign in ("", *sorted(some))
            if sign in self.column
        ]
        rows, columns = zip(*where, strict=True)
        shape = (len(held), len(self.column))
        self.table = csr_array((numpy.ones(len(where)), (rows, columns)), shape=shape)
        self.often = numpy.bincount(columns)
        """How many lessons hold each."""


def _share(one: Lesson, cls: str) -> float:
    return 1.0 if cls == one.cause else _ALSO if cls in one.also else 0.0


def _regression(table: Any, heard: Any, right: Any, count: Any, hold: float) -> Any:
    """Weights by sign and class, held near zero; they are added to what was heard."""
    import numpy
    from scipy.optimize import minimize

    shape = (table.shape[1], heard.shape[1])
    turned = table.T.tocsr()

    def loss(flat: Any) -> tuple[float, Any]:
        weight = flat.reshape(shape)
        total = table @ weight + heard
        total -= total.max(axis=1, keepdims=True)
        powers = numpy.exp(total)
        whole = powers.sum(axis=1, keepdims=True)
        missed = -(count[:, None] * right * (total - numpy.log(whole))).sum()
        slope = turned @ ((powers / whole - right) * count[:, None]) + hold * weight
        return missed + hold / 2 * (weight**2).sum(), slope.ravel()

    start = numpy.zeros(shape[0] * shape[1])
    return minimize(
        loss, start, jac=True, method="L-BFGS-B", options={"maxiter": _STEPS}
    ).x.reshape(shape)
