"""Windows' registry, read only; what can't be read is as good as empty, as it is elsewhere."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from contextlib import suppress
from importlib import import_module
from typing import Any

import msgspec

from cudnn_assistant.machine import readable

_winreg: Any = import_module("winreg") if sys.platform == "win32" else None
_MOST = 4096


class Registry(msgspec.Struct, frozen=True):
    """One hive in one view."""

    hive: str = "HKEY_LOCAL_MACHINE"
    view: str = "KEY_WOW64_64KEY"

    def keys(self, path: str) -> Sequence[str]:
        """Names of the keys below a key."""
        found: list[str] = []
        with suppress(OSError), self._open(path) as key:
            count = min(_winreg.QueryInfoKey(key)[0], _MOST)
            found.extend(_winreg.EnumKey(key, index) for index in range(count))
        return found

    def value(self, path: str, name: str) -> object:
        """One value, ``None`` when there is none."""
        with suppress(OSError), self._open(path) as key:
            return _winreg.QueryValueEx(key, name)[0]
        return None

    def text(self, path: str, name: str) -> str:
        """One value that is a text; "" when it is none, or of another kind."""
        found = self.value(path, name)
        return readable(found) if isinstance(found, str) else ""

    def _open(self, path: str) -> Any:
        if _winreg is None:
            raise FileNotFoundError(path)
        access = _winreg.KEY_READ | getattr(_winreg, self.view)
        return _winreg.OpenKey(getattr(_winreg, self.hive), path, 0, access)
