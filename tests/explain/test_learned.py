"""What single words tell: the table fits the reports, and its voice is bounded."""

from __future__ import annotations

import hashlib

from cudnn_assistant import places
from cudnn_assistant.explain.causes import classes
from cudnn_assistant.explain.learned import learned
from cudnn_assistant.explain.question import question

LOUDEST = 2.0
"""No more than what one clear line of a text says."""


def votes(message: str, **given: str) -> dict[str, float]:
    return dict(learned().evidence(question(message, given)).votes)


def test_the_words_were_learned_from_these_very_reports() -> None:
    reports = places.resource("errors/reports.jsonl").read_bytes()
    said = "reports.jsonl was changed: run python -m installer.words"
    assert learned().reports == hashlib.sha256(reports).hexdigest(), said


def test_the_table_speaks_of_known_classes() -> None:
    table = learned()
    assert {cls for row in table.weight.values() for cls in row} == set(classes())


def test_words_speak_up_for_their_cause_and_never_shout() -> None:
    found = votes("failed to initialize NVML: Driver/library version mismatch")
    assert max(found, key=lambda cls: found[cls]) == "driver-library-mismatch"
    assert max(found.values()) <= LOUDEST
    assert min(found.values()) >= -LOUDEST


def test_facts_speak_too() -> None:
    told = votes("it is slow", notes="inside docker run")
    assert told["container-runtime"] > votes("it is slow").get("container-runtime", 0.0)


def test_unknown_words_say_nothing() -> None:
    assert votes("blorp quux") == {}


def test_no_number_of_words_shouts() -> None:
    every = " ".join(sign.partition(" ")[2] for sign in learned().weight)
    assert all(abs(vote) <= LOUDEST for vote in votes(every, notes=every, framework=every).values())
