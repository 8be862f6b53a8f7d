"""HKEY_LOCAL_MACHINE, read only (Windows)."""

from __future__ import annotations

import sys
from collections.abc import Sequence

_MOST = 4096

if sys.platform == "win32":
    import winreg

    class LocalMachine:
        """The real one, in its 64-bit view; what can't be read is as good as empty."""

        def keys(self, path: str) -> Sequence[str]:
            """Names of the keys below a key."""
            found: list[str] = []
            try:
                with _open(path) as key:
                    count = winreg.QueryInfoKey(key)[0]
                    found += (winreg.EnumKey(key, index) for index in range(min(count, _MOST)))
            except OSError:
                pass
            return found

        def value(self, path: str, name: str) -> object:
            """One value, ``None`` when there is none."""
            try:
                with _open(path) as key:
                    return winreg.QueryValueEx(key, name)[0]
            except OSError:
                return None

    def _open(path: str) -> winreg.HKEYType:
        access = winreg.KEY_READ | winreg.KEY_WOW64_64KEY
        return winreg.OpenKey(winreg.HKEY_LOCAL_MACHINE, path, 0, access)
