"""A registry in memory that behaves as the contract says."""

from __future__ import annotations

from cudnn_assistant.machine import Scope
from cudnn_assistant.system.windows_registry import Stored


class FakeRegistry:
    """Values by scope. ``denied`` scopes can be read only; ``locked`` ones not even that."""

    def __init__(self, **scopes: list[Stored]) -> None:
        self.scopes: dict[str, list[Stored]] = {"user": [], "machine": [], **scopes}
        self.denied: set[str] = set()
        self.locked: set[str] = set()
        self.writes = 0

    def values(self, scope: Scope) -> tuple[Stored, ...]:
        if scope in self.locked:
            raise PermissionError(13, "Access is denied")
        return tuple(self.scopes[scope])

    def _index(self, scope: Scope, name: str) -> int | None:
        names = [stored.name.upper() for stored in self.scopes[scope]]
        return names.index(name.upper()) if name.upper() in names else None

    def _allow(self, scope: Scope) -> None:
        if scope in self.denied | self.locked:
            raise PermissionError(13, "Access is denied")

    def set(self, scope: Scope, name: str, text: str, kind: int) -> None:
        self._allow(scope)
        self.writes += 1
        index = self._index(scope, name)
        if index is None:
            self.scopes[scope].append(Stored(name, text, kind))
        else:
            spelling = self.scopes[scope][index].name
            self.scopes[scope][index] = Stored(spelling, text, kind)

    def delete(self, scope: Scope, name: str) -> None:
        self._allow(scope)
        index = self._index(scope, name)
        if index is None:
            raise FileNotFoundError(2, "The system cannot find the file specified")
        self.writes += 1
        del self.scopes[scope][index]
