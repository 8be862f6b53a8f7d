"""No cause of the catalogue is forgotten, and the contributors' table is up to date."""

from __future__ import annotations

from diagnose.catalogue import CAUSES, COVERED, ELSEWHERE, PAGE, handled, page

from cudnn_assistant.diagnose import RULES


def test_every_cause_has_a_rule_or_a_reason() -> None:
    assert len(CAUSES) == 148
    assert set(handled()) | set(ELSEWHERE) == set(CAUSES)
    assert not set(handled()) & set(ELSEWHERE)


def test_every_code_of_a_rule_is_in_the_catalogue() -> None:
    assert set(COVERED) == {rule.code for rule in RULES}


def test_the_table_is_up_to_date() -> None:
    """Made by ``PYTHONPATH=tests python -m diagnose.catalogue``."""
    assert PAGE.read_text(encoding="utf-8") == page()
