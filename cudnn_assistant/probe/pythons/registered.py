"""Python installations that Windows' registry knows (PEP 514)."""

from __future__ import annotations

import sys
from collections.abc import Iterator

_MOST = 200

if sys.platform == "win32":
    import winreg

    def registered_pythons() -> tuple[str, ...]:
        """The folders under ``Software\\Python\\<company>\\<tag>``, those of 32 bits too."""
        places = (
            (winreg.HKEY_CURRENT_USER, 0),
            (winreg.HKEY_LOCAL_MACHINE, winreg.KEY_WOW64_64KEY),
            (winreg.HKEY_LOCAL_MACHINE, winreg.KEY_WOW64_32KEY),
        )
        return tuple(folder for hive, view in places for folder in _of_hive(hive, view))

    def _of_hive(hive: int, view: int) -> Iterator[str]:
        top = r"Software\Python"
        for company in _subkeys(hive, top, view):
            for tag in _subkeys(hive, rf"{top}\{company}", view):
                folder = _default(hive, rf"{top}\{company}\{tag}\InstallPath", view)
                # The launcher has an entry of its own beside the interpreters.
                if folder and company != "PyLauncher":
                    yield folder

    def _subkeys(hive: int, path: str, view: int) -> tuple[str, ...]:
        try:
            with winreg.OpenKey(hive, path, 0, winreg.KEY_READ | view) as key:
                count = min(winreg.QueryInfoKey(key)[0], _MOST)
                return tuple(winreg.EnumKey(key, index) for index in range(count))
        except OSError:
            return ()

    def _default(hive: int, path: str, view: int) -> str:
        try:
            with winreg.OpenKey(hive, path, 0, winreg.KEY_READ | view) as key:
                value = winreg.QueryValueEx(key, "")[0]
                return value if isinstance(value, str) else ""
        except OSError:
            return ""

else:

    def registered_pythons() -> tuple[str, ...]:
        """None: only Windows has a registry."""
        return ()
