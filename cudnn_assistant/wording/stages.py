"""What the test does in each stage, in words."""

from __future__ import annotations

from cudnn_assistant.wording.sentences import rows, say


def stage(name: str) -> str:
    """What the test does in a stage, to follow "while"; an unknown stage's own name."""
    return say(f"stages.{name}") if name in rows("stages") else name
