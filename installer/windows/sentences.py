"""Setup's sentences for NSIS, out of one table (setup.toml) with all languages."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator, Mapping
from pathlib import Path

TABLE = Path(__file__).with_name("setup.toml")
LANGUAGES = {
    "en": "English",
    "de": "German",
    "es": "Spanish",
    "fr": "French",
    "ja": "Japanese",
    "zh": "SimpChinese",
    "pt": "PortugueseBR",
}
"""What NSIS calls them; the first is for everybody else. setup.nsi names the same."""

_RUNTIME = re.compile(r"\$(?:[0-9]|R[0-9]|[A-Z]+[0-9]*|[A-Z][a-z]+)\b")
"""Variables of NSIS, which stay; every other "$" would be taken for one."""


def script(facts: Mapping[str, str]) -> str:
    """A line for each sentence and language; ``facts`` fill the places known at build time."""
    return "\n".join(_lines(facts)) + "\n"


def table() -> dict[str, dict[str, str]]:
    """The sentences by name and language."""
    return tomllib.loads(TABLE.read_text("utf-8"))


def _lines(facts: Mapping[str, str]) -> Iterator[str]:
    for name, texts in table().items():
        for code, language in LANGUAGES.items():
            text = texts[code].format(**facts)
            assert text.count("$") == len(_RUNTIME.findall(text)), (name, code)
            quoted = text.replace('"', '$\\"').replace("\n", "$\\r$\\n")
            yield f'LangString {name} ${{LANG_{language.upper()}}} "{quoted}"'
