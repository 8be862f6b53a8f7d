"""A system as it would be with other values of its variables; it can be looked at, not written."""

from __future__ import annotations

from collections.abc import Mapping

from cudnn_assistant.machine import Gap, Scope, Value, Variable
from cudnn_assistant.system import System, settings_file
from cudnn_assistant.system.windows import merged

Values = Mapping[tuple[Scope, str], Value | None]
"""What would be stored; ``None``: nothing any more."""
_SCOPES: tuple[Scope, ...] = ("machine", "user")
"""On Windows, in the order in which they make up PATH."""


class Planned:
    """:class:`~cudnn_assistant.system.Readable` with ``values`` in place of what is stored."""

    def __init__(self, system: System, values: Values) -> None:
        self._system = system
        self._values = {(scope, self._key(name)): v for (scope, name), v in values.items()}
        self._names = {(scope, self._key(name)): name for scope, name in values}
        self.family = system.family

    def _key(self, name: str) -> str:
        return name.upper() if self._system.family == "windows" else name

    def variables(self) -> tuple[Variable, ...]:
        """The layers of the system, with the planned values for those that it stores."""
        windows = self.family == "windows"
        others = (
            one
            for one in self._system.variables()
            if (one.scope, self._key(one.name)) not in self._values or not (windows or one.ours)
            if not self._taken_away(one.name)
        )
        planned = (
            Variable(
                scope=scope,
                name=self._names[scope, key],
                value=value,
                source=self._system.where(scope),
                ours=not windows,
            )
            for (scope, key), value in self._values.items()
            if value is not None
        )
        return (*others, *planned)

    def _taken_away(self, name: str) -> bool:
        """Our settings file would take it away, whoever set it."""
        value = self._values.get(("user", self._key(name)))
        return value is not None and value.gone

    def gaps(self) -> tuple[Gap, ...]:
        """What the system could not read."""
        return self._system.gaps()

    def fresh_environment(self) -> dict[str, str]:
        """What a program would get that is started once the values are stored."""
        now = self._system.fresh_environment()
        return self._on_windows(now) if self.family == "windows" else self._on_linux(now)

    def _on_linux(self, environment: Mapping[str, str]) -> dict[str, str]:
        names = [name for scope, name in self._values if scope == "user"]
        before = {name: v for name in names if (v := self._system.read("user", name))}
        after = {name: v for name in names if (v := self._values["user", name])}
        return settings_file.effect(after, settings_file.without(before, environment))

    def _on_windows(self, environment: Mapping[str, str]) -> dict[str, str]:
        names = dict.fromkeys(name for _scope, name in self._values)
        base = {name: text for name, text in environment.items() if name.upper() not in names}
        machine, user = (
            [(name, value) for name in names if (value := self._value(scope, name)) and value.text]
            for scope in _SCOPES
        )
        return merged(machine, user, base)

    def _value(self, scope: Scope, name: str) -> Value | None:
        stored = (scope, name)
        return self._values[stored] if stored in self._values else self._system.read(scope, name)
