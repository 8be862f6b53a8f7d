"""Which DLL is missing when Windows only says that "a module" is: a walk through the imports.

Windows' loader answers 126 for the DLL that was asked for and for any that it imports, however
deep. The files are read, nothing is loaded; this runs on any system.
"""

from __future__ import annotations

import os
from collections.abc import Sequence

from cudnn_assistant.probe.files.disk import names_in

_SETS = ("api-ms-", "ext-ms-")
"""API sets: names without files, resolved by Windows itself."""
_MOST = 200
"""Most DLLs that are looked into."""


def first_missing(file: str, folders: Sequence[str]) -> str:
    """Name of the first DLL, breadth first, that ``file`` needs and no folder has.

    ``folders`` is the order Windows searches in; the file's own folder comes first, as for a DLL
    loaded by its full path. "" when nothing is missing, or ``file`` itself can't be read.
    """
    known: set[str] = set()
    waiting = [file]
    while waiting and len(known) < _MOST:
        path = waiting.pop(0)
        for name in imports(path):
            key = name.lower()
            if key in known or key.startswith(_SETS):
                continue
            known.add(key)
            found = locate(name, [os.path.dirname(path), *folders])
            if not found:
                return name
            waiting.append(found)
    return ""


def imports(path: str, *, delayed: bool = False) -> list[str]:
    """Names of the DLLs in a DLL's import table; ``delayed`` ones are not needed to load it."""
    kinds = ["DIRECTORY_ENTRY_IMPORT", *["DIRECTORY_ENTRY_DELAY_IMPORT"] * delayed]
    try:
        import pefile

        with pefile.PE(path, fast_load=True) as image:
            numbers = [pefile.DIRECTORY_ENTRY[f"IMAGE_{kind}"] for kind in kinds]
            image.parse_data_directories(numbers, import_dllnames_only=True)
            entries = (entry for kind in kinds for entry in getattr(image, kind, ()))
            return [entry.dll.decode("ascii", "replace") for entry in entries]
    except Exception:  # noqa: BLE001  (pefile raises whatever a damaged file leads it to)
        return []


def locate(name: str, folders: Sequence[str]) -> str:
    """The file that a bare name means in ``folders``; "" when none has it."""
    for folder in folders:
        path = os.path.join(folder, name)
        if os.path.isfile(path):
            return path
        # Windows ignores case; where this is read on another system it has to be looked for.
        for entry in names_in(folder):
            if entry.lower() == name.lower():
                return os.path.join(folder, entry)
    return ""
