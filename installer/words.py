"""Learn what single words tell of the cause, from the reports that explain knows.

    python -m installer.words              writes resources/errors/words.json
    python -m installer.words --cross 10   how often explain is right about reports not learned from

Needs scikit-learn, which is no part of the program: ``pip install scikit-learn``.
"""

from __future__ import annotations

import argparse
import hashlib
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path

import msgspec

from cudnn_assistant import places
from cudnn_assistant.explain import explain
from cudnn_assistant.explain.learned import Learned, signs
from cudnn_assistant.explain.precedents import Report, reports
from cudnn_assistant.explain.question import question

_NAMED = ("gpu", "driver", "cuda", "cudnn", "python", "framework", "os")
_RARE = 3
"""Reports that must hold a sign for it to be learned; each report is asked in up to 3 ways."""
_SMALL = 0.1
"""Weights nearer to zero are left out of the table."""
_TRUST = 2.0
"""Inverse strength of the regularisation; 0.5 to 8 gave the same within a case or two."""


def ways(report: Report) -> dict[str, dict[str, str]]:
    """What may be known beside the message: nothing, what has a name of its own, everything."""
    known = {key: text for key, text in report.known.items() if text}
    named = {key: text for key, text in known.items() if key in _NAMED}
    return {"text": {}, "named": named, "all": known}


def learn(some: Sequence[Report], digest: str = "") -> Learned:
    """Weights from these reports; the same reports give the same weights."""
    from sklearn.feature_extraction import DictVectorizer
    from sklearn.linear_model import LogisticRegression

    asked = [(signs(question(r.log, facts)), r.cause) for r in some for facts in ways(r).values()]
    held = Counter(sign for found, _cause in asked for sign in found)
    rows = [{sign: 1 for sign in sorted(found) if held[sign] >= _RARE} for found, _ in asked]
    table = DictVectorizer()
    matrix = table.fit_transform(rows)
    model = LogisticRegression(C=_TRUST, max_iter=300).fit(matrix, [cause for _, cause in asked])
    classes = [str(cls) for cls in model.classes_]
    weight = {
        sign: {
            cls: round(float(value), 2)
            for cls, value in zip(classes, model.coef_[:, column], strict=True)
            if abs(value) >= _SMALL
        }
        for sign, column in sorted(table.vocabulary_.items())
    }
    return Learned(digest, {sign: row for sign, row in weight.items() if row})


def digest() -> str:
    """What tells this table of reports from any other."""
    return hashlib.sha256(places.resource("errors/reports.jsonl").read_bytes()).hexdigest()


def cross(parts: int) -> Iterator[str]:
    """Figures over all reports, each answered by weights and reports that don't know it."""
    found: Counter[tuple[str, str]] = Counter()
    for part in range(parts):
        weights = learn([r for number, r in enumerate(reports()) if number % parts != part])
        for report in reports()[part::parts]:
            for way, facts in ways(report).items():
                answer = explain(report.log, given=facts, leave_out=report.thread, words=weights)
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
