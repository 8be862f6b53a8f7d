"""The tables of explain: every row is whole, safe against hostile text, and fit for people."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path
from re import _constants as sre  # type: ignore[attr-defined]
from re import _parser as sre_parse  # type: ignore[attr-defined]

import pytest

from cudnn_assistant import places
from cudnn_assistant.explain import features, generations
from cudnn_assistant.explain.evidence import rules
from cudnn_assistant.explain.patterns import (
    Pattern,
    harmless,
    hits,
    is_harmless,
    patterns,
)
from cudnn_assistant.explain.reading import lines_of
from cudnn_assistant.explain.versions import known

FORBIDDEN = re.compile(
    r"\b(?:errors?|fail(?:s|ed|ure)?|invalid|illegal|fatal|corrupt\w*|please|simply|just|oops)\b",
    re.IGNORECASE,
)
LONGEST_REPEAT = 700
"""Steps of all nested repetitions together, from one place in a line."""

EIGHTHS = range(8)
"""Rows are many and quick: a test looks at each eighth one, and names the one it stops at."""


@pytest.mark.parametrize("first", EIGHTHS)
def test_a_pattern_finds_its_example_and_says_it_in_words(first: int) -> None:
    for pattern in patterns()[first::8]:
        assert pattern.id in {hit.pattern.id for hit in hits(lines_of(pattern.example))}
        _literals_are_small_letters(pattern)
        assert not FORBIDDEN.search(pattern.means), pattern.id
        assert "!" not in pattern.means, pattern.id


def _literals_are_small_letters(pattern: Pattern) -> None:
    assert pattern.find, pattern.id
    for literal in pattern.find:
        assert literal == literal.lower(), pattern.id
        assert len(literal) >= 2, pattern.id


def test_no_repetition_without_bound() -> None:
    facts = [match for _name, match in (*known().facts, *known().systems)]
    for match in (*(pattern.match for pattern in patterns()), *facts):
        assert max(_bounds(sre_parse.parse(match)), default=0) <= LONGEST_REPEAT, match


def _bounds(parsed: object) -> list[int]:
    """Upper bounds of all repetitions; nested ones multiplied."""
    found: list[int] = []
    for op, args in parsed:  # type: ignore[attr-defined]
        if op in {sre.MAX_REPEAT, sre.MIN_REPEAT, sre.POSSESSIVE_REPEAT}:
            found.append(int(args[1]))
            found += [int(args[1]) * inner for inner in _bounds(args[2])]
        elif op is sre.SUBPATTERN:
            found += _bounds(args[-1])
        elif op is sre.BRANCH:
            found += [b for branch in args[1] for b in _bounds(branch)]
        elif op in {sre.ASSERT, sre.ASSERT_NOT}:
            found += _bounds(args[1])
    return found


def test_the_check_of_repetitions_can_find_one() -> None:
    assert max(_bounds(sre_parse.parse(r"a(?:\S+ )*b"))) > LONGEST_REPEAT


def test_votes_are_for_known_classes() -> None:
    classes = set(rules().prior)
    for row in (*patterns(), *rules().rule):
        assert set(row.votes) <= classes, row


def test_ids_are_unique() -> None:
    ids = [p.id for p in patterns()]
    assert len(ids) == len(set(ids))


def test_rules_ask_for_things_that_exist() -> None:
    files = (Path(module.__file__) for module in (features, generations))
    text = "".join(file.read_text(encoding="utf-8") for file in files)
    made = set(re.findall(r'yield (?:told\()?\(?\s*f?"([^"]+)"', text))
    names = {p.id for p in patterns()} | {t for p in patterns() for t in p.tags} | made
    names |= {f"os:{name}" for name in ("windows", "linux", "wsl", "macos")}
    names |= {f"{thing}:several" for thing in ("cudnn", "cuda", "driver")}
    names |= {f"fw:{name}" for name in known().framework_names}
    asked = {n for r in rules().rule for c in (*r.when, *r.unless) for n in c.split("|")}
    assert asked <= names, asked - names


HARMLESS = Path(__file__).with_name("harmless.txt").read_text(encoding="utf-8").splitlines()


@pytest.mark.parametrize("first", EIGHTHS)
def test_an_ordinary_line_speaks_for_nothing_loudly(first: int) -> None:
    for line in HARMLESS[first::8]:
        loud = [h.pattern.id for h in hits(lines_of(line)) if max(h.pattern.votes.values()) >= 2]
        assert not loud, line


def test_a_harmless_line_is_passed_over() -> None:
    for row in harmless():
        assert row.find == row.find.lower()
        assert is_harmless(row.example), row.find
        assert not hits(lines_of(row.example)), row.find
        assert max(_bounds(sre_parse.parse(row.match)), default=0) <= LONGEST_REPEAT, row.find


FILES = {
    "containers": {"container-runtime", "wsl-driver"},
    "cuda": {"cuda-missing", "cuda-not-on-path", "cuda-version-mismatch"},
    "cudnn": {c for c in rules().prior if c.startswith("cudnn-")} | {"zlibwapi-missing"},
    "driver": {
        "driver-missing",
        "driver-too-old",
        "driver-library-mismatch",
        "driver-dropped-gpu",
        "driver-not-ready",
        "no-nvidia-gpu",
        "secure-boot-or-nouveau",
        "cuda-stub-library",
    },
    "environment": {"env-variable-wrong", "visible-devices-wrong", "permission"},
    "frameworks": {
        "cpu-only-build",
        "python-version-unsupported",
        "framework-dropped-windows-gpu",
        "multiple-pip-packages-conflict",
    },
    "gpu": {"gpu-too-old", "gpu-too-new", "hardware-fault"},
    "installation": {
        "corrupted-install",
        "msvc-runtime-missing",
        "compiler-does-not-fit",
        "system-library-missing",
        "cpu-too-old",
    },
    "memory": {"gpu-out-of-memory", "other-process-uses-gpu"},
    "other": {"other"},
    "program": {
        "index-out-of-range",
        "tensors-on-two-devices",
        "shape-or-type-mismatch",
        "python-packages-conflict",
        "page-file-small",
        "process-killed",
        "shared-memory-small",
        "data-loader-worker",
        "model-file-missing",
        "model-saved-on-gpu",
        "engine-of-other-device",
        "gpus-can-not-talk",
        "disk-or-network",
        "multiple-pip-packages-conflict",
    },
}
"""The classes that each file of patterns is about."""


@pytest.mark.parametrize("subject", FILES)
def test_a_pattern_stands_in_the_file_of_what_it_speaks_for(subject: str) -> None:
    file = places.resource(f"errors/patterns/{subject}.toml")
    for row in tomllib.loads(file.read_text(encoding="utf-8"))["pattern"]:
        assert max(row["votes"], key=row["votes"].get) in FILES[subject], row["id"]
