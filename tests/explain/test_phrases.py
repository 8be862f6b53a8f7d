"""Ways of putting it, with and without what somebody who knows the computer adds."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import needs
import pytest
import yaml

from cudnn_assistant.explain import explain

TEACHING = Path(__file__).parents[2] / "installer" / "teaching"
SAYINGS = Path(__file__).with_name("sayings.yaml")


def phrases(file: Path) -> Iterator[tuple[str, str, dict[str, str]]]:
    for cls, some in yaml.safe_load(file.read_text(encoding="utf-8")).items():
        for one in some:
            yield cls, one, {}


def notes() -> Iterator[tuple[str, str, dict[str, str]]]:
    for cls, rows in yaml.safe_load((TEACHING / "notes.yaml").read_text(encoding="utf-8")).items():
        for framework, system, message, note in rows:
            yield cls, message, {"framework": framework, "os": system, "path_notes": note}


@pytest.mark.parametrize(
    ("read", "share"),
    [
        pytest.param(partial(phrases, TEACHING / "phrases.yaml"), 0.88, id="taught"),
        pytest.param(partial(phrases, SAYINGS), 0.72, id="not taught"),
        pytest.param(notes, 0.95, id="notes"),
    ],
)
def test_most_name_their_class_among_the_first_three(
    read: Callable[[], Iterator[tuple[str, str, dict[str, str]]]], share: float
) -> None:
    """By day of each twelfth saying, which is enough to see a share fall."""
    asked = list(read())[:: 1 if needs.night() else 12]
    missed = [
        (cls, text)
        for cls, text, given in asked
        if cls not in [cause.cls for cause in explain(text, given=given).causes[:3]]
    ]
    assert len(missed) <= (1 - share) * len(asked), missed
