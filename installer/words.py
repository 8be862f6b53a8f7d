"""Learn what single words tell of the cause, from the reports that explain knows and from phrases.

    python -m installer.words              writes resources/errors/words.json
    python -m installer.words --cross 10   how often explain is right about reports not learned from

Needs SciPy, which is no part of the program: ``pip install scipy``.
"""

from __future__ import annotations

import argparse
import hashlib
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import msgspec
import yaml

from cudnn_assistant import places
from cudnn_assistant.explain import answer_for
from cudnn_assistant.explain.cases import Case, read_case
from cudnn_assistant.explain.evidence import rules
from cudnn_assistant.explain.ranking import without_words
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
_TEACHING = Path(__file__).parent / "teaching"


class Lesson(NamedTuple):
    """A text as it might be asked, and the right answer."""

    text: str
    given: Mapping[str, str]
    cause: str
    also: Sequence[str] = ()
    thread: str = ""
    """That may not speak for itself."""
    share: float = _WRITTEN


def ways(report: Report) -> dict[str, dict[str, str]]:
    """What may be known beside the message: nothing, what has a name of its own, everything."""
    known = {key: text for key, text in report.known.items() if text}
    named = {key: text for key, text in known.items() if key in _NAMED}
    return {"text": {}, "named": named, "all": known}


def lessons(some: Iterable[Report]) -> Iterator[Lesson]:
    """Each report in up to three ways, then the phrases and notes of ``installer/teaching``."""
    for one in some:
        count = _STUDIED if one.studied else 1.0
        for facts in ways(one).values():
            yield Lesson(one.log, facts, one.cause, one.also, one.thread, count)
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


def learn(some: Sequence[Report], digest: str = "") -> WordModel:
    """Weights from these reports; the same reports give the same weights.

    A logistic regression that starts from what patterns, rules and reports say already.
    """
    import numpy
    from scipy.sparse import csr_array

    names = sorted(rules().prior)
    taught = list(lessons(some))
    asked = [read_case(one.text, one.given, leave_out=one.thread) for one in taught]
    column = _columns(taught, asked)
    where = [
        (row, at)
        for row, one in enumerate(asked)
        for at in (0, *(column[sign] for sign in one.signs if sign in column))
    ]
    rows, columns = zip(*where, strict=True)
    table = csr_array(
        (numpy.ones(len(where)), (rows, columns)), shape=(len(asked), len(column) + 1)
    )
    said = [without_words(one) for one in asked]
    heard = numpy.array([[one[cls] for cls in names] for one in said])
    right = numpy.array([[_share(one, cls) for cls in names] for one in taught])
    count = numpy.array([one.share for one in taught])
    found = _regression(table, heard, right / right.sum(axis=1, keepdims=True), count)
    weight = {
        sign: {
            cls: round(float(value), 2)
            for cls, value in zip(names, found[at], strict=True)
            if abs(value) >= _SMALL
        }
        for sign, at in [("", 0), *column.items()]
    }
    return WordModel(digest, {sign: row for sign, row in weight.items() if row})


def _columns(taught: Sequence[Lesson], asked: Sequence[Case]) -> dict[str, int]:
    """The signs that are worth a weight, from 1; a thread counts once."""
    pairs = enumerate(zip(taught, asked, strict=True))
    held = {(one.thread or number, sign) for number, (one, said) in pairs for sign in said.signs}
    often = Counter(sign for _thread, sign in held)
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


def cross(parts: int) -> Iterator[str]:
    """Figures over all reports, each answered by weights and reports that don't know it."""
    found: Counter[tuple[str, str]] = Counter()
    for part in range(parts):
        weights = learn([r for number, r in enumerate(reports()) if number % parts != part])
        for report in reports()[part::parts]:
            for way, facts in ways(report).items():
                answer = answer_for(read_case(report.log, facts, leave_out=report.thread), weights)
                right = {report.cause, *report.also}
                places_of = [n for n, cause in enumerate(answer.causes) if cause.cls in right]
                found[way, "first"] += places_of[:1] == [0]
                found[way, "three"] += bool(places_of) and places_of[0] < 3
    whole = len(reports())
    for way in ("text", "named", "all"):
        first, three = (found[way, which] / whole for which in ("first", "three"))
        yield f"{way:6} first {first:.0%}   first three {three:.0%}"


def main() -> None:
    """Learn, or measure."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cross", type=int, default=0, metavar="PARTS")
    parts = parser.parse_args().cross
    if parts:
        for line in cross(parts):
            print(line, flush=True)
        return
    path = Path(places.resource("errors/words.json"))
    table = learn(reports(), digest())
    # A line a sign, so that a change can be read.
    path.write_bytes(msgspec.json.encode(table).replace(b'},"', b'},\n"') + b"\n")
    print(f"{len(table.weight)} words in {path}, {path.stat().st_size} bytes")


if __name__ == "__main__":
    main()
