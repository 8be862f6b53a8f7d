"""README's news: the words of a release, for its notes and for the .deb's changelog."""

from __future__ import annotations

import re
from pathlib import Path

README = Path(__file__).resolve().parents[1] / "README.md"


class Missing(Exception):
    """README says nothing of a version."""


def of(version: str) -> str:
    """The paragraph about a version, as it stands. Raises Missing."""
    found = re.search(
        rf"^\*\*{re.escape(version)}\*\* (.+?)(?=\n\n|\Z)",
        README.read_text("utf-8"),
        re.MULTILINE | re.DOTALL,
    )
    if not found:
        raise Missing(f"README.md has no news of {version}")
    return found[1].strip()
