"""What the tests of killed changes promise together; each holds its own row (kills.py)."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path

from kills import LEAST

HERE = Path(__file__).parent
HELD = re.compile(r"\btried\(\s*\"([^\"]+)\"(?: if \w+ else \"([^\"]+)\")?,")


def test_the_tests_kill_hundreds_of_times() -> None:
    assert sum(LEAST.values()) >= 300


def test_each_row_is_held_by_exactly_one_test() -> None:
    texts = [path.read_text("utf-8") for path in HERE.glob("test_*.py")]
    held = Counter(row for text in texts for found in HELD.findall(text) for row in found if row)
    assert held == Counter(list(LEAST))
