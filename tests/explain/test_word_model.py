"""What single words tell: the table fits the reports, and its voice is bounded."""

from __future__ import annotations

import re

from cudnn_assistant.explain.evidence import rules
from cudnn_assistant.explain.question import question
from cudnn_assistant.explain.word_model import load_words, signs
from installer.lessons import accounts, digest

LOUDEST = 6.0
"""No more than what a few clear lines of a text say."""


def votes(message: str, **given: str) -> dict[str, float]:
    found = signs(question(message, given), message.splitlines(), given)
    return dict(load_words().evidence(found).votes)


def test_the_words_were_learned_from_these_very_lessons() -> None:
    said = "reports or phrases were changed: run python -m installer.words"
    assert load_words().lessons == digest(), said


def test_accounts_are_of_known_classes_and_name_nobody() -> None:
    every = accounts()
    assert {one.cause for one in every} == set(rules().prior)
    assert len({(one.log, one.note) for one in every}) > len(every) * 0.99
    home = re.compile(r"/home/(?!user\b)\w+/|Users\\(?!user\b|me\b|\w\b)\w+\\|https?://")
    assert not [one.log for one in every if home.search(one.log + one.note)]


def test_the_table_speaks_of_known_classes() -> None:
    table = load_words()
    assert set(table.classes) == {*rules().prior, ""}
    rows = (row for part in table.weight.values() for row in part.values())
    told = {number for row in rows for number in row[::2]}
    assert told == set(range(len(table.classes)))


def test_words_speak_up_for_their_cause_and_never_shout() -> None:
    found = votes("failed to initialize NVML: Driver/library version mismatch")
    assert max(found, key=lambda cls: found[cls]) == "driver-library-mismatch"
    assert max(found.values()) <= LOUDEST
    assert min(found.values()) >= -LOUDEST


def test_facts_speak_too() -> None:
    plain, told = votes("it is slow"), votes("it is slow", gpu="RTX 5090", cuda="11.8")
    assert told["gpu-too-new"] > plain.get("gpu-too-new", 0.0)


def test_unknown_words_say_no_more_than_silence() -> None:
    silence = votes("")
    assert votes("blorp quux") == silence
    # Causes that have no class of their own are many, and words alone tell little of them.
    assert 0 < silence.pop("other") < 2
    assert max(map(abs, silence.values())) < 1


def test_no_number_of_words_shouts() -> None:
    table = load_words()
    signs = (f"{part} {word}" for part, words in table.weight.items() for word in words)
    every = table.evidence(signs).votes
    assert all(abs(vote) <= LOUDEST for vote in every.values())
    assert max(every.values()) > LOUDEST / 2


def test_numbers_and_facts_are_heard_with_their_place() -> None:
    asked = question("sm_120", {"cuda": "11.2"})
    found = signs(asked, ["needs sm_120 or CUDA 12.8"], {"cuda": "11.2"})
    assert {"number sm_120", "number 12.8", "given cuda", "given cuda 11.2"} <= found
    assert "given cuda 11" in found
