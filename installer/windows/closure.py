"""Whether every DLL that a packed file asks for is packed too, or part of Windows."""

from __future__ import annotations

from collections.abc import Iterator
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
        return tuple(sorted({*_named(image, 1, 20, 12), *_named(image, 13, 32, 4)}))


def _named(image: pefile.PE, number: int, size: int, at: int) -> Iterator[str]:
    """The DLLs of a directory whose rows have that size, and the address of a name at that place.

    pefile itself would read the thousands of functions of each, which takes most of a minute.
    """
    if number >= len(image.OPTIONAL_HEADER.DATA_DIRECTORY):
        return
    row = image.OPTIONAL_HEADER.DATA_DIRECTORY[number].VirtualAddress
    while row and (name := image.get_dword_at_rva(row + at)):
        yield image.get_string_at_rva(name).decode("ascii").lower()
        row += size


def of_windows(name: str) -> bool:
    """Whether every supported Windows has this DLL."""
    return name.startswith(("api-ms-win-", "ext-ms-")) or name.removesuffix(".dll") in SYSTEM
