"""Compiles the catalogues of ``resources/locale`` whenever a wheel or a checkout is installed, and
puts into a wheel what the program reads of ``resources``."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from babel.messages.mofile import write_mo
from babel.messages.pofile import read_po
from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class CompileLocale(BuildHookInterface):  # type: ignore[type-arg,misc,unused-ignore]
    """Writes a .mo beside each .po."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Compile them all, before files are collected. A translation that is unsure stays out."""
        resources = Path(self.root) / "resources"
        compile_all(resources / "locale")
        if (self.target_name, version) == ("wheel", "standard"):
            build_data["force_include"] |= {
                str(path): f"cudnn_assistant/resources/{path.relative_to(resources).as_posix()}"
                for path in sorted(resources.rglob("*"))
                if path.is_file() and path.parent.name != "sources" and path.suffix != ".po"
            }


def compile_all(folder: Path) -> None:
    """Write a .mo beside each .po below ``folder``."""
    for path in folder.rglob("*.po"):
        with path.open("rb") as source, path.with_suffix(".mo").open("wb") as target:
            write_mo(target, read_po(source))
