"""Learn what single words tell of the cause, from the reports that explain knows and from phrases.

    python -m installer.words            writes resources/errors/words.json
    python -m installer.words --cross    only says how good explain is on projects not learned from

The reports are cut in three by their projects. What two parts teach is measured on the third: that
says how often explain is right, and what its numbers are worth. Needs SciPy, which is no part of
the program: ``pip install scipy``.
"""

from __future__ import annotations

import argparse
import hashlib
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import Any, NamedTuple

import msgspec
import yaml

from cudnn_assistant import places
from cudnn_assistant.explain import CLEAR, ELSEWHERE
from cudnn_assistant.explain.cases import Case, read_case
from cudnn_assistant.explain.evidence import rules
from cudnn_assistant.explain.ranking import top_shares, without_words
from cudnn_assistant.explain.similar_reports import Report, reports
from cudnn_assistant.explain.word_model import WordModel

_NAMED = ("gpu", "driver", "cuda", "cudnn", "python", "framework", "os")
_RARE = 2
"""Reports that must hold a sign for it to be learned."""
_SMALL = 0.1
"""Weights nearer to zero are left out of the table."""
_HOLD = 6.0
"""How strongly weights are held near zero; 3 to 8 gave the same within a case or two."""
_HOLD_STRANGE = 2.0
"""The same for texts about something else."""
_STRANGE = 4.0
"""What such a text counts for: they are few beside the reports, and a wrong answer to one is worse
than none to a report."""
_STUDIED = 0.4
"""What a report counts for that patterns were written for: what they say of it is no measure."""
_WRITTEN = 1.0
"""What a phrase or note counts for that its writer made up; it is there so that a plain message
keeps its plain cause, whatever the threads were that began with it."""
_ALSO = 0.25
"""Share of a class that would have been accepted as well."""
_STEPS = 60
_PARTS = 3
_KNOTS = 8
"""Straight lines of the calibration, at most."""
_TEACHING = Path(__file__).parent / "teaching"


class Lesson(NamedTuple):
    """A text as it might be asked, and the right answer."""

    text: str
    given: Mapping[str, str]
    cause: str
    """"" for what isn't about a GPU's trouble."""
    also: Sequence[str] = ()
    project: str = ""
    """Whose reports may not vote on it."""
    share: float = _WRITTEN
    way: str = ""
    """"text", "named" or "all" of what was known; "" for what was made up."""


class Answer(NamedTuple):
    """What was said of a lesson by a model that doesn't know its project."""

    lesson: Lesson
    shares: list[tuple[str, float]]
    """Classes with their shares, best first."""
    elsewhere: float
    """How likely the text is about something else."""

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


def ways(report: Report) -> dict[str, dict[str, str]]:
    """What may be known beside the message: nothing, what has a name of its own, everything."""
    known = {key: text for key, text in report.known.items() if text}
    named = {key: text for key, text in known.items() if key in _NAMED}
    return {"text": {}, "named": named, "all": known}


def lessons(some: Iterable[Report]) -> Iterator[Lesson]:
    """Each report in up to three ways, then what stands in ``installer/teaching``."""
    for one in some:
        count = _STUDIED if one.studied else 1.0
        for way, facts in ways(one).items():
            yield Lesson(one.log, facts, one.cause, one.also, one.project, count, way)
    for cause, phrases in _read("phrases").items():
        for text in phrases:
            yield Lesson(text, {}, cause)
    for cause, notes in _read("notes").items():
        for framework, system, text, note in notes:
            yield Lesson(text, {"framework": framework, "os": system, "path_notes": note}, cause)
    for texts in _read("elsewhere").values():
        yield from (Lesson(text, {}, "") for text in texts)


def _read(name: str) -> dict[str, list[Any]]:
    read = yaml.safe_load((_TEACHING / f"{name}.yaml").read_text(encoding="utf-8"))
    assert isinstance(read, dict)
    return read


class Asked(NamedTuple):
    """What is learned from of a lesson; a whole case is large."""

    lesson: Lesson
    signs: frozenset[str]
    signs_of_text: frozenset[str]
    said: dict[str, float]
    """What patterns, rules and reports say."""


def ask(lesson: Lesson) -> Asked:
    """Read a lesson as explain would, without the reports of its own project."""
    case: Case = read_case(lesson.text, lesson.given, leave_out=lesson.project)
    return Asked(lesson, frozenset(case.signs), frozenset(case.signs_of_text), without_words(case))


def learn(every: Sequence[Asked]) -> WordModel:
    """Weights from these lessons; the same lessons give the same weights.

    A logistic regression that starts from what patterns, rules and reports say already.
    """
    import numpy

    asked = [one for one in every if one.lesson.cause]
    names = sorted(rules().prior)
    heard = numpy.array([[one.said[cls] for cls in names] for one in asked])
    right = numpy.array([[_share(one.lesson, cls) for cls in names] for one in asked])
    count = numpy.array([one.lesson.share for one in asked])
    signs = _Signs([one.signs for one in asked], _projects(asked))
    found = _regression(signs.table, heard, right / right.sum(axis=1, keepdims=True), count, _HOLD)
    weight = {
        sign: {
            cls: round(float(value), 2)
            for cls, value in zip(names, found[at], strict=True)
            if abs(value) >= _SMALL
        }
        for sign, at in signs.column.items()
    }
    return WordModel(digest(), {s: row for s, row in weight.items() if row}, _strange(every))


def _strange(every: Sequence[Asked]) -> dict[str, float]:
    """Weights that tell texts about something else, from texts without facts."""
    import numpy

    asked = [one for one in every if not one.lesson.given]
    right = numpy.array([[1.0, 0.0] if one.lesson.cause else [0.0, 1.0] for one in asked])
    count = numpy.array([1.0 if one.lesson.cause else _STRANGE for one in asked])
    signs = _Signs([one.signs_of_text for one in asked], _projects(asked))
    found = _regression(signs.table, 0 * right, right, count, _HOLD_STRANGE)
    weight = {
        sign: round(float(found[at, 1] - found[at, 0]), 2) for sign, at in signs.column.items()
    }
    return {sign: value for sign, value in weight.items() if abs(value) >= _SMALL}


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


def digest() -> str:
    """What tells these lessons from any others."""
    files = [places.resource("errors/reports.jsonl"), *sorted(_TEACHING.glob("*.yaml"))]
    return hashlib.sha256(b"".join(file.read_bytes() for file in files)).hexdigest()


def part_of(lesson: Lesson) -> int:
    """The part that a lesson belongs to, with all of its project; -1 for what is always taught."""
    name = lesson.project.lower() if lesson.cause else lesson.text
    return int(hashlib.sha256(name.encode()).hexdigest(), 16) % _PARTS if name else -1


def cross(asked: Sequence[Asked]) -> Iterator[list[Answer]]:
    """Answers to each part of the reports by what the others teach."""
    for part in range(_PARTS):
        model = learn([one for one in asked if part_of(one.lesson) != part])
        yield [
            Answer(
                one.lesson,
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

    Isotonic regression (pool adjacent violators) over equal groups, with straight lines between.
    """
    pairs = sorted((one.sure, one.right(1)) for one in answers)
    size = -(-len(pairs) // _KNOTS)
    groups = [pairs[at : at + size] for at in range(0, len(pairs), size)]
    pools = [[sum(x for x, _y in g) / len(g), sum(y for _x, y in g) / len(g), 1.0] for g in groups]
    at = 1
    while at < len(pools):
        (x, y, n), (x2, y2, n2) = pools[at - 1 : at + 1]
        if y <= y2:
            at += 1
            continue
        whole = n + n2
        pools[at - 1 : at + 1] = [[(n * x + n2 * x2) / whole, (n * y + n2 * y2) / whole, whole]]
        at = max(1, at - 1)
    middle = [(round(x, 3), round(y, 3)) for x, y, _n in pools]
    return [(0.0, round(middle[0][1] / 2, 3)), *middle, (1.0, max(0.99, middle[-1][1]))]


def figures(parts: Sequence[Sequence[Answer]]) -> Iterator[str]:
    """How good the answers are, each judged by what the other parts taught."""
    every = [one for part in parts for one in part]
    for way in ("text", "named", "all"):
        some = [one for one in every if one.lesson.way == way]
        first, three = (sum(one.right(n) for one in some) / len(some) for n in (1, 3))
        yield f"{way:6} first {first:.1%}   first three {three:.1%}"
    bands: list[list[tuple[float, bool]]] = [[] for _ in range(10)]
    for number, part in enumerate(parts):
        others = [one for at, some in enumerate(parts) if at != number for one in some]
        model = WordModel("", {}, calibration=calibrated(others))
        for one in part:
            if one.lesson.cause and not one.silent:
                informed = bool(one.lesson.given)
                likely = model.probability(one.sure, informed=informed)
                bands[min(9, int(likely * 10))].append((likely, one.right(1)))
    for band, held in enumerate(bands):
        if held:
            said, true = (sum(pair[at] for pair in held) / len(held) for at in (0, 1))
            yield f"says {band * 10:2} % and more: {said:.0%}, right {true:.0%} of {len(held)}"
    strange = [one for one in every if not one.lesson.cause]
    quiet = sum(one.silent for one in strange)
    yield f"about something else: silent on {quiet} of {len(strange)}"
    low = [right for held in bands[: int(CLEAR * 10)] for _likely, right in held]
    yield f"below {CLEAR:.0%} (not clear): {len(low)}, the first was right {sum(low)} times"


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
