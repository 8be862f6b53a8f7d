"""Registry keys of Windows, as thin as it can be: by default those of environment variables.

The tests hold :class:`WindowsRegistry` (under Wine and on Windows) and their own stand-in to one
contract, ``tests/system/registry_contract.py``.
"""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from typing import Any

import msgspec

from cudnn_assistant.machine import Scope

TEXT, EXPAND = 1, 2
"""REG_SZ and REG_EXPAND_SZ, the only kinds that a variable can have."""

MACHINE = r"SYSTEM\CurrentControlSet\Control\Session Manager\Environment"
USER = "Environment"


class Stored(msgspec.Struct, frozen=True):
    """One value of a key: its name as spelled, its raw data (never expanded) and its kind."""

    name: str
    data: object
    kind: int


class WindowsRegistry:
    """The real one. ``keys`` are (name of the root, path) by scope.

    Every method raises :class:`OSError`.
    """

    def __init__(self, keys: Mapping[Scope, tuple[str, str]] | None = None) -> None:
        self._winreg: Any = import_module("winreg")
        self._keys = keys or {
            "user": ("HKEY_CURRENT_USER", USER),
            "machine": ("HKEY_LOCAL_MACHINE", MACHINE),
        }

    def _open(self, scope: Scope, access: str, how: str = "OpenKeyEx") -> Any:
        (root, path), reg = self._keys[scope], self._winreg
        # Not the view of 32-bit programs, which has some keys of its own.
        wanted = getattr(reg, access) | reg.KEY_WOW64_64KEY
        return getattr(reg, how)(getattr(reg, root), path, 0, wanted)

    def values(self, scope: Scope) -> tuple[Stored, ...]:
        """All values of the scope's key; ``()`` when the key doesn't exist."""
        try:
            key = self._open(scope, "KEY_READ")
        except FileNotFoundError:
            return ()
        with key:
            count = self._winreg.QueryInfoKey(key)[1]
            return tuple(Stored(*self._winreg.EnumValue(key, index)) for index in range(count))

    def set(self, scope: Scope, name: str, text: str, kind: int) -> None:
        """Create or replace one value, and its key where there is none, and flush it to disk; case
        doesn't count in names."""
        with self._open(scope, "KEY_SET_VALUE", "CreateKeyEx") as key:
            self._winreg.SetValueEx(key, name, 0, kind, text)
            self._winreg.FlushKey(key)

    def delete(self, scope: Scope, name: str) -> None:
        """Remove one value. Raises :class:`FileNotFoundError` when there is none."""
        with self._open(scope, "KEY_SET_VALUE") as key:
            self._winreg.DeleteValue(key, name)
            self._winreg.FlushKey(key)
