"""Windows' registry, read only; what can't be read is as good as empty, as it is elsewhere."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from contextlib import suppress

import msgspec

from cudnn_assistant.machine import readable

if sys.platform == "win32":
    import winreg

_MOST = 4096


class Registry(msgspec.Struct, frozen=True):
    """One hive in one view."""

    hive: str = "HKEY_LOCAL_MACHINE"
    view: str = "KEY_WOW64_64KEY"

    def keys(self, path: str) -> Sequence[str]:
        """Names of the keys below a key."""
        found: list[str] = []
        if sys.platform == "win32":
            with suppress(OSError), _open(self, path) as key:
                count = min(winreg.QueryInfoKey(key)[0], _MOST)
                found.extend(winreg.EnumKey(key, index) for index in range(count))
        return found

    def value(self, path: str, name: str) -> object:
        """One value, ``None`` when there is none."""
        if sys.platform == "win32":
            with suppress(OSError), _open(self, path) as key:
                return winreg.QueryValueEx(key, name)[0]
        return None

    def text(self, path: str, name: str) -> str:
        """One value that is a text; "" when it is none, or of another kind."""
        found = self.value(path, name)
        return readable(found) if isinstance(found, str) else ""


if sys.platform == "win32":

    def _open(where: Registry, path: str) -> winreg.HKEYType:
        access = winreg.KEY_READ | getattr(winreg, where.view)
        return winreg.OpenKey(getattr(winreg, where.hive), path, 0, access)
