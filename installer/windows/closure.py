"""Whether every DLL that a packed file asks for is packed too, or part of Windows."""

from __future__ import annotations

from pathlib import Path

import pefile

from installer.windows.payload import SYSTEM

_ENDINGS = (".exe", ".dll", ".pyd")


def missing(stage: Path) -> list[str]:
    """One line for each import that nothing packed and nothing of Windows can serve."""
    files = [path for path in stage.rglob("*") if path.suffix.lower() in _ENDINGS]
    packed = {path.name.lower() for path in files}
    return [
        f"{path.relative_to(stage).as_posix()} needs {name}"
        for path in sorted(files)
        for name in imports(path)
        if name not in packed and not of_windows(name)
    ]


def imports(path: Path) -> tuple[str, ...]:
    """The DLLs a PE file names, lower case, those it loads late included."""
    with pefile.PE(str(path), fast_load=True) as image:
        image.parse_data_directories([1, 13])
        entries = [
            *getattr(image, "DIRECTORY_ENTRY_IMPORT", ()),
            *getattr(image, "DIRECTORY_ENTRY_DELAY_IMPORT", ()),
        ]
        return tuple(sorted({entry.dll.decode("ascii").lower() for entry in entries}))


def of_windows(name: str) -> bool:
    """Whether every supported Windows has this DLL."""
    return name.startswith(("api-ms-win-", "ext-ms-")) or name.removesuffix(".dll") in SYSTEM
