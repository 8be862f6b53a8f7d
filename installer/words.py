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
from cudnn_assistant.explain import CLEAR
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
    """Classes with their shares, best first; none where the text tells nothing."""

    def right(self, first: int) -> bool:
        """Whether an accepted class is among the first ones."""
        accepted = {self.lesson.cause, *self.lesson.also}
        return any(cls in accepted for cls, _share in self.shares[:first])


def ways(report: Report) -> dict[str, dict[str, str]]:
    """What may be known beside the message: nothing, what has a name of its own, everything."""
    known = {key: text for key, text in report.known.items() if text}
    named = {key: text for key, text in known.items() if key in _NAMED}
    return {"text": {}, "named": named, "all": known}


def lessons(some: Iterable[Report]) -> Iterator[Lesson]:
    """Each report in up to three ways, then the phrases and notes of ``installer/teaching``."""
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


def _read(name: str) -> dict[str, list[Any]]:
    read = yaml.safe_load((_TEACHING / f"{name}.yaml").read_text(encoding="utf-8"))
    assert isinstance(read, dict)
    return read


class Asked(NamedTuple):
    """What is learned from of a lesson; a whole case is large."""

    lesson: Lesson
    signs: frozenset[str]
    said: dict[str, float]
    """What patterns, rules and reports say."""
    recognised: bool


def ask(lesson: Lesson) -> Asked:
    """Read a lesson as explain would, without the reports of its own project."""
    case: Case = read_case(lesson.text, lesson.given, leave_out=lesson.project)
    return Asked(lesson, frozenset(case.signs), without_words(case), case.recognised)


def learn(asked: Sequence[Asked]) -> WordModel:
    """Weights from these lessons; the same lessons give the same weights.

    A logistic regression that starts from what patterns, rules and reports say already.
    """
    import numpy
    from scipy.sparse import csr_array

    names = sorted(rules().prior)
    column = _columns(asked)
    where = [
        (row, at)
        for row, one in enumerate(asked)
        for at in (0, *(column[sign] for sign in one.signs if sign in column))
    ]
    rows, columns = zip(*where, strict=True)
    table = csr_array(
        (numpy.ones(len(where)), (rows, columns)), shape=(len(asked), len(column) + 1)
    )
    heard = numpy.array([[one.said[cls] for cls in names] for one in asked])
    right = numpy.array([[_share(one.lesson, cls) for cls in names] for one in asked])
    count = numpy.array([one.lesson.share for one in asked])
    found = _regression(table, heard, right / right.sum(axis=1, keepdims=True), count)
    weight = {
        sign: {
            cls: round(float(value), 2)
            for cls, value in zip(names, found[at], strict=True)
            if abs(value) >= _SMALL
        }
        for sign, at in [("", 0), *column.items()]
    }
    return WordModel(digest(), {sign: row for sign, row in weight.items() if row})


def _columns(asked: Sequence[Asked]) -> dict[str, int]:
    """The signs that are worth a weight, from 1; a project counts once."""
    pairs = enumerate(asked)
    held = {(one.lesson.project or number, sign) for number, one in pairs for sign in one.signs}
    often = Counter(sign for _project, sign in held)
    return {sign: at for at, sign in enumerate(sorted(s for s in often if often[s] >= _RARE), 1)}


def _share(one: Lesson, cls: str) -> float:
    return 1.0 if cls == one.cause else _ALSO if cls in one.also else 0.0


def _regression(table: Any, heard: Any, right: Any, count: Any) -> Any:
    """Weights by sign and class; they are added to what was heard."""
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
        slope = turned @ ((powers / whole - right) * count[:, None]) + _HOLD * weight
        return missed + _HOLD / 2 * (weight**2).sum(), slope.ravel()

    start = numpy.zeros(shape[0] * shape[1])
    return minimize(
        loss, start, jac=True, method="L-BFGS-B", options={"maxiter": _STEPS}
    ).x.reshape(shape)


def digest() -> str:
    """What tells these lessons from any others."""
    files = [places.resource("errors/reports.jsonl"), *sorted(_TEACHING.glob("*.yaml"))]
    return hashlib.sha256(b"".join(file.read_bytes() for file in files)).hexdigest()


def part_of(project: str) -> int:
    """The part of the reports that a project belongs to; -1 for what was made up."""
    return int(hashlib.sha256(project.lower().encode()).hexdigest(), 16) % _PARTS if project else -1


def cross(asked: Sequence[Asked]) -> Iterator[list[Answer]]:
    """Answers to each part of the reports by what the others teach."""
    for part in range(_PARTS):
        model = learn([one for one in asked if part_of(one.lesson.project) != part])
        yield [
            Answer(one.lesson, top_shares(one.said, one.signs, model) if one.recognised else [])
            for one in asked
            if part_of(one.lesson.project) == part
        ]


def calibrated(answers: Iterable[Answer]) -> dict[str, list[tuple[float, float]]]:
    """The two tables of the model: for a text alone, and with facts beside it."""
    some = [one for one in answers if one.shares]
    return {
        "text": _isotonic(one for one in some if not one.lesson.given),
        "facts": _isotonic(one for one in some if one.lesson.given),
    }


def _isotonic(answers: Iterable[Answer]) -> list[tuple[float, float]]:
    """How often a first class was right, by its share: never less for a larger share.

    Isotonic regression (pool adjacent violators) over equal groups, with straight lines between.
    """
    pairs = sorted((one.shares[0][1], one.right(1)) for one in answers)
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
        model = WordModel("", {}, calibrated(others))
        for one in part:
            if one.shares:
                informed = bool(one.lesson.given)
                likely = model.probability(one.shares[0][1], informed=informed)
                bands[min(9, int(likely * 10))].append((likely, one.right(1)))
    for band, held in enumerate(bands):
        if held:
            said, true = (sum(pair[at] for pair in held) / len(held) for at in (0, 1))
            yield f"says {band * 10:2} % and more: {said:.0%}, right {true:.0%} of {len(held)}"
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
