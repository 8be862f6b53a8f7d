"""Windows: variables in the registry, read and written raw."""

from __future__ import annotations

import contextlib
import errno
import hashlib
import json
import ntpath
import os
import secrets
import sys
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Literal

from cudnn_assistant import envpath, places
from cudnn_assistant.child import elevated
from cudnn_assistant.machine import Gap, Scope, Value, Variable, readable
from cudnn_assistant.system.known_variables import matters
from cudnn_assistant.system.winapi import WindowsApi
from cudnn_assistant.system.windows_registry import (
    EXPAND,
    MACHINE,
    TEXT,
    USER,
    Stored,
    WindowsRegistry,
)
from cudnn_assistant.trouble import Refused, refusing
from cudnn_assistant.whole_file import put
from cudnn_assistant.wording.refusals import why_in_facts

_KEYS: dict[Scope, str] = {"user": f"HKCU\\{USER}", "machine": f"HKLM\\{MACHINE}"}
_JOINED = frozenset({"PATH", "LIBPATH", "OS2LIBPATH"})
"""The user's value follows the machine's; of all other variables it replaces it."""


class Windows:
    """:class:`~cudnn_assistant.system.System` on Windows. Runs on Linux over a stand-in."""

    family: Literal["windows", "linux"] = "windows"

    def __init__(
        self,
        registry: WindowsRegistry | None = None,
        api: WindowsApi | None = None,
        environment: Mapping[str, str] | None = None,
    ) -> None:
        self._registry = registry or WindowsRegistry()
        self._api = api or WindowsApi()
        self._start = dict(os.environ if environment is None else environment)
        self._besides = self._api.person_besides() if self._api.elevated() else ""
        self._gaps: list[Gap] = []
        self._at_start = {s.name.upper() for scope in _KEYS for s in self._values(scope)}

    # Reading ------------------------------------------------------------------------------

    def variables(self) -> tuple[Variable, ...]:
        """Every layer that matters: the process, the person's key and the machine's."""
        self._gaps = []
        found = [
            Variable(scope="process", name=name, value=Value(text=readable(text)))
            for name, text in sorted(self._start.items())
            if matters(name)
        ]
        for scope in _KEYS:
            for stored in self._values(scope):
                if matters(stored.name):
                    found += self._variable(scope, stored)
        return tuple(found)

    def _values(self, scope: Scope) -> tuple[Stored, ...]:
        try:
            return self._stored(scope)
        except Refused as trouble:
            self._gaps.append(Gap(what="variables", why=why_in_facts(trouble)))
            return ()

    def _stored(self, scope: Scope) -> tuple[Stored, ...]:
        """All values of a key. The person's own isn't there where another account runs us."""
        if scope == "user" and self._besides:
            raise Refused("anothers-settings", person=self._besides)
        with refusing("registry-unreadable", key=_KEYS[scope]):
            return self._registry.values(scope)

    def _variable(self, scope: Scope, stored: Stored) -> list[Variable]:
        source = _KEYS[scope]
        try:
            value = _value(stored)
        except Refused as trouble:
            self._gaps.append(Gap(what="variables", why=f"{source}: {why_in_facts(trouble)}"))
            return []
        return [Variable(scope=scope, name=stored.name, value=value, source=source)]

    def gaps(self) -> tuple[Gap, ...]:
        """What the last :meth:`variables` could not read."""
        return tuple(self._gaps)

    def read(self, scope: Scope, name: str) -> Value | None:
        """The raw text and kind; Refused for a value of another kind."""
        stored = self._find(scope, name)
        return None if stored is None else _value(stored)

    def _find(self, scope: Scope, name: str) -> Stored | None:
        return next((s for s in self._stored(scope) if s.name.upper() == name.upper()), None)

    # Writing ------------------------------------------------------------------------------

    def write(self, scope: Scope, name: str, value: Value | None) -> None:
        """Store ``value`` with its kind under the spelling that is there.

        The machine's scope needs the administrator: without the rights, Windows asks the person,
        and a small run of ourselves makes this one change.
        """
        if scope == "machine" and not self.may_write(scope):
            self.write_machine([(name, value)])
            return
        present, same = self._before(scope, name, value)
        if same:
            return
        spelling = present.name if present else name
        with refusing("windows-did-not-allow", name=name):
            if value is None:
                self._registry.delete(scope, spelling)
            else:
                kind = EXPAND if value.expand else TEXT
                self._registry.set(scope, spelling, value.text, kind)

    def _before(self, scope: Scope, name: str, value: Value | None) -> tuple[Stored | None, bool]:
        """What is stored now, and whether it is ``value`` already."""
        present = self._find(scope, name)
        before = None if present is None else _value(present)
        _refuse_unstorable(name, value)
        return present, before == value

    def write_machine(self, changes: Sequence[tuple[str, Value | None]]) -> None:
        """Several values of the machine, by one small run of ourselves as the administrator.

        Where this account could have exchanged what would run (a copy in their own folder, a
        virtual environment), and for a variable that isn't on our part's list, Windows' own
        program sets them, one question each, with the change in it.
        """
        wanted = [one for one in changes if not self._before("machine", *one)[1]]
        if not wanted:
            return
        listed = all(elevated.NAMES.fullmatch(name) for name, _value in wanted)
        if not listed or any(map(self._api.may_change, _ours())):
            for name, value in wanted:
                with refusing("administrator-not-started"):
                    self._api.run_elevated(_reg_command(name, value, self._api.system_folder()))
                if self.read("machine", name) != value:
                    raise Refused("administrator-stopped", name=name)
            return
        told = [
            {"name": name, "before": _plain(self.read("machine", name)), "after": _plain(value)}
            for name, value in wanted
        ]
        names = tuple(name for name, _after in changes)
        self._run_elevated(names, json.dumps({"changes": told}).encode())

    def _run_elevated(self, names: tuple[str, ...], request: bytes) -> None:
        path = os.path.join(places.state(), f"request-{secrets.token_hex(8)}.json")
        proof = hashlib.sha256(request).hexdigest()
        try:
            with refusing("administrator-not-started"):
                os.makedirs(places.state(), mode=0o700, exist_ok=True)
                put(path, request)
                code = self._api.run_elevated(
                    places.child_command("elevated", "--request", path, "--sha256", proof)
                )
        finally:
            with contextlib.suppress(OSError):
                os.unlink(path)
        _refuse_by_code(code, names)

    def announce(self) -> None:
        """One WM_SETTINGCHANGE; Explorer and what it starts then have the new values."""
        with contextlib.suppress(OSError):
            self._api.broadcast()

    def touched(self) -> tuple[str, ...]:
        """Nothing besides the value itself."""
        return ()

    def where(self, scope: Scope) -> str:
        """The registry key."""
        return _KEYS.get(scope, "")

    def may_write(self, scope: Scope) -> bool:
        """The person's own scope always, the machine's with the administrator's rights."""
        return scope == "user" or (scope == "machine" and self._api.elevated())

    def fresh_environment(self) -> dict[str, str]:
        """What Windows itself would give a program started from Explorer; names in capitals."""
        try:
            block = self._api.environment_block()
        except OSError:
            block = merged(self._texts("machine"), self._texts("user"), self._base())
        # A key may hold names that no program can be started with: its own default is "".
        return {n.upper(): text for n, text in block.items() if n and "=" not in n}

    def _texts(self, scope: Scope) -> list[tuple[str, Value]]:
        found = []
        for stored in self._values(scope):
            with contextlib.suppress(Refused):
                found.append((stored.name, _value(stored)))
        return found

    def _base(self) -> dict[str, str]:
        return {n.upper(): t for n, t in self._start.items() if n.upper() not in self._at_start}


def merged(
    machine: Iterable[tuple[str, Value]], user: Iterable[tuple[str, Value]], base: Mapping[str, str]
) -> dict[str, str]:
    """The environment that Windows makes of the two keys ("CreateEnvironmentBlock").

    In each layer plain texts come first, then those to be expanded. PATH is the machine's and
    then the user's.
    """
    result = {name.upper(): text for name, text in base.items()}
    for layer in (machine, user):
        joined = dict(result)
        for name, value in sorted(layer, key=lambda item: item[1].expand):
            upper, text = name.upper(), value.text
            if value.expand:
                text = envpath.expand(text, lambda other: result.get(other.upper()), "windows")
            first = joined.get(upper, "") if layer is user and upper in _JOINED else ""
            result[upper] = f"{first};{text}" if first and text else first or text
    return result


def _reg_command(name: str, value: Value | None, system32: str) -> list[str]:
    """What sets or removes (``None``) a variable of all users: reg.exe, which nobody but Windows
    can exchange, with the whole change on its command line."""
    program, key = ntpath.join(system32, "reg.exe"), _KEYS["machine"]
    if value is None:
        return [program, "delete", key, "/v", name, "/f"]
    kind = "REG_EXPAND_SZ" if value.expand else "REG_SZ"
    return [program, "add", key, "/v", name, "/t", kind, "/d", value.text, "/f"]


def _ours() -> tuple[str, ...]:
    """The files and folders that our own part for the administrator would be loaded from."""
    package = os.path.dirname(places.__file__)
    folders = [package, os.path.dirname(sys.executable), sys.base_prefix, *filter(None, sys.path)]
    return tuple(dict.fromkeys((sys.executable, *folders)))


def _value(stored: Stored) -> Value:
    if stored.kind not in (TEXT, EXPAND) or not isinstance(stored.data, str | None):
        raise Refused("other-kind-of-value", name=stored.name)
    text = stored.data or ""
    if readable(text) != text:
        raise Refused("unkeepable-characters", name=stored.name)
    return Value(text=text, expand=stored.kind == EXPAND)


def _refuse_unstorable(name: str, value: Value | None) -> None:
    if value is None:
        return
    if len(value.text) > envpath.LIMIT:
        raise Refused("value-too-long", name=name, length=len(value.text), limit=envpath.LIMIT)
    if "\0" in value.text or "=" in name or not name:
        raise Refused("value-not-storable", name=name)


def _plain(value: Value | None) -> dict[str, Any] | None:
    return None if value is None else {"text": value.text, "expand": value.expand}


def _refuse_by_code(code: int, names: tuple[str, ...]) -> None:
    """Turn the exit code of ``child/elevated.py`` into a refusal."""
    if code == elevated.DONE:
        return
    if code == elevated.HALF:
        raise OSError(errno.EINTR, "stopped-halfway", ", ".join(names))
    known = {
        elevated.NOT_ACCEPTED: "administrator-did-not-accept",
        elevated.CHANGED: "changed-meanwhile",
        elevated.NOT_ALLOWED: "administrator-was-not-allowed",
    }
    raise Refused(known.get(code, "administrator-stopped"), name=names)
