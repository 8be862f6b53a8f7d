"""README's news: the words of a release, for its notes and for the .deb's changelog."""

from __future__ import annotations

import re
from pathlib import Path

from installer import NotReady

README = Path(__file__).resolve().parents[1] / "README.md"


def of(version: str) -> str:
    """The paragraph about a version, as it stands. Raises NotReady where README has none."""
    found = re.search(
        rf"^\*\*{re.escape(version)}\*\* (.+?)(?=\n\n|\Z)",
        README.read_text("utf-8"),
        re.MULTILINE | re.DOTALL,
    )
    if not found:
        raise NotReady(f"README.md has no news of {version}")
    return found[1].strip()
