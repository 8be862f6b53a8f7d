"""A note in plain words beside a bare message: its class is among the first three."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml

from cudnn_assistant.explain import explain

TEACHING = Path(__file__).parents[2] / "installer" / "teaching"
NOTES = yaml.safe_load((TEACHING / "notes.yaml").read_text(encoding="utf-8"))


@pytest.mark.parametrize(
    ("cls", "framework", "os", "message", "note"),
    [(cls, *row) for cls, rows in NOTES.items() for row in rows],
)
def test_the_note_is_heard(cls: str, framework: str, os: str, message: str, note: str) -> None:
    given = {"framework": framework, "os": os, "path_notes": note}
    assert cls in [cause.cls for cause in explain(message, given=given).causes[:3]]
