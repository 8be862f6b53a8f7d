"""Compiles the catalogues of ``resources/locale`` whenever a wheel or a checkout is installed."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from babel.messages.mofile import write_mo
from babel.messages.pofile import read_po
from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class CompileLocale(BuildHookInterface):  # type: ignore[type-arg,misc,unused-ignore]
    """Writes a .mo beside each .po."""

    def initialize(self, _version: str, _build_data: dict[str, Any]) -> None:
        """Compile them all, before files are collected. A translation that is unsure stays out."""
        compile_all(Path(self.root) / "resources/locale")


def compile_all(folder: Path) -> None:
    """Write a .mo beside each .po below ``folder``."""
    for path in folder.rglob("*.po"):
        with path.open("rb") as source, path.with_suffix(".mo").open("wb") as target:
            write_mo(target, read_po(source))
