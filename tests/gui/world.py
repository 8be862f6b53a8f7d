"""A whole small world for the window: settings in memory, a computer that follows from them.

Nothing of ours is replaced: diagnosis, plan, apply, journal and report are the real ones.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from pathlib import Path

import computers

from cudnn_assistant.compat import Compat
from cudnn_assistant.feed import Source, current
from cudnn_assistant.journal import Journal
from cudnn_assistant.machine import Gap, Machine, Scope, Value, Variable
from cudnn_assistant.probe import Cancel, Part, Say
from cudnn_assistant.probe.running.children import run_command
from cudnn_assistant.session import LookRequest, Session
from cudnn_assistant.system import Readable
from cudnn_assistant.system.autostart import LinuxAutostart
from cudnn_assistant.system.planned import Planned
from cudnn_assistant.trouble import Refused

PARTS: tuple[Part, ...] = ("gpu", "cuda", "cudnn", "settings", "trial")


class Settings:
    """Windows' variables of one person, in memory; a scope may refuse to be written."""

    family = "windows"

    def __init__(self, **values: str) -> None:
        self.values: dict[tuple[Scope, str], Value] = {
            ("user", name): Value(text=text, expand=True) for name, text in values.items()
        }
        self.refuses: set[Scope] = set()
        self.announced = 0

    def variables(self) -> tuple[Variable, ...]:
        return tuple(
            Variable(scope=scope, name=name, value=value)
            for (scope, name), value in self.values.items()
        )

    def gaps(self) -> tuple[Gap, ...]:
        return ()

    def read(self, scope: Scope, name: str) -> Value | None:
        return self.values.get((scope, name))

    def write(self, scope: Scope, name: str, value: Value | None) -> None:
        if scope in self.refuses:
            raise Refused("windows-did-not-allow", name=name, why=PermissionError(13, "denied"))
        if value is None:
            self.values.pop((scope, name), None)
        else:
            self.values[scope, name] = value

    def announce(self) -> None:
        self.announced += 1

    def where(self, scope: Scope) -> str:
        return r"HKCU\Environment"

    def touched(self) -> tuple[str, ...]:
        return ()

    def may_write(self, scope: Scope) -> bool:
        return scope not in self.refuses

    def fresh_environment(self) -> dict[str, str]:
        return {name: value.text for (_scope, name), value in self.values.items()}


class World:
    """A computer whose cuDNN starts when its folder is in the person's Path."""

    def __init__(self, tmp_path: Path) -> None:
        self.settings = Settings(Path=";".join(computers.MINE))
        self.journal = Journal(str(tmp_path / "journal.jsonl"))
        self.look: Callable[[], Machine] = self.path_decides
        self.gate: threading.Event | None = None
        """Where a test wants the look to wait before its last part."""
        self.child: list[str] = []
        """A program that the look starts as its test, and waits for."""
        self.again = LinuxAutostart({"HOME": str(tmp_path)})
        self.looks = 0
        self.tries = 0
        """Looks at what would be."""
        self.seen: Readable = self.settings  # type: ignore[assignment]
        self.installed: object = 0
        self.links: list[str] = []
        self.browser = True

    def open(self, link: str) -> bool:
        self.links.append(link)
        return self.browser

    def folders(self) -> tuple[str, ...]:
        value = self.settings.read("user", "Path")
        return tuple(value.text.split(";")) if value else ()

    def searched(self) -> tuple[str, ...]:
        """The folders of the computer that is looked at, or thought of."""
        found = (v for v in self.seen.variables() if (v.scope, v.name) == ("user", "Path"))
        value = next((one.value for one in found), None)
        return tuple(value.text.split(";")) if value else ()

    def path_decides(self) -> Machine:
        mine = self.searched()
        if computers.BIN in mine:
            there = computers.copy(computers.BIN, "9.8.0", "system", via="PATH")
            return computers.windows(computers.passed(), cudnns=(there,), mine=mine)
        there = computers.copy(computers.BIN, "9.8.0")
        return computers.windows(computers.not_found(), cudnns=(there,), mine=mine)

    def always_helps(self) -> Machine:
        """Whatever is planned is what was missing."""
        if not isinstance(self.seen, Planned):
            return self.path_decides()
        there = computers.copy(computers.BIN, "9.8.0", "system", via="PATH")
        return computers.windows(computers.passed(), cudnns=(there,), mine=self.searched())

    def never_helps(self) -> Machine:
        """The folder may be in Path or not: the handle can't be created."""
        there = computers.copy(computers.BIN, "9.8.0", "system", via="PATH")
        if computers.BIN not in self.searched() or isinstance(self.seen, Planned):
            # Nor does it show when it is only tried.
            return self.path_decides()
        trial = computers.unexplained().trials[0]
        return computers.windows(trial, cudnns=(there,), mine=self.searched())

    def probe(self, system: Readable, _request: LookRequest, say: Say, cancel: Cancel) -> Machine:
        if isinstance(system, Planned):
            self.tries += 1
        else:
            self.looks += 1
        self.seen = system
        machine = self.look()
        for part in PARTS:
            say(part, False, machine)
            if part == "trial" and self.child:
                # A test that hangs: a real process, watched as the real test is.
                run_command(self.child, {}, {}, 600, cancel=cancel)
            if part == "trial" and self.gate is not None:
                assert self.gate.wait(30)
            say(part, True, machine)
        return machine

    def session(self, **exchanged: object) -> Session:
        """The real session over this world; ``exchanged`` are methods that a test stands in for."""
        session = Session(
            self.settings,  # type: ignore[arg-type]
            self.journal,
            look=self.probe,
            fetch=self.fetch,
        )
        session.autostart = self.again
        for name, function in {"install_mark": lambda: self.installed, **exchanged}.items():
            assert hasattr(Session, name)
            setattr(session, name, function)
        return session

    def fetch(self, _offline: bool = False, *, insist: bool = False) -> tuple[Compat, Source]:
        return current(offline=True)
