"""Whether every DLL that a packed file asks for is packed too, or part of Windows."""

from __future__ import annotations

from pathlib import Path

from cudnn_assistant.probe.files.imports import imports
from installer.windows.payload import SYSTEM

_ENDINGS = (".exe", ".dll", ".pyd")


def missing(stage: Path) -> list[str]:
    """One line for each import that nothing packed and nothing of Windows can serve."""
    files = [path for path in stage.rglob("*") if path.suffix.lower() in _ENDINGS]
    packed = {path.name.lower() for path in files}
    return [
        f"{path.relative_to(stage).as_posix()} needs {name}"
        for path in sorted(files)
        for name in sorted({name.lower() for name in imports(str(path), delayed=True)})
        if name not in packed and not of_windows(name)
    ]


def of_windows(name: str) -> bool:
    """Whether every supported Windows has this DLL."""
    return name.startswith(("api-ms-win-", "ext-ms-")) or name.removesuffix(".dll") in SYSTEM
