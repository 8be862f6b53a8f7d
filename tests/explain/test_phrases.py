"""Ways of putting it: each phrase names its class among the first three."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml

from cudnn_assistant.explain import explain

TEACHING = Path(__file__).parents[2] / "installer" / "teaching"
PHRASES = yaml.safe_load((TEACHING / "phrases.yaml").read_text(encoding="utf-8"))
SAYINGS = yaml.safe_load(Path(__file__).with_name("sayings.yaml").read_text(encoding="utf-8"))


@pytest.mark.parametrize(
    ("cls", "phrase"),
    [(cls, one) for table in (PHRASES, SAYINGS) for cls, some in table.items() for one in some],
)
def test_the_class_is_among_the_first_three(cls: str, phrase: str) -> None:
    assert cls in [cause.cls for cause in explain(phrase).causes[:3]]
