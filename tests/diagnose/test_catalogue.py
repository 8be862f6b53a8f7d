"""No cause of the catalogue is forgotten, and the contributors' table is up to date."""

from __future__ import annotations

import re

from diagnose.catalogue import CAUSES, ELSEWHERE, PAGE, handled, page

from cudnn_assistant.diagnose import RULES


def test_every_cause_has_a_rule_or_a_reason() -> None:
    assert len(CAUSES) == 148
    assert set(handled()) | set(ELSEWHERE) == set(CAUSES)
    assert not set(handled()) & set(ELSEWHERE)


def test_a_rule_says_in_its_first_words_which_causes_it_covers() -> None:
    for rule in RULES:
        named = set(re.findall(r"\b[A-Z]\d\d\b", rule.check.__doc__ or ""))
        assert named <= set(CAUSES)


def test_the_table_is_up_to_date() -> None:
    """Made by ``PYTHONPATH=tests python -m diagnose.catalogue``."""
    assert PAGE.read_text(encoding="utf-8") == page()
