"""Linux: variables in start-up files, and the one settings file that this program owns."""

from __future__ import annotations

import contextlib
import glob
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Literal

from cudnn_assistant import envpath, places
from cudnn_assistant.machine import Gap, Scope, Value, Variable, readable
from cudnn_assistant.system import files, loader_folders, settings_file, startup_files
from cudnn_assistant.system.account import home_of, shell_of_account
from cudnn_assistant.system.known_variables import matters
from cudnn_assistant.trouble import Refused, refusing
from cudnn_assistant.wording.refusals import why_in_facts

_Written = Callable[[settings_file.Values], "bytes | None"]
_FISH = "fish/conf.d/cudnn-assistant.fish"
_SYSTEMD = "environment.d/60-cudnn-assistant.conf"
"""Our files for other readers, below the folder of everybody's settings."""
_BOOTED = "/run/systemd/system"
"""The folder that is there where systemd runs the computer (sd_booted(3))."""


class Linux:
    """:class:`~cudnn_assistant.system.System` on Linux.

    ``environment`` is the process environment at this program's start. The folders are arguments
    for the tests' sake; by default they are the real ones, and the settings file is the one that
    start-up files read, also where XDG_CONFIG_HOME is another now than when it was written.
    """

    family: Literal["windows", "linux"] = "linux"

    def __init__(
        self,
        environment: Mapping[str, str] | None = None,
        *,
        home: str | None = None,
        config: str | None = None,
        etc: str = "/etc",
        login_shell: str | None = None,
    ) -> None:
        self._start = dict(os.environ if environment is None else environment)
        self._home = home_of(self._start) if home is None else home
        self._gaps: dict[str, Gap] = {}
        own = os.path.join(config or str(places.config()), "environment.sh")
        there = config or os.path.lexists(own)
        self._settings = own if there else next(self._read_by_shells(), own)
        self._shown = readable(self._settings)
        base = {"XDG_CONFIG_HOME": os.path.dirname(os.path.dirname(self._settings))}
        self._config = startup_files.config_folder(
            self._start if self._settings == own else base, self._home
        )
        self._etc = etc
        shell = shell_of_account() if login_shell is None else login_shell
        self._login_shell = self._start.get("SHELL") or shell
        self._loader = loader_folders.LoaderFolders(etc, self._start)
        self._at_start = self._own_values()

    def _read_by_shells(self) -> Iterator[str]:
        paths = startup_files.candidates(self._home, self._start) if self._home else ()
        for path in paths:
            named = startup_files.settings_read(self._look(path) or b"")
            yield from (file for file in named if self._look(file))

    # Reading ------------------------------------------------------------------------------

    def variables(self) -> tuple[Variable, ...]:
        """Every layer that matters: the process, the person's files and ours, the machine's."""
        self._gaps = {}
        own = self._own_values()
        found = [
            Variable(scope="process", name=name, value=Value(text=readable(text)))
            for name, text in sorted(self._start.items())
            if matters(name)
        ]
        found += [
            Variable(scope="user", name=name, value=value, source=self._shown, ours=True)
            for name, value in sorted(own.items())
        ]
        for file in self._files_of_the_person():
            found += self._assigned("user", file)
        for file in self._files_of_the_machine():
            found += self._assigned("machine", file)
        gone = {name for name, value in own.items() if value.gone}
        kept = (one for one in found if one.ours or one.name not in gone)
        return (*kept, *self._preloaded_for_all(), *self._folders_of_the_loader())

    def _preloaded_for_all(self) -> list[Variable]:
        """Libraries that the loader puts into every program of this computer (ld.so(8))."""
        path = os.path.join(self._etc, "ld.so.preload")
        text = readable(os.fsdecode(self._look(path) or b"")).strip()
        listed = Variable(scope="machine", name="LD_PRELOAD", value=Value(text=text), source=path)
        return [listed] if text else []

    def _folders_of_the_loader(self) -> list[Variable]:
        """Those in the one file of the loader that is ours."""
        try:
            value = self._loader.read()
        except Refused as trouble:
            self._gaps[self._loader.path] = Gap(what="variables", why=why_in_facts(trouble))
            return []
        if value is None:
            return []
        name, path = loader_folders.NAME, self._loader.path
        return [Variable(scope="machine", name=name, value=value, source=path, ours=True)]

    def gaps(self) -> tuple[Gap, ...]:
        """What the last :meth:`variables` could not read."""
        return tuple(self._gaps.values())

    def read(self, scope: Scope, name: str) -> Value | None:
        """What our own settings file gives ``name``; of the machine's, the loader's folders."""
        if scope != "user":
            return self._loader.read() if name == loader_folders.NAME else None
        return settings_file.from_sh(self._settings_content()).get(name)

    def _own_values(self) -> dict[str, Value]:
        return settings_file.from_sh(self._look(self._settings))

    def _settings_content(self) -> bytes | None:
        with refusing("system-said"):
            return files.read(self._settings)

    def _look(self, path: str) -> bytes | None:
        try:
            return files.read(path)
        except OSError as trouble:
            self._gaps[path] = Gap(what="variables", why=why_in_facts(trouble))
            return None

    def _assigned(self, scope: Scope, path: str) -> list[Variable]:
        return [
            Variable(
                scope=scope,
                name=found.name,
                value=Value(text=readable(found.text)),
                source=f"{readable(path)}:{found.line}",
            )
            for found in startup_files.assignments(self._look(path) or b"")
        ]

    def _files_of_the_person(self) -> list[str]:
        if not self._home:
            return []
        config = startup_files.config_folder(self._start, self._home)
        return [
            *startup_files.candidates(self._home, self._start),
            os.path.join(config, "fish/config.fish"),
            *_all(config, "fish/conf.d/*.fish", without=_FISH),
            *_all(config, "environment.d/*.conf", without=_SYSTEMD),
            *_all(config, "plasma-workspace/env/*.sh"),
        ]

    def _files_of_the_machine(self) -> list[str]:
        own = ("environment", "profile", "bash.bashrc", "bashrc", "zsh/zshenv", "zshenv")
        return [
            *(os.path.join(self._etc, name) for name in own),
            *_all(self._etc, "profile.d/*.sh"),
            *_all(self._etc, "environment.d/*.conf"),
        ]

    # Writing ------------------------------------------------------------------------------

    def write(self, scope: Scope, name: str, value: Value | None) -> None:
        """Give ``name`` this value in our settings file (``None``: name it no more).

        With the first value our line comes into the start-up files; with the last one line and
        files go again. Writing what is there already completes what an interrupted run left.
        """
        if scope != "user":
            self.write_machine([(name, value)])
            return
        if not self._home:
            raise Refused("no-home")
        if any(ord(c) < 32 for c in self._settings):
            raise Refused("file-name-unusable", file=self._shown)
        if value is not None and not settings_file.storable(name, value.text):
            raise Refused("value-not-holdable", name=name)
        content = self._settings_content()
        _refuse_foreign(self._settings, content)
        values = settings_file.from_sh(content)
        values.pop(name, None)
        holds = value is not None and (value.text or value.gone)
        if value is not None and (holds or not envpath.is_list(name, "linux")):
            values[name] = value
        self._store(content, values)

    def _store(self, content: bytes | None, values: settings_file.Values) -> None:
        with refusing("system-said"):
            lines, twins = self._lines(bool(values)), self._twins(values)
        main = files.Replacement(self._settings, content, settings_file.to_sh(values))
        # A start-up file whose line names no file yet does nothing, so whatever instant a kill
        # picks, the settings file alone decides what is in force.
        order = [*lines, *twins, main] if values else [main, *twins, *lines]
        files.replace_all(order)
        for file in [] if values else (main, *twins):
            # Only a folder that holds nothing can be removed this way.
            with contextlib.suppress(OSError):
                os.rmdir(os.path.dirname(file.path))

    def _lines(self, wanted: bool) -> list[files.Replacement]:
        change = startup_files.with_line if wanted else startup_files.without_line
        chosen = startup_files.candidates(self._home, self._start)
        if wanted:
            chosen = startup_files.files(self._home, self._start, self._login_shell)
        contents = {path: files.read(path) for path in chosen}
        return [
            files.Replacement(path, old, change(old, self._settings))
            for path, old in contents.items()
        ]

    def _twins(self, values: settings_file.Values) -> list[files.Replacement]:
        found = []
        for path, used, written in self._other_readers():
            old = files.read(path)
            _refuse_foreign(path, old)
            new = written(values) if used or old is not None else None
            found.append(files.Replacement(path, old, new))
        return found

    def _other_readers(self) -> list[tuple[str, bool, _Written]]:
        """Their files, whether they are there, and how they are written to."""
        fish = os.path.isdir(os.path.join(self._config, "fish"))
        uses_fish = fish or os.path.basename(self._login_shell) == "fish"
        systemd = os.path.join(self._config, _SYSTEMD)
        return [
            (os.path.join(self._config, _FISH), uses_fish, settings_file.to_fish),
            (systemd, os.path.isdir(_BOOTED), settings_file.to_systemd),
        ]

    def write_machine(self, changes: Sequence[tuple[str, Value | None]]) -> None:
        """The loader's folders, by the administrator's hand; nothing else for all users."""
        if [name for name, _value in changes] != [loader_folders.NAME]:
            raise Refused("administrators-settings")
        self._loader.write(changes[0][1])

    def announce(self) -> None:
        """Nothing to do: on Linux a running program can't be told."""

    def touched(self) -> tuple[str, ...]:
        """The start-up files that get our line with the first value, or have it now."""
        if not self._home:
            return ()
        chosen = startup_files.files(self._home, self._start, self._login_shell)
        extra = [path for path, used, _written in self._other_readers() if used]
        return tuple(readable(path) for path in (*chosen, *extra))

    def where(self, scope: Scope) -> str:
        """Our settings file, and for all users our file of the loader."""
        return self._shown if scope == "user" else self._loader.path

    def may_write(self, scope: Scope) -> bool:
        """The person's own scope; the machine's is asked for."""
        return bool(self._home) if scope == "user" else os.geteuid() == 0

    def fresh_environment(self) -> dict[str, str]:
        """The environment at this program's start as a terminal opened now would have it.

        What our settings file said at the start is taken out and what it says now put in. No shell
        is started.
        """
        without = settings_file.without(self._at_start, self._start)
        return settings_file.effect(self._own_values(), without)


def _refuse_foreign(path: str, content: bytes | None) -> None:
    if not settings_file.is_ours(content):
        raise Refused("edited-by-hand", file=readable(path))


def _all(folder: str, pattern: str, without: str = "") -> list[str]:
    found = glob.glob(pattern, root_dir=folder)
    return sorted(os.path.join(folder, name) for name in found if name != without)
